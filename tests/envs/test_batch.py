"""The batch environment plays the very episodes of the single one."""

from __future__ import annotations

import copy
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import yatzy_env
from agents.sb3.vec_env import BatchVecEnv
from yatzy_env import IllegalActionError, YatzyError
from yatzy_env.envs import YatzyEnv
from yatzy_env.envs.batch import YatzyVectorEnv
from yatzy_env.envs.single import ILLEGAL_LIMIT


def legal_actions(rng: np.random.Generator, masks: np.ndarray) -> np.ndarray:
    return (rng.random(masks.shape) * masks).argmax(axis=1)


@pytest.mark.parametrize("name", yatzy_env.rulesets())
def test_lanes_equal_single_environments_step_by_step(name: str) -> None:
    lanes = 3
    batch = gymnasium.make_vec(yatzy_env.env_id(name), num_envs=lanes)
    singles = [YatzyEnv(name) for _ in range(lanes)]
    observations, infos = batch.reset(seed=40)
    for lane, env in enumerate(singles):
        observation, _ = env.reset(seed=40 + lane)
        np.testing.assert_array_equal(observation, observations[lane])
    rng = np.random.default_rng(1)
    ended = 0
    for step in range(400):
        actions = legal_actions(rng, infos["action_mask"])
        if step % 7 == 0:
            actions[0] = np.flatnonzero(infos["action_mask"][0] == 0)[0]
        observations, rewards, terminated, truncated, infos = batch.step(actions)
        assert batch.observation_space.contains(observations)
        for lane, env in enumerate(singles):
            observation, reward, done, cut, info = env.step(actions[lane])
            assert (reward, done, cut) == (rewards[lane], terminated[lane], truncated[lane])
            assert info["illegal_action"] == infos["illegal_action"][lane]
            if done:
                ended += 1
                np.testing.assert_array_equal(infos["final_obs"][lane], observation)
                assert infos["_final_obs"][lane]
                assert infos["final_info"]["score"][lane] == info["score"]
                observation, info = env.reset()
            np.testing.assert_array_equal(observation, observations[lane])
            np.testing.assert_array_equal(info["action_mask"], infos["action_mask"][lane])
            assert info["score"] == infos["score"][lane]
    assert ended >= lanes


@pytest.mark.parametrize("name", yatzy_env.rulesets())
def test_the_sb3_adapter_equals_single_environments_step_by_step(name: str) -> None:
    lanes, seed = 2, 6
    adapter = BatchVecEnv(YatzyVectorEnv(lanes, name))
    adapter.seed(seed)
    singles = [YatzyEnv(name) for _ in range(lanes)]
    observations = adapter.reset()
    for lane, env in enumerate(singles):
        np.testing.assert_array_equal(env.reset(seed=seed + lane)[0], observations[lane])
    rng = np.random.default_rng(1)
    ended = 0
    for _ in range(300):
        actions = legal_actions(rng, adapter.env_method("action_masks"))
        observations, rewards, dones, infos = adapter.step(actions)
        for lane, env in enumerate(singles):
            observation, reward, done, _, info = env.step(actions[lane])
            assert (reward, done) == (rewards[lane], dones[lane])
            if done:
                ended += 1
                np.testing.assert_array_equal(infos[lane]["terminal_observation"], observation)
                assert infos[lane]["episode"]["r"] == info["score"]
                observation, _ = env.reset()
            np.testing.assert_array_equal(observation, observations[lane])
            np.testing.assert_array_equal(env.action_masks(), adapter.action_masks()[lane])
    assert ended >= lanes


@pytest.mark.parametrize("held", ["all", "a view of the observation", "nothing"])
def test_arrays_are_reused_only_when_nobody_holds_them(held: str) -> None:
    env, other = YatzyVectorEnv(5, "yahtzee"), YatzyVectorEnv(5, "yahtzee")
    rng = np.random.default_rng(2)
    env.reset(seed=3)
    other.reset(seed=3)
    kept: list[tuple[np.ndarray, np.ndarray]] = []
    for _ in range(120):
        actions = legal_actions(rng, other.action_masks())
        observations, _, _, _, infos = env.step(actions)
        expected = other.step(actions)
        np.testing.assert_array_equal(observations, expected[0])
        for name in ("action_mask", "final_obs"):
            if held == "all" and name in infos:
                ended = infos["_final_obs"] if name == "final_obs" else slice(None)
                kept.append((infos[name][ended], expected[4][name][ended].copy()))
        if held == "all":
            kept.append((observations, expected[0].copy()))
        elif held != "nothing":
            kept.append((observations[2:4].T, expected[0][2:4].T.copy()))
            observations[:2] = np.nan  # whoever holds an array may write to it
    for array, values in kept:
        np.testing.assert_array_equal(array, values)


