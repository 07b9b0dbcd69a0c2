"""Prices for the upper bound of `triple`: what filling a box costs, by turn and by the dice on the table.

Any prices give a bound, so nothing here needs proof; good prices give a low one. They are those that minimise a bound
of the same kind in which not columns but single boxes are set free:

    sum over turns of E[price] + sum over boxes of what the box alone earns,

where E[f] is the expectation of f(last roll of a turn) under the keeps that make it largest, and a box alone sees every
turn with dice of its own, keeps what it likes and waits until it wants to be filled, at the latest in the last turn.
An upper box is paid its points plus a share, its column's bonus being replaced by the line

    min(bonus * sum / threshold, bonus) <= bonus + share * (sum - threshold) for 0 <= share <= bonus / threshold.

The bound is convex in prices and shares. Its slope in a price is the chance that the market, which plays for E[price],
ends the turn with those dice, less the chances that boxes are filled with them; so prices rise where boxes want more
than there is. Adam's steps follow the slopes, ever shorter ones.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from yatzy_env.kernel import kernel
from yatzy_env.simd import LANES, new_rows
from yatzy_env.tables import Tables
from yatzy_env.turn import first_throw, flow_turn, note_turn, plan_turn, value_turn

STEPS = 300
"""Steps of the minimisation; for `triple` the last hundred lower the bound by 2 points of 1840."""

_FIRST_STEP, _LAST_STEP = 1 / 75, 1 / 15000  # as shares of the most a box pays
_SHARE_STEP = 1.5  # a step in the shares, beside one in the prices
_START = 0.6  # first prices, as shares of the most any box pays for the dice
_TIE = 1e-12  # points
_INERTIA, _MEMORY, _LEAST_SLOPE = 0.9, 0.99, 1e-7


@kernel
def _best_means(plan, throws, stops, means):
    """The kernel of `best_means`."""
    block, result = new_rows(plan.length), new_rows(LANES)
    first_roll = plan.length - stops.shape[1] * LANES
    for begin in range(0, stops.shape[0], LANES):
        lanes = min(LANES, stops.shape[0] - begin)
        for roll in range(stops.shape[1]):
            for lane in range(lanes):
                block[first_roll + roll * LANES + lane] = stops[begin + lane, roll]
        value_turn(plan, throws, block, result)
        means[begin : begin + lanes] = result[:lanes]


def best_means(tables: Tables, stops: NDArray[np.float64]) -> NDArray[np.float64]:
    """E[f], (n,) the largest expectations of (n, R) functions f of the last roll of a turn."""
    means = np.empty(len(stops))
    _best_means(plan_turn(tables), tables.throws, np.ascontiguousarray(stops), means)
    return means


@kernel
def _free_boxes(plan, throws, paid, raised, prices, slope, raises):
    """The bound with all boxes free, in points, without the constants of the bonus.

    `paid` and `raised`, (B, R), are what a box pays and adds to the upper sum. `slope`, (T, R), receives the slope in
    each price, `raises`, (B,), what each box is expected to add to its column's upper sum.
    """
    turns, rolls = prices.shape
    boxes, size = paid.shape[0], rolls * LANES
    first_roll = plan.length - size
    block, source, chance = new_rows(plan.length), new_rows(plan.length), new_rows(plan.length)
    stop, stopped, result = new_rows(size), new_rows(size), new_rows(LANES)
    chosen = np.zeros((turns, (throws - 1) * size), np.int32)
    waiting = np.empty((turns + 1, LANES))
    total = 0.0
    for begin in range(0, turns, LANES):  # the market, all turns side by side
        lanes = min(LANES, turns - begin)
        for roll in range(rolls):
            for lane in range(lanes):
                block[first_roll + roll * LANES + lane] = prices[begin + lane, roll]
        note_turn(plan, _TIE, -1, throws, stop, block, source, chosen[0])
        first_throw(plan.probability, block, result)
        flow_turn(plan, throws, chosen[0], chance, stopped)
        for lane in range(lanes):
            total += result[lane]
            for roll in range(rolls):
                slope[begin + lane, roll] = stopped[roll * LANES + lane]
    for begin in range(0, boxes, LANES):  # boxes alone, side by side, turn after turn
        lanes = min(LANES, boxes - begin)
        waiting[turns] = -np.inf
        for behind in range(1, turns + 1):
            turn = turns - behind
            for roll in range(rolls):
                for lane in range(lanes):
                    filling = paid[begin + lane, roll] - prices[turn, roll]
                    block[first_roll + roll * LANES + lane] = max(filling, waiting[turn + 1, lane])
            note_turn(plan, _TIE, -1, throws, stop, block, source, chosen[turn])
            first_throw(plan.probability, block, result)
            waiting[turn] = result
        for lane in range(lanes):
            total += waiting[0, lane]
            raises[begin + lane] = 0.0
        still_open = np.ones(LANES)
        for turn in range(turns):
            flow_turn(plan, throws, chosen[turn], chance, stopped)
            for lane in range(lanes):
                filled = 0.0
                for roll in range(rolls):
                    if paid[begin + lane, roll] - prices[turn, roll] > waiting[turn + 1, lane]:
                        share = still_open[lane] * stopped[roll * LANES + lane]
                        slope[turn, roll] -= share
                        raises[begin + lane] += share * raised[begin + lane, roll]
                        filled += share
                still_open[lane] -= filled
    return total


class _Adam:
    """Adam (Kingma and Ba 2015): each variable moves about as far as the step, whatever the size of its slope."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._mean = np.zeros(shape)
        self._square = np.zeros(shape)
        self._steps = 0

    def direction(self, slope: NDArray[np.float64]) -> NDArray[np.float64]:
        """Where to go from a point with this slope, in steps."""
        self._steps += 1
        self._mean += (1 - _INERTIA) * (slope - self._mean)
        self._square += (1 - _MEMORY) * (slope**2 - self._square)
        size = np.sqrt(self._square / (1 - _MEMORY**self._steps)) + _LEAST_SLOPE
        return self._mean / (1 - _INERTIA**self._steps) / size


