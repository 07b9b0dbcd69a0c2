"""Yatzy in TorchRL: masked random play from a single game, and from a game for two by its PettingZoo wrapper.

    python docs/examples/torchrl_rollout.py

Needs `torchrl`, which the project's environments do not install. TorchRL reads masks as booleans from the observation,
hence `MaskInObservation(mask_dtype=bool)`; `ActionMask` then keeps its samples legal. A policy of your own takes the
place of the random one: any module that reads "observation" and "action_mask" and writes "action".
"""

from __future__ import annotations

import gymnasium
from tensordict import TensorDict
from torchrl.envs import GymWrapper, PettingZooWrapper, TransformedEnv
from torchrl.envs.transforms import ActionMask

import yatzy_env
from yatzy_env.envs import MaskInObservation


def one_player(seed: int = 1) -> TensorDict:
    """A whole game: rewards sum up to its score."""
    env = MaskInObservation(gymnasium.make("yatzy_env/Yatzy-v0"), mask_dtype=bool)
    masked = TransformedEnv(GymWrapper(env, categorical_action_encoding=True), ActionMask())
    masked.set_seed(seed)
    return masked.rollout(100)


def two_players(seed: int = 1) -> TensorDict:
    """A whole game of two players in turns; each has an entry of its own."""
    game = yatzy_env.multiplayer("yatzy", players=2)
    env = PettingZooWrapper(game, use_mask=True, categorical_actions=True, seed=seed)
    return env.rollout(200)


if __name__ == "__main__":
    single, both = one_player(), two_players()
    print(f"a game of {len(single)} steps, score {int(single['next', 'reward'].sum())}")  # noqa: T201
    print(f"a game for two of {len(both)} steps")  # noqa: T201
