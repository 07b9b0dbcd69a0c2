"""Seeds, actions, counts and options: one reader each, for every environment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

import yatzy_env
from yatzy_env import IllegalActionError, Situation, SituationError, YatzyError
from yatzy_env.dice import key
from yatzy_env.envs import LateStart, YatzyEnv
from yatzy_env.envs.batch import YatzyVectorEnv
from yatzy_env.envs.multiplayer import raw_env
from yatzy_env.situation import single

ENVS: dict[str, Callable[[], Any]] = {
    "single": YatzyEnv,
    "batch": lambda: YatzyVectorEnv(1),
    "multiplayer": raw_env,
    "late start": lambda: LateStart(YatzyEnv(), 3),
}
STRANGE_SEEDS = [-1, True, np.True_, 1.5, 1.0, np.float64(2), "1", b"1", {1}, float("nan"), np.array(1.5)]
STRANGE_ACTIONS = [[1.7], [True], ["1"], [float("nan")], [None], [1e30], [2**70], [-1], [225], [np.float64(3)]]


def standing(env: Any) -> list[Situation]:
    """Where the games of an environment stand."""
    env = env.unwrapped
    return [single(env.tables, env._games.now, game) for game in range(len(env._games.key))]


@pytest.mark.parametrize("kind", ENVS)
@pytest.mark.parametrize("seed", STRANGE_SEEDS, ids=repr)
def test_a_seed_that_is_no_whole_number_is_refused_before_anything_changes(kind: str, seed: Any) -> None:
    env = ENVS[kind]()
    env.reset(seed=3)
    before = standing(env)
    with pytest.raises(YatzyError, match=r"seed.*allowed: a whole number from 0"):
        env.reset(seed=seed)
    assert standing(env) == before
    env.reset()  # the next game under the old seed
    other = ENVS[kind]()
    other.reset(seed=3)
    other.reset()
    assert standing(env) == standing(other)


@pytest.mark.parametrize("kind", ENVS)
@pytest.mark.parametrize("seed", [0, np.int8(5), np.uint64(2**64 - 1), 2**64])
def test_any_other_integer_from_zero_is_a_seed(kind: str, seed: Any) -> None:
    env, again = ENVS[kind](), ENVS[kind]()
    env.reset(seed=seed)
    again.reset(seed=int(seed))
    assert standing(env) == standing(again)


def test_long_seeds_are_hashed_to_keys() -> None:
    env = YatzyEnv()
    entropy = np.random.SeedSequence().entropy
    for seed, wanted in ((7, 7), (2**64 - 1, 2**64 - 1), (2**64, key("seed", 2**64)), (entropy, key("seed", entropy))):
        env.reset(seed=seed)
        assert int(env._games.key[0]) == wanted


def test_envs_of_a_batch_do_not_wrap_around_at_the_largest_key() -> None:
    batch = YatzyVectorEnv(3)
    for first in (2**64 - 2, 2**100):
        observations, _ = batch.reset(seed=first)
        for env in range(3):
            np.testing.assert_array_equal(YatzyEnv().reset(seed=first + env)[0], observations[env])
    assert len(set(batch._games.key.tolist())) == 3


@pytest.mark.parametrize("kind", ["single", "batch"])
def test_the_seed_that_an_environment_drew_replays_its_game(kind: str) -> None:
    env = ENVS[kind]()
    env.reset()
    first = standing(env)
    env.reset()
    env.reset(seed=env.unwrapped.np_random_seed)
    assert standing(env) == first
    other = ENVS[kind]()
    other.np_random = np.random.default_rng(4)  # whose seed nobody knows
    other.reset()
    again = ENVS[kind]()
    again.np_random = np.random.default_rng(4)
    again.reset()
    assert standing(other) == standing(again)


@pytest.mark.parametrize("seed", [[1, None], [1], [1, 2, 3], [1, -2], [1, 2.0], np.array([1.0, 2.0]), [[1], [2]], "12"])
def test_a_list_of_seeds_that_does_not_fit(seed: Any) -> None:
    env = YatzyVectorEnv(2)
    env.reset(seed=3)
    before = standing(env)
    with pytest.raises(YatzyError, match="seed"):
        env.reset(seed=seed)
    assert standing(env) == before


def test_seeds_come_as_a_list_a_tuple_or_an_array() -> None:
    wanted = YatzyVectorEnv(2).reset(seed=8)[0]
    for seed in ([8, 9], (8, np.int16(9)), np.array([8, 9], np.uint8)):
        np.testing.assert_array_equal(YatzyVectorEnv(2).reset(seed=seed)[0], wanted)


@pytest.mark.parametrize("given", STRANGE_ACTIONS, ids=repr)
def test_an_action_that_is_no_number_of_the_action_space_is_named(given: list[Any]) -> None:
    for env, actions in (
        (YatzyEnv(), [*given, given]),
        (raw_env(), [*given, given]),
        (YatzyVectorEnv(1), [given, tuple(given), np.array(given), np.array(given, object)]),
    ):
        env.reset(seed=1)
        before = standing(env)
        for action in actions:
            if action == 3.0 and isinstance(action, np.ndarray):
                continue
            with pytest.raises(IllegalActionError) as caught:
                env.step(action)
            assert "\n" not in str(caught.value)
            assert any(shown in str(caught.value) for shown in (str(given[0]), repr(np.array(given))))
        assert standing(env) == before


@pytest.mark.parametrize("given", [None, 3, "1", {}, np.array(3), [], [1, 2], [[1]], np.zeros((1, 1), int)])
def test_actions_of_another_shape(given: Any) -> None:
    env = YatzyVectorEnv(1)
    env.reset(seed=1)
    with pytest.raises(IllegalActionError, match="action"):
        env.step(given)


@pytest.mark.parametrize("action", [3, np.int8(3), np.array(3), np.array([3])[0]])
def test_any_integer_is_an_action(action: Any) -> None:
    env, game, batch = YatzyEnv(), raw_env(), YatzyVectorEnv(1)
    for each in (env, game, batch):
        each.reset(seed=1)
    env.step(action)
    game.step(action)
    for actions in ([action], np.array([action], np.uint16)):
        batch.reset(seed=1)
        batch.step(actions)
        assert standing(batch) == standing(env) == standing(game)[:1]


@pytest.mark.parametrize("kind", ["single", "batch", "multiplayer"])
def test_a_step_before_reset_says_so(kind: str) -> None:
    with pytest.raises(YatzyError, match="step before reset"):
        ENVS[kind]().step([0])


def test_counts_are_whole_numbers_of_any_kind() -> None:
    assert gymnasium.make_vec("yatzy_env/Yatzy-v0", num_envs=np.int64(4)).num_envs == 4
    assert yatzy_env.multiplayer(players=np.int64(3)).max_num_agents == 3
    for wrong in (0, True, 2.0, "2", None):
        with pytest.raises(YatzyError, match=r"num_envs = .*allowed: a whole number from 1"):
            YatzyVectorEnv(wrong)
    for wrong in (1, 101, 10**12, True, 2.0):
        with pytest.raises(YatzyError, match=r"players = .*allowed: a whole number from 2 to 100"):
            raw_env(players=wrong)


@pytest.mark.parametrize(
    "options",
    [
        5,
        [],
        "situation",
        {"situation": None},
        {"situation": {1: 2}},
        {"situation": {"roll": None}},
        {"situation": {"roll": [[1]] * 5}},
        {"situation": {"roll": (1, 2, 3, 4, 5), "upper": 0}},
        {"situation": {"roll": (1, 2, 3, 4, 5), "upper": np.array([[0]])}},
        {"situation": {"roll": (1, 2, 3, 4, 5), "yatzy_fifty": np.array([True, False])}},
        {"situation": {"roll": (1, 2, 3, 4, 5), "throws_left": None}},
        {"situation": {"roll": (1, 2, 3, 4, 5), "filled": None}},
        {"situation": {"roll": np.ones((5, 2))}},
    ],
    ids=repr,
)
def test_strange_options_are_one_error_of_ours(options: Any) -> None:
    env = YatzyEnv()
    env.reset(seed=1)
    before = standing(env)
    with pytest.raises(SituationError) as caught:
        env.reset(options=options)
    assert "\n" not in str(caught.value)
    assert standing(env) == before


def test_a_situation_of_arrays_is_read() -> None:
    env = YatzyEnv()
    fields = {
        "roll": np.array([5, 1, 1, 2, 3]),
        "upper": np.array([4]),
        "filled": np.int16(1),
        "throws_left": np.uint8(1),
    }
    env.reset(options={"situation": fields})
    assert env.situation == Situation(1, (4,), (1, 1, 2, 3, 5), 1)
