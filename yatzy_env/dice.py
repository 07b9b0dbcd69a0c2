"""Dice from a counter: the same key gives the same dice, however the game was played.

A die is a pure function of (key, game, seat, turn, throw, j): the j-th die thrown in that throw. Two agents that play
under one key therefore meet the same dice wherever they throw as many, which makes their scores comparable in pairs,
and no generator state has to be stored or copied. The mixing function is the 64-bit finaliser of SplitMix64 (Steele,
Lea and Flood 2014, variant 13 of Stafford); each coordinate is folded in by one round of it.
"""

from __future__ import annotations

import hashlib

import numpy as np

from yatzy_env.kernel import kernel

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_SIX = np.uint64(6)
_NO_STATE = np.uint64(0)
_R30, _R27, _R31, _R32, _R11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32), np.uint64(11)
_TWO_TO_MINUS_53 = 2.0**-53


def key(*parts: str | int) -> int:
    """Hashes words and numbers to a key from 0 to 2**64 - 1, the same on every machine.

    Different sequences of parts, such as `("evaluate", seed, game)`, give unrelated keys.
    """
    plain = [part if isinstance(part, str) else int(part) for part in parts]
    return int.from_bytes(hashlib.blake2b(repr(plain).encode(), digest_size=8).digest(), "little")


@kernel(inline="always")
def mix(state, value):
    """Folds one 64-bit value into a 64-bit state."""
    z = (np.uint64(state) ^ np.uint64(value)) + _GOLDEN
    z = (z ^ (z >> _R30)) * _FIRST
    z = (z ^ (z >> _R27)) * _SECOND
    return z ^ (z >> _R31)


@kernel(inline="always")
def player_state(game_key, game, seat):
    """The generator's state for one player's whole game; `throw_state` goes on from it."""
    # The key is mixed on its own first: folded in with the game, game 1 of key 0 would be game 0 of key 1.
    return mix(mix(mix(_NO_STATE, game_key), game), seat)


@kernel(inline="always")
def throw_state(player, turn, throw):
    """The generator's state for one throw; `die` draws from it."""
    return mix(mix(player, turn), throw)


@kernel(inline="always")
def die(state, j):
    """The j-th die of a throw as a number from 0 to 5 (bias below 2**-29)."""
    return np.int64(((mix(state, j) >> _R32) * _SIX) >> _R32)


@kernel(inline="always")
def uniform(state):
    """A float64 in [0, 1) from a 64-bit state."""
    return np.float64(state >> _R11) * _TWO_TO_MINUS_53
