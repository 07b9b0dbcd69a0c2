"""What the dice on the table are worth when the turn stops: the best box to fill, for `LANES` cards at once.

The cards are one state with consecutive upper sums. For each legal box a row is laid out that holds, by upper sum, the
value of the card after. The row is as long as the box can raise the sum, and sums beyond what a lane stands for repeat
the lane's value: so a payment in an upper box is an offset into the row, and no lane branches. To make that true of the
step at which the bonus falls as well, rows hold the value of the card after plus the bonus earned up to there, and the
result is too large by the bonus the card itself had earned, which the caller subtracts.

Filling a box for 0 is the same whatever was thrown, so the best zero is found once and written to all rolls. It may
include boxes that the roll does pay: they then follow for more, because a card is never worth less with a higher sum.
Payments above zero are listed per box and amount. Rolls whose dice are all alike, for which legality, joker and extra
bonus may differ, are treated one by one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy_env.card import extra_step, fifty_after, is_joker, legal_boxes
from yatzy_env.kernel import kernel
from yatzy_env.solver.lanes import LANES, larger, load, peek, plus, spread, store
from yatzy_env.solver.layout import Layout, lane_sum, state_of
from yatzy_env.tables import Tables


class Payments(NamedTuple):
    """What boxes pay for rolls that are not all alike, zeros left out. B boxes, P payments."""

    of_box: NDArray[np.int64]  # (B + 1,) payments of box b are of_box[b] to of_box[b + 1]
    points: NDArray[np.int64]  # (P,) plain points
    of_payment: NDArray[np.int64]  # (P + 1,) rolls of payment p are of_payment[p] to of_payment[p + 1]
    roll: NDArray[np.int32]  # starts of the rows of these rolls in a block
    alike: NDArray[np.int64]  # (7,) number of the roll whose dice all show a face
    raises: NDArray[np.int64]  # (B,) the most a box adds to the upper sum
    stride: int  # length of one box's row of values


def payments(tables: Tables, layout: Layout) -> Payments:
    """Lists what the boxes pay.

    Args:
        tables: the compiled ruleset.
        layout: its layout, for the length of rows.

    Returns:
        The lists.
    """
    mixed = np.flatnonzero(tables.alike == 0)
    of_box, points, of_payment, rolls = [0], [], [0], []
    for paid in tables.points[0][:, mixed]:
        for amount in np.unique(paid[paid > 0]):
            points.append(amount)
            rolls.append((tables.keeps + mixed[paid == amount]) * LANES)
            of_payment.append(of_payment[-1] + len(rolls[-1]))
        of_box.append(len(points))
    raises = np.where(tables.card.face > 0, tables.card.face * tables.dice, 0)
    lanes = int((layout.high - layout.low).max()) + 1
    return Payments(
        of_box=np.array(of_box, np.int64),
        points=np.array(points, np.int64),
        of_payment=np.array(of_payment, np.int64),
        roll=np.concatenate([np.zeros(0), *rolls]).astype(np.int32),
        alike=np.array([0, *(int(np.flatnonzero(tables.alike == face)[0]) for face in range(1, 7))], np.int64),
        raises=raises.astype(np.int64),
        stride=-(-lanes // LANES) * LANES + int(raises.max()),
    )


@kernel
def _load_row(card, layout, values, filled, fifty, upper, length, rows, start):
    """Lays out one row: the card after, for `length` upper sums from `upper` on."""
    first = layout.first[state_of(layout, filled, fifty)]
    if first < 0:
        return  # the yatzy box, when it may be filled with points only: nobody reads this row
    first -= layout.low[filled & card.upper_boxes]
    for index in range(length):
        lane = lane_sum(card, layout, filled, upper + index)
        rows[start + index] = values[first + lane] + layout.earned[lane]


@kernel
def _changes_state(card, layout, fifty, box, points):
    """Whether points in this box lead to another state than no points."""
    return layout.fifty_bit != 0 and not fifty and fifty_after(card, fifty, box, points)


@kernel
def open_state(tables, layout, pays, values, filled, fifty, upper, lanes, rows, options, ends):
    """Prepares `choose_box` for one state and `lanes` upper sums from `upper` on.

    Args:
        tables: the compiled ruleset.
        layout: its layout.
        pays: its payments.
        values: values of the cards with one more box filled.
        filled: the state's filled boxes.
        fifty: whether its yatzy box holds points.
        upper: the first upper sum.
        lanes: how many sums.
        rows: ((B + 1) * stride,) float64, receives a row per legal box; the last row is the yatzy box filled with
            points, where that matters.
        options: (6B, 2) int64, receives what may be done with dice all alike: where the value after it stands in
            `rows`, and the points gained at once.
        ends: (7,) int64, receives where the options of each face end.
    """
    card = tables.card
    factor = card.multiplier[0]
    legal_at_all = legal_boxes(card, filled, 0)
    count = 0
    ends[0] = 0
    for alike in range(1, 7):
        roll = pays.alike[alike]
        legal = legal_boxes(card, filled, alike)
        joker = 1 if is_joker(card, filled, alike) else 0
        extra = extra_step(card, fifty, alike)
        for box in range(card.boxes):
            if (legal >> box) & 1:
                points = tables.points[joker, box, roll]
                row = card.boxes if _changes_state(card, layout, fifty, box, points) else box
                options[count, 0] = row * pays.stride + (points if card.face[box] != 0 else 0)
                options[count, 1] = points * factor + extra
                count += 1
        ends[alike] = count
        legal_at_all |= legal

    for box in range(card.boxes):
        if (legal_at_all >> box) & 1:
            after = filled | (1 << box)
            length = lanes + pays.raises[box]
            _load_row(card, layout, values, after, fifty, upper, length, rows, box * pays.stride)
            if _changes_state(card, layout, fifty, box, 1):
                _load_row(card, layout, values, after, True, upper, length, rows, card.boxes * pays.stride)


@kernel
def choose_box(tables, pays, legal, rows, options, ends, offset, block):
    """Writes to the block's rolls the value of the best box, plus the bonus earned before.

    Args:
        tables: the compiled ruleset.
        pays: its payments.
        legal: the boxes that are legal for rolls not all alike.
        rows: rows made by `open_state`.
        options: options made by it.
        ends: their ends.
        offset: where in each row the upper sum of the first lane stands.
        block: the block.
    """
    face = tables.card.face
    factor = tables.card.multiplier[0]
    best = spread(-np.inf)
    for box in range(face.shape[0]):
        if (legal >> box) & 1:
            best = larger(best, load(rows, box * pays.stride + offset))
    for roll in range(tables.rolls):
        store(block, (tables.keeps + roll) * LANES, best)
    for box in range(face.shape[0]):
        if (legal >> box) & 1:
            start = box * pays.stride + offset
            for payment in range(pays.of_box[box], pays.of_box[box + 1]):
                points = pays.points[payment]
                value = load(rows, start + points if face[box] != 0 else start)
                value = plus(value, spread(np.float64(points * factor)))
                for index in range(pays.of_payment[payment], pays.of_payment[payment + 1]):
                    row = peek(pays.roll, index)
                    store(block, row, larger(load(block, row), value))
    for alike in range(1, 7):
        best = spread(-np.inf)
        for option in range(ends[alike - 1], ends[alike]):
            value = load(rows, options[option, 0] + offset)
            best = larger(best, plus(value, spread(np.float64(options[option, 1]))))
        store(block, (tables.keeps + pays.alike[alike]) * LANES, best)
