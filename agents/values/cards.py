# mypy: disallow-untyped-defs=False
r"""What a value network reads of a score card: how it stands between two turns, from the tables alone.

Cards that no rule can tell apart are merged before the network is asked: upper sums from the bonus on are one sum, and
so are those from which it is out of reach.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy_env.card import open_upper_points
from yatzy_env.kernel import kernel
from yatzy_env.native import borrow, count_bits
from yatzy_env.rules import Ruleset
from yatzy_env.tables import compile_tables
from yatzy_env.turn import Cards

_MISSING = 32  # entries for the points missing to the bonus, the last one for all that are more
_LUCKS = (0.35, 0.42, 0.5, 0.58, 0.66)  # share of the dice that show the face of an upper box when it is filled
_POOL = 8  # entries for saved throws, the last one for all that are more
_PER_COLUMN = 5 + _MISSING + len(_LUCKS)


class CardInputs(NamedTuple):
    """Where a ruleset's inputs stand, and what they are computed from. C columns, S boxes of a column."""

    size: int
    per_column: int  # entries about the bonus of a column, 0 where there is none
    sheet: int  # S, where columns count differently, else 0
    even: float  # even share of the threshold per point of a face
    chance: NDArray[np.float32]  # (lucks, 64, threshold + 1) chance of the bonus by open faces and points missing


@lru_cache(maxsize=64)
def card_inputs(rules: Ruleset) -> CardInputs:
    """The layout of a ruleset's inputs."""
    tables = compile_tables(rules)
    card = tables.card
    faces = [face for face in range(1, 7) if card.upper_box[0, face]]
    per_column = _PER_COLUMN if card.bonus_threshold else 0
    sheet = card.boxes // card.columns if card.columns > 1 else 0
    size = card.boxes + per_column * card.columns + 2 * sheet + 2
    size += 1 if card.extra_yatzy_bonus else 0
    size += _POOL + 1 if tables.saved_throws else 0
    chance = np.zeros((len(_LUCKS), 64, card.bonus_threshold + 1), np.float32)
    for row, luck in enumerate(_LUCKS):
        chance[row] = _bonus_chances(card.dice, card.bonus_threshold, luck)
    even = card.bonus_threshold / sum(faces) if faces else 0.0
    return CardInputs(size, per_column, sheet, even, chance)


def input_keys(rules: Ruleset) -> list[tuple[str, ...]]:
    """What stands at each entry of a ruleset's inputs, alike for all rulesets (`agents.training.shared`)."""
    tables, layout = compile_tables(rules), card_inputs(rules)
    keys: list[tuple[str, ...]] = [("open", box) for box in rules.box_names]
    for column in range(tables.card.columns):
        keys += [("bonus", f"{column}", f"{entry}") for entry in range(layout.per_column)]
    keys += [("sheet", box, what) for box in rules.boxes[: layout.sheet] for what in ("multiplier", "columns")]
    keys += [("progress", "share"), ("progress", "open")]
    keys += [("extra", "scored")] if tables.card.extra_yatzy_bonus else []
    keys += [("pool", f"{entry}") for entry in range(_POOL + 1)] if tables.saved_throws else []
    return keys


def _bonus_chances(dice: int, threshold: int, luck: float) -> NDArray[np.float64]:
    """(64, threshold + 1) the chance that open faces bring the points missing if each die shows its face by `luck`."""
    counts = np.ones(1)
    for _ in range(dice):
        counts = np.convolve(counts, [1 - luck, luck])
    out = np.zeros((64, threshold + 1))
    for mask in range(64):
        total = np.ones(1)
        for face in range(1, 7):
            if (mask >> (face - 1)) & 1:
                spread = np.zeros(face * dice + 1)
                spread[::face] = counts
                total = np.convolve(total, spread)
        tail = np.cumsum(total[::-1])[::-1]
        out[mask, : len(tail)] = tail[: threshold + 1]
    return out


def write_inputs(rules: Ruleset, cards: Cards) -> NDArray[np.float32]:
    """What the network reads.

    Args:
        rules: the ruleset.
        cards: n cards.

    Returns:
        (n, size) float32.
    """
    layout = card_inputs(rules)
    out = np.zeros((len(cards.filled), layout.size), np.float32)
    _write(compile_tables(rules), layout, cards, out)
    return out


