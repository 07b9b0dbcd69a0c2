"""A column on its own, for the upper bound of `triple`: it may let turns pass, and pays a price where it fills a box.

The state is the card of the column and how many turns it may still let pass: in the joint game that is the number of
open boxes in the other columns. With d passes left and o open boxes the turn is number T - o - d of T, so prices by
turn need no further state. The sweep of `sweep.py` runs once for every d, each time with the values for d - 1 at hand:
a roll is worth the better of (best box - price of the roll in this turn) and (the same card with d - 1 passes left).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy_env.card import legal_boxes
from yatzy_env.kernel import kernel
from yatzy_env.simd import LANES, larger, load, new_rows, plus, spread, store
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

_CHUNK = 128  # states handed to a thread at a time


@kernel
def _charge(pays, prices, block):
    """Subtracts its price from what each roll is worth."""
    for roll in range(prices.shape[0]):
        row = pays.first_roll + roll * LANES
        store(block, row, plus(load(block, row), spread(-prices[roll])))


@kernel
def _raise_to(pays, least, block):
    """Raises each of the block's rolls to `least`, (LANES,)."""
    floor = load(least, 0)
    for row in range(pays.first_roll, block.shape[0], LANES):
        store(block, row, larger(load(block, row), floor))


@kernel(nogil=True)
def _solve_states(tables, layout, plan, pays, stride, states, prices, passed, values):
    """Writes the values of some states with equally many open boxes, for one number of passes.

    Args:
        tables: the compiled ruleset of the column.
        layout: its layout.
        plan: the plan of a turn.
        pays: what the boxes pay.
        stride: length of a row.
        states: the states.
        prices: (R,) the prices of this turn.
        passed: (size,) values with one pass less, or (0,) where no turn may pass.
        values: (size,) values with as many passes, receives those of the states.
    """
    card = tables.card
    block = new_rows(plan.length)
    rows = new_rows((card.boxes + 1) * stride)
    result = new_rows(LANES)
    least = new_rows(LANES)
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
            _charge(pays, prices, block)
            if passed.shape[0] > 0:
                for lane in range(LANES):
                    place = min(offset + lane, lanes - 1)
                    least[lane] = passed[first + place] + layout.earned[low + place]
                _raise_to(pays, least, block)
            for _ in range(tables.throws - 1):
                throw(plan.add, block)
                choose_keep(plan.whole, plan.part, plan.runs, block)
            first_throw(plan.probability, block, result)
            for lane in range(offset, min(offset + LANES, lanes)):
                values[first + lane] = result[lane - offset] - layout.earned[low + lane]


def solve_column(
    tables: Tables,
    cards: Cards,
    prices: NDArray[np.float64],
    *,
    out: NDArray[np.float32] | None = None,
    done: Callable[[int], None] | None = None,
) -> float:
    """Solves a column that may let turns pass.

    Args:
        tables: the compiled ruleset of the column alone, with its multiplier.
        cards: its cards.
        prices: (T, R) points that filling a box costs, by turn and by the last roll; T turns in all.
        out: (T - B + 1, size) float32, receives the values by passes left, placed by the layout; B boxes.
        done: called now and then with the number of states solved since.

    Returns:
        The most points, less prices, that the empty column can expect with T - B passes.
    """
    plan: Any = plan_turn(tables)
    pays: Any = list_payments(tables)
    layout = cards.layout
    stride = row_stride(layout, pays)
    turns, boxes = len(prices), tables.card.boxes
    values = np.zeros(0)
    for passes in range(turns - boxes + 1):
        passed, values = values, np.zeros(layout.size)
        for still_open in range(1, boxes + 1):
            states = cards.states[cards.turns[still_open] : cards.turns[still_open + 1]]
            now = np.ascontiguousarray(prices[turns - still_open - passes])

            def work(
                start: int,
                stop: int,
                states: NDArray[np.int64] = states,
                now: NDArray[np.float64] = now,
                passed: NDArray[np.float64] = passed,
                values: NDArray[np.float64] = values,
            ) -> None:
                _solve_states(tables, layout, plan, pays, stride, states[start:stop], now, passed, values)

            in_chunks(work, len(states), _CHUNK, done=done)
        if out is not None:
            out[passes] = values
    return float(values[layout.first[0]])
