"""The second upper bound of `triple`: the last turns exactly, the turns before them by columns set free.

The columns' bonus is replaced by a line: upper boxes pay their points plus a share, and a column has once and for all
bonus - share * threshold, which together is never less than the bonus. Then cards are sets of open boxes, without sums.
Let V'(S) be the optimum of that game with the boxes S open; any order of the boxes is left out, which can only raise
it. The last k turns are handed over to it: let q(b) be any numbers, what an open box is worth when k boxes are left,
and W'_c the value of a column set free as in `triple`, but with the line, and only until then:

    W'_c(S_c, d) = sum of q(b) over b in S_c,   where d passes and the boxes S_c make k turns,

and the recursion of `triple` where they make more.

Theorem. For all prices p and numbers q, in turn t with the boxes S open, at least k of them,

    V'(S) <= theta + sum over t <= u < T - k of E[p(u, .)] + sum over c of W'_c(S_c, d_c),
    theta = the largest V'(Z) - sum of q(b) over b in Z, over all sets Z of k boxes.

Proof. For sets of k boxes it holds by the definition of theta. From there on the induction of `triple` takes over word
by word: it uses nothing of the cards after the turn but that they obey the bound.                                 QED

It helps because prices that know only the turn serve the last turns badly: what a roll is worth then depends on the few
boxes that are left. All sets of up to k boxes are solved one by one, 54 million for k = 7 of 45. The numbers q are what
the boxes, set free, are worth at that time.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import comb

import numpy as np
from numpy.typing import NDArray

from yatzy_env.kernel import kernel
from yatzy_env.simd import LANES, larger, load, new_rows, plus, spread, store
from yatzy_env.solver.box_choice import choose_box, list_payments
from yatzy_env.solver.chunks import for_states, in_chunks
from yatzy_env.solver.triple_prices import best_means
from yatzy_env.tables import Tables
from yatzy_env.turn import plan_turn, value_turn

MOST_SETS = 60_000_000
"""Sets that are solved at most: a minute of processor time, half a gigabyte."""
_CHUNK = 256 * LANES  # sets or masks handed to a thread at a time


def last_turns(boxes: int, most: int = MOST_SETS) -> int:
    """For how many last turns all sets of open boxes can be solved, `most` sets in all."""
    last, sets = 0, boxes
    while last < boxes and sets <= most:
        last += 1
        sets += comb(boxes, last + 1)
    return last


@kernel
def _make_offers(pays, gained, alike_paid, filled, values, offers, lane):
    """Makes the offers of one mask in a lane, in the manner of `offer_rows`."""
    end = gained.shape[0]
    nothing = -np.inf
    for alike in range(1, 7):
        offers[(end + alike) * LANES + lane] = -np.inf
    for box in range(alike_paid.shape[0]):
        after = -np.inf if (filled >> box) & 1 else values[filled | (1 << box)]
        nothing = max(nothing, after)
        for payment in range(pays.of_box[box], pays.of_box[box + 1]):
            offers[payment * LANES + lane] = after + gained[payment]
        for alike in range(1, 7):
            row = (end + alike) * LANES + lane
            offers[row] = max(offers[row], after + alike_paid[box, alike])
    offers[end * LANES + lane] = nothing


@kernel(nogil=True)
def _solve_masks(plan, pays, gained, alike_paid, throws, prices, passed, values, masks):
    """Writes the values of a column's masks of filled boxes, equally many filled, see `sweep_with_passes`."""
    block = new_rows(plan.length)
    offers = new_rows((gained.shape[0] + 7) * LANES)
    least = new_rows(LANES)
    result = new_rows(LANES)
    all_boxes = (1 << alike_paid.shape[0]) - 1
    for start in range(0, masks.shape[0], LANES):
        count = min(LANES, masks.shape[0] - start)
        still_open = 0
        for lane in range(LANES):
            filled = masks[start + min(lane, count - 1)]
            still_open |= all_boxes & ~filled
            least[lane] = passed[filled] if passed.shape[0] > 0 else -np.inf
            _make_offers(pays, gained, alike_paid, filled, values, offers, lane)
        choose_box(pays, still_open, offers, block)
        floor = load(least, 0)
        for roll in range(prices.shape[0]):
            row = pays.first_roll + roll * LANES
            store(block, row, larger(plus(load(block, row), spread(-prices[roll])), floor))
        value_turn(plan, throws, block, result)
        for lane in range(count):
            values[masks[start + lane]] = result[lane]


@kernel
def _first_set(binomial, size, rank, boxes):
    """Writes the set of this rank, ascending. Sets are ranked by their largest box, then by the next, and so on."""
    for place in range(size, 0, -1):
        box = place - 1
        while binomial[box + 1, place] <= rank:
            box += 1
        boxes[place - 1] = box
        rank -= binomial[box, place]


@kernel
def _next_set(size, boxes):
    """Moves on to the set of the next rank."""
    place = 0
    while place < size - 1 and boxes[place] + 1 == boxes[place + 1]:
        boxes[place] = place
        place += 1
    boxes[place] += 1


