"""The policy of `triple`: a turn played exactly, with the columns' values of the relaxation for what comes after it.

In turn t a box of column c is worth its points, the bonus it secures, and what all columns are worth afterwards: column
c with one open box less, every other one with one pass less. The turn is then computed backwards over all its rolls and
keeps, so that the policy plays the turn exactly for points + values after. It is a policy like any other: what it earns
on average is a lower bound of the optimum, whatever the values are worth.

Games vary by 125 points, so the mean is estimated with control variates. Let A be the points plus values after a turn
that was played, and E[A] what the policy expected at its start, computed exactly. Dice are fair, so A - E[A] has mean
zero in every turn, and score - sum of (A - E[A]) has the mean of the score; it varies by a quarter as much.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from yatzy_env import dice
from yatzy_env.games import new_games, turns_done
from yatzy_env.kernel import kernel
from yatzy_env.native import borrow
from yatzy_env.solver.chunks import in_chunks
from yatzy_env.solver.layout import Layout, lane_sum
from yatzy_env.tables import Tables
from yatzy_env.turn import cards_of, end_kinds, list_ends, plan_turns

_CHUNK = 64  # games handed to a thread at a time


@kernel
def _place(card, layout, filled, upper):
    """Where the value of a column's card stands."""
    return layout.first[filled] + lane_sum(card, layout, filled, upper) - layout.low[filled & card.upper_boxes]


@kernel
def _value_ends(tables, column, layout, values, kinds, ends, turn, out):
    """Writes what the ends of turns number `turn` are worth to `out`, relative to all columns passing.

    `column` and `layout` are those of one column, `values` the (C, D, size) values of the columns by passes left.
    """
    tables, layout, kinds, ends = borrow(tables), borrow(layout), borrow(kinds), borrow(ends)
    card, before, after = tables.card, ends.before, ends.after
    for row in range(out.shape[0]):
        of = ends.turn[row]
        c = card.column[kinds.box[ends.kind[row]]]
        own = (before.filled[of] >> (c * column.boxes)) & column.all_boxes
        full = (after.filled[row] >> (c * column.boxes)) & column.all_boxes
        passes = card.boxes - turn - (column.boxes - turns_done(own))
        passing = values[c, passes - 1, _place(column, layout, own, before.upper[of, c])] if passes > 0 else 0.0
        out[row] = ends.gain[row] + (values[c, passes, _place(column, layout, full, after.upper[row, c])] - passing)


def play_games(
    tables: Tables,
    one: Tables,
    layout: Layout,
    values: NDArray[np.float32],
    games: int,
    seed: int,
    done: Callable[[int], None] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Lets the policy play.

    Args:
        tables: the compiled ruleset.
        one: that of one column alone.
        layout: the layout of one column.
        values: (C, D, size) values of the columns by passes left, see `sweep_with_passes`.
        games: how many games.
        seed: game g has the dice of `dice.key("evaluate", seed, g)`, as in a match of agents.
        done: called now and then with the number of games finished since.

    Returns:
        (games,) the scores, and (games,) float64 the luck in each: its mean is zero, so that score - luck has the mean
        of the score.
    """
    keys = np.array([dice.key("evaluate", seed, game) for game in range(games)], np.uint64)
    scores, luck = np.empty(games, np.int64), np.zeros(games)
    kinds = end_kinds(tables)

    def work(start: int, stop: int) -> None:
        played = new_games(tables, keys[start:stop])
        for turn in range(tables.card.boxes):
            ends = list_ends(tables, cards_of(tables, played.now))
            worth = np.empty(len(ends.turn))
            _value_ends(tables, one.card, layout, values, kinds, ends, turn, worth)
            plans = plan_turns(tables, ends, worth)
            luck[start:stop] += worth[plans.play(played)] - plans.mean
        scores[start:stop] = played.total

    in_chunks(work, games, _CHUNK, done=done)
    return scores, luck