def test_a_copy_of_an_environment_goes_its_own_way() -> None:
    env = YatzyEnv("yatzy")
    env.reset(seed=1)
    twin = copy.deepcopy(env)
    before = env.situation
    twin.step(int(twin.action_masks().argmax()))
    assert env.situation == before != twin.situation
    again = pickle.loads(pickle.dumps(env))
    action = int(env.action_masks().argmax())
    np.testing.assert_array_equal(env.step(action)[0], again.step(action)[0])


def test_returned_arrays_are_copies() -> None:
    env = YatzyVectorEnv(4)
    observations, infos = env.reset(seed=1)
    kept, mask = observations.copy(), infos["action_mask"].copy()
    _, rewards, *_ = env.step(infos["action_mask"].argmax(axis=1))
    np.testing.assert_array_equal(observations, kept)
    np.testing.assert_array_equal(infos["action_mask"], mask)
    earned = rewards.copy()
    env.step(np.full(4, 224))
    np.testing.assert_array_equal(rewards, earned)


def test_a_lane_is_truncated_after_too_many_illegal_actions() -> None:
    env = YatzyVectorEnv(2)
    _, infos = env.reset(seed=1)
    illegal = np.array([np.flatnonzero(mask == 0)[0] for mask in infos["action_mask"]])
    for count in range(1, ILLEGAL_LIMIT + 1):
        _, _, terminated, truncated, infos = env.step(illegal)
        assert not terminated.any()
        assert truncated.all() == (count == ILLEGAL_LIMIT)
    assert infos["_final_obs"].all()


def test_state_and_restore_go_on_alike_in_another_environment() -> None:
    env, other = YatzyVectorEnv(3, "maxi-alga"), YatzyVectorEnv(3, "maxi-alga")
    rng = np.random.default_rng(2)
    env.reset(seed=5)
    for _ in range(30):
        env.step(legal_actions(rng, env.action_masks()))
    observations = other.restore(env.state())
    for _ in range(200):
        np.testing.assert_array_equal(env.action_masks(), other.action_masks())
        actions = legal_actions(rng, env.action_masks())
        first, rewards, *_ = env.step(actions)
        observations, again, *_ = other.step(actions)
        np.testing.assert_array_equal(first, observations)
        np.testing.assert_array_equal(rewards, again)


def test_a_state_of_an_earlier_version_is_restored() -> None:
    env, other = YatzyVectorEnv(3, "yahtzee"), YatzyVectorEnv(3, "yahtzee")
    env.reset(seed=5)
    state = env.state()
    state["now_fifty"] = np.array([True, False, True])
    del state["now_yatzy_scored"]
    other.restore(state)
    np.testing.assert_array_equal(other.state()["now_yatzy_scored"], state["now_fifty"])


def test_declares_same_step_autoreset_and_takes_seeds() -> None:
    env = gymnasium.make_vec("yatzy_env/Yatzy-v0", num_envs=2, ruleset="yacht")
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    first, _ = env.reset(seed=9)
    second, _ = env.reset(seed=[9, 10])
    np.testing.assert_array_equal(first, second)
    third, _ = env.reset()
    assert (first != third).any()


def test_an_option_is_refused_and_an_action_outside_the_space_plays_nothing() -> None:
    env = YatzyVectorEnv(2)
    with pytest.raises(YatzyError, match="situation"):
        env.reset(options={"situation": 1})
    env.reset(seed=1)
    before = env.situations
    for actions, wrong in (([0, 225], 225), ([-1, 0], -1)):
        with pytest.raises(IllegalActionError, match=rf"action np.int64\({wrong}\) is outside"):
            env.step(np.array(actions))
    np.testing.assert_array_equal(before.roll, env.situations.roll)
