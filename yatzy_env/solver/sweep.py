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
from yatzy_env.simd import LANES, new_rows
from yatzy_env.solver.chunks import in_chunks
from yatzy_env.solver.layout import Cards, split_state
from yatzy_env.solver.stop import (
    choose_box,
    find_places,
    list_options,
    list_payments,
    load_rows,
    new_choice,
    offer_rows,
    row_stride,
)
from yatzy_env.tables import Tables
from yatzy_env.turn import choose_keep, first_throw, plan_turn, throw

_CHUNK = 128  # states handed to a thread at a time: milliseconds of work


@kernel(nogil=True)
def _solve_states(tables, layout, plan, pays, stride, states, values):
    """Writes the values of some states, equally many boxes open; those with fewer open boxes stand there already."""
    card = tables.card
    block = new_rows(plan.length)
    rows = new_rows((card.boxes + 1) * stride)
    result = new_rows(LANES)
    choice = new_choice(pays)
    for state in states:
        filled, fifty = split_state(card, layout, state)
        first = layout.first[state]
        low = layout.low[filled & card.upper_boxes]
        lanes = layout.high[filled & card.upper_boxes] - low + 1
        padded = (lanes + LANES - 1) // LANES * LANES
        legal = list_options(tables, pays, filled, fifty, choice.options, choice.ends)
        wanted = find_places(layout, pays, card.upper_boxes, legal, filled, fifty, choice.places)
        load_rows(pays, values, layout.earned, choice.places, wanted, low, padded, stride, rows)
        legal = legal_boxes(card, filled, 0)
        for offset in range(0, lanes, LANES):
            offer_rows(pays, legal, rows, stride, offset, choice)
            choose_box(pays, legal, choice.offers, block)
            for _ in range(tables.throws - 1):
                throw(plan.add, block)
                choose_keep(plan.whole, plan.part, plan.runs, block)
            first_throw(plan.probability, block, result)
            for lane in range(offset, min(offset + LANES, lanes)):
                values[first + lane] = result[lane - offset] - layout.earned[low + lane]


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
        (size,) float64 expected points still to come, placed by the layout.
    """
    plan = plan_turn(tables)
    pays = list_payments(tables)
    stride = row_stride(cards.layout, pays)
    values = np.zeros(cards.layout.size)
    for still_open in range(1, tables.card.boxes + 1):
        states = cards.states[cards.turns[still_open] : cards.turns[still_open + 1]]

        def work(start: int, stop: int, states: NDArray[np.int64] = states) -> None:
            _solve_states(tables, cards.layout, plan, pays, stride, states[start:stop], values)

        in_chunks(work, len(states), _CHUNK, threads, done)
    return values
