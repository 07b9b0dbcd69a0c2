"""PPO with action masks: the networks, the training loop around Stable-Baselines3, run folders and the trained agent.

Training needs torch, stable-baselines3 and sb3-contrib. Playing a trained model (`agents.ppo.agent`) needs numpy alone.
"""
