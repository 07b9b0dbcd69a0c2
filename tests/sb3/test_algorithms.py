"""The adapter under the algorithms, wrappers and callbacks of Stable-Baselines3 and sb3-contrib: a smoke run each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sb3_contrib import MaskablePPO, RecurrentPPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize

from agents.sb3.vec_env import BatchVecEnv
from yatzy_env import ruleset
from yatzy_env.envs.batch import YatzyVectorEnv

SMALL = ruleset({"name": "small", "dice": 3, "boxes": ["ones", "sixes", "chance"], "bonus_threshold": 9})
GAMES = 4


def envs(seed: int = 1) -> BatchVecEnv:
    env = BatchVecEnv(YatzyVectorEnv(GAMES, SMALL))
    env.seed(seed)
    return env


@pytest.mark.parametrize(
    ("algorithm", "policy", "options"),
    [
        (PPO, "MlpPolicy", {"n_steps": 16, "batch_size": 32}),
        (A2C, "MlpPolicy", {"n_steps": 8}),
        (DQN, "MlpPolicy", {"learning_starts": 16, "buffer_size": 1000, "batch_size": 16}),
        (MaskablePPO, "MlpPolicy", {"n_steps": 16, "batch_size": 32}),
        (RecurrentPPO, "MlpLstmPolicy", {"n_steps": 16, "batch_size": 32}),
    ],
)
def test_it_trains_and_changes_its_weights(algorithm: Any, policy: str, options: dict[str, Any]) -> None:
    model = algorithm(policy, VecMonitor(envs()), seed=1, device="cpu", **options)
    before = [weights.detach().clone() for weights in model.policy.parameters()]
    model.learn(1200)  # unmasked algorithms need some: a game they stall in is cut off after 100 steps
    assert model.num_timesteps >= 1200
    after = list(model.policy.parameters())
    assert any(not np.array_equal(old.numpy(), new.detach().numpy()) for old, new in zip(before, after, strict=True))
    assert len(model.ep_info_buffer) > 0  # whole games were monitored
    assert all(np.isfinite(weights.detach().numpy()).all() for weights in after)


def test_monitored_returns_are_scores() -> None:
    env = VecMonitor(envs())
    env.reset()
    rng = np.random.default_rng(1)
    totals, seen = np.zeros(GAMES), 0
    for _ in range(200):
        masks = get_action_masks(env)
        actions = (rng.random(masks.shape) * masks).argmax(axis=1)
        _, rewards, dones, infos = env.step(actions)
        totals += rewards
        for game in np.flatnonzero(dones):
            assert infos[game]["episode"]["r"] == totals[game]
            totals[game] = 0
            seen += 1
    assert seen > GAMES


def test_a_normaliser_changes_observations_and_leaves_masks_alone() -> None:
    plain, wrapped = envs(), VecNormalize(VecMonitor(envs()))
    observations, normalised = plain.reset(), wrapped.reset()
    changed = False
    for _ in range(50):
        masks = plain.action_masks()
        np.testing.assert_array_equal(get_action_masks(wrapped), masks)
        actions = masks.argmax(axis=1)
        observations, *_ = plain.step(actions)
        normalised, *_ = wrapped.step(actions)
        changed |= not np.allclose(observations, normalised)
    assert changed


def test_evaluation_during_training_plays_legally() -> None:
    callback = MaskableEvalCallback(VecMonitor(envs(2)), eval_freq=16, n_eval_episodes=8, warn=False, verbose=0)
    MaskablePPO("MlpPolicy", VecMonitor(envs()), n_steps=16, batch_size=32, seed=1, device="cpu").learn(128, callback)
    # The best game of three dice: 3 + 18 + 18 and the bonus; an illegal action would stall a game instead.
    assert 0 < callback.last_mean_reward <= SMALL.max_score
