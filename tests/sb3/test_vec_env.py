"""The adapter plays the very games of the batch and the single environment, and avoids SB3's traps."""

from __future__ import annotations

import warnings
from itertools import pairwise

import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.vec_env import VecMonitor

from agents.sb3.vec_env import BatchVecEnv
from tests.envs.play import random_legal
from yatzy_env import ruleset
from yatzy_env.envs.batch import YatzyVectorEnv
from yatzy_env.envs.single import YatzyEnv
from yatzy_env.rules import Ruleset

GAMES, SEED = 4, 11


def vec_env(rules: str | Ruleset, games: int, seed: int, reward_scale: float = 1.0) -> BatchVecEnv:
    env = BatchVecEnv(YatzyVectorEnv(games, rules), reward_scale)
    env.seed(seed)
    return env


def choose(rng: np.random.Generator, masks: np.ndarray) -> np.ndarray:
    return np.array([random_legal(rng, mask) for mask in masks])


@pytest.mark.parametrize("name", ["yatzy", "yahtzee", "maxi-alga", "triple"])
def test_equals_the_batch_environment(name: str) -> None:
    ours, theirs = vec_env(name, GAMES, SEED, 0.02), YatzyVectorEnv(GAMES, name)
    theirs.reset(seed=SEED)
    observations = ours.reset()
    rng = np.random.default_rng(1)
    scores = 0
    for _ in range(300):
        masks = ours.action_masks()
        np.testing.assert_array_equal(masks, theirs.action_masks())
        actions = choose(rng, masks)
        observations, rewards, dones, infos = ours.step(actions)
        their_observations, their_rewards, terminated, truncated, their_infos = theirs.step(actions)
        np.testing.assert_array_equal(observations, their_observations)
        assert rewards.dtype == np.float32
        np.testing.assert_allclose(rewards, their_rewards * 0.02, rtol=1e-6)
        np.testing.assert_array_equal(dones, terminated | truncated)
        for game in np.flatnonzero(dones):
            np.testing.assert_array_equal(infos[game]["terminal_observation"], their_infos["final_obs"][game])
            assert infos[game]["episode"]["r"] == their_infos["final_info"]["score"][game]
            scores += 1
    assert scores > 0


def test_equals_the_single_environment() -> None:
    rules = ruleset("yatzy")
    ours = vec_env(rules, GAMES, SEED)
    singles = [YatzyEnv(rules) for _ in range(GAMES)]
    expected = [env.reset(seed=SEED + game)[0] for game, env in enumerate(singles)]
    np.testing.assert_array_equal(ours.reset(), expected)
    rng = np.random.default_rng(2)
    lengths = np.zeros(GAMES, int)
    for _ in range(150):
        masks = ours.action_masks()
        actions = choose(rng, masks)
        observations, rewards, dones, infos = ours.step(actions)
        lengths += 1
        for game, env in enumerate(singles):
            np.testing.assert_array_equal(masks[game], env.action_masks())
            seen, reward, terminated, truncated, info = env.step(int(actions[game]))
            assert (rewards[game], dones[game]) == (reward, terminated)
            assert not truncated
            if terminated:
                np.testing.assert_array_equal(infos[game]["terminal_observation"], seen)
                assert infos[game]["TimeLimit.truncated"] is False
                assert infos[game]["episode"] == {"r": info["score"], "l": lengths[game], "t": 0.0}
                lengths[game] = 0
                seen, _ = env.reset()
            else:
                assert infos[game] == {}
            np.testing.assert_array_equal(observations[game], seen)


