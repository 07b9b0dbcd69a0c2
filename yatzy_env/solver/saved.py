"""The backward sweep under saved throws: all pools of a card in one chain.

With t throws left a situation is the same whatever the pool was when the turn began. So the turn of a card is computed
backwards once, for t = 0, 1, 2, ..., and the value of the card with pool p is the mean over the first roll at
t = p + throws - 1. Stopping with t throws left leaves a pool of t, so its value is another one at each t; it only
rises with t, as everything does. That keeps the trick of `steps` valid: a row of the block is what its dice are worth
with one throw less, and is raised to the best box at t and to the best keep.

Only the values of the layer with one more filled box are needed. Within a state the rolls' choices, a keep of one die
less or an offer of `box_choice`, are listed once, sorted by how many there are, and serve all its lanes and all t.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy_env.kernel import kernel
from yatzy_env.simd import LANES, new_rows
from yatzy_env.solver.box_choice import (
    Choice,
    Payments,
    enter_state,
    list_payments,
    load_rows,
    move_pool,
    offer_rows,
    row_stride,
)
from yatzy_env.solver.chunks import for_states
from yatzy_env.solver.layout import Cards
from yatzy_env.tables import Tables
from yatzy_env.turn import Plan, choose_keep, first_throw, plan_turn, throw

_CHUNK = 32  # states handed to a thread at a time: some 20 ms of work


class Rolls(NamedTuple):
    """What a roll can become, as starts of rows in a block that ends with the offers. R, K, P as elsewhere."""

    keeps: int  # K - 1 multisets of fewer than all dice are raised first, which are the first of the plan
    keep_runs: NDArray[np.int64]  # their runs
    part: NDArray[np.int32]  # keeps of one die less, of roll 0, of roll 1, ...
    first_part: NDArray[np.int64]  # (R + 1,) where each roll's begin
    offer: NDArray[np.int32]  # offers to roll 0, to roll 1, ...
    box: NDArray[np.int64]  # the box of each offer, -1 where it does not depend on one
    first_offer: NDArray[np.int64]  # (R + 1,) where each roll's begin
    most: int  # choices of a roll at most


class Chosen(NamedTuple):
    """The choices of all rolls in one state, in the manner of a `Plan`."""

    whole: NDArray[np.int32]  # (R,)
    part: NDArray[np.int32]
    runs: NDArray[np.int64]


def list_rolls(tables: Tables, plan: Plan, pays: Payments) -> Rolls:
    """Lists what each roll can become.

    Args:
        tables: the compiled ruleset.
        plan: the plan of its turn.
        pays: its payments.

    Returns:
        The lists.
    """
    payments = len(pays.gained)
    box_of = np.repeat(np.arange(tables.card.boxes), np.diff(pays.of_box))
    parts = [drop[drop >= 0] for drop in tables.drop[tables.keeps :]]
    offers: list[list[int]] = [[payments + alike] for alike in tables.alike.tolist()]
    boxes: list[list[int]] = [[-1] for _ in offers]
    for payment in range(payments):
        for row in pays.roll[pays.of_payment[payment] : pays.of_payment[payment + 1]]:
            roll = (int(row) - pays.first_roll) // LANES
            offers[roll].append(payment)
            boxes[roll].append(int(box_of[payment]))
    runs = int(np.searchsorted(np.cumsum(plan.runs[:, 0]), tables.keeps - 1)) + 1
    return Rolls(
        keeps=tables.keeps - 1,
        keep_runs=plan.runs[:runs].copy(),
        part=(np.concatenate(parts).astype(np.int32) * LANES).astype(np.int32),
        first_part=np.cumsum([0, *map(len, parts)]),
        offer=(plan.length + np.concatenate(offers) * LANES).astype(np.int32),
        box=np.concatenate(boxes).astype(np.int64),
        first_offer=np.cumsum([0, *map(len, offers)]),
        most=max(len(part) + len(offer) for part, offer in zip(parts, offers, strict=True)),
    )


@kernel
def _list_chosen(rolls, first_roll, legal, counts, sorted_rolls, chosen):
    """Lists the choices of all rolls in a state in `chosen`, and returns how many runs there are.

    `legal` are the boxes that are legal for rolls not all alike; `counts` and `sorted_rolls` are working memory.
    """
    size = counts.shape[0]
    number = np.zeros(rolls.most + 2, np.int64)
    for roll in range(size):
        count = rolls.first_part[roll + 1] - rolls.first_part[roll]
        for place in range(rolls.first_offer[roll], rolls.first_offer[roll + 1]):
            if rolls.box[place] < 0 or (legal >> rolls.box[place]) & 1:
                count += 1
        counts[roll] = count
        number[count + 1] += 1
    for count in range(1, number.shape[0]):
        number[count] += number[count - 1]
    for roll in range(size):
        sorted_rolls[number[counts[roll]]] = roll
        number[counts[roll]] += 1
    run = -1
    filled = 0
    for place in range(size):
        roll = sorted_rolls[place]
        if run < 0 or chosen.runs[run, 1] != counts[roll]:
            run += 1
            chosen.runs[run, 0] = 0
            chosen.runs[run, 1] = counts[roll]
        chosen.runs[run, 0] += 1
        chosen.whole[place] = first_roll + roll * LANES
        for part in range(rolls.first_part[roll], rolls.first_part[roll + 1]):
            chosen.part[filled] = rolls.part[part]
            filled += 1
        for part in range(rolls.first_offer[roll], rolls.first_offer[roll + 1]):
            if rolls.box[part] < 0 or (legal >> rolls.box[part]) & 1:
                chosen.part[filled] = rolls.offer[part]
                filled += 1
    return run + 1


@kernel(nogil=True)
def _solve_states(tables, layout, plan, pays, rolls, stride, most, here, there, after, values, states):
    """Writes the values of some states of a layer; those of the next layer are in `after`.

    `here` and `there` are where the two begin in the layout, `most` the throws that can be left after the first.
    """
    card = tables.card
    size = (card.boxes + 1) * stride
    count = tables.rolls
    memory = new_rows(plan.length + (pays.gained.shape[0] + 7) * LANES)
    block = memory[: plan.length]
    choice = Choice(
        np.empty((card.boxes + 1, 3), np.int64),
        np.empty((6 * card.boxes, 4), np.int64),
        np.zeros(7, np.int64),
        memory[plan.length :],
    )
    rows = new_rows((most + 1) * size)
    result = new_rows(LANES)
    chosen = Chosen(
        np.empty(count, np.int32),
        np.empty(rolls.part.shape[0] + rolls.offer.shape[0], np.int32),
        np.empty((rolls.most + 1, 2), np.int64),
    )
    counts = np.empty(count, np.int64)
    sorted_rolls = np.empty(count, np.int64)
    keep_whole = plan.whole[: rolls.keeps]
    for state in states:
        legal, wanted, first, low, lanes = enter_state(tables, layout, pays, state, choice)
        first -= here
        choice.places[:, 0] -= there
        for throws in range(most + 1):
            pool_rows = rows[throws * size : (throws + 1) * size]
            load_rows(pays, after, layout.earned, choice.places, wanted, low, lanes, stride, pool_rows)
            move_pool(layout, wanted, 1, choice.places)
        runs = chosen.runs[: _list_chosen(rolls, pays.first_roll, legal, counts, sorted_rolls, chosen)]
        for offset in range(0, lanes, LANES):
            block[:] = -np.inf
            for throws in range(most + 1):
                if throws > 0:
                    throw(plan.add, block)
                    choose_keep(keep_whole, plan.part, rolls.keep_runs, block)
                offer_rows(pays, legal, rows, stride, throws * size + offset, choice)
                choose_keep(chosen.whole, chosen.part, runs, memory)
                if throws >= layout.spare:
                    first_throw(plan.probability, block, result)
                    place = first + (throws - layout.spare) * lanes
                    for lane in range(offset, min(offset + LANES, lanes)):
                        values[place + lane] = result[lane - offset] - layout.earned[low + lane]


def sweep_layer(
    tables: Tables,
    cards: Cards,
    filled: int,
    after: NDArray[np.float64],
    threads: int | None = None,
    done: Callable[[int], None] | None = None,
) -> NDArray[np.float64]:
    """Solves all cards with so many filled boxes.

    Args:
        tables: the compiled ruleset, of one column and with saved throws.
        cards: its cards.
        filled: how many boxes are filled.
        after: the values of the cards with one more filled box.
        threads: how many threads work; the values do not depend on it.
        done: called now and then with the work done since, see `work_of`.

    Returns:
        (n,) float64 expected points still to come.
    """
    values = np.zeros(cards.numbers[filled])
    if filled == tables.card.boxes:
        return values
    plan = plan_turn(tables)
    pays = list_payments(tables)
    rolls = list_rolls(tables, plan, pays)
    stride = row_stride(cards.layout, pays)
    most = cards.layout.spare * (filled + 1)
    there, here = (int(start) for start in cards.starts[-3 - filled : -1 - filled])
    work = partial(_solve_states, tables, cards.layout, plan, pays, rolls, stride, most, here, there, after, values)
    counted = None if done is None else lambda count: done(count * (most + 1))
    for_states(work, cards.layers[-1 - filled], _CHUNK, threads, counted)
    return values


def work_of(cards: Cards, filled: int) -> int:
    """How much work a layer is, in steps of turns; 0 for full cards."""
    steps = cards.layout.spare * (filled + 1) + 1
    return len(cards.layers[-1 - filled]) * steps if filled < len(cards.layers) - 1 else 0
