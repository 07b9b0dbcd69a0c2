"""Helpers that play: random legal actions, plain masks and plain totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tests.plain_games import plain_total
from yatzy_env import Ruleset, Situation, reference
from yatzy_env.reference import names_of


def random_legal(rng: np.random.Generator, mask: NDArray[np.int8]) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


def plain_mask(rules: Ruleset, situation: Situation, names: Sequence[str]) -> NDArray[np.int8]:
    """The action mask, worked out from the readable name of every action."""
    if not situation.roll:
        return np.zeros(len(names), np.int8)
    keeps = tuple(name for name in names if name.startswith("keep "))
    boxes = [name.removeprefix("score ") for name in names[len(keeps) :]]
    legal = reference.legal(rules, names_of(rules, situation.filled), situation.roll)
    may_keep = plain_keeps(keeps, situation.roll) if situation.throws_left else np.zeros(len(keeps), np.int8)
    return np.concatenate([may_keep, np.array([box in legal for box in boxes], np.int8)])


@lru_cache(maxsize=2000)
def plain_keeps(names: tuple[str, ...], roll: tuple[int, ...]) -> NDArray[np.int8]:
    """Which keeps are a true part of a roll."""
    table = Counter(roll)
    kept = [Counter(map(int, name.removeprefix("keep ").replace("nothing", "").split())) for name in names]
    return np.array([held <= table and held != table for held in kept], np.int8)


def replay_total(rules: Ruleset, fills: Sequence[tuple[str, Sequence[int]]]) -> int:
    """The total of a finished game as a player adds it up."""
    return plain_total(rules, fills)
