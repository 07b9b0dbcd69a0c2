"""The adapter plays the very games of the batch and the single environment, and avoids SB3's traps."""

from __future__ import annotations

import warnings
from itertools import pairwise

import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.vec_env import VecMonitor

from tests.envs.play import random_legal
from tests.ppo.helpers import vec_env
from yatzy_env import ruleset
from yatzy_env.dice import key
from yatzy_env.envs.batch import YatzyVectorEnv
from yatzy_env.envs.single import YatzyEnv

LANES, SEED = 4, 11


def choose(rng: np.random.Generator, masks: np.ndarray) -> np.ndarray:
    return np.array([random_legal(rng, mask) for mask in masks])


@pytest.mark.parametrize("name", ["yatzy", "yahtzee", "maxi-alga", "triple"])
def test_equals_the_batch_environment(name: str) -> None:
    ours, theirs = vec_env(name, LANES, SEED, 0.02), YatzyVectorEnv(LANES, name)
    theirs.reset(seed=[key("train", SEED, lane) for lane in range(LANES)])
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
        for lane in np.flatnonzero(dones):
            np.testing.assert_array_equal(infos[lane]["terminal_observation"], their_infos["final_obs"][lane])
            assert infos[lane]["episode"]["r"] == their_infos["final_info"]["score"][lane]
            scores += 1
    assert scores > 0


def test_equals_the_single_environment() -> None:
    rules = ruleset("yatzy")
    ours = vec_env(rules, LANES, SEED)
    singles = [YatzyEnv(rules) for _ in range(LANES)]
    expected = [env.reset(seed=key("train", SEED, lane))[0] for lane, env in enumerate(singles)]
    np.testing.assert_array_equal(ours.reset(), expected)
    rng = np.random.default_rng(2)
    lengths = np.zeros(LANES, int)
    for _ in range(150):
        masks = ours.action_masks()
        actions = choose(rng, masks)
        observations, rewards, dones, infos = ours.step(actions)
        lengths += 1
        for lane, env in enumerate(singles):
            np.testing.assert_array_equal(masks[lane], env.action_masks())
            seen, reward, terminated, truncated, info = env.step(int(actions[lane]))
            assert (rewards[lane], dones[lane]) == (reward, terminated)
            assert not truncated
            if terminated:
                np.testing.assert_array_equal(infos[lane]["terminal_observation"], seen)
                assert infos[lane]["TimeLimit.truncated"] is False
                assert infos[lane]["episode"] == {"r": info["score"], "l": lengths[lane], "t": 0.0}
                lengths[lane] = 0
                seen, _ = env.reset()
            else:
                assert infos[lane] == {}
            np.testing.assert_array_equal(observations[lane], seen)


def test_what_it_returns_is_never_written_again() -> None:
    env = vec_env("yatzy", LANES, SEED)
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
    env = vec_env("yacht", LANES, SEED)
    env.reset()
    rng = np.random.default_rng(4)
    dones = np.zeros(LANES, bool)
    while not dones.any():
        _, _, dones, _ = env.step(choose(rng, env.action_masks()))
    masks = env.action_masks()
    assert masks.any(axis=1).all()
    assert masks[dones][:, env.parts[0].batch.tables.keeps :].all()  # every box is open again
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
    env = VecMonitor(vec_env("yacht", LANES, SEED))
    env.reset()
    rng = np.random.default_rng(5)
    dones = np.zeros(LANES, bool)
    while not dones.any():
        _, _, dones, infos = env.step(choose(rng, get_action_masks(env)))
    assert len({id(info) for info in infos}) == LANES
    assert [("episode" in info) for info in infos] == dones.tolist()


def test_masks_come_in_one_call() -> None:
    env = vec_env("yatzy", LANES, SEED)
    env.reset()
    assert is_masking_supported(env)
    masks = env.env_method("action_masks")
    assert masks.shape == (LANES, 225)
    np.testing.assert_array_equal(get_action_masks(env), masks)
    np.testing.assert_array_equal(env.env_method("action_masks", indices=[2, 0]), masks[[2, 0]])
    assert not env.has_attr("no_such_thing")


def test_training_never_throws_evaluation_dice() -> None:
    env = vec_env("yatzy", 1000, 7)
    env.reset()
    ours = set(env.state()["key"].tolist())
    assert ours == {key("train", 7, lane) for lane in range(1000)}
    assert not ours & {key("evaluate", 7, game) for game in range(10_000)}
    assert not ours & {key("train", 8, lane) for lane in range(1000)}


def test_a_restored_state_goes_on_alike() -> None:
    rules = ruleset("maxi-alga")
    env, other = vec_env(rules, LANES, 1), vec_env(rules, LANES, 2)
    observations = env.reset()
    rng = np.random.default_rng(6)
    for _ in range(77):
        observations, *_ = env.step(choose(rng, env.action_masks()))
    state = env.state()
    np.testing.assert_array_equal(other.restore(state), observations)
    for _ in range(200):
        actions = choose(rng, env.action_masks())
        for ours, theirs in zip(env.step(actions)[:3], other.step(actions)[:3], strict=True):
            np.testing.assert_array_equal(ours, theirs)
        np.testing.assert_array_equal(env.action_masks(), other.action_masks())
    assert not np.array_equal(state["total"], env.state()["total"])


def test_reset_without_a_seed_starts_the_next_games() -> None:
    env = vec_env("yatzy", LANES, SEED)
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
