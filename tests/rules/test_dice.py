"""Dice from a counter: fair, independent along every coordinate, and the same for the same arguments."""

from __future__ import annotations

import hashlib
from itertools import product

import numpy as np
import pytest
from numba import njit
from scipy.stats import chisquare, kstest

from yatzy_env.dice import die, key, mix, player_state, throw_state, uniform
from yatzy_env.games import decision_noise, new_games, noise_keys, play
from yatzy_env.multisets import dice_of
from yatzy_env.rules import ruleset
from yatzy_env.tables import compile_tables

GAME_KEY = 0x243F6A8885A308D3
# Seeds are fixed, so a test passes always or never; a fair die fails one check in a thousand.
DOUBTFUL = 1e-3


COORDINATES = ("key", "game", "seat", "turn", "throw")


@njit
def _states(keys, games, seats, turns, throws):
    out = np.empty(len(keys), np.uint64)
    for i in range(len(keys)):
        out[i] = throw_state(player_state(keys[i], games[i], seats[i]), turns[i], throws[i])
    return out


@njit
def _dice(states, js):
    out = np.empty(len(states), np.int64)
    for i in range(len(states)):
        out[i] = die(states[i], js[i])
    return out


@njit
def _mixed(states, values):
    return np.array([mix(states[i], values[i]) for i in range(len(states))])


@njit
def _uniforms(states):
    return np.array([uniform(state) for state in states])


def states(size: int, **coordinates) -> np.ndarray:
    """States of throws. A coordinate is a number or an array; one that is not named is 0, the key is fixed."""
    values = {"key": GAME_KEY} | coordinates
    arrays = [np.broadcast_to(np.asarray(values.get(name, 0), np.uint64), size) for name in COORDINATES]
    return _states(*(np.ascontiguousarray(array) for array in arrays))


def drawn(size: int, j=0, **coordinates) -> np.ndarray:
    """The j-th dice, 0..5, of these throws."""
    return _dice(states(size, **coordinates), np.ascontiguousarray(np.broadcast_to(np.asarray(j, np.int64), size)))


MANY = np.arange(60_000)


# Keys.


def test_a_key_stays_what_it_is():
    # Evaluations are reported under it: a change makes every stored result another experiment.
    assert key("evaluate", 1, 0) == 0xFF8DBD6506615F9C
    assert key() == int.from_bytes(hashlib.blake2b(b"[]", digest_size=8).digest(), "little")


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
        ("a", 1),
        ("aint:1",),
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
    first = states(15, key=0, game=1, turn=np.arange(15))
    second = states(15, key=1, game=0, turn=np.arange(15))
    assert not set(first.tolist()) & set(second.tolist())


@pytest.mark.parametrize("first_key", [0, GAME_KEY])
def test_no_two_throws_share_a_state(first_key):
    grid = np.indices((8, 8, 4, 15, 3)).reshape(5, -1)
    found = states(
        grid.shape[1], **dict(zip(COORDINATES, [first_key + grid[0].astype(np.uint64), *grid[1:]], strict=True))
    )
    assert len(np.unique(found)) == grid.shape[1]


# Repetition.


def test_the_same_arguments_give_the_same_dice():
    first = drawn(1000, game=np.arange(1000), turn=3, throw=1, j=2)
    np.testing.assert_array_equal(first, drawn(1000, game=np.arange(1000), turn=3, throw=1, j=2))
    backwards = drawn(1000, game=np.arange(1000)[::-1], turn=3, throw=1, j=2)
    np.testing.assert_array_equal(first, backwards[::-1])


def plain_mix(state: int, value: int) -> int:
    """SplitMix64's step and finaliser (Stafford's variant 13) in plain integers."""
    z = ((state ^ value) + 0x9E3779B97F4A7C15) % 2**64
    z = (z ^ (z // 2**30)) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ (z // 2**27)) * 0x94D049BB133111EB % 2**64
    return z ^ (z // 2**31)


def test_splitmix_starts_as_published():
    # The first outputs of SplitMix64 seeded with 0.
    assert plain_mix(0, 0) == 0xE220A8397B1DCDAF
    assert plain_mix(0x9E3779B97F4A7C15, 0) == 0x6E789E6AA1B965F4


EDGES = [0, 1, 2**31, 2**32 - 1, 2**63 - 1, 2**63, 2**64 - 1, GAME_KEY]


def test_mix_is_splitmix():
    pairs = np.array(list(product(EDGES, EDGES)), np.uint64)
    expected = [plain_mix(state, value) for state, value in product(EDGES, EDGES)]
    assert _mixed(*np.ascontiguousarray(pairs.T)).tolist() == expected


def test_a_die_is_the_upper_half_of_the_mixed_state():
    for state in EDGES:
        expected = [plain_mix(state, j) // 2**32 * 6 // 2**32 for j in range(6)]
        assert _dice(np.full(6, state, np.uint64), np.arange(6)).tolist() == expected


@pytest.mark.parametrize("game_key", [0, 1, 2**63 - 1, 2**63, 2**64 - 1])
def test_any_64_bit_key_gives_dice(game_key):
    assert set(drawn(600, key=game_key, game=np.arange(600)).tolist()) == set(range(6))


# Uniform numbers.


def test_uniform_lies_in_the_half_open_interval():
    found = _uniforms(np.array([0, 2**11 - 1, 2**63, 2**64 - 1], np.uint64))
    assert found.tolist() == [0.0, 0.0, 0.5, 1 - 2.0**-53]


def test_uniform_is_uniform():
    values = _uniforms(states(60_000, game=MANY))
    assert values.min() >= 0
    assert values.max() < 1
    assert kstest(values, "uniform").pvalue > DOUBTFUL


# Noise.


def unmixed(mixed: np.ndarray, value: int) -> np.ndarray:
    """The states that `mix` made these of."""
    z = mixed ^ (mixed >> np.uint64(31)) ^ (mixed >> np.uint64(62))
    z *= np.uint64(pow(0x94D049BB133111EB, -1, 2**64))
    z ^= (z >> np.uint64(27)) ^ (z >> np.uint64(54))
    z *= np.uint64(pow(0xBF58476D1CE4E5B9, -1, 2**64))
    z ^= (z >> np.uint64(30)) ^ (z >> np.uint64(60))
    return (z - np.uint64(0x9E3779B97F4A7C15)) ^ np.uint64(value)


def test_noise_tells_nothing_about_dice():
    """Whoever turns the generator round finds the state behind two numbers; it must not be the one that throws."""
    tables = compile_tables(ruleset("yatzy"))
    games = new_games(tables, np.array([key("evaluate", 1, game) for game in range(60)], np.uint64))
    hidden = noise_keys(games.key)
    first = decision_noise(games, hidden)
    play(tables, games, np.zeros(60, np.int64))  # keep nothing
    second = decision_noise(games, hidden)
    found, foreseen = 0, 0
    for game in range(60):
        candidates = (np.uint64(first[game] * 2**53) << np.uint64(11)) + np.arange(2**11, dtype=np.uint64)
        before = unmixed(unmixed(candidates, 0), 0)
        throws = _mixed(before, np.ones(2**11, np.uint64))
        tried = _uniforms(_mixed(throws, np.zeros(2**11, np.uint64)))
        for state in throws[tried == second[game]]:
            thrown = _dice(np.full(5, state), np.arange(5))
            on_table = dice_of(tables.counts[tables.keeps + games.now.roll[game]].tolist())
            found += 1
            foreseen += sorted(thrown + 1) == sorted(on_table)
    assert found == 60
    assert foreseen <= 6
