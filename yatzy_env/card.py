"""The score card: which boxes are legal, what a roll adds to the card, and when the bonus falls.

A card is four things: `filled` (a bit per box, column by column in sheet order), `upper` (the upper sum of each column,
counted on beyond the threshold), `yatzy_scored` (the yatzy box holds points, followed only where extra bonuses need it)
and, between turns, the pool of saved throws. The functions are compiled so that environment and solver call the very
same ones; the rules they consult are numbers in a `CardRules`.

Order is a list of box groups per column: the legal boxes of a column are the open ones of its first group that has an
open box. `free` is one group, `top-down` one group per box. Two rules look at the roll too: `yatzy_first` adds the open
yatzy boxes when all dice are alike, and a forced joker narrows the choice, within the order, as long as that leaves
something to choose.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy_env.kernel import kernel
from yatzy_env.rules import Ruleset
from yatzy_env.rules.boxes import face_of

JOKERS = ("none", "forced", "free")
_NO_JOKER, _FORCED = 0, 1


class CardRules(NamedTuple):
    """The card's rules as numbers. B = boxes of the whole card, C = columns, G = groups of the order."""

    boxes: int
    columns: int
    all_boxes: int  # every bit of a full card
    order: NDArray[np.int64]  # (C, G) bits of the boxes in each group, in the order in which groups must be filled
    multiplier: NDArray[np.int64]  # (C,) what a column's points are multiplied by
    column: NDArray[np.int64]  # (B,) column of a box
    face: NDArray[np.int64]  # (B,) face an upper box counts, 0 in the lower section
    upper_box: NDArray[np.int64]  # (C, 7) bit of the box that counts a face, 0 where the sheet has none
    upper_boxes: int  # bits of all upper boxes
    yatzy_boxes: int  # bits of the yatzy boxes
    yatzy_first: bool
    joker: int  # index into JOKERS
    extra_yatzy_bonus: int
    bonus_threshold: int  # 0 where there is no bonus
    bonus_points: int
    dice: int


def card_rules(rules: Ruleset) -> CardRules:
    """Compiles the card part of a ruleset."""
    per_column = len(rules.boxes)
    columns = len(rules.columns)
    shifts = [column * per_column for column in range(columns)]
    groups = _order_groups(rules)
    faces = [face_of(box) for box in rules.boxes]
    upper_box = np.zeros((columns, 7), np.int64)
    for column, shift in enumerate(shifts):
        for box, face in enumerate(faces):
            if face:
                upper_box[column, face] = 1 << (shift + box)
    yatzy_bit = 1 << rules.boxes.index("yatzy") if "yatzy" in rules.boxes else 0
    arrays = {
        "order": np.array([[group << shift for group in groups] for shift in shifts], np.int64),
        "multiplier": np.array(rules.columns, np.int64),
        "column": np.repeat(np.arange(columns, dtype=np.int64), per_column),
        "face": np.tile(np.array(faces, np.int64), columns),
        "upper_box": upper_box,
    }
    for array in arrays.values():
        array.flags.writeable = False
    return CardRules(
        boxes=per_column * columns,
        columns=columns,
        all_boxes=(1 << (per_column * columns)) - 1,
        upper_boxes=int(upper_box.sum()),
        yatzy_boxes=sum(yatzy_bit << shift for shift in shifts),
        yatzy_first=rules.yatzy_first,
        joker=JOKERS.index(rules.joker),
        extra_yatzy_bonus=rules.extra_yatzy_bonus,
        bonus_threshold=rules.bonus_threshold if rules.bonus_points else 0,
        bonus_points=rules.bonus_points,
        dice=rules.dice,
        **arrays,
    )


def _order_groups(rules: Ruleset) -> list[int]:
    """The order of one column as bitmasks of its boxes."""
    bits = [1 << box for box in range(len(rules.boxes))]
    upper = [bit for bit, box in zip(bits, rules.boxes, strict=True) if face_of(box)]
    lower = sum(bits) - sum(upper)
    groups = {
        "free": [sum(bits)],
        "upper-first": [sum(upper), lower],
        "upper-in-order": [*upper, lower],
        "top-down": bits,
    }[rules.order]
    return [group for group in groups if group]


@kernel(inline="always")
def legal_by_order(card, filled):
    """Bits of the open boxes the order allows, whatever was thrown."""
    legal = 0
    for column in range(card.columns):
        for group in range(card.order.shape[1]):
            open_boxes = card.order[column, group] & ~filled
            if open_boxes != 0:
                legal |= open_boxes
                break
    return legal


@kernel(inline="always")
def is_joker(card, filled, alike):
    """Whether dice all showing `alike` (0: not all the same) count as a joker in the lower section.

    They do when the yatzy box is filled and the upper box of their face is closed.
    """
    return (
        card.joker != _NO_JOKER
        and alike != 0
        and card.yatzy_boxes & ~filled == 0
        and card.upper_box[0, alike] & ~filled == 0
    )


@kernel(inline="always")
def legal_boxes(card, filled, alike):
    """Bits of the boxes that may be filled when all dice show `alike` (0: not all the same); 0 only on a full card."""
    legal = legal_by_order(card, filled)
    if alike != 0:
        if card.yatzy_first:
            legal |= card.yatzy_boxes & ~filled
        if card.joker == _FORCED and card.yatzy_boxes & ~filled == 0:
            matching = legal & card.upper_box[0, alike]
            lower = legal & ~card.upper_boxes
            if matching != 0:
                legal = matching
            elif lower != 0:
                legal = lower
    return legal


@kernel(inline="always")
def bonus_step(card, box, points, upper):
    """The bonus, times its column, that falls when `points` are written in `box`.

    The points are plain, before the column's multiplier; `upper` is the upper sum of the box's column before.
    """
    column = card.column[box]
    if card.face[box] != 0 and upper < card.bonus_threshold <= upper + points:
        return card.bonus_points * card.multiplier[column]
    return 0


@kernel(inline="always")
def extra_step(card, yatzy_scored, alike):
    """The extra bonus for dice all alike once the yatzy box holds points."""
    return card.extra_yatzy_bonus if yatzy_scored and alike != 0 else 0


@kernel(inline="always")
def scored_after(card, yatzy_scored, box, points):
    """Whether the yatzy box holds points after `points` were written in `box`, as far as the rules ask."""
    return yatzy_scored or (card.extra_yatzy_bonus > 0 and (card.yatzy_boxes >> box) & 1 == 1 and points > 0)


@kernel(inline="always")
def open_upper_points(card, filled, column):
    """The most that the open upper boxes of a column can still add to its sum."""
    total = 0
    for face in range(1, 7):
        if card.upper_box[column, face] & ~filled != 0:
            total += face * card.dice
    return total


def possible_sums(card: CardRules, filled: int, column: int) -> set[int]:
    """The upper sums that the filled upper boxes of a column can add up to."""
    sums = {0}
    for face in range(1, 7):
        if card.upper_box[column, face] & filled:
            sums = {total + face * dice for total in sums for dice in range(card.dice + 1)}
    return sums


@kernel
def follows_order(card, filled):
    """Whether the filled boxes can have been filled in the order of the rules."""
    for column in range(card.columns):
        is_open = False
        for group in range(card.order.shape[1]):
            boxes = card.order[column, group]
            used = boxes & filled
            if card.yatzy_first:
                used &= ~card.yatzy_boxes
            if is_open and used != 0:
                return False
            is_open = is_open or boxes & ~filled != 0
    return True
