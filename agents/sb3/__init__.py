"""Algorithms of Stable-Baselines3 and sb3-contrib on the environments, as a benchmark's protocol names them."""
