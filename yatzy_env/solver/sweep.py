"""The backward sweep: the value of every card, from the full ones back to the empty one.

With V(card) the expected points still to come at the start of a turn, V of a full card is 0, and V of any other card is
one turn computed backwards whose rolls, once the turn stops, are worth the best of (points of a box + V of the card
after). Cards with equally many open boxes do not depend on each other: each thread takes some states of them, and
within a state the lanes are its upper sums.

The upper bound of `triple` asks for a column on its own that may let turns pass, and pays a price where it fills a box.
Its state is the card and how many turns it may still let pass: in the joint game that is the number of open boxes in
the other columns. With d passes left and o open boxes the turn is number T - o - d of T, so prices by turn need no
further state. The sweep runs once for every d, each time with the values for d - 1 at hand: a roll is then worth the
better of (best box - price of the roll in this turn) and (the same card with d - 1 passes left).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from yatzy_env.kernel import kernel
from yatzy_env.native import borrow
from yatzy_env.simd import LANES, larger, load, new_rows, plus, spread, store
from yatzy_env.solver.box_choice import (
    choose_box,
    enter_state,
    list_payments,
    load_rows,
    new_choice,
    offer_rows,
    row_stride,
)
from yatzy_env.solver.chunks import for_states
from yatzy_env.solver.layout import Cards
from yatzy_env.tables import Tables
from yatzy_env.turn import choose_keep, first_throw, plan_turn, throw

_CHUNK = 128  # states handed to a thread at a time: milliseconds of work


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
def _solve_states(tables, layout, plan, pays, stride, prices, passed, values, states):
    """Writes the values of some states, equally many boxes open; those with fewer open boxes stand there already.

    `prices`, (R,), are what filling a box costs, None where it costs nothing; `passed` the values with one pass less,
    empty where no turn may pass.
    """
    tables, layout, pays = borrow(tables), borrow(layout), borrow(pays)
    block = new_rows(plan.length)
    rows = new_rows((tables.card.boxes + 1) * stride)
    result = new_rows(LANES)
    least = new_rows(LANES)
    choice = new_choice(pays)
    for state in states:
        legal, wanted, first, low, lanes = enter_state(tables, layout, pays, state, choice)
        load_rows(pays, values, layout.earned, choice.places, wanted, low, lanes, stride, rows)
        for offset in range(0, lanes, LANES):
            offer_rows(pays, legal, rows, stride, offset, choice)
            choose_box(pays, legal, choice.offers, block)
            if prices is not None:  # known when the kernel is compiled, so the plain sweep does not pay for it
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


def sweep(
    tables: Tables,
    cards: Cards,
    threads: int | None = None,
    done: Callable[[int], None] | None = None,
    *,
    prices: NDArray[np.float64] | None = None,
    passed: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Solves all cards of a ruleset of one column without saved throws.

    Args:
        tables: the compiled ruleset.
        cards: its cards.
        threads: how many threads work; the values do not depend on it.
        done: called now and then with the number of states solved since.
        prices: (>= B, R) points that filling a box costs, by turn and last roll; the last row is that of the last box.
        passed: (size,) with prices, the values of a column that may let one turn less pass; (0,) if it may let none.

    Returns:
        (size,) float64 expected points still to come, placed by the layout.
    """
    plan, pays = plan_turn(tables), list_payments(tables)
    stride = row_stride(cards.layout, pays)
    values = np.zeros(cards.layout.size)
    for still_open, states in enumerate(cards.layers[1:], 1):
        now = None if prices is None else np.ascontiguousarray(prices[-still_open])
        work = partial(_solve_states, tables, cards.layout, plan, pays, stride, now, passed, values)
        for_states(work, states, _CHUNK, threads, done)
    return values


def sweep_with_passes(
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
    values = np.zeros(0)
    for passes in range(len(prices) - tables.card.boxes + 1):
        values = sweep(tables, cards, done=done, prices=prices[: len(prices) - passes], passed=values)
        if out is not None:
            out[passes] = values
    return float(values[cards.layout.first[0]])
