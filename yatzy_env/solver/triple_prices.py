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
from yatzy_env.tables import Tables
from yatzy_env.turn import Plan, plan_turn

STEPS = 300
"""Steps of the minimisation; for `triple` the last hundred lower the bound by 2 points of 1840."""

_FIRST_STEP, _LAST_STEP = 1 / 75, 1 / 15000  # as shares of the most a box pays
_SHARE_STEP = 1.5  # a step in the shares, beside one in the prices
_START = 0.6  # first prices, as shares of the most any box pays for the dice
_INERTIA, _MEMORY, _LEAST_SLOPE = 0.9, 0.99, 1e-7


@kernel
def value_turn(add, plan, throws, stop, values, best):
    """The value of a turn, and the keeps that reach it.

    Args:
        add: (K, 6) of the tables.
        plan: the plan of a turn.
        throws: throws of the turn.
        stop: (R,) what each roll is worth when the turn stops.
        values: (M,) float64, receives what keeps and rolls are worth at the start of the turn.
        best: (throws - 1, R) int64, receives by throws left, less one, the keep to take from each roll, -1 to stop.

    Returns:
        The expected value at the start of the turn.
    """
    keeps, rolls = add.shape[0], stop.shape[0]
    values[keeps:] = stop
    for left in range(throws - 1):
        for behind in range(1, keeps + 1):
            keep = keeps - behind
            total = 0.0
            for face in range(6):
                total += values[add[keep, face]]
            values[keep] = total / 6.0
        for roll in range(rolls):
            best[left, roll] = -1
            most = stop[roll]
            for index in range(plan.first_keep[roll], plan.first_keep[roll + 1]):
                if values[plan.keep[index]] > most + 1e-12:
                    most = values[plan.keep[index]]
                    best[left, roll] = plan.keep[index]
            values[keeps + roll] = most
    expected = 0.0
    for roll in range(rolls):
        expected += plan.probability[roll] * values[keeps + roll]
    return expected


@kernel
def flow_turn(add, plan, best, chance):
    """Writes how likely a turn ends with each roll, under the keeps in `best`, to the end of `chance`, (M,)."""
    keeps = add.shape[0]
    chance[keeps:] = plan.probability
    for behind in range(1, best.shape[0] + 1):
        left = best.shape[0] - behind
        chance[:keeps] = 0.0
        for roll in range(best.shape[1]):
            if best[left, roll] >= 0:
                chance[best[left, roll]] += chance[keeps + roll]
                chance[keeps + roll] = 0.0
        for keep in range(keeps):
            if chance[keep] > 0.0:
                for face in range(6):
                    chance[add[keep, face]] += chance[keep] / 6.0


@kernel
def _free_boxes(add, plan, throws, paid, raised, prices, slope, raises):
    """The bound with all boxes free, without the constants of the bonus.

    Args:
        add: (K, 6) of the tables.
        plan: the plan of a turn.
        throws: throws of a turn.
        paid: (B, R) what a box pays.
        raised: (B, R) what it adds to the upper sum.
        prices: (T, R).
        slope: (T, R) float64, receives the slope in each price.
        raises: (B,) float64, receives what each box is expected to add to its column's upper sum.

    Returns:
        The bound, in points.
    """
    turns, rolls = prices.shape
    keeps = add.shape[0]
    best = np.empty((turns, throws - 1, rolls), np.int64)
    fills = np.empty((turns, rolls), np.bool_)
    values = np.empty(keeps + rolls)
    chance = np.empty(keeps + rolls)
    stop = np.empty(rolls)
    total = 0.0
    for turn in range(turns):
        total += value_turn(add, plan, throws, prices[turn], values, best[turn])
        flow_turn(add, plan, best[turn], chance)
        slope[turn] = chance[keeps:]
    for box in range(paid.shape[0]):
        waiting = -np.inf
        for behind in range(1, turns + 1):
            turn = turns - behind
            for roll in range(rolls):
                filling = paid[box, roll] - prices[turn, roll]
                fills[turn, roll] = filling > waiting
                stop[roll] = max(filling, waiting)
            waiting = value_turn(add, plan, throws, stop, values, best[turn])
        total += waiting
        still_open = 1.0
        raises[box] = 0.0
        for turn in range(turns):
            flow_turn(add, plan, best[turn], chance)
            filled = 0.0
            for roll in range(rolls):
                if fills[turn, roll]:
                    share = still_open * chance[keeps + roll]
                    slope[turn, roll] -= share
                    raises[box] += share * raised[box, roll]
                    filled += share
            still_open -= filled
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
    plan: Plan = plan_turn(tables)
    add = tables.add.astype(np.int64)
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
        bound = _free_boxes(add, plan, tables.throws, paid(), raised, prices, slope, raises)
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


def market_value(tables: Tables, prices: NDArray[np.float64]) -> float:
    """The sum over the turns of E[price], in points, for (T, R) prices."""
    plan = plan_turn(tables)
    add = tables.add.astype(np.int64)
    best = np.empty((tables.throws - 1, tables.rolls), np.int64)
    values = np.empty(tables.keeps + tables.rolls)
    return float(sum(value_turn(add, plan, tables.throws, price, values, best) for price in prices))
