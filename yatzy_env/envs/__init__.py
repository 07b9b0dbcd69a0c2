"""Gymnasium environments on the tables of any ruleset."""

from yatzy_env.envs.observation import Block, observation_blocks, observation_space
from yatzy_env.envs.single import YatzyEnv

__all__ = ["Block", "YatzyEnv", "observation_blocks", "observation_space"]
