"""Environments on the tables of any ruleset, and other views of them.

The game for several players is not among the names here, because it needs PettingZoo: see `yatzy_env.multiplayer`.
"""

from yatzy_env.envs.late_start import LateStart
from yatzy_env.envs.multiplayer_observation import multiplayer_blocks, multiplayer_space
from yatzy_env.envs.observation import Block, observation_blocks, observation_space
from yatzy_env.envs.single import YatzyEnv
from yatzy_env.envs.wrappers import DictObservation, MaskInObservation, PositionalActions

__all__ = [
    "Block",
    "DictObservation",
    "LateStart",
    "MaskInObservation",
    "PositionalActions",
    "YatzyEnv",
    "multiplayer_blocks",
    "multiplayer_space",
    "observation_blocks",
    "observation_space",
]
