"""A second objective: the largest chance of a final score of T or more ("beat this score"), for all T at once.

Let X be the points that a card will still bring plus the bonus it has earned already, as in `expectations`, and W(card,
n) the largest chance of X >= n. On a full card X is its bonus, so W is 1 or 0; W(card, n) is 1 for n <= 0. On any other
card the same backward turn applies as for the mean, with the value W(card after, n - g) for a box that pays g. The
lanes of a block are `LANES` values of n: a payment is an offset into the row of the card after. Rows begin with as many
ones as a turn can gain points and end with zeros, so that no lane branches. The answer is W(empty card, T).

As for the mean, filling a box for nothing is never better where the box pays something: more points and a higher upper
sum never make any score less likely.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from yatzy_env.errors import SolutionError
from yatzy_env.kernel import kernel
from yatzy_env.simd import LANES, larger, load, new_rows, spread, store
from yatzy_env.solver.box_choice import choose_box, enter_state, list_payments, new_choice
from yatzy_env.solver.chunks import for_states
from yatzy_env.solver.distribution import find_most
from yatzy_env.solver.layout import lay_out
from yatzy_env.tables import Tables
from yatzy_env.turn import choose_keep, first_throw, plan_turn, throw

_CHUNK = 8  # states handed to a thread at a time: some 50 ms of work
_MOST_MEMORY = 4 << 30  # bytes that two layers may take


@kernel
def _offer(of_box, raised, gained, after, there, legal, upper, places, options, ends, offers, need):
    """Makes the offers of `LANES` needs of one card, from `need` on; `there` is as in `_solve_states`."""
    end = gained.shape[0]
    start, width, ones = there
    best = spread(0.0)
    for box in range(of_box.shape[0] - 1):
        if (legal >> box) & 1:
            card = places[box, 0] + min(max(upper, places[box, 1]), places[box, 2]) - start
            best = larger(best, load(after, card * width + ones + need))
            for payment in range(of_box[box], of_box[box + 1]):
                card = places[box, 0] + min(max(upper + raised[payment], places[box, 1]), places[box, 2]) - start
                store(offers, payment * LANES, load(after, card * width + ones + need - np.int64(gained[payment])))
    store(offers, end * LANES, best)
    for alike in range(1, 7):
        best = spread(0.0)
        for option in range(ends[alike - 1], ends[alike]):
            row = options[option, 1]
            card = places[row, 0] + min(max(upper + options[option, 2], places[row, 1]), places[row, 2]) - start
            best = larger(best, load(after, card * width + ones + need - options[option, 3]))
        store(offers, (end + alike) * LANES, best)


@kernel(nogil=True)
def _solve_states(tables, layout, plan, pays, here, there, most, after, out, states):
    """Writes the rows of some states.

    `here` and `there` are, of this layer and of that with one more filled box, where it begins in the layout, how long
    a row is and how many ones it begins with; `most` is what each state can still bring, bonus included.
    """
    block = new_rows(plan.length)
    result = new_rows(LANES)
    choice = new_choice(pays)
    places, options, ends, offers = choice
    of_box, raised, gained = pays.of_box, pays.raised, pays.gained
    start, width, ones = here
    for state in states:
        legal, _, first, low, lanes = enter_state(tables, layout, pays, state, choice)
        first -= start
        for lane in range(lanes):
            row = (first + lane) * width
            out[row : row + ones + 1] = 1.0
            for need in range(1, most[state] + 1, LANES):
                upper = low + lane
                _offer(of_box, raised, gained, after, there, legal, upper, places, options, ends, offers, need)
                choose_box(pays, legal, offers, block)
                for _ in range(tables.throws - 1):
                    throw(plan.add, block)
                    choose_keep(plan.whole, plan.part, plan.runs, block)
                first_throw(plan.probability, block, result)
                for index in range(LANES):
                    out[row + ones + need + index] = result[index]


def best_chances(
    tables: Tables, threads: int | None = None, done: Callable[[int], None] | None = None
) -> NDArray[np.float64]:
    """The largest chance of each final score or more.

    Args:
        tables: the compiled ruleset, of one column and without saved throws. `yatzy` and `yahtzee` take some minutes
            of processor time and about 1 GB of memory.
        threads: how many threads work; the result does not depend on it.
        done: called now and then with the number of states solved since.

    Returns:
        (scores,) float64; entry T is the largest chance of a final score of T or more, entry 0 is 1.

    Raises:
        SolutionError: if the ruleset has several columns, saved throws, or too many cards for the memory.
    """
    if tables.card.columns > 1 or tables.saved_throws:
        raise SolutionError("the chance to beat a score is computed for one column and without saved throws")
    cards = lay_out(tables)
    layout = cards.layout
    plan, pays = plan_turn(tables), list_payments(tables)
    most = find_most(tables, cards, pays) + int(layout.earned[-1])
    ones = int(tables.most.max()) + tables.card.extra_yatzy_bonus
    layers, starts = cards.layers, cards.starts.tolist()
    # Behind the last need of a card its row goes on with zeros, as far as cards with one box less look.
    widths = [ones + int(most[states].max()) + 2 * LANES + 1 for states in layers]
    widths = [max(width, widths[number + 1] if number + 1 < len(widths) else 0) for number, width in enumerate(widths)]
    sizes = [8 * width * (stop - start) for width, start, stop in zip(widths, starts[:-1], starts[1:], strict=True)]
    if max(one + next_one for one, next_one in zip(sizes, [*sizes[1:], 0], strict=True)) > _MOST_MEMORY:
        raise SolutionError(f"two layers of the game would need {max(sizes) / 1e9:,.0f} GB of memory or more")
    # Full cards have their bonus: ones up to it.
    after = (np.arange(widths[0]) <= ones + cards.full_bonus[:, None]).astype(np.float64).ravel()
    for still_open, states in enumerate(layers[1:], 1):
        here, there = ((starts[number], widths[number], ones) for number in (still_open, still_open - 1))
        out = np.zeros((starts[still_open + 1] - here[0]) * here[1])
        work = partial(_solve_states, tables, layout, plan, pays, here, there, most, after, out)
        for_states(work, states, _CHUNK, threads, done)
        after = out
    return after[ones : ones + int(most[0]) + 1].copy()