@kernel(nogil=True)
def _solve_sets(plan, throws, binomial, size, paid, smaller, values, start, stop):
    """Writes the values of the sets of open boxes with ranks `start` to `stop - 1`, given those with one box less."""
    rolls = paid.shape[1]
    first_roll = plan.length - rolls * LANES
    block = new_rows(plan.length)
    result = new_rows(LANES)
    boxes = np.empty(size, np.int64)
    best = np.empty(rolls)
    _first_set(binomial, size, start, boxes)
    for rank in range(start, stop, LANES):
        count = min(LANES, stop - rank)
        for lane in range(count):
            below, above = 0, 0
            for place in range(1, size):
                above += binomial[boxes[place], place]
            best[:] = -np.inf
            for place in range(size):
                after = smaller[below + above]
                box = boxes[place]
                for roll in range(rolls):
                    best[roll] = max(best[roll], paid[box, roll] + after)
                below += binomial[box, place + 1]
                if place + 1 < size:
                    above -= binomial[boxes[place + 1], place + 1]
            for roll in range(rolls):
                block[first_roll + roll * LANES + lane] = best[roll]
            _next_set(size, boxes)
        value_turn(plan, throws, block, result)
        values[rank : rank + count] = result[:count]


@kernel(nogil=True)
def _largest_excess(binomial, size, values, worth):
    """The largest value of a set less the sum of what its boxes are worth, (B,)."""
    boxes = np.empty(size, np.int64)
    _first_set(binomial, size, 0, boxes)
    excess = -np.inf
    for rank in range(values.shape[0]):
        value = values[rank]
        for place in range(size):
            value -= worth[boxes[place]]
        excess = max(excess, value)
        if rank + 1 < values.shape[0]:
            _next_set(size, boxes)
    return excess


def worth_late(
    tables: Tables, paid: NDArray[np.float64], prices: NDArray[np.float64], last: int
) -> NDArray[np.float64]:
    """What each box, set free, is worth when so many turns are left: (B,) points, 0 where none is left."""
    worth = np.full(len(paid), -np.inf if last else 0.0)
    for behind in range(1, last + 1):
        worth = best_means(tables, np.maximum(paid - prices[len(prices) - behind], worth[:, None]))
    return worth


def _column_value(
    one: Tables, times: int, share: float, prices: NDArray[np.float64], worth: NDArray[np.float64], last: int
) -> float:
    """The value W' of an empty column set free, whose boxes are `worth`, (B,), when the `last` turns are handed over.

    `one` is the ruleset of a column with factor 1, `times` the column's factor, `share` its share of the line.
    """
    plan, pays = plan_turn(one), list_payments(one)
    turns, boxes = len(prices), one.card.boxes
    gained = times * (pays.gained + share * pays.raised)
    alike_paid = np.zeros((boxes, 7))
    alike_paid[:, 1:] = times * one.points[0][:, pays.alike[1:]] * (1 + share * (one.card.face[:, None] > 0))
    masks = np.arange(1 << boxes)
    filled_of = np.bitwise_count(masks)
    handed_over = ((masks[:, None] >> np.arange(boxes)) & 1 == 0) @ worth
    current = np.zeros(0)
    for passes in range(turns - boxes + 1):
        passed, current = current, np.zeros(1 << boxes)
        at_end = filled_of == boxes - (last - passes)
        current[at_end] = handed_over[at_end]
        for still_open in range(max(1, last - passes + 1), boxes + 1):
            states = masks[filled_of == boxes - still_open]
            now = prices[turns - still_open - passes]
            work = partial(_solve_masks, plan, pays, gained, alike_paid, one.throws, now, passed, current)
            for_states(work, states, _CHUNK)
    return float(current[0])


def endgame_bound(
    tables: Tables,
    one: Tables,
    prices: NDArray[np.float64],
    shares: NDArray[np.float64],
    last: int,
    done: Callable[[int], None] | None = None,
) -> float:
    """The theorem's bound for the empty card.

    Args:
        tables: the compiled ruleset.
        one: that of one column alone, with factor 1.
        prices: (T, R) points by turn and roll.
        shares: (C,) the share for each column's line, from 0 to bonus / threshold.
        last: k, how many turns are solved exactly, from 0 to T.
        done: called now and then with the number of sets solved since.

    Returns:
        Points that no policy can expect more than, but for rounding.
    """
    card = tables.card
    plan = plan_turn(tables)
    of_box = (card.multiplier * 1.0)[card.column], shares[card.column] * (card.face > 0)
    paid = of_box[0][:, None] * tables.points[0] * (1 + of_box[1][:, None])
    total = float(sum(best_means(tables, prices[: card.boxes - last])))
    if card.bonus_threshold:
        total += float(card.multiplier @ (card.bonus_points - card.bonus_threshold * shares))
    worth = worth_late(tables, paid, prices, last)
    for column, times in enumerate(card.multiplier):
        own = worth[card.column == column]
        total += _column_value(one, int(times), float(shares[column]), prices, own, last)
    binomial = np.array([[comb(n, k) for k in range(last + 2)] for n in range(card.boxes + 2)], np.int64)
    sets = np.zeros(1)
    for size in range(1, last + 1):
        smaller, sets = sets, np.empty(comb(card.boxes, size))
        work = partial(_solve_sets, plan, tables.throws, binomial, size, paid, smaller, sets)
        in_chunks(work, len(sets), _CHUNK, done=done)
    if last == 0:
        return total
    return total + float(_largest_excess(binomial, last, sets, worth))
