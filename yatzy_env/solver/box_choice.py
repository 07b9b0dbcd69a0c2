"""What the dice on the table are worth when the turn stops: the best box to fill, for `LANES` cards at once.

For each card of a block, what it may do is boiled down to offers, one number each: for every legal box and every amount
above zero that it pays, those points plus the value of the card after; the best of filling a box for nothing; and for
each face the best box when all dice show it. Each offer is then held out to all rolls it is made for. The best zero is
held out to every roll: where a box does pay the roll, its own offer follows and is higher, because a card is never
worth less with a higher upper sum. Rolls whose dice are all alike have offers of their own because legal boxes, joker
and extra bonus may differ there.

In the sweep the cards of a block are one state with consecutive upper sums. For each legal box a row is laid out that
holds, by upper sum, the value of the card after. The row goes on for as long as the box can raise the sum, and sums
beyond what a lane stands for repeat the lane's value: so a payment in an upper box is an offset into the row, and no
lane branches. To make that true of the step at which the bonus falls as well, rows hold the value of the card after
plus the bonus earned up to there; the result is then too large by the bonus the card itself had earned, which is
subtracted at the end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy_env.card import extra_step, is_joker, legal_boxes, scored_after
from yatzy_env.kernel import kernel
from yatzy_env.native import peek
from yatzy_env.simd import LANES, larger, load, new_rows, plus, spread, store
from yatzy_env.solver.layout import Layout, split_state
from yatzy_env.tables import Tables


class Payments(NamedTuple):
    """What boxes pay for rolls that are not all alike, zeros left out. B boxes, P payments."""

    of_box: NDArray[np.int64]  # (B + 1,) payments of box b are of_box[b] to of_box[b + 1]
    gained: NDArray[np.float64]  # (P,) points times their column
    raised: NDArray[np.int64]  # (P,) what they add to the upper sum
    of_payment: NDArray[np.int64]  # (P + 1,) rolls of payment p are of_payment[p] to of_payment[p + 1]
    roll: NDArray[np.int32]  # starts of the rows of these rolls in a block
    alike: NDArray[np.int64]  # (7,) number of the roll whose dice all show a face
    raises: NDArray[np.int64]  # (B,) the most a box adds to the upper sum
    scored_boxes: int  # bits of the boxes in which points change the state besides filling the box
    first_roll: int  # start of the row of roll 0 in a block


class Choice(NamedTuple):
    """Working memory for the choice of box in the cards of a block."""

    places: NDArray[np.int64]  # (B + 1, 3) see `find_places`
    options: NDArray[np.int64]  # (6B, 4) with dice all alike: box, row of the card after, sum raised by, points gained
    ends: NDArray[np.int64]  # (7,) where the options of each face end
    offers: NDArray[np.float64]  # ((P + 7) * LANES,) a row per payment, then the best zero, then the faces 1 to 6


def list_payments(tables: Tables) -> Payments:
    """Lists what the boxes of a ruleset pay."""
    card = tables.card
    mixed = np.flatnonzero(tables.alike == 0)
    of_box, boxes, points, of_payment, rolls = [0], [], [], [0], []
    for box, paid in enumerate(tables.points[0][:, mixed]):
        for amount in np.unique(paid[paid > 0]):
            boxes.append(box)
            points.append(amount)
            rolls.append((tables.keeps + mixed[paid == amount]) * LANES)
            of_payment.append(of_payment[-1] + len(rolls[-1]))
        of_box.append(len(points))
    box_of, points_of = np.array(boxes, np.int64), np.array(points, np.int64)
    return Payments(
        of_box=np.array(of_box, np.int64),
        gained=(points_of * card.multiplier[card.column[box_of]]).astype(np.float64),
        raised=np.where(card.face[box_of] > 0, points_of, 0),
        of_payment=np.array(of_payment, np.int64),
        roll=np.concatenate([np.zeros(0), *rolls]).astype(np.int32),
        alike=np.array([0, *(int(np.flatnonzero(tables.alike == face)[0]) for face in range(1, 7))], np.int64),
        raises=card.face * tables.dice,
        scored_boxes=sum(1 << box for box in range(card.boxes) if scored_after(card, False, box, 1)),
        first_roll=tables.keeps * LANES,
    )


@kernel
def new_choice(pays):
    """Working memory for cards of a ruleset."""
    boxes = pays.raises.shape[0]
    return Choice(
        np.empty((boxes + 1, 3), np.int64),
        np.empty((6 * boxes, 4), np.int64),
        np.zeros(7, np.int64),
        new_rows((pays.gained.shape[0] + 7) * LANES),
    )


@kernel
def list_options(tables, pays, filled, yatzy_scored, options, ends):
    """Lists what may be done with dice all alike, and returns the boxes that are legal for any roll at all.

    The row of the card after is that of the box, and row B where the box is filled in a way that changes the state.
    """
    card = tables.card
    points_of = tables.points
    boxes = card.boxes
    legal_at_all = legal_boxes(card, filled, 0)
    count = 0
    for alike in range(1, 7):
        roll = pays.alike[alike]
        legal = legal_boxes(card, filled, alike)
        legal_at_all |= legal
        joker = 1 if is_joker(card, filled, alike) else 0
        extra = extra_step(card, yatzy_scored, alike)
        for box in range(boxes):
            if (legal >> box) & 1:
                points = points_of[joker, box, roll]
                changes = points > 0 and not yatzy_scored and (pays.scored_boxes >> box) & 1
                options[count, 0] = box
                options[count, 1] = boxes if changes else box
                options[count, 2] = points if pays.raises[box] > 0 else 0
                options[count, 3] = points * card.multiplier[card.column[box]] + extra
                count += 1
        ends[alike] = count
    return legal_at_all


@kernel
def find_places(layout, pays, upper_boxes, legal, filled, yatzy_scored, places):
    """Finds the values of the states that filling one of the legal boxes leads to.

    Each row of `places` receives where the value for upper sum 0 would stand, the lowest and the highest sum. Row B is
    the yatzy box filled with points where that leads to another state than without. Returns the bits of the rows
    written: a yatzy box that can only be filled with points at this time has row B alone.
    """
    boxes = pays.raises.shape[0]
    bit = layout.scored_bit
    written = np.int64(0)
    for box in range(boxes):
        if (legal >> box) & 1:
            after = filled | (np.int64(1) << box)
            low = layout.low[after & upper_boxes]
            high = layout.high[after & upper_boxes]
            changes = not yatzy_scored and (pays.scored_boxes >> box) & 1
            for row, first in (
                (box, layout.first[after | bit if yatzy_scored else after]),
                (boxes, layout.first[after | bit] if changes else -1),
            ):
                if first >= 0:
                    places[row, 0] = first - low
                    places[row, 1] = low
                    places[row, 2] = high
                    written |= np.int64(1) << row
    return written


@kernel
def enter_state(tables, layout, pays, state, choice):
    """Lists what may be done in a state, in `choice`, and where the values of the states after stand.

    Returns the boxes that are legal for rolls not all alike; the bits of the rows of `places` that were written; the
    number of the state's first card, its upper sum, and how many upper sums there are.
    """
    card = tables.card
    filled, yatzy_scored = split_state(card, layout, state)
    legal = list_options(tables, pays, filled, yatzy_scored, choice.options, choice.ends)
    written = find_places(layout, pays, card.upper_boxes, legal, filled, yatzy_scored, choice.places)
    low = layout.low[filled & card.upper_boxes]
    lanes = layout.high[filled & card.upper_boxes] - low + 1
    return legal_boxes(card, filled, 0), written, layout.first[state], low, lanes


@kernel
def move_pool(layout, written, count, places):
    """Moves places on to those of cards with `count` saved throws more."""
    if layout.spare > 0:
        for row in range(places.shape[0]):
            if (written >> row) & 1:
                places[row, 0] += count * (places[row, 2] - places[row, 1] + 1)


@kernel
def value_after(values, earned, places, row, upper):
    """The value of a card found by `find_places`, plus the bonus it has earned."""
    lane = min(max(upper, places[row, 1]), places[row, 2])
    return values[places[row, 0] + lane] + earned[lane]


@kernel
def load_rows(pays, values, earned, places, wanted, upper, lanes, stride, rows):
    """Lays out the `wanted` rows of one state, of `lanes` upper sums from `upper` on, to the end of the last block."""
    boxes = pays.raises.shape[0]
    lanes = (lanes + LANES - 1) // LANES * LANES
    for row in range(boxes + 1):
        if (wanted >> row) & 1:
            length = lanes + (pays.raises[row] if row < boxes else 0)
            for index in range(length):
                rows[row * stride + index] = value_after(values, earned, places, row, upper + index)


@kernel
def offer_rows(pays, legal, rows, stride, offset, choice):
    """Makes the offers of `LANES` cards of one state, the first of them `offset` upper sums above the lowest."""
    offers = choice.offers
    end = pays.gained.shape[0]
    best = spread(-np.inf)
    for box in range(pays.raises.shape[0]):
        if (legal >> box) & 1:
            start = box * stride + offset
            best = larger(best, load(rows, start))
            for payment in range(pays.of_box[box], pays.of_box[box + 1]):
                after = load(rows, start + pays.raised[payment])
                store(offers, payment * LANES, plus(after, spread(pays.gained[payment])))
    store(offers, end * LANES, best)
    for alike in range(1, 7):
        best = spread(-np.inf)
        for option in range(choice.ends[alike - 1], choice.ends[alike]):
            after = load(rows, choice.options[option, 1] * stride + offset + choice.options[option, 2])
            best = larger(best, plus(after, spread(np.float64(choice.options[option, 3]))))
        store(offers, (end + alike) * LANES, best)


@kernel
def choose_box(pays, legal, offers, block):
    """Writes the best offer to each of the block's rolls.

    `legal` are the boxes that any card of the block may fill with dice not all alike; where a box is not legal in a
    lane its offers are -inf.
    """
    end = pays.gained.shape[0]
    best_zero = load(offers, end * LANES)
    for row in range(pays.first_roll, block.shape[0], LANES):
        store(block, row, best_zero)
    _offer_payments(pays, legal, offers, block)
    for alike in range(1, 7):
        store(block, pays.first_roll + pays.alike[alike] * LANES, load(offers, (end + alike) * LANES))


@kernel
def raise_to_box(pays, legal, offers, block):
    """Raises each of the block's rolls to the best offer; the arguments are those of `choose_box`."""
    end = pays.gained.shape[0]
    best_zero = load(offers, end * LANES)
    alike = 1
    for roll in range((block.shape[0] - pays.first_roll) // LANES):
        row = pays.first_roll + roll * LANES
        if alike <= 6 and pays.alike[alike] == roll:
            store(block, row, larger(load(block, row), load(offers, (end + alike) * LANES)))
            alike += 1
        else:
            store(block, row, larger(load(block, row), best_zero))
    _offer_payments(pays, legal, offers, block)


@kernel
def _offer_payments(pays, legal, offers, block):
    """Holds every payment out to the rolls it is made for."""
    for box in range(pays.raises.shape[0]):
        if (legal >> box) & 1:
            for payment in range(pays.of_box[box], pays.of_box[box + 1]):
                offer = load(offers, payment * LANES)
                for index in range(pays.of_payment[payment], pays.of_payment[payment + 1]):
                    row = peek(pays.roll, index)
                    store(block, row, larger(load(block, row), offer))


def row_stride(layout: Layout, pays: Payments) -> int:
    """How long the row of a box must be: all upper sums of a state, in whole blocks, and what a box adds to them."""
    lanes = int((layout.high - layout.low).max()) + 1
    return -(-lanes // LANES) * LANES + int(pays.raises.max())