def test_what_it_returns_is_never_written_again() -> None:
    env = vec_env("yatzy", GAMES, SEED)
    rng = np.random.default_rng(3)
    returned: list[np.ndarray] = [env.reset()]
    copies = [returned[0].copy()]
    for _ in range(120):
        masks = env.action_masks()
        observations, rewards, dones, infos = env.step(choose(rng, masks))
        arrays: list[np.ndarray] = [masks, observations, rewards, dones]
        arrays += [info["terminal_observation"] for info in infos if info]
        returned += arrays
        copies += [array.copy() for array in arrays]
    for array, copy in zip(returned, copies, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_masks_after_an_episode_are_those_of_the_next_one() -> None:
    env = vec_env("yacht", GAMES, SEED)
    env.reset()
    rng = np.random.default_rng(4)
    dones = np.zeros(GAMES, bool)
    while not dones.any():
        _, _, dones, _ = env.step(choose(rng, env.action_masks()))
    masks = env.action_masks()
    assert masks.any(axis=1).all()
    assert masks[dones][:, env.batch.tables.keeps :].all()  # every box is open again
    assert masks[dones][:, 0].all()  # and all dice may be thrown again


def test_illegal_actions_end_an_episode_as_truncated() -> None:
    env = vec_env("yatzy", 1, SEED)
    env.reset()
    illegal = np.flatnonzero(env.action_masks()[0] == 0)[:1]
    for _ in range(100):
        _, rewards, dones, infos = env.step(illegal)
        assert rewards[0] == 0
    assert dones[0]
    assert infos[0]["TimeLimit.truncated"] is True
    assert "terminal_observation" in infos[0]


def test_wrappers_may_write_into_infos() -> None:
    env = VecMonitor(vec_env("yacht", GAMES, SEED))
    env.reset()
    rng = np.random.default_rng(5)
    dones = np.zeros(GAMES, bool)
    while not dones.any():
        _, _, dones, infos = env.step(choose(rng, get_action_masks(env)))
    assert len({id(info) for info in infos}) == GAMES
    assert [("episode" in info) for info in infos] == dones.tolist()


def test_masks_come_in_one_call() -> None:
    env = vec_env("yatzy", GAMES, SEED)
    env.reset()
    assert is_masking_supported(env)
    masks = env.env_method("action_masks")
    assert masks.shape == (GAMES, 225)
    np.testing.assert_array_equal(get_action_masks(env), masks)
    np.testing.assert_array_equal(env.env_method("action_masks", indices=[2, 0]), masks[[2, 0]])
    assert not env.has_attr("no_such_thing")


def test_a_mask_may_follow_the_observation() -> None:
    batch = YatzyVectorEnv(GAMES, "yacht")
    env, plain = BatchVecEnv(batch, shows_mask=True), vec_env("yacht", GAMES, SEED)
    env.seed(SEED)
    shown, observations = env.reset(), plain.reset()
    rng = np.random.default_rng(4)
    finals = 0
    for _ in range(60):
        np.testing.assert_array_equal(shown, np.concatenate([observations, plain.action_masks()], axis=1))
        assert env.observation_space.contains(shown[0])
        actions = choose(rng, env.action_masks())
        shown, _, _, infos = env.step(actions)
        observations, _, _, others = plain.step(actions)
        for info, other in zip(infos, others, strict=True):
            if info:
                size = len(other["terminal_observation"])
                np.testing.assert_array_equal(info["terminal_observation"][:size], other["terminal_observation"])
                assert not info["terminal_observation"][size:].any()
                finals += 1
    assert finals


def test_reset_without_a_seed_starts_the_next_games() -> None:
    env = vec_env("yatzy", GAMES, SEED)
    starts = [env.reset() for _ in range(3)]
    assert not any(np.array_equal(before, after) for before, after in pairwise(starts))
    env.seed(SEED)
    np.testing.assert_array_equal(env.reset(), starts[0])


def test_plain_maskable_ppo_trains_on_it() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = vec_env("yacht", 8, SEED, 0.02)
        model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=128, n_epochs=1, seed=1, device="cpu")
        model.learn(1024)
    assert model.num_timesteps == 1024
    assert model.ep_info_buffer
    assert 0 < np.mean([episode["r"] for episode in model.ep_info_buffer]) < 150
