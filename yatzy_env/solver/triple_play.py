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
from yatzy_env.agent import TIE
from yatzy_env.card import bonus_step, legal_boxes
from yatzy_env.games import act, new_games
from yatzy_env.kernel import kernel
from yatzy_env.solver.chunks import in_chunks
from yatzy_env.solver.layout import Layout, lane_sum
from yatzy_env.tables import Tables
from yatzy_env.turn import plan_turn

_CHUNK = 64  # games handed to a thread at a time


@kernel
def _place(card, layout, filled, upper):
    """Where the value of a column's card stands."""
    return layout.first[filled] + lane_sum(card, layout, filled, upper) - layout.low[filled & card.upper_boxes]


@kernel
def _value_stops(tables, column, layout, values, now, lane, turn, after, stop, box_of):
    """Writes what each roll is worth when the turn stops, relative to all columns passing, and the box to fill.

    Args:
        tables: the compiled ruleset.
        column: the card's rules of one column.
        layout: the layout of one column.
        values: (C, D, size) values of the columns by passes left.
        now: a batch of situations.
        lane: which of them.
        turn: the number of the turn.
        after: (6 * dice + 1,) float64 working memory.
        stop: (R,) float64, receives the values.
        box_of: (R,) int64, receives the boxes.

    Returns:
        What the columns are worth when all of them pass.
    """
    card = tables.card
    filled = now.filled[lane]
    per_column = column.boxes
    all_pass = 0.0
    stop[:] = -np.inf
    legal = np.empty(7, np.int64)
    for alike in range(7):
        legal[alike] = legal_boxes(card, filled, alike)
    for c in range(card.columns):
        own = (filled >> (c * per_column)) & column.all_boxes
        if own == column.all_boxes:
            continue
        still_open = 0
        for box in range(per_column):
            still_open += 1 - ((own >> box) & 1)
        passes = card.boxes - turn - still_open
        upper = now.upper[lane, c]
        passing = values[c, passes - 1, _place(column, layout, own, upper)] if passes > 0 else 0.0
        all_pass += passing
        for own_box in range(per_column):
            if (own >> own_box) & 1:
                continue
            box = c * per_column + own_box
            full = own | (1 << own_box)
            if layout.first[full] < 0:
                continue
            raises = card.face[box] > 0
            for points in range(0, (card.face[box] if raises else 0) * card.dice + 1, max(card.face[box], 1)):
                follows = values[c, passes, _place(column, layout, full, upper + points)]
                after[points] = follows - passing + bonus_step(card, box, points, upper)
            for roll in range(stop.shape[0]):
                if (legal[tables.alike[roll]] >> box) & 1:
                    points = tables.points[0, box, roll]
                    value = points * card.multiplier[c] + after[points if raises else 0]
                    if value > stop[roll]:
                        stop[roll] = value
                        box_of[roll] = box
    return all_pass


@kernel
def _value_throws(add, plan, stop, by_throws):
    """Computes a turn backwards.

    Args:
        add: (K, 6) of the tables.
        plan: the plan of a turn.
        stop: (R,) what rolls are worth when the turn stops.
        by_throws: (throws, M) float64, receives by throws left what rolls, and what keeps about to be thrown are worth.

    Returns:
        What is expected at the start of the turn.
    """
    keeps = add.shape[0]
    by_throws[0, keeps:] = stop
    for left in range(1, by_throws.shape[0]):
        before, now = by_throws[left - 1], by_throws[left]
        for behind in range(1, keeps + 1):
            keep = keeps - behind
            total = 0.0
            for face in range(6):
                more = add[keep, face]
                total += before[more] if more >= keeps else now[more]
            now[keep] = total / 6.0
        for roll in range(stop.shape[0]):
            most = stop[roll]
            for index in range(plan.first_keep[roll], plan.first_keep[roll + 1]):
                most = max(most, now[plan.keep[index]])
            now[keeps + roll] = most
    expected = 0.0
    for roll in range(stop.shape[0]):
        expected += plan.probability[roll] * by_throws[-1, keeps + roll]
    return expected


@kernel(nogil=True)
def _play(tables, column, layout, add, plan, values, games, start, end, luck):
    """Plays games `start` to `end - 1` to their end and writes the luck of each, the sum of all A - E[A]."""
    keeps = tables.keeps
    stop = np.empty(tables.rolls)
    box_of = np.empty(tables.rolls, np.int64)
    after = np.empty(6 * tables.dice + 1)
    by_throws = np.empty((tables.throws, keeps + tables.rolls))
    now = games.now
    for game in range(start, end):
        luck[game] = 0.0
        for turn in range(tables.card.boxes):
            _value_stops(tables, column, layout, values, now, game, turn, after, stop, box_of)
            luck[game] -= _value_throws(add, plan, stop, by_throws)
            playing = True
            while playing:
                roll = now.roll[game]
                left = now.throws_left[game]
                best = stop[roll]
                action = keeps + box_of[roll]
                if left > 0:
                    for index in range(plan.first_keep[roll], plan.first_keep[roll + 1]):
                        keep = plan.keep[index]
                        if by_throws[left, keep] > best + TIE:
                            best = by_throws[left, keep]
                            action = keep
                playing = action < keeps
                if not playing:
                    luck[game] += best
                act(tables, games, game, action)


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
    played = new_games(tables, np.array([dice.key("evaluate", seed, game) for game in range(games)], np.uint64))
    plan = plan_turn(tables)
    add = tables.add.astype(np.int64)
    luck = np.empty(games)

    def work(start: int, stop: int) -> None:
        _play(tables, one.card, layout, add, plan, values, played, start, stop, luck)

    in_chunks(work, games, _CHUNK, done=done)
    return played.total, luck
