# mypy: disallow-untyped-defs=False
"""What a turn can end with: a box filled for some points, and the score card that leaves.

Whatever is thrown, a turn ends in one of a few ways. An end is a box, the plain points written in it, whether an extra
bonus is paid for it and, where throws are saved, how many are left: 120 at most in Yatzy, 360 in Triple. Which of them
a roll leads to depends on the roll, on the joker and on whether the yatzy box holds points, and on nothing else.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy_env.card import bonus_step, legal_boxes, scored_after
from yatzy_env.kernel import kernel
from yatzy_env.native import borrow
from yatzy_env.simd import LANES
from yatzy_env.situation import Situations
from yatzy_env.tables import Tables


class Cards(NamedTuple):
    """n score cards between two turns. C columns."""

    filled: NDArray[np.int64]  # (n,) a bit per filled box
    upper: NDArray[np.int64]  # (n, C) upper sums
    yatzy_scored: NDArray[np.bool_]  # (n,) whether the yatzy box holds points, where extra bonuses ask for it
    pool: NDArray[np.int64]  # (n,) saved throws, 0 where none are saved

    def take(self, index: NDArray[np.intp] | NDArray[np.bool_] | slice) -> Cards:
        """Some of the cards."""
        return Cards._make(values[index] for values in self)


class EndKinds(NamedTuple):
    """The ends a ruleset knows, throws left aside. U kinds, box by box; B boxes, R rolls."""

    box: NDArray[np.int64]  # (U,)
    points: NDArray[np.int64]  # (U,) plain points written in the box
    extra: NDArray[np.int64]  # (U,) extra bonus paid
    first: NDArray[np.int64]  # (B + 1,) where each box's kinds begin: without extra bonus first, points ascending
    plain: NDArray[np.int64]  # (B,) how many of them pay no extra bonus
    of: NDArray[np.int32]  # (2, 2, B, R) the kind of filling a box with a roll: yatzy scored before, joker
    row: NDArray[np.int32]  # (B * R,) the same without either, as the start of a row of `LANES` numbers


class Ends(NamedTuple):
    """The ends of n turns, a row each: turn after turn, kind after kind, throws left ascending."""

    before: Cards  # (n,) the cards that the turns begin with
    throws_left: NDArray[np.int64]  # (n,) throws that may be made after the first one of each turn
    start: NDArray[np.int64]  # (n + 1,) where each turn's rows begin
    turn: NDArray[np.int64]  # (rows,) which turn a row belongs to
    kind: NDArray[np.int64]  # (rows,) index into `EndKinds`
    gain: NDArray[np.int64]  # (rows,) points gained, column, bonus and extra bonus included
    after: Cards  # (rows,) the cards that the turns end with


_MOST_KINDS = 64  # rulesets whose kinds are kept
_KINDS: dict[int, tuple[NDArray[np.int64], EndKinds]] = {}  # by the identity of the ruleset's points, which it holds


def end_kinds(tables: Tables) -> EndKinds:
    """The ends a ruleset knows. Listed once per compiled ruleset.

    Args:
        tables: the compiled ruleset.

    Returns:
        The kinds.
    """
    key = id(tables.points)
    if key not in _KINDS:
        if len(_KINDS) == _MOST_KINDS:
            _KINDS.clear()
        _KINDS[key] = (tables.points, _list_kinds(tables))
    return _KINDS[key][1]


def _list_kinds(tables: Tables) -> EndKinds:
    card = tables.card
    shape = (2, *tables.points.shape)
    paid = tables.points[[0, 1 if card.joker else 0]]
    extra = np.zeros(shape, np.int64)
    extra[1] = (tables.alike > 0) * card.extra_yatzy_bonus
    box = np.broadcast_to(np.arange(card.boxes)[:, None], shape)
    rows = np.stack([values.ravel() for values in (box, extra, np.broadcast_to(paid, shape))], axis=1)
    listed, of = np.unique(rows, axis=0, return_inverse=True)
    boxes, extras, points = (np.ascontiguousarray(column) for column in listed.T)
    first = np.searchsorted(boxes, np.arange(card.boxes + 1))
    plain = np.bincount(boxes[extras == 0], minlength=card.boxes)
    kinds = of.reshape(shape).astype(np.int32)
    starts: NDArray[np.int32] = (kinds[0, 0].ravel().astype(np.int64) * LANES).astype(np.int32)
    return EndKinds(boxes, points, extras, first, plain, kinds, starts)


def cards_of(tables: Tables, situations: Situations) -> Cards:
    """The cards of situations before the first throw of a turn or right after it.

    Args:
        tables: the compiled ruleset.
        situations: n situations.

    Returns:
        n cards, copied.
    """
    pool = np.maximum(situations.throws_left - (tables.throws - 1), 0)
    return Cards(situations.filled.copy(), situations.upper.copy(), situations.yatzy_scored.copy(), pool)


def list_ends(tables: Tables, cards: Cards, throws_left: NDArray[np.int64] | None = None) -> Ends:
    """Lists what turns can end with.

    Args:
        tables: the compiled ruleset.
        cards: n cards; a full one has no ends.
        throws_left: (n,) throws that may be made after the first one of each turn, where it is not a whole turn that is
            asked about.

    Returns:
        The ends. Where all dice must be alike for a box, or must not be, some of them may be out of reach.
    """
    cards = Cards._make(np.ascontiguousarray(values) for values in cards)
    left = tables.throws - 1 + cards.pool if throws_left is None else np.ascontiguousarray(throws_left, np.int64)
    kinds = end_kinds(tables)
    start = np.zeros(len(cards.filled) + 1, np.int64)
    _count_ends(tables, kinds, cards, left, start)
    rows, columns = int(start[-1]), tables.card.columns
    turn, kind, gain, filled = (np.empty(rows, np.int64) for _ in range(4))
    after = Cards(filled, np.empty((rows, columns), np.int64), np.empty(rows, np.bool_), np.zeros(rows, np.int64))
    ends = Ends(cards, left, start, turn, kind, gain, after)
    _list_ends(tables, kinds, ends)
    return ends


@kernel(inline="always")
def boxes_of_turn(card, filled):
    """Bits of the boxes that some roll may be written in."""
    legal = 0
    for alike in range(7):
        legal |= legal_boxes(card, filled, alike)
    return legal


@kernel(inline="always")
def kinds_in(kinds, box, yatzy_scored):
    """How many kinds of ends a box has on a card."""
    return kinds.first[box + 1] - kinds.first[box] if yatzy_scored else kinds.plain[box]


@kernel(inline="always")
def ends_per_kind(tables, throws_left):
    """How many ends a kind has in a turn: as many as throws can be left, where they are saved."""
    return throws_left + 1 if tables.saved_throws else 1


@kernel
def _count_ends(tables, kinds, cards, throws_left, start):
    tables, kinds, cards = borrow(tables), borrow(kinds), borrow(cards)
    for turn in range(cards.filled.shape[0]):
        legal = boxes_of_turn(tables.card, cards.filled[turn])
        rows = 0
        for box in range(tables.card.boxes):
            if (legal >> box) & 1:
                rows += kinds_in(kinds, box, cards.yatzy_scored[turn])
        start[turn + 1] = start[turn] + rows * ends_per_kind(tables, throws_left[turn])


@kernel
def _list_ends(tables, kinds, ends):
    tables, kinds, ends = borrow(tables), borrow(kinds), borrow(ends)
    card, before, after = tables.card, ends.before, ends.after
    for turn in range(before.filled.shape[0]):
        filled, scored = before.filled[turn], before.yatzy_scored[turn]
        legal = boxes_of_turn(card, filled)
        row = ends.start[turn]
        for box in range(card.boxes):
            if (legal >> box) & 1 == 0:
                continue
            column = card.column[box]
            upper = before.upper[turn, column]
            for kind in range(kinds.first[box], kinds.first[box] + kinds_in(kinds, box, scored)):
                points = kinds.points[kind]
                gain = points * card.multiplier[column] + bonus_step(card, box, points, upper) + kinds.extra[kind]
                for left in range(ends_per_kind(tables, ends.throws_left[turn])):
                    ends.turn[row] = turn
                    ends.kind[row] = kind
                    ends.gain[row] = gain
                    after.filled[row] = filled | (np.int64(1) << box)
                    for other in range(card.columns):
                        after.upper[row, other] = before.upper[turn, other]
                    if card.face[box] != 0:
                        after.upper[row, column] = upper + points
                    after.yatzy_scored[row] = scored_after(card, scored, box, points)
                    after.pool[row] = left
                    row += 1
