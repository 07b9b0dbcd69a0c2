"""The policy network: PPO whose advantages come from planned turns. The one trainer of both networks, and the agent.

Training needs torch. Playing a trained model (`agents.ppo.agent`) needs numpy alone.
"""
