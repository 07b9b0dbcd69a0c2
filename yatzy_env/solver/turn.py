"""Action values of batches of situations, with the values of all cards.

Situations of the same card share one lane, whatever their rolls and throws left, and `LANES` cards make a block. Unlike
in the sweep its lanes are unrelated, so offers are made card by card; but cards come in the order of their states, and
what depends on the state alone is found once for all that follow each other. From there on the turn is computed for all
lanes together, for as many throws as are left.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from yatzy_env.card import legal_boxes
from yatzy_env.kernel import kernel
from yatzy_env.simd import LANES, new_rows
from yatzy_env.situation import Situations
from yatzy_env.solver.box_choice import choose_box, find_places, list_options, list_payments, new_choice, value_after
from yatzy_env.solver.chunks import in_chunks
from yatzy_env.solver.layout import Layout
from yatzy_env.tables import Tables
from yatzy_env.turn import by_card, choose_keep, plan_turn, throw

_CHUNK = 1024  # cards handed to a thread at a time


@kernel
def make_offers(of_box, raised, gained, values, earned, legal, upper, places, options, ends, offers, lane):
    """Makes the offers of one card.

    Args:
        of_box: as in `Payments`.
        raised: the same.
        gained: the same.
        values: what follows, see `value_after`.
        earned: the bonus earned with each upper sum.
        legal: the boxes that are legal for rolls not all alike.
        upper: the card's upper sum.
        places: as in `Choice`.
        options: the same.
        ends: the same.
        offers: the same; receives the offers in one lane.
        lane: the lane.
    """
    end = gained.shape[0]
    best = -np.inf
    for box in range(of_box.shape[0] - 1):
        if (legal >> box) & 1:
            unpaid = value_after(values, earned, places, box, upper)
            best = max(best, unpaid)
            for payment in range(of_box[box], of_box[box + 1]):
                after = value_after(values, earned, places, box, upper + raised[payment])
                offers[payment * LANES + lane] = after + gained[payment]
        else:
            for payment in range(of_box[box], of_box[box + 1]):
                offers[payment * LANES + lane] = -np.inf
    offers[end * LANES + lane] = best
    for alike in range(1, 7):
        best = -np.inf
        for option in range(ends[alike - 1], ends[alike]):
            after = value_after(values, earned, places, options[option, 1], upper + options[option, 2])
            best = max(best, after + options[option, 3])
        offers[(end + alike) * LANES + lane] = best


@kernel
def write_boxes(
    alike, points, factors, roll, values, earned, legal, upper, places, options, ends, less, keeps, row, out
):
    """Writes what the legal boxes are worth for the roll on the table.

    Args:
        alike: (R,) the face all dice show, 0 where they differ.
        points: (R, B) what each box pays for rolls that differ.
        factors: (2, B) what its points count and what they add to the upper sum.
        roll: the roll.
        values: what follows, see `value_after`.
        earned: the bonus earned with each upper sum.
        legal: the boxes that are legal for rolls not all alike.
        upper: the card's upper sum.
        places: as in `Choice`.
        options: the same.
        ends: the same.
        less: what to subtract.
        keeps: K, where the boxes begin among the actions.
        row: the row of `out` to write to.
        out: (n, actions) float64.
    """
    face = alike[roll]
    if face != 0:
        for option in range(ends[face - 1], ends[face]):
            after = value_after(values, earned, places, options[option, 1], upper + options[option, 2])
            out[row, keeps + options[option, 0]] = after + options[option, 3] - less
        return
    for box in range(points.shape[1]):
        if (legal >> box) & 1:
            paid = points[roll, box]
            after = value_after(values, earned, places, box, upper + paid * factors[1, box])
            out[row, keeps + box] = after + paid * factors[0, box] - less


@kernel
def write_keeps(first_keep, keep, block, lane, roll, less, row, out):
    """Writes the values of the keeps of a roll after a `throw`.

    Args:
        first_keep: the plan's.
        keep: the plan's.
        block: the block.
        lane: the lane of the card.
        roll: the roll.
        less: what to subtract.
        row: the row of `out` to write to.
        out: (n, actions) float64.
    """
    for index in range(first_keep[roll], first_keep[roll + 1]):
        out[row, keep[index]] = block[keep[index] * LANES + lane] - less


@kernel(nogil=True)
def _action_values(tables, layout, plan, pays, points, factors, values, now, order, first, out):
    """The kernel of `action_values`.

    Situations are sorted: those of card c of this chunk are first[c] to first[c + 1], and situation i belongs into row
    order[i] of `out`.
    """
    card, keeps, alike, earned = tables.card, tables.keeps, tables.alike, layout.earned
    of_box, raised, gained = pays.of_box, pays.raised, pays.gained
    first_keep, keep_of, add, whole, part, runs = (
        plan.first_keep, plan.keep, plan.add, plan.whole, plan.part, plan.runs
    )  # fmt: skip
    filled_of, upper_of, fifty_of, roll_of, throws_of = now
    block = new_rows(plan.length)
    choice = new_choice(pays)
    places, options, ends, offers = choice
    less = np.zeros(LANES)
    filled = np.int64(-1)
    fifty = False
    legal = np.int64(0)
    cards = first.shape[0] - 1
    for start in range(0, cards, LANES):
        lanes = min(LANES, cards - start)
        legal_in_any = np.int64(0)
        most = 0
        for lane in range(lanes):
            begin, end = first[start + lane], first[start + lane + 1]
            for place in range(begin, end):
                row = order[place]
                for action in range(out.shape[1]):
                    out[row, action] = np.nan  # here and not for all at once, because now the row is in reach
            if roll_of[begin] < 0:
                continue
            if filled_of[begin] != filled or fifty_of[begin] != fifty:
                filled = filled_of[begin]
                fifty = fifty_of[begin]
                legal = list_options(tables, pays, filled, fifty, options, ends)
                find_places(layout, pays, card.upper_boxes, legal, filled, fifty, places)
                legal = legal_boxes(card, filled, 0)
            upper = upper_of[begin, 0]
            less[lane] = earned[min(upper, earned.shape[0] - 1)]
            throws = 0
            for place in range(begin, end):
                throws = max(throws, throws_of[place])
                # Arguments one by one: a tuple of arrays would cost more than the work.
                write_boxes(
                    alike, points, factors, roll_of[place], values, earned, legal, upper,
                    places, options, ends, less[lane], keeps, order[place], out,
                )  # fmt: skip
            if throws > 0:
                make_offers(of_box, raised, gained, values, earned, legal, upper, places, options, ends, offers, lane)
                legal_in_any |= legal
                most = max(most, throws)
        if most > 0:
            choose_box(pays, legal_in_any, offers, block)
        for throws in range(1, most + 1):
            throw(add, block)
            for lane in range(lanes):
                for place in range(first[start + lane], first[start + lane + 1]):
                    if throws_of[place] == throws and roll_of[place] >= 0:
                        write_keeps(first_keep, keep_of, block, lane, roll_of[place], less[lane], order[place], out)
            if throws < most:
                choose_keep(whole, part, runs, block)


def box_points(tables: Tables) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The points of boxes as `write_boxes` reads them.

    Args:
        tables: the compiled ruleset.

    Returns:
        (R, B) plain points without joker, and (2, B) what they count and what they add to the upper sum.
    """
    card = tables.card
    factors = np.array([card.multiplier[card.column], card.face > 0], np.int64)
    return np.ascontiguousarray(tables.points[0].T), factors


def action_values(
    tables: Tables, layout: Layout, values: NDArray[np.float64], situations: Situations
) -> NDArray[np.float64]:
    """The expected points still to come of every legal action, best play assumed afterwards.

    Args:
        tables: the compiled ruleset, of one column and without saved throws.
        layout: its layout.
        values: (size,) values of all cards.
        situations: n situations with reachable cards.

    Returns:
        (n, actions) float64 points, nan where the action is illegal; all nan on a full card.
    """
    plan = plan_turn(tables)
    pays = list_payments(tables)
    points, factors = box_points(tables)
    out = np.empty((len(situations.filled), tables.actions))
    order, first = by_card(situations)
    situations = situations.take(order)

    def work(start: int, stop: int) -> None:
        some = first[start : stop + 1]
        _action_values(tables, layout, plan, pays, points, factors, values, situations, order, some, out)

    in_chunks(work, len(first) - 1, _CHUNK)
    return out
