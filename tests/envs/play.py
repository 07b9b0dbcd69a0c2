"""Helpers that play: random legal actions, plain masks and plain totals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tests.plain_rules import names_of, plain_legal, plain_total
from yatzy_env import Ruleset, Situation


def random_legal(rng: np.random.Generator, mask: NDArray[np.int8]) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


def plain_mask(rules: Ruleset, situation: Situation, names: Sequence[str]) -> NDArray[np.int8]:
    """The action mask, worked out from the readable name of every action."""
    if not situation.roll:
        return np.zeros(len(names), np.int8)
    table = Counter(situation.roll)
    legal_boxes = plain_legal(rules, names_of(rules, situation.filled), situation.roll)
    mask = []
    for name in names:
        verb, _, rest = name.partition(" ")
        if verb == "keep":
            kept = Counter() if rest == "nothing" else Counter(map(int, rest.split()))
            mask.append(situation.throws_left > 0 and kept <= table and kept != table)
        else:
            mask.append(rest in legal_boxes)
    return np.array(mask, np.int8)


def replay_total(rules: Ruleset, fills: Sequence[tuple[str, Sequence[int]]]) -> int:
    """The total of a finished game as a player adds it up."""
    return plain_total(rules, fills)
