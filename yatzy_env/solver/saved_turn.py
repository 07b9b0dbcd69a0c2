"""Action values of batches of situations under saved throws.

As in `turn` the lanes of a block are unrelated cards, here of one layer. Filling a box with t throws left leads to a
card with a pool of t, so the offers are made anew at each t, and the rolls raised to them as in `saved`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from yatzy_env.card import legal_boxes
from yatzy_env.kernel import kernel
from yatzy_env.simd import LANES, new_rows
from yatzy_env.situation import Situations
from yatzy_env.solver.box_choice import find_places, list_options, list_payments, new_choice, raise_to_box
from yatzy_env.solver.chunks import in_chunks
from yatzy_env.solver.layout import Layout
from yatzy_env.solver.pools import Pools, enter_layer, move_pool
from yatzy_env.solver.turn import box_points, make_offers, write_boxes, write_keeps
from yatzy_env.tables import Tables
from yatzy_env.turn import choose_keep, plan_turn, throw

_CHUNK = 256  # situations handed to a thread at a time


@kernel(nogil=True)
def _action_values(tables, layout, plan, pays, points, factors, start, pools, after, now, order, out):
    """Writes the action values of situations of one layer; `start`, `pools` and `after` are those of the next."""
    card = tables.card
    alike = tables.alike
    earned = layout.earned
    block = new_rows(plan.length)
    offers = new_choice(pays).offers
    places = np.empty((LANES, card.boxes + 1, 3), np.int64)
    options = np.empty((LANES, 6 * card.boxes, 4), np.int64)
    ends = np.zeros((LANES, 7), np.int64)
    written = np.zeros(LANES, np.int64)
    legal = np.zeros(LANES, np.int64)
    upper = np.zeros(LANES, np.int64)
    less = np.zeros(LANES)
    for begin in range(0, order.shape[0], LANES):
        lanes = order[begin : begin + LANES]
        most = 0
        legal_in_any = 0
        for lane in range(lanes.shape[0]):
            situation = lanes[lane]
            filled = now.filled[situation]
            fifty = now.fifty[situation]
            throws = now.throws_left[situation]
            legal_at_all = list_options(tables, pays, filled, fifty, options[lane], ends[lane])
            written[lane] = find_places(layout, pays, card.upper_boxes, legal_at_all, filled, fifty, places[lane])
            enter_layer(places[lane], written[lane], start, pools)
            upper[lane] = now.upper[situation, 0]
            less[lane] = earned[min(upper[lane], earned.shape[0] - 1)]
            legal[lane] = legal_boxes(card, filled, 0)
            legal_in_any |= legal[lane]
            most = max(most, throws)
            move_pool(places[lane], written[lane], throws)
            roll = now.roll[situation]
            known = (after, earned, legal[lane], upper[lane], places[lane], options[lane], ends[lane], less[lane])
            write_boxes(alike, points, factors, roll, *known, tables.keeps, situation, out)
            move_pool(places[lane], written[lane], -throws)
        block[:] = -np.inf
        for throws in range(most):
            for lane in range(lanes.shape[0]):
                card_now = (after, earned, legal[lane], upper[lane], places[lane], options[lane], ends[lane])
                make_offers(pays.of_box, pays.raised, pays.gained, *card_now, offers, lane)
                move_pool(places[lane], written[lane], 1)
            raise_to_box(pays, legal_in_any, offers, block)
            if throws > 0:
                choose_keep(plan.whole, plan.part, plan.runs, block)
            throw(plan.add, block)
            for lane in range(lanes.shape[0]):
                situation = lanes[lane]
                if now.throws_left[situation] == throws + 1:
                    roll = now.roll[situation]
                    write_keeps(plan.first_keep, plan.keep, block, lane, roll, less[lane], situation, out)


def saved_action_values(
    tables: Tables, layout: Layout, pools: Pools, layers: Sequence[NDArray[np.float64]], situations: Situations
) -> NDArray[np.float64]:
    """The expected points still to come of every legal action, best play assumed afterwards.

    Args:
        tables: the compiled ruleset, of one column and with saved throws.
        layout: its layout.
        pools: its layers.
        layers: the values of each layer, by filled boxes.
        situations: n situations with reachable cards.

    Returns:
        (n, actions) float64 points, nan where the action is illegal; all nan on a full card.
    """
    plan = plan_turn(tables)
    pays = list_payments(tables)
    points, factors = box_points(tables)
    out = np.full((len(situations.filled), tables.actions), np.nan)
    turns = np.bitwise_count(situations.filled)
    by_throws = np.argsort(situations.throws_left, kind="stable")  # situations of a block take the same steps
    for filled in range(tables.card.boxes):
        order = by_throws[turns[by_throws] == filled]
        after = layers[filled + 1]
        start, count = int(pools.start[filled + 1]), pools.spare * (filled + 1) + 1

        def work(
            first: int,
            last: int,
            order: NDArray[np.intp] = order,
            after: NDArray[np.float64] = after,
            start: int = start,
            count: int = count,
        ) -> None:
            some = order[first:last]
            _action_values(tables, layout, plan, pays, points, factors, start, count, after, situations, some, out)

        in_chunks(work, len(order), _CHUNK)
    return out
