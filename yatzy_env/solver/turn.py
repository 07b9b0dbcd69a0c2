"""Action values of batches of situations, with the values of all cards.

Situations of the same card share one lane, whatever their rolls and throws left, and `LANES` cards make a block. Unlike
in the sweep its lanes are unrelated, so offers are made card by card; but cards come in the order of their states, and
what depends on the state alone is found once for those that follow each other. From there on the turn is computed for
all lanes together, for as many throws as are left. Under saved throws filling a box with t throws left leads to a card
with a pool of t, so the offers are made anew at each t, and the rolls raised to them as in `saved`.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from yatzy_env.card import legal_boxes
from yatzy_env.kernel import kernel
from yatzy_env.native import borrow
from yatzy_env.simd import LANES, new_rows
from yatzy_env.situation import Situations
from yatzy_env.solver.box_choice import (
    choose_box,
    find_places,
    list_options,
    list_payments,
    move_pool,
    new_choice,
    raise_to_box,
    value_after,
)
from yatzy_env.solver.chunks import in_chunks
from yatzy_env.solver.layout import Layout
from yatzy_env.tables import Tables
from yatzy_env.turn import by_card, choose_keep, plan_turn, throw

_CHUNK = 1024  # cards handed to a thread at a time


@kernel
def _make_offers(of_box, raised, gained, values, earned, legal, upper, places, options, ends, offers, lane):
    """Makes the offers of one card in its lane; `legal` are the boxes that are legal for rolls not all alike."""
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
def _write_boxes(
    alike, points, factors, roll, values, earned, legal, upper, places, options, ends, less, keeps, row, out
):
    """Writes what the legal boxes are worth for a roll, less what the card has earned, to a row of `out`."""
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
def _write_keeps(first_keep, keep, block, lane, roll, less, row, out):
    """Writes the values of the keeps of a roll after a `throw`."""
    for index in range(first_keep[roll], first_keep[roll + 1]):
        out[row, keep[index]] = block[keep[index] * LANES + lane] - less


@kernel(nogil=True)
def _action_values(
    tables, layout, plan, pays, points, factors, start, after, now, order, first, out, first_card, end_card
):
    """The kernel of `action_values`, for the values of some cards after, which begin at `start` in the layout.

    Situations are sorted: those of card c are first[c] to first[c + 1], and situation i belongs into row order[i] of
    `out`. Cards of one state share an entry of `places`, `options` and `ends`, their `shared`.
    """
    tables, layout, plan, pays, now = borrow(tables), borrow(layout), borrow(plan), borrow(pays), borrow(now)
    points, factors, after, out = borrow(points), borrow(factors), borrow(after), borrow(out)
    card, alike, earned = tables.card, tables.alike, layout.earned
    of_box, raised, gained = pays.of_box, pays.raised, pays.gained
    first_keep, keep_of, add, whole, part, runs = (
        plan.first_keep, plan.keep, plan.add, plan.whole, plan.part, plan.runs
    )  # fmt: skip
    filled_of, upper_of, scored_of, roll_of, throws_of = now
    block = new_rows(plan.length)
    offers = new_choice(pays).offers
    places = np.empty((LANES, card.boxes + 1, 3), np.int64)
    options = np.empty((LANES, 6 * card.boxes, 4), np.int64)
    ends = np.zeros((LANES, 7), np.int64)
    written, shared = np.zeros(LANES, np.int64), np.zeros(LANES, np.int64)
    legal, upper, left = np.zeros(LANES, np.int64), np.zeros(LANES, np.int64), np.zeros(LANES, np.int64)
    less = np.zeros(LANES)
    for begin in range(first_card, end_card, LANES):
        lanes = min(LANES, end_card - begin)
        states, most, legal_in_any = 0, 0, np.int64(0)
        for lane in range(lanes):
            at = first[begin + lane]
            filled, yatzy_scored = filled_of[at], scored_of[at]
            if lane == 0 or filled != filled_of[at - 1] or yatzy_scored != scored_of[at - 1]:
                legal_at_all = list_options(tables, pays, filled, yatzy_scored, options[states], ends[states])
                written[states] = find_places(
                    layout, pays, card.upper_boxes, legal_at_all, filled, yatzy_scored, places[states]
                )
                places[states, :, 0] -= start
                states += 1
            shared[lane] = states - 1
            legal[lane] = legal_boxes(card, filled, 0)
            upper[lane] = upper_of[at, 0]
            less[lane] = earned[min(upper[lane], earned.shape[0] - 1)]
            left[lane] = 0
            for place in range(at, first[begin + lane + 1]):
                left[lane] = max(left[lane], throws_of[place])
            if left[lane] > 0:
                legal_in_any |= legal[lane]
            most = max(most, left[lane])
        for throws in range(most + 1):
            if throws > 0:
                throw(add, block)
            for lane in range(lanes):
                state = shared[lane]
                own_places, own_options, own_ends = places[state], options[state], ends[state]
                for place in range(first[begin + lane], first[begin + lane + 1]):
                    if throws_of[place] == throws:
                        row, roll = order[place], roll_of[place]
                        for action in range(out.shape[1]):
                            out[row, action] = np.nan  # here and not for all at once, because now the row is in reach
                        if roll < 0:
                            continue
                        # Arguments one by one: a tuple of arrays would cost more than the work.
                        _write_boxes(
                            alike, points, factors, roll, after, earned, legal[lane], upper[lane],
                            own_places, own_options, own_ends, less[lane], tables.keeps, row, out,
                        )  # fmt: skip
                        if throws > 0:
                            _write_keeps(first_keep, keep_of, block, lane, roll, less[lane], row, out)
                if left[lane] > throws and (throws == 0 or layout.spare > 0):
                    _make_offers(
                        of_box, raised, gained, after, earned, legal[lane], upper[lane],
                        own_places, own_options, own_ends, offers, lane,
                    )  # fmt: skip
            if throws == most:
                continue
            if throws == 0:
                choose_box(pays, legal_in_any, offers, block)
            else:
                if layout.spare > 0:
                    raise_to_box(pays, legal_in_any, offers, block)
                choose_keep(whole, part, runs, block)
            for state in range(states):
                move_pool(layout, written[state], 1, places[state])


def action_values(
    tables: Tables,
    layout: Layout,
    parts: list[tuple[NDArray[np.intp], int, NDArray[np.float64]]],
    situations: Situations,
) -> NDArray[np.float64]:
    """The expected points still to come of every legal action, best play assumed afterwards.

    Args:
        tables: the compiled ruleset, of one column.
        layout: its layout.
        parts: some of the situations, where in the layout the values begin that their cards after need, and the values.
        situations: n situations with reachable cards.

    Returns:
        (n, actions) float64 points, nan where the action is illegal; all nan on a full card.
    """
    plan = plan_turn(tables)
    pays = list_payments(tables)
    card = tables.card
    points = np.ascontiguousarray(tables.points[0].T)
    factors = np.array([card.multiplier[card.column], card.face > 0], np.int64)  # of what a box counts, and of its sum
    out = np.empty((len(situations.filled), tables.actions))
    for index, start, after in parts:
        order, first = by_card(situations.take(index))
        order = index[order]
        some = situations.take(order)
        work = partial(
            _action_values, tables, layout, plan, pays, points, factors, start, after, some, order, first, out
        )
        in_chunks(work, len(first) - 1, _CHUNK)
    return out