@kernel
def _write(tables, layout, cards, out):
    tables, cards = borrow(tables), borrow(cards)
    card = tables.card
    for row in range(out.shape[0]):
        filled = cards.filled[row]
        for box in range(card.boxes):
            out[row, box] = 1 - ((filled >> box) & 1)
        at = card.boxes
        if layout.per_column > 0:
            for column in range(card.columns):
                _write_column(card, layout, filled, cards.upper[row, column], column, out[row], at)
                at += layout.per_column
        for box in range(layout.sheet):
            best, count = 0, 0
            for column in range(card.columns):
                if (filled >> (column * layout.sheet + box)) & 1 == 0:
                    best = max(best, card.multiplier[column])
                    count += 1
            out[row, at] = best / card.multiplier.max()
            out[row, at + 1] = count / card.columns
            at += 2
        done = count_bits(filled)
        out[row, at] = done / card.boxes
        out[row, at + 1] = 1.0 / (1 + card.boxes - done)
        at += 2
        if card.extra_yatzy_bonus > 0:
            out[row, at] = 1 if cards.yatzy_scored[row] else 0
            at += 1
        if tables.saved_throws:
            pool = cards.pool[row]
            out[row, at + min(pool, _POOL - 1)] = 1
            out[row, at + _POOL] = pool / 10.0


@kernel(inline="always")
def _write_column(card, layout, filled, upper, column, out, at):
    threshold = card.bonus_threshold
    reach = open_upper_points(card, filled, column)
    if upper >= threshold:
        out[at] = 1
        return
    if upper + reach < threshold:
        out[at + 1] = 1
        return
    missing = threshold - upper
    faces = 0
    even = 0.0
    for face in range(1, 7):
        bit = card.upper_box[column, face]
        if bit != 0:
            if bit & ~filled != 0:
                faces |= 1 << (face - 1)
            else:
                even += face * layout.even
    out[at + 2] = missing / threshold
    out[at + 3] = missing / reach
    out[at + 4] = (upper - even) / 10.0
    out[at + 5 + min(missing, _MISSING) - 1] = 1
    for row in range(layout.chance.shape[0]):
        out[at + 5 + _MISSING + row] = layout.chance[row, faces, missing]


def merge_cards(rules: Ruleset, cards: Cards) -> tuple[Cards, NDArray[np.int64]]:
    """Finds the cards that differ in what matters.

    Args:
        rules: the ruleset.
        cards: n cards.

    Returns:
        The different ones, their upper sums capped, in the order in which they first occur; and (n,) which of them
        stands for each card.
    """
    tables = compile_tables(rules)
    upper = np.empty_like(cards.upper)
    place = np.empty(len(cards.filled), np.int64)
    first = np.empty(len(cards.filled), np.int64)
    slots = np.full(1 << max(int(np.ceil(np.log2(2 * len(place) + 1))), 4), -1, np.int64)
    count = _merge(tables.card, cards, upper, slots, place, first)
    some = first[:count]
    return Cards(cards.filled[some], upper[some], cards.yatzy_scored[some], cards.pool[some]), place


@kernel
def _merge(card, cards, upper, slots, place, first):
    card, cards = borrow(card), borrow(cards)
    count = 0
    last = slots.shape[0] - 1
    for row in range(place.shape[0]):
        filled = cards.filled[row]
        code = np.uint64(filled) * np.uint64(0x9E3779B97F4A7C15) ^ np.uint64(cards.pool[row])
        for column in range(card.columns):
            total = min(cards.upper[row, column], card.bonus_threshold)
            if total + open_upper_points(card, filled, column) < card.bonus_threshold:
                total = 0
            upper[row, column] = total
            code = (code ^ np.uint64(total)) * np.uint64(0xBF58476D1CE4E5B9)
            code ^= code >> np.uint64(29)
        code = (code ^ np.uint64(cards.yatzy_scored[row])) * np.uint64(0x94D049BB133111EB)
        at = np.int64(code >> np.uint64(33)) & last
        while True:
            other = slots[at]
            if other < 0:
                slots[at] = count
                first[count] = row
                place[row] = count
                count += 1
                break
            like = first[other]
            same = (
                cards.filled[like] == filled
                and cards.pool[like] == cards.pool[row]
                and cards.yatzy_scored[like] == cards.yatzy_scored[row]
            )
            for column in range(card.columns):
                same = same and upper[like, column] == upper[row, column]
            if same:
                place[row] = other
                break
            at = (at + 1) & last
    return count
