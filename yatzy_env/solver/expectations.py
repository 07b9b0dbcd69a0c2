"""Expectations under optimal play, computed backwards over cards: mean, spread and chances of what a game ends with.

Let X be the points that a card will still bring plus the bonus it has earned already. If a turn ends with g points of
its own, the bonus left out, and a card whose X is X', then X = g + X'. So with p the chances of the turn's outcomes

    E X  = sum p (g + E X')        E X^2 = sum p (g^2 + 2 g E X' + E X'^2)

On a full card X is the bonus earned. E X is computed anew although the solution knows it: that both agree shows that
the policy followed here is the optimal one. The chance of an event is found in the same way,

    P = sum p (1 if the outcome brings it, else P')

Events are that the bonus is earned, the extra bonus paid, and that a box that is still open is filled with points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy_env.card import extra_step
from yatzy_env.kernel import kernel
from yatzy_env.simd import LANES, load, new_rows, plus, spread, store, times
from yatzy_env.solver.box_choice import enter_state, list_payments, load_rows, new_choice, row_stride
from yatzy_env.solver.chunks import for_states
from yatzy_env.solver.forward_pass import follow_turn, list_outcomes, new_track, outcomes_of
from yatzy_env.solver.layout import Cards, split_state
from yatzy_env.tables import Tables
from yatzy_env.turn import plan_turn

_CHUNK = 64  # states handed to a thread at a time
BONUS, EXTRA, FIRST_BOX = 0, 1, 2
"""Rows of the chances of a layer: the bonus, the extra bonus, then the open boxes asked for, in sheet order."""


@dataclass(frozen=True)
class Moments:
    """What optimal play scores in a game.

    Attributes:
        mean: expected score.
        standard_deviation: its standard deviation.
        bonus_rate: chance of the bonus, 0 where the rules have none.
        yatzy_rate: chance of points in the yatzy box, 0 where the sheet has none.
    """

    mean: float
    standard_deviation: float
    bonus_rate: float
    yatzy_rate: float


@kernel
def _load_event(pays, after, places, written, asked, box, number, low, lanes, stride, nothing, rows):
    """Lays out what the cards after say of an event, in the manner of `load_rows`.

    `after` has the (E, n) chances of these cards, `number` is the event's row in this layer: in `after` boxes above the
    one that was filled have moved up by one. `box` is the event's box, negative where it belongs to none, `asked` the
    bits of the open boxes that are asked for.
    """
    boxes = pays.raises.shape[0]
    for row in range(boxes + 1):
        if (written >> row) & 1:
            filled = np.int64(1) << row if row < boxes else pays.scored_boxes
            if box >= 0 and (filled >> box) & 1:
                rows[row * stride : (row + 1) * stride] = 0.0
                continue
            moved = 1 if box >= 0 and filled & asked & ((np.int64(1) << box) - 1) != 0 else 0
            bit = np.int64(1) << row
            load_rows(pays, after[number - moved], nothing, places, bit, low, lanes, stride, rows)


@kernel
def _add_up(listed, count, outcome, rows, size, stride, offset, result):
    """Writes E X and E X^2 of a block to `result`, (2 * LANES,)."""
    mean = spread(0.0)
    square = spread(0.0)
    for entry in range(count):
        chance = load(outcome, listed[entry, 0] * LANES)
        start = listed[entry, 1] * stride + offset + listed[entry, 2]
        gained = spread(np.float64(listed[entry, 3]))
        after = load(rows, start)
        both = plus(gained, after)
        mean = plus(mean, times(chance, both))
        # g^2 + 2 g E X' + E X'^2 = g (g + E X' + E X') + E X'^2
        square = plus(square, times(chance, plus(times(gained, plus(both, after)), load(rows, size + start))))
    store(result, 0, mean)
    store(result, LANES, square)


@kernel
def _add_up_event(listed, count, outcome, event, rows, stride, offset, result):
    """Writes the chances of an event in a block to `result`, (LANES,); `event` is its bit."""
    total = spread(0.0)
    for entry in range(count):
        chance = load(outcome, listed[entry, 0] * LANES)
        if listed[entry, 4] & event == 0:
            chance = times(chance, load(rows, listed[entry, 1] * stride + offset + listed[entry, 2]))
        total = plus(total, chance)
    store(result, 0, total)


@kernel(nogil=True)
def _follow_states(tables, layout, plan, pays, outcome_of, stride, asked, here, there, values, after, out, states):
    """Writes the expectations of some states to `out`; those of the cards with one more filled box are in `after`.

    `here` and `there` are where this layer and that one begin; `after` and `out` hold (2, n) E X and E X^2, or (0, n),
    and (E, n) chances. `asked` are the bits of the boxes that are asked for.
    """
    card = tables.card
    size = (card.boxes + 1) * stride
    block = new_rows(plan.length)
    rows = new_rows(size)
    after_rows = new_rows(2 * size)
    result = new_rows(2 * LANES)
    nothing = np.zeros_like(layout.earned)
    choice = new_choice(pays)
    track = new_track(tables, plan, pays)
    listed, outcome = track.listed, track.outcome
    points_after, chances_after = after
    points_out, chances_out = out
    events = np.zeros(card.boxes + 2, np.int64)
    event_rows = new_rows((card.boxes + 2) * size)
    for state in states:
        legal, written, first, low, lanes = enter_state(tables, layout, pays, state, choice)
        first -= here
        filled, yatzy_scored = split_state(card, layout, state)
        load_rows(pays, values, layout.earned, choice.places, written, low, lanes, stride, rows)
        choice.places[:, 0] -= there
        for kind in range(points_after.shape[0]):
            some = after_rows[kind * size : (kind + 1) * size]
            load_rows(pays, points_after[kind], nothing, choice.places, written, low, lanes, stride, some)
        number = 0
        still_asked = asked & ~filled
        for box in range(-2, card.boxes):
            if box < 0 or (still_asked >> box) & 1:
                some = event_rows[number * size : (number + 1) * size]
                layer = (chances_after, choice.places, written, still_asked)
                _load_event(pays, *layer, box, number, low, lanes, stride, nothing, some)
                events[number] = np.int64(1) << box if box >= 0 else 0
                number += 1
        events[EXTRA] = np.int64(1) << card.boxes
        count = list_outcomes(pays, extra_step(card, yatzy_scored, 1), legal, choice, listed)
        for offset in range(0, lanes, LANES):
            follow_turn(tables, plan, outcome_of, pays, legal, rows, stride, offset, choice, block, track)
            end = min(LANES, lanes - offset)
            if points_after.shape[0] > 0:
                _add_up(listed, count, outcome, after_rows, size, stride, offset, result)
                for lane in range(end):
                    points_out[0, first + offset + lane] = result[lane]
                    points_out[1, first + offset + lane] = result[LANES + lane]
            for event in range(number):
                some = event_rows[event * size : (event + 1) * size]
                _add_up_event(listed, count, outcome, events[event], some, stride, offset, result)
                for lane in range(end):
                    chances_out[event, first + offset + lane] = result[lane]


def follow_layers(
    tables: Tables,
    cards: Cards,
    values: NDArray[np.float64],
    asked: int,
    *,
    points: bool = True,
    dtype: Any = np.float64,
    threads: int | None = None,
    done: Callable[[int], None] | None = None,
) -> Iterator[tuple[NDArray[np.float64], NDArray[Any]]]:
    """The expectations of all cards, layer by layer.

    Args:
        tables: the compiled ruleset, of one column and without saved throws.
        cards: its cards.
        values: (size,) values of all cards.
        asked: bits of the boxes whose chances are asked for.
        points: whether E X and E X^2 are.
        dtype: in what chances are kept from layer to layer.
        threads: how many threads work; the result does not depend on it.
        done: called now and then with the number of states finished since.

    Yields:
        For the n cards with 0, 1, 2, ... open boxes: (2, n) float64 E X and E X^2, or (0, n), and (E, n) chances: of
        the bonus, of the extra bonus, then of the boxes that are asked for and open, the rest of the rows zero.
    """
    layout = cards.layout
    plan, pays = plan_turn(tables), list_payments(tables)
    outcome_of, stride = outcomes_of(tables, pays), row_stride(layout, pays)
    starts, most = cards.starts.tolist(), asked.bit_count()
    bonus = cards.full_bonus
    after = (
        np.array([bonus, bonus**2])[: 2 if points else 0],
        np.array([bonus > 0, np.zeros(len(bonus))], dtype),
    )
    yield after
    for still_open, states in enumerate(cards.layers[1:], 1):
        count = starts[still_open + 1] - starts[still_open]
        out = (np.zeros((len(after[0]), count)), np.zeros((FIRST_BOX + min(still_open, most), count), dtype))
        here, there = starts[still_open], starts[still_open - 1]
        work = partial(
            _follow_states, tables, layout, plan, pays, outcome_of, stride, asked, here, there, values, after, out
        )
        for_states(work, states, _CHUNK, threads, done)
        yield out
        after = out


def moments_of(tables: Tables, cards: Cards, values: NDArray[np.float64], threads: int | None = None) -> Moments:
    """What optimal play scores; the arguments are those of `follow_layers`."""
    *_, (points, chances) = follow_layers(tables, cards, values, tables.card.yatzy_boxes, threads=threads)
    mean, square = points[:, 0].tolist()
    bonus, _, yatzy = [*chances[:, 0].tolist(), 0.0][:3]
    return Moments(mean, sqrt(max(square - mean**2, 0.0)), bonus, yatzy)
