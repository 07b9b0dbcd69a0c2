"""Dice from a counter: fair, independent along every coordinate, and the same for the same arguments."""

from __future__ import annotations

import hashlib
from itertools import product

import numpy as np
import pytest
from numba import njit
from scipy.stats import chisquare, kstest

from yatzy_env.dice import die, key, throw_state, uniform

GAME_KEY = 0x243F6A8885A308D3
# Seeds are fixed, so a test passes always or never; a fair die fails one check in a thousand.
DOUBTFUL = 1e-3


@njit
def draw(keys, games, seats, turns, throws, js):
    out = np.empty(len(keys), np.int64)
    for i in range(len(keys)):
        out[i] = die(throw_state(keys[i], games[i], seats[i], turns[i], throws[i]), js[i])
    return out


def drawn(size: int, **coordinates) -> np.ndarray:
    """Dice 0..5 where each coordinate is a number or an array; what is not named is 0, the key is fixed."""
    names = ("key", "game", "seat", "turn", "throw", "j")
    values = {"key": GAME_KEY} | coordinates
    arrays = [np.broadcast_to(np.asarray(values.get(name, 0), np.uint64), size) for name in names]
    return draw(*(np.ascontiguousarray(array) for array in arrays))


MANY = np.arange(60_000)


# Keys.


def test_a_key_stays_what_it_is():
    # Evaluations are reported under it: a change makes every stored result another experiment.
    assert key("evaluate", 1, 0) == 0x7906FA46793A1755
    assert key() == int.from_bytes(hashlib.blake2b(b"", digest_size=8).digest(), "little")


def test_a_key_is_a_64_bit_number():
    keys = [key("evaluate", 1, game) for game in range(1000)]
    assert all(0 <= value < 2**64 for value in keys)
    assert max(keys) >= 2**63


def test_different_parts_give_different_keys():
    parts = [
        (),
        ("",),
        ("", ""),
        ("1",),
        (1,),
        (-1,),
        (11,),
        (1, 1),
        ("evaluate", 1, 2),
        ("evaluate", 2, 1),
        ("evaluate", 12),
        ("evaluate", "1", 2),
        ("evaluate1", 2),
        ("train", 1, 2),
        ("a", "b"),
        ("ab",),
        ("a", "b", ""),
        ("a:b",),
        ("str:a",),
    ]
    assert len({key(*part) for part in parts}) == len(parts)
    assert len({key("evaluate", seed, game) for seed, game in product(range(200), range(200))}) == 40_000


def test_a_word_that_looks_like_two_parts_has_its_own_key():
    assert key("a\x1fstr:b") != key("a", "b")


# Fairness.


@pytest.mark.parametrize("j", range(6))
def test_every_face_is_as_likely(j):
    faces = np.bincount(drawn(60_000, game=MANY, j=j), minlength=6)
    assert len(faces) == 6
    assert chisquare(faces).pvalue > DOUBTFUL


@pytest.mark.parametrize("coordinate", ["key", "game", "seat", "turn", "throw", "j"])
def test_every_coordinate_alone_gives_fair_dice(coordinate):
    assert chisquare(np.bincount(drawn(60_000, **{coordinate: MANY}), minlength=6)).pvalue > DOUBTFUL


@pytest.mark.parametrize("coordinate", ["key", "game", "seat", "turn", "throw", "j"])
@pytest.mark.parametrize("step", [1, 2, 64])
def test_neighbours_along_a_coordinate_are_independent(coordinate, step):
    # For the key and the game itself, neighbours are taken pairwise disjoint.
    if coordinate in ("key", "game"):
        lower, fixed = 2 * step * (MANY // step) + MANY % step, {}
    else:
        lower, fixed = MANY % 5, {"game": MANY}
    pairs = 6 * drawn(60_000, **fixed, **{coordinate: lower}) + drawn(60_000, **fixed, **{coordinate: lower + step})
    counts = np.bincount(pairs, minlength=36)
    assert len(counts) == 36
    assert chisquare(counts).pvalue > DOUBTFUL


@pytest.mark.parametrize(
    ("one", "other"),
    [("game", "key"), ("game", "seat"), ("seat", "turn"), ("turn", "throw"), ("throw", "j"), ("seat", "j")],
)
def test_coordinates_do_not_stand_in_for_each_other(one, other):
    """The dice of (1, 0) and of (0, 1) along two coordinates are unrelated: about one in six is the same."""
    if "game" in (one, other):
        first = drawn(60_000, **{one: 2 * MANY + 1, other: 2 * MANY})
        second = drawn(60_000, **{one: 2 * MANY, other: 2 * MANY + 1})
    else:
        first = drawn(60_000, game=MANY, **{one: 1, other: 0})
        second = drawn(60_000, game=MANY, **{one: 0, other: 1})
    same = int((first == second).sum())
    assert chisquare([same, 60_000 - same], [10_000, 50_000]).pvalue > DOUBTFUL


def test_the_next_game_under_one_seed_is_not_the_first_game_under_the_next():
    # Environments use the seed as the key, so small keys meet small games.
    first = [throw_state(0, 1, 0, turn, 0) for turn in range(15)]
    second = [throw_state(1, 0, 0, turn, 0) for turn in range(15)]
    assert not set(first) & set(second)


def test_no_two_throws_share_a_state():
    states = {
        int(throw_state(game_key, game, seat, turn, throw))
        for game_key in (GAME_KEY, GAME_KEY + 1)
        for game, seat, turn, throw in product(range(5), range(4), range(15), range(3))
    }
    assert len(states) == 2 * 5 * 4 * 15 * 3


# Repetition.


def test_the_same_arguments_give_the_same_dice():
    first = drawn(1000, game=np.arange(1000), turn=3, throw=1, j=2)
    np.testing.assert_array_equal(first, drawn(1000, game=np.arange(1000), turn=3, throw=1, j=2))
    backwards = drawn(1000, game=np.arange(1000)[::-1], turn=3, throw=1, j=2)
    np.testing.assert_array_equal(first, backwards[::-1])


def test_a_throw_stays_what_it_is():
    state = throw_state(GAME_KEY, 1, 2, 3, 1)
    assert [int(die(state, j)) for j in range(6)] == [1, 3, 4, 0, 2, 0]


@pytest.mark.parametrize("game_key", [0, 1, 2**63 - 1, 2**63, 2**64 - 1])
def test_any_64_bit_key_can_be_used(game_key):
    dice = [int(die(throw_state(game_key, 0, 0, 0, 0), j)) for j in range(6)]
    assert set(dice) <= set(range(6))
    assert dice == drawn(6, key=np.full(6, game_key, np.uint64), j=np.arange(6)).tolist()


# Uniform numbers.


def test_uniform_lies_in_the_half_open_interval():
    assert uniform(np.uint64(0)) == 0.0
    assert uniform(np.uint64(2**63)) == 0.5
    assert 1 - 2.0**-52 < uniform(np.uint64(2**64 - 1)) < 1.0
    assert uniform(np.uint64(2**64 - 1)) == 1 - 2.0**-53


def test_uniform_is_uniform():
    values = [uniform(throw_state(GAME_KEY, game, 0, 0, 0)) for game in range(20_000)]
    assert kstest(values, "uniform").pvalue > DOUBTFUL
