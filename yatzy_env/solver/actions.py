"""Action values of batches of situations, from the values of all cards.

`LANES` situations make a block; unlike in the sweep its lanes are unrelated cards. What the dice are worth when the turn
stops is found for one card at a time, with the sweep's own functions, and copied to its lane; the turn is then computed
for all lanes together, for as many throws as are left.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from yatzy_env.card import fifty_after, legal_boxes
from yatzy_env.games import box_points, gain
from yatzy_env.kernel import kernel
from yatzy_env.situation import Situations
from yatzy_env.solver.chunks import in_chunks
from yatzy_env.solver.lanes import LANES, new_rows
from yatzy_env.solver.layout import Layout, lane_sum, value_index
from yatzy_env.solver.stop import choose_box, open_state, payments
from yatzy_env.solver.turn import turn_plan, write_keeps
from yatzy_env.tables import Tables

_CHUNK = 1024  # situations handed to a thread at a time


@kernel
def _value_after(tables, layout, values, now, lane, box):
    """The value of the card after filling a box."""
    card = tables.card
    points = box_points(tables, now, lane, box)
    upper = now.upper[lane, 0] + (points if card.face[box] != 0 else 0)
    fifty = fifty_after(card, now.fifty[lane], box, points)
    return values[value_index(card, layout, now.filled[lane] | (np.int64(1) << box), fifty, upper)]


@kernel(nogil=True)
def _action_values(tables, layout, plan, pays, values, now, order, out):
    """The kernel of `action_values`."""
    card = tables.card
    block = new_rows(plan.rows)
    alone = new_rows(plan.rows)
    rows = new_rows((card.boxes + 1) * pays.stride)
    options = np.empty((6 * card.boxes, 2), np.int64)
    ends = np.empty(7, np.int64)
    less = np.zeros(LANES)
    for start in range(0, order.shape[0], LANES):
        lanes = order[start : start + LANES]
        for lane in range(lanes.shape[0]):
            situation = lanes[lane]
            roll = now.roll[situation]
            if roll < 0:
                continue
            filled = now.filled[situation]
            fifty = now.fifty[situation]
            legal = legal_boxes(card, filled, tables.alike[roll])
            for box in range(card.boxes):
                if (legal >> box) & 1:
                    after = _value_after(tables, layout, values, now, situation, box)
                    out[situation, tables.keeps + box] = gain(tables, now, situation, box) + after
            if now.throws_left[situation] > 0:
                upper = lane_sum(card, layout, filled, now.upper[situation, 0])
                open_state(tables, layout, pays, values, filled, fifty, upper, 1, rows, options, ends)
                choose_box(tables, pays, legal_boxes(card, filled, 0), rows, options, ends, 0, alone)
                for row in range(plan.keeps * LANES, plan.rows, LANES):
                    block[row + lane] = alone[row]
                less[lane] = layout.earned[upper]
        write_keeps(plan, block, now, lanes, less, out)


@kernel(nogil=True)
def _find_cards(card, layout, filled, upper, fifty, out):
    """Writes where the cards' values stand, -1 for cards that cannot be reached."""
    for lane in range(out.shape[0]):
        out[lane] = -1
        if 0 <= filled[lane] <= card.all_boxes and not (fifty[lane] and layout.fifty_bit == 0):
            out[lane] = value_index(card, layout, filled[lane], fifty[lane], upper[lane])


def find_cards(
    tables: Tables, layout: Layout, filled: NDArray[np.int64], upper: NDArray[np.int64], fifty: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Finds cards in the layout.

    Args:
        tables: the compiled ruleset.
        layout: its layout.
        filled: (n,) bits of the filled boxes.
        upper: (n,) upper sums, counted on beyond the threshold.
        fifty: (n,) whether the yatzy box is known to hold points.

    Returns:
        (n,) int64 index of each card's value, -1 where the boxes cannot be filled like this.
    """
    out = np.empty(len(filled), np.int64)
    _find_cards(tables.card, layout, filled, upper, fifty, out)
    return out


def action_values(
    tables: Tables, layout: Layout, values: NDArray[np.float64], situations: Situations
) -> NDArray[np.float64]:
    """The expected points still to come of every legal action, best play assumed afterwards.

    Args:
        tables: the compiled ruleset.
        layout: its layout.
        values: (size,) values of all cards, read-only.
        situations: n situations with reachable cards.

    Returns:
        (n, actions) float64, nan where the action is illegal; all nan on a full card.
    """
    plan = turn_plan(tables)
    pays = payments(tables, layout)
    out = np.full((len(situations.filled), tables.actions), np.nan)
    order = np.argsort(situations.throws_left, kind="stable")  # situations of a block take the same steps

    def work(start: int, stop: int) -> None:
        _action_values(tables, layout, plan, pays, values, situations, order[start:stop], out)

    in_chunks(work, len(order), _CHUNK)
    return out
