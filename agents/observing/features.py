# mypy: disallow-untyped-defs=False
"""What the networks read beside the observation: the edge of the bonus, where one point decides yatzy_scored.

An observation tells how much is missing to the bonus as a share. A network is a smooth function of it and blurs the
edge between 62 and 63. The features `bonus` add, for every column,

* the points missing, one-hot from 0 to 30, then one entry for more; nothing where the bonus is out of reach;
* per face, whether filling its open box with the dice on the table would secure the bonus, and whether it would put
  the bonus out of reach.

All of it follows from the observation. An agent sees nothing new, only what it would have had to learn.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy_env.envs.observation import Block, observation_blocks
from yatzy_env.kernel import kernel
from yatzy_env.rules import Ruleset
from yatzy_env.tables import compile_tables

Features = Literal["observation", "bonus"]

_MISSING = 32  # entries for the points missing
PER_COLUMN = _MISSING + 12
"""Entries that the features `bonus` add per column."""


def input_blocks(rules: Ruleset, features: Features) -> list[Block]:
    """The index table of what the networks read: the blocks of the observation, then those added to it."""
    blocks = observation_blocks(rules)
    card = compile_tables(rules).card
    if features == "bonus" and card.bonus_threshold:
        start = blocks[-1].start + blocks[-1].size
        size = PER_COLUMN * card.columns
        meaning = (
            f"per column: points missing to the bonus, one-hot over 0 to {_MISSING - 2}, then more; per face, whether "
            "filling its box now would secure the bonus; per face, whether that would put it out of reach"
        )
        blocks.append(Block("bonus", start, size, 0.0, 1.0, meaning))
    return blocks


@lru_cache(maxsize=64)
def input_size(rules: Ruleset, features: Features) -> int:
    """The number of entries that the networks read."""
    last = input_blocks(rules, features)[-1]
    return last.start + last.size


class _Places(NamedTuple):
    """Where the observation says what. C = columns."""

    threshold: int
    dice: int
    upper: int  # where the block `upper` starts
    per_column: int  # its entries per column
    boxes: NDArray[np.int64]  # (C, 6) box of each face, -1 where there is none
    is_open: int  # where the blocks `open` and `pays` start
    pays: int


@lru_cache(maxsize=64)
def _places(rules: Ruleset) -> _Places:
    card = compile_tables(rules).card
    blocks = {block.name: block for block in observation_blocks(rules)}
    boxes = np.full((card.columns, 6), -1, np.int64)
    for column in range(card.columns):
        for face in range(1, 7):
            bit = int(card.upper_box[column, face])
            boxes[column, face - 1] = bit.bit_length() - 1
    return _Places(
        threshold=card.bonus_threshold,
        dice=rules.dice,
        upper=blocks["upper"].start,
        per_column=blocks["upper"].size // card.columns,
        boxes=boxes,
        is_open=blocks["open"].start,
        pays=blocks["pays"].start,
    )


def add_features(rules: Ruleset, features: Features, observations: NDArray[np.float32]) -> NDArray[np.float32]:
    """(n, inputs) float32, what the networks read: (n, D) observations, then what is added, if anything."""
    size = input_size(rules, features)
    if size == observations.shape[1]:
        return observations
    out = np.zeros((len(observations), size), np.float32)
    _add_bonus(_places(rules), observations, out)
    return out


@kernel(nogil=True)
def _add_bonus(places, observations, out):
    size = observations.shape[1]
    for row in range(out.shape[0]):
        seen, wide = observations[row], out[row]
        wide[:size] = seen
        at = size
        for column in range(places.boxes.shape[0]):
            upper = places.upper + places.per_column * column
            missing = int(np.rint(seen[upper] * places.threshold))
            if seen[upper + 3] == 0:  # within reach
                wide[at + min(missing, _MISSING - 1)] = 1
                if missing > 0:
                    _add_edges(places, seen, wide, places.boxes[column], missing, at + _MISSING)
            at += PER_COLUMN


@kernel(inline="always")
def _add_edges(places, seen, wide, boxes, missing, at):
    reach = 0
    for face in range(1, 7):
        box = boxes[face - 1]
        if box >= 0 and seen[places.is_open + box] != 0:
            reach += face * places.dice
    for face in range(1, 7):
        box = boxes[face - 1]
        if box >= 0 and seen[places.is_open + box] != 0:
            most = face * places.dice
            left = missing - int(np.rint(seen[places.pays + box] * most))
            wide[at + face - 1] = left <= 0
            wide[at + 6 + face - 1] = left > reach - most
