"""Ten million masked random steps per ruleset; `python -m pytest -m slow -k steps`."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.envs.play import plain_mask
from tests.plain_games import plain_total
from yatzy_env import Ruleset, action_names, compile_tables, reference, ruleset
from yatzy_env.envs.batch import YatzyVectorEnv
from yatzy_env.envs.observation import observe
from yatzy_env.games import action_masks, new_games, play
from yatzy_env.kernel import kernel
from yatzy_env.multisets import dice_of
from yatzy_env.situation import Situations, single

LANES = 2048
CHECKED = 16  # lanes whose games the plain scorer adds up
NAMES = ("yatzy", "yahtzee", "maxi-alga", "forced", "triple")


@kernel
def _choose(masks, noise, out):
    for lane in range(masks.shape[0]):
        left = np.int64(noise[lane] * masks[lane].sum())
        for action in range(masks.shape[1]):
            if masks[lane, action]:
                if left == 0:
                    out[lane] = action
                    break
                left -= 1


def chosen(rng: np.random.Generator, masks: NDArray[np.int8]) -> NDArray[np.int64]:
    actions = np.full(len(masks), -1, np.int64)
    _choose(masks, rng.random(len(masks)), actions)
    return actions


def play_and_check(name: str, steps: int, lanes: int) -> int:
    """Plays random steps in lanes.

    Returns:
        How many episodes ended, each with a return equal to its total; the plain scorer adds up those of some lanes.
    """
    env = YatzyVectorEnv(lanes, name)
    keeps, boxes = env.tables.keeps, reference.boxes_of(env.rules)
    dice = [dice_of(counts) for counts in env.tables.counts[keeps:].tolist()]
    rng = np.random.default_rng(3)
    _, infos = env.reset(seed=3)
    returns = np.zeros(lanes)
    fills: list[list] = [[] for _ in range(min(CHECKED, lanes))]
    episodes = 0
    for step in range(-(-steps // lanes)):
        actions = chosen(rng, infos["action_mask"])
        rolls = env.situations.roll
        for lane, fill in enumerate(fills):
            if actions[lane] >= keeps:
                fill.append((boxes[actions[lane] - keeps], dice[rolls[lane]]))
        observations, rewards, terminated, truncated, infos = env.step(actions)
        assert not truncated.any()
        assert not infos["illegal_action"].any()
        returns += rewards
        if terminated.any():
            np.testing.assert_array_equal(infos["_final_obs"], terminated)
            np.testing.assert_array_equal(infos["final_info"]["score"][terminated], returns[terminated])
            for lane in np.flatnonzero(terminated[: len(fills)]):
                assert plain_total(env.rules, fills[lane]) == returns[lane]
                fills[lane].clear()
            episodes += int(terminated.sum())
            returns[terminated] = 0
        np.testing.assert_array_equal(infos["score"], returns)
        if step < 3 or rng.random() < 0.02:
            np.testing.assert_array_equal(observations, observe(env.tables, env.situations))
            np.testing.assert_array_equal(infos["action_mask"], action_masks(env.tables, env.situations))
            np.testing.assert_array_equal(infos["action_mask"], env.action_masks())
    return episodes


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", NAMES)
def test_ten_million_steps(name: str) -> None:
    assert play_and_check(name, 10_000_000, LANES) > 10_000_000 // (3 * 45 * 3)


@pytest.mark.parametrize("name", NAMES)
def test_some_steps(name: str) -> None:
    assert play_and_check(name, 20_000, 50) > 50


def random_situations(rules: Ruleset, count: int) -> Situations:
    """Situations met by random play from many seeds, a few per game."""
    env = YatzyVectorEnv(1000, rules)
    rng = np.random.default_rng(4)
    _, infos = env.reset(seed=4)
    met: list[Situations] = []
    while sum(len(situations.roll) for situations in met) < count:
        infos = env.step(chosen(rng, infos["action_mask"]))[-1]
        met.append(env.situations.take(rng.random(1000) < 0.2))
    return Situations(*(np.concatenate(values)[:count] for values in zip(*met, strict=True)))


def check_masks(rules: Ruleset, count: int) -> None:
    tables, names = compile_tables(rules), action_names(rules)
    situations = random_situations(rules, count)
    masks = action_masks(tables, situations)
    for lane in range(count):
        situation = single(tables, situations, lane)
        np.testing.assert_array_equal(masks[lane], plain_mask(rules, situation, names), err_msg=str(situation))


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", NAMES)
def test_masks_of_a_hundred_thousand_situations(name: str) -> None:
    check_masks(ruleset(name), 100_000)


@pytest.mark.parametrize("name", NAMES)
def test_masks_of_some_situations(name: str) -> None:
    check_masks(ruleset(name), 300)


def test_games_taken_and_copied_share_no_memory() -> None:
    tables = compile_tables(ruleset("yahtzee"))
    games = new_games(tables, np.arange(6, dtype=np.uint64))
    play(tables, games, action_masks(tables, games.now).argmax(axis=1))
    whole = games.copy()
    some = games.take(games.key % 2 == 0)
    assert some.key.tolist() == [0, 2, 4]
    assert games.take(np.array([4, 0])).key.tolist() == [4, 0]
    for before, part, place in zip(
        (*games.now, *games[1:]), (*some.now, *some[1:]), (*whole.now, *whole[1:]), strict=True
    ):
        assert np.array_equal(part, before[::2])
        assert np.array_equal(place, before)
    play(tables, games, np.full(6, tables.keeps))
    assert (games.now.filled == 1).all()
    assert not whole.now.filled.any()
    assert not some.now.filled.any()
