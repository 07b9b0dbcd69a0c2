"""The tables a ruleset compiles to: everything that plays, solves or learns reads these arrays and nothing else.

Multisets of 0 to n dice are numbered by size, then lexicographically by ascending dice. The first K of them, with
fewer than n dice, are the keeps and share their numbers with the keep actions; the last R are the rolls, so roll r is
multiset K + r. Action K + b fills box b.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy_env.card import CardRules, card_rules
from yatzy_env.multisets import FACES, counts_of, dice_of, multisets, probability
from yatzy_env.rules import Ruleset
from yatzy_env.rules.boxes import alike, points


class Tables(NamedTuple):
    """A compiled ruleset. R rolls, K keeps, M = K + R multisets, B boxes of the whole card, C columns.

    A NamedTuple because compiled functions take it as it is. The arrays are read-only.
    """

    card: CardRules
    dice: int
    throws: int  # throws of a turn without saved ones
    saved_throws: bool
    most_throws_left: int  # the most throws that can be left in a situation: two, or all that can have been saved
    keeps: int  # K: 210 with five dice, 462 with six
    rolls: int  # R: 252 or 462
    actions: int  # K + B
    counts: NDArray[np.int8]  # (M, 6) face counts of each multiset
    size: NDArray[np.int64]  # (M,) its number of dice
    add: NDArray[np.int16]  # (K, 6) the multiset with one more die of face f + 1
    drop: NDArray[np.int16]  # (M, 6) the multiset with one die of face f + 1 less, -1 where it has none
    within: NDArray[np.int8]  # (R, K) 1 where the keep is part of the roll
    alike: NDArray[np.int64]  # (R,) the face all dice show, 0 where they differ
    probability: NDArray[np.float64]  # (R,) chance of the roll when all dice are thrown
    points: NDArray[np.int64]  # (2, B, R) plain points of a roll in a box, without and with joker
    most: NDArray[np.int64]  # (B,) the most a box pays, times its column
    share: NDArray[np.float32]  # (2, R, B) points as a share of the most the box pays


@lru_cache(maxsize=64)
def compile_tables(rules: Ruleset) -> Tables:
    """The tables of a ruleset. Compiled once per ruleset and process."""
    dice = rules.dice
    sets = [counts for size in range(dice + 1) for counts in multisets(size)]
    number = {counts: index for index, counts in enumerate(sets)}
    rolls = multisets(dice)
    keeps = len(sets) - len(rolls)
    counts = np.array(sets, np.int8)
    card = card_rules(rules)

    add = np.zeros((keeps, 6), np.int16)
    drop = np.full((len(sets), 6), -1, np.int16)
    for index, held in enumerate(sets[:keeps]):
        for face in FACES:
            bigger = number[counts_of((*dice_of(held), face))]
            add[index, face - 1] = bigger
            drop[bigger, face - 1] = index

    column_points = np.array([[[points(rules, box, roll, joker) for roll in rolls] for box in rules.boxes]
                              for joker in (False, True)], np.int64)  # fmt: skip
    all_points = np.tile(column_points, (1, card.columns, 1))
    most = all_points[: 1 if rules.joker == "none" else 2].max(axis=(0, 2))
    tables = Tables(
        card=card,
        dice=dice,
        throws=rules.throws,
        saved_throws=rules.saved_throws,
        most_throws_left=(rules.throws - 1) * (card.boxes if rules.saved_throws else 1),
        keeps=keeps,
        rolls=len(rolls),
        actions=keeps + card.boxes,
        counts=counts,
        size=counts.sum(axis=1).astype(np.int64),
        add=add,
        drop=drop,
        within=np.all(counts[None, :keeps] <= counts[keeps:, None], axis=2).astype(np.int8),
        alike=np.array([alike(roll) for roll in rolls], np.int64),
        probability=np.array([probability(roll) for roll in rolls]),
        points=all_points,
        most=most * card.multiplier[card.column],
        share=np.ascontiguousarray((all_points / most[:, None]).transpose(0, 2, 1), np.float32),
    )
    for value in tables:
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
    return tables


def roll_index(tables: Tables, dice: tuple[int, ...]) -> int:
    """The number of a roll, 0..R-1, from its dice in ascending order.

    Raises:
        KeyError: if the dice are not a roll of these tables.
    """
    return _roll_numbers(tables.dice)[dice]


@lru_cache(maxsize=8)
def _roll_numbers(dice: int) -> dict[tuple[int, ...], int]:
    return {dice_of(counts): index for index, counts in enumerate(multisets(dice))}


def action_names(rules: Ruleset) -> list[str]:
    """A readable name for each of the K + B actions: "keep nothing", "keep 5 5 6", "score full_house"."""
    keeps = [counts for size in range(rules.dice) for counts in multisets(size)]
    named = ["keep " + (" ".join(map(str, dice_of(counts))) or "nothing") for counts in keeps]
    return named + [f"score {box}" for box in rules.box_names]
