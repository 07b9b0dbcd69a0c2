"""Mean, spread, bonus and yatzy rate of the final score under optimal play, computed backwards over cards.

Let X be the points that a card will still bring plus the bonus it has earned already. If a turn ends with g points of
its own, the bonus left out, and a card whose X is X', then X = g + X'. So with p the chances of the turn's outcomes

    E X  = sum p (g + E X')        E X^2 = sum p (g^2 + 2 g E X' + E X'^2)

and the chances that the bonus is earned in the end, and that the yatzy box is filled with points, follow in the same
way. On a full card X is the bonus earned. E X is computed anew although the solution knows it: that both agree shows
that the policy followed here is the optimal one.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from yatzy_env.card import legal_boxes
from yatzy_env.kernel import kernel
from yatzy_env.simd import LANES, load, new_rows, plus, spread, store, times
from yatzy_env.solver.chunks import in_chunks
from yatzy_env.solver.layout import Cards, split_state
from yatzy_env.solver.policy import follow_turn, list_outcomes, list_paths, new_track
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
from yatzy_env.turn import plan_turn

_CHUNK = 64  # states handed to a thread at a time
_KINDS = 4  # E X, E X^2, chance of the bonus, chance of points in the yatzy box


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


@kernel(nogil=True)
def _follow_states(tables, layout, plan, pays, paths, stride, start, after_start, states, values, after, out):
    """Writes the moments of some states to `out`; those of the cards with one more filled box are in `after`."""
    card = tables.card
    block = new_rows(plan.length)
    rows = new_rows((card.boxes + 1) * stride)
    after_rows = new_rows(_KINDS * (card.boxes + 1) * stride)
    size = (card.boxes + 1) * stride
    result = new_rows(_KINDS * LANES)
    nothing = np.zeros_like(layout.earned)
    choice = new_choice(pays)
    track = new_track(plan, paths)
    for state in states:
        filled, fifty = split_state(card, layout, state)
        low = layout.low[filled & card.upper_boxes]
        lanes = layout.high[filled & card.upper_boxes] - low + 1
        padded = (lanes + LANES - 1) // LANES * LANES
        first = layout.first[state] - start
        legal = list_options(tables, pays, filled, fifty, choice.options, choice.ends)
        wanted = find_places(layout, pays, card.upper_boxes, legal, filled, fifty, choice.places)
        load_rows(pays, values, layout.earned, choice.places, wanted, low, padded, stride, rows)
        choice.places[:, 0] -= after_start
        for kind in range(_KINDS):
            some = after_rows[kind * size : (kind + 1) * size]
            load_rows(pays, after[kind], nothing, choice.places, wanted, low, padded, stride, some)
        legal = legal_boxes(card, filled, 0)
        count = list_outcomes(pays, card.yatzy_boxes, legal, choice, track.listed)
        for offset in range(0, lanes, LANES):
            offer_rows(pays, legal, rows, stride, offset, choice)
            choose_box(pays, legal, choice.offers, block)
            follow_turn(plan, paths, pays, legal, rows, stride, offset, choice, block, track)
            _add_up(track.listed, count, track.outcome, after_rows, size, stride, offset, result)
            for kind in range(_KINDS):
                for lane in range(offset, min(offset + LANES, lanes)):
                    out[kind, first + lane] = result[kind * LANES + lane - offset]


@kernel
def _add_up(listed, count, outcome, after_rows, size, stride, offset, result):
    """Writes the moments of a block to `result`, (_KINDS * LANES,)."""
    mean = spread(0.0)
    square = spread(0.0)
    bonus = spread(0.0)
    yatzy = spread(0.0)
    for entry in range(count):
        chance = load(outcome, listed[entry, 0] * LANES)
        start = listed[entry, 1] * stride + offset + listed[entry, 2]
        gained = spread(np.float64(listed[entry, 3]))
        after = load(after_rows, start)
        after_square = load(after_rows, size + start)
        both = plus(gained, after)
        mean = plus(mean, times(chance, both))
        # g^2 + 2 g E X' + E X'^2 = g (g + E X' + E X') + E X'^2
        square = plus(square, times(chance, plus(times(gained, plus(both, after)), after_square)))
        bonus = plus(bonus, times(chance, load(after_rows, 2 * size + start)))
        now = spread(np.float64(listed[entry, 4]))
        yatzy = plus(yatzy, times(chance, plus(now, load(after_rows, 3 * size + start))))
    store(result, 0, mean)
    store(result, LANES, square)
    store(result, 2 * LANES, bonus)
    store(result, 3 * LANES, yatzy)


def find_moments(
    tables: Tables, cards: Cards, values: NDArray[np.float64], threads: int | None = None
) -> NDArray[np.float64]:
    """The moments of the empty card.

    Args:
        tables: the compiled ruleset, of one column and without saved throws.
        cards: its cards.
        values: (size,) values of all cards.
        threads: how many threads work; the result does not depend on it.

    Returns:
        (4,) float64 E X, E X^2, chance of the bonus, chance of points in the yatzy box.
    """
    layout = cards.layout
    plan = plan_turn(tables)
    pays = list_payments(tables)
    paths = list_paths(tables, pays)
    stride = row_stride(layout, pays)
    after = full_cards(tables, cards)
    ends = np.append(layout.first[cards.states[cards.turns[:-1]]], layout.size)
    for still_open in range(1, tables.card.boxes + 1):
        states = cards.states[cards.turns[still_open] : cards.turns[still_open + 1]]
        start, after_start = int(ends[still_open]), int(ends[still_open - 1])
        out = np.zeros((_KINDS, int(ends[still_open + 1]) - start))

        def work(
            first: int,
            last: int,
            states: NDArray[np.int64] = states,
            starts: tuple[int, int] = (start, after_start),
            after: NDArray[np.float64] = after,
            out: NDArray[np.float64] = out,
        ) -> None:
            some = states[first:last]
            _follow_states(tables, layout, plan, pays, paths, stride, *starts, some, values, after, out)

        in_chunks(work, len(states), _CHUNK, threads)
        after = out
    return after[:, 0]


def full_cards(tables: Tables, cards: Cards) -> NDArray[np.float64]:
    """The moments of the full cards, (4, cards) float64, in the order of the layout."""
    layout = cards.layout
    earned = [
        layout.earned[layout.low[filled] : layout.high[filled] + 1]
        for filled in cards.states[: cards.turns[1]] & tables.card.upper_boxes
    ]
    bonus = np.concatenate(earned)
    return np.array([bonus, bonus**2, bonus > 0, np.zeros(len(bonus))])


def moments_of(tables: Tables, cards: Cards, values: NDArray[np.float64]) -> Moments:
    """What optimal play scores; the arguments are those of `find_moments`."""
    mean, square, bonus, yatzy = find_moments(tables, cards, values).tolist()
    return Moments(mean, sqrt(max(square - mean**2, 0.0)), bonus, yatzy)
