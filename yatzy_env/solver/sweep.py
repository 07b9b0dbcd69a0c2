"""The backward sweep: the value of every card, from the full ones back to the empty one.

With V(card) the expected points still to come at the start of a turn, V of a full card is 0, and V of any other card is
one turn computed backwards whose rolls, once the turn stops, are worth the best of (points of a box + V of the card
after). Cards with equally many open boxes do not depend on each other: each thread takes some states of them, and
within a state the lanes are its upper sums.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from yatzy_env.card import legal_boxes
from yatzy_env.kernel import kernel
from yatzy_env.solver.chunks import in_chunks
from yatzy_env.solver.lanes import LANES, new_rows
from yatzy_env.solver.layout import Cards, split_state
from yatzy_env.solver.stop import choose_box, open_state, payments
from yatzy_env.solver.turn import choose_keep, first_throw, throw, turn_plan
from yatzy_env.tables import Tables

_CHUNK = 128  # states handed to a thread at a time: milliseconds of work


@kernel(nogil=True)
def _solve_states(tables, layout, plan, pays, states, known, values):
    """Writes the values of some states; `known` is `values` read-only, filled for all states with fewer open boxes."""
    card = tables.card
    block = new_rows(plan.rows)
    rows = new_rows((card.boxes + 1) * pays.stride)
    options = np.empty((6 * card.boxes, 2), np.int64)
    ends = np.empty(7, np.int64)
    result = new_rows(LANES)
    for state in states:
        filled, fifty = split_state(card, layout, state)
        low = layout.low[filled & card.upper_boxes]
        lanes = layout.high[filled & card.upper_boxes] - low + 1
        padded = (lanes + LANES - 1) // LANES * LANES
        open_state(tables, layout, pays, known, filled, fifty, low, padded, rows, options, ends)
        legal = legal_boxes(card, filled, 0)
        for offset in range(0, lanes, LANES):
            choose_box(tables, pays, legal, rows, options, ends, offset, block)
            for _ in range(tables.throws - 1):
                throw(plan, block)
                choose_keep(plan, block)
            first_throw(plan, block, result)
            for lane in range(offset, min(offset + LANES, lanes)):
                values[layout.first[state] + lane] = result[lane - offset] - layout.earned[low + lane]


def sweep(
    tables: Tables, cards: Cards, threads: int | None = None, done: Callable[[int], None] | None = None
) -> NDArray[np.float64]:
    """Solves all cards of a ruleset of one column without saved throws.

    Args:
        tables: the compiled ruleset.
        cards: its cards.
        threads: how many threads work; the values do not depend on it.
        done: called now and then with the number of states solved since.

    Returns:
        (size,) float64 expected points still to come, read-only, placed by the layout.
    """
    plan = turn_plan(tables)
    pays = payments(tables, cards.layout)
    values = np.zeros(cards.layout.size)
    known = values.view()
    known.flags.writeable = False
    for still_open in range(1, tables.card.boxes + 1):
        states = cards.states[cards.turns[still_open] : cards.turns[still_open + 1]]

        def work(start: int, stop: int, states: NDArray[np.int64] = states) -> None:
            _solve_states(tables, cards.layout, plan, pays, states[start:stop], known, values)

        in_chunks(work, len(states), _CHUNK, threads, done)
    return known