def find_prices(
    tables: Tables, steps: int = STEPS, done: Callable[[int], None] | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Finds prices that make the bound with all boxes free low.

    Args:
        tables: the compiled ruleset, of any number of columns.
        steps: steps of the minimisation.
        done: called with 1 after each step.

    Returns:
        (T, R) prices in points, T the turns of a game; (C,) the shares of the columns; and the bound with all boxes
        free, in points, which leaves out any order of the boxes.
    """
    card = tables.card
    plan = plan_turn(tables)
    points = tables.points[0].astype(np.float64)
    raised = points * (card.face[:, None] > 0)
    times = card.multiplier[card.column].astype(np.float64)[:, None]
    most_share = card.bonus_points / card.bonus_threshold if card.bonus_threshold else 0.0
    share = np.full(card.columns, 0.9 * most_share)

    def paid() -> NDArray[np.float64]:
        return times * (points + raised * share[card.column][:, None])

    prices = np.tile(_START * paid().max(axis=0), (card.boxes, 1))
    scale = float(paid().max())
    slope, raises = np.empty_like(prices), np.empty(card.boxes)
    by_price, by_share = _Adam(prices.shape), _Adam(share.shape)
    lowest, best, best_share = np.inf, prices.copy(), share
    for number in range(1, steps + 1):
        bound = _free_boxes(plan, tables.throws, paid(), raised, prices, slope, raises)
        if card.bonus_threshold:
            bound += float(card.multiplier @ (card.bonus_points - card.bonus_threshold * share))
        if bound < lowest:
            lowest, best, best_share = bound, prices.copy(), share
        step = _FIRST_STEP * (_LAST_STEP / _FIRST_STEP) ** (number / steps)
        prices -= scale * step * by_price.direction(slope)
        sums = np.bincount(card.column, raises, card.columns)
        lean = card.multiplier * (sums - float(card.bonus_threshold))
        share = np.clip(share - _SHARE_STEP * step * by_share.direction(lean), 0.0, most_share)
        if done:
            done(1)
    return best, best_share, lowest
