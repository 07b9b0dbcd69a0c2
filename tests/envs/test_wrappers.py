"""Wrappers that show the same game differently: plain integers, keeps by position, the mask in the observation."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import yatzy_env
from tests.envs.play import random_legal
from yatzy_env import IllegalActionError, Situation, YatzyError
from yatzy_env.envs import DictObservation, LateStart, MaskInObservation, PositionalActions, YatzyEnv
from yatzy_env.envs.wrappers import keep_patterns
from yatzy_env.multisets import dice_of, multisets

WRAPPERS: dict[str, Callable[[Any], Any]] = {
    "dict": DictObservation,
    "positional": PositionalActions,
    "mask": MaskInObservation,
    "late": lambda env: LateStart(env, (2, 9)),
    "all": lambda env: MaskInObservation(PositionalActions(DictObservation(LateStart(env, 5))), "observations"),
}


@pytest.mark.parametrize("name", yatzy_env.rulesets())
@pytest.mark.parametrize("kind", WRAPPERS)
def test_passes_the_checker_of_gymnasium(kind: str, name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # The checker prefers bare environments; here the wrapper is what is checked.
        warnings.filterwarnings("ignore", message=".*is different from the unwrapped version")
        env = WRAPPERS[kind](gymnasium.make(yatzy_env.env_id(name)))
        check_env(env, skip_render_check=name not in ("yatzy", "triple"))


@pytest.mark.parametrize("kind", WRAPPERS)
def test_a_wrapped_environment_is_made_again_from_its_spec(kind: str) -> None:
    env = WRAPPERS[kind](gymnasium.make("yatzy_env/Yahtzee-v0"))
    again = gymnasium.make(env.spec)
    assert again.observation_space == env.observation_space
    assert again.action_space == env.action_space


@pytest.mark.parametrize("kind", WRAPPERS)
def test_other_environments_are_refused(kind: str) -> None:
    for env in (gymnasium.make("CartPole-v1"), None):
        with pytest.raises(YatzyError, match="allowed: a yatzy_env environment"):
            WRAPPERS[kind](env)


@pytest.mark.parametrize("name", ["yatzy", "yahtzee", "maxi-alga", "triple"])
def test_plain_integers_are_those_of_the_situation(name: str) -> None:
    env = DictObservation(YatzyEnv(name, strict=True))
    rng = np.random.default_rng(2)
    seen, info = env.reset(seed=5)
    terminated = False
    while not terminated:
        situation = env.unwrapped.situation
        assert env.observation_space.contains(seen)
        assert tuple(seen["dice"]) == situation.roll
        assert seen["throws_left"] == situation.throws_left
        assert sum(1 << box for box in np.flatnonzero(seen["filled"])) == situation.filled
        assert tuple(seen["upper"]) == situation.upper
        assert seen["yatzy_fifty"] == situation.yatzy_fifty
        seen, _, terminated, _, info = env.step(random_legal(rng, info["action_mask"]))
    assert env.observation_space.contains(seen)
    assert not seen["dice"].any()
    assert seen["filled"].all()


def test_the_highest_upper_sum_fits_its_space() -> None:
    env = DictObservation(YatzyEnv("maxi-alga"))
    situation = Situation(0b111111, (126,), (1, 1, 1, 1, 1, 1), 2)
    seen, _ = env.reset(options={"situation": situation})
    assert env.observation_space.contains(seen)
    assert seen["upper"].tolist() == [126]
    assert env.observation_space["upper"].high.tolist() == [126]


@pytest.mark.parametrize("dice", [2, 5, 6])
def test_every_keep_of_every_roll_has_exactly_one_pattern_the_lowest(dice: int) -> None:
    keeps = [dice_of(counts) for size in range(dice) for counts in multisets(size)]
    for roll, patterns in zip(map(dice_of, multisets(dice)), keep_patterns(dice), strict=True):
        wanted: dict[tuple[int, ...], int] = {}
        for pattern in range(2**dice - 1):
            kept = tuple(face for place, face in enumerate(roll) if pattern & (1 << place))
            wanted.setdefault(kept, pattern)
        found = {keeps[keep]: pattern for pattern, keep in enumerate(patterns) if keep >= 0}
        assert found == wanted
        assert patterns[-1] == -1
        assert np.count_nonzero(patterns >= 0) == len(wanted)


@pytest.mark.parametrize("name", ["yatzy", "yahtzee", "maxi-alga", "forced-yatzy-first", "triple"])
def test_a_positional_game_is_the_same_game(name: str) -> None:
    env, plain = PositionalActions(YatzyEnv(name, strict=True)), YatzyEnv(name, strict=True)
    rng = np.random.default_rng(3)
    _, info = env.reset(seed=6)
    plain.reset(seed=6)
    terminated = False
    while not terminated:
        mask = info["action_mask"]
        assert mask.dtype == np.int8
        np.testing.assert_array_equal(mask, env.action_masks())
        legal = [env.action(action) for action in np.flatnonzero(mask)]
        assert sorted(legal) == np.flatnonzero(plain.action_masks()).tolist()
        action = random_legal(rng, mask)
        seen, reward, terminated, _, info = env.step(action)
        wanted, points, *_ = plain.step(env_action(env, plain, action))
        assert reward == points
        np.testing.assert_array_equal(seen, wanted)
    assert not info["action_mask"].any()


def env_action(env: PositionalActions, plain: YatzyEnv, action: int) -> int:
    """The action of the plain environment, by its readable name."""
    dice = plain.rules.dice
    if action >= 2**dice:
        return plain.action_names.index(f"score {plain.rules.box_names[action - 2**dice]}")
    kept = [str(face) for place, face in enumerate(plain.situation.roll) if action & (1 << place)]
    return plain.action_names.index(f"keep {' '.join(kept) or 'nothing'}")


def test_masked_patterns_are_illegal_and_named_when_strict() -> None:
    start = {"situation": Situation(roll=(2, 2, 3, 5, 5), throws_left=2)}
    env = PositionalActions(YatzyEnv())
    _, info = env.reset(options=start)
    mask = info["action_mask"]
    assert mask[0b00001]
    assert not mask[0b00010]  # the second of two equal dice
    assert not mask[0b11111]
    for action in np.flatnonzero(mask == 0):
        before = env.unwrapped.situation
        _, reward, _, _, info = env.step(action)
        assert (reward, info["illegal_action"], env.unwrapped.situation) == (0.0, True, before)
    strict = PositionalActions(YatzyEnv(strict=True))
    strict.reset(options=start)
    with pytest.raises(IllegalActionError, match=r"action 2: keeping dice \[2\] of \(2, 2, 3, 5, 5\) is not legal"):
        strict.step(2)
    for action in (-1, 2**5 + 15, 0.5, None):
        with pytest.raises(IllegalActionError, match="action"):
            env.step(action)


def test_positional_actions_want_the_usual_actions_below() -> None:
    with pytest.raises(YatzyError, match="allowed below"):
        PositionalActions(PositionalActions(YatzyEnv()))


def test_the_mask_in_the_observation_is_that_of_the_wrapped_actions() -> None:
    env = MaskInObservation(PositionalActions(YatzyEnv("maxi-alga")))
    rng = np.random.default_rng(1)
    seen, info = env.reset(seed=1)
    for _ in range(30):
        assert env.observation_space.contains(seen)
        np.testing.assert_array_equal(seen["action_mask"], info["action_mask"])
        np.testing.assert_array_equal(seen["action_mask"], env.action_masks())
        seen, *_, info = env.step(random_legal(rng, seen["action_mask"]))
    seen["action_mask"][:] = 0
    assert info["action_mask"].any()


def test_names_in_the_observation_can_be_chosen() -> None:
    env = MaskInObservation(YatzyEnv(), "observations", "mask")
    assert set(env.reset(seed=1)[0]) == {"observations", "mask"}
    with pytest.raises(YatzyError, match="names the observation too"):
        MaskInObservation(YatzyEnv(), "mask", "mask")


def test_masks_are_found_through_other_wrappers() -> None:
    inner = PositionalActions(gymnasium.make("yatzy_env/Yatzy-v0"))
    env = gymnasium.wrappers.RecordEpisodeStatistics(DictObservation(inner))
    env.reset(seed=1)
    assert env.get_wrapper_attr("action_masks")().shape == (env.action_space.n,) == (2**5 + 15,)


def test_the_mask_comes_as_booleans_on_request() -> None:
    env = MaskInObservation(gymnasium.make("yatzy_env/Yatzy-v0"), mask_dtype=bool)
    seen, info = env.reset(seed=1)
    assert seen["action_mask"].dtype == np.bool_
    assert env.observation_space.contains(seen)
    np.testing.assert_array_equal(seen["action_mask"], info["action_mask"] == 1)
    assert gymnasium.make(env.spec).reset(seed=1)[0]["action_mask"].dtype == np.bool_
    for wrong in (np.float32, "nonsense", 3):
        with pytest.raises(YatzyError, match="allowed: bool, int8"):
            MaskInObservation(YatzyEnv(), mask_dtype=wrong)
