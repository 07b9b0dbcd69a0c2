"""A2C, DQN and PPO of Stable-Baselines3 without action masks, as they are: what masks and care are measured against.

They train on the tolerant environment, where an illegal action changes nothing and earns nothing. For play and
evaluation the best-rated legal action is taken, and how often the best-rated action of all is illegal is reported.
"""
