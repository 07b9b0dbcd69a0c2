# mypy: disallow-untyped-defs=False
r"""One turn played out in full: what every keep is worth when the cards that the turn can end with have values.

A turn ends in a card: some open box filled with some points, at most 125 different ones in Yatzy. Given a value for
each of them, whatever it is (points, chances of winning), the rest is arithmetic with the chances of dice. With $w$ the
values of the cards, stopping with roll $r$ is worth $S(r) = \max_b w(b, r)$ over the legal boxes $b$, and

$$Q_1(k) = E[S(r) \mid k], \quad Q_2(k) = E[\max(S(r), \max_{k' \subset r} Q_1(k')) \mid k]$$

is what keep $k$ is worth with one and with two throws to go, computed by adding one die at a time. Planning a turn
takes some ten microseconds. What it knows are the rules; the judgement is all in $w$.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy_env.card import bonus_step, legal_boxes, legal_by_order
from yatzy_env.errors import YatzyError
from yatzy_env.games import Games, act
from yatzy_env.kernel import kernel
from yatzy_env.native import borrow
from yatzy_env.rules import Ruleset
from yatzy_env.situation import Situations
from yatzy_env.tables import Tables, compile_tables
from yatzy_env.turn import plan_turn

_LANES = 8
"""Turns that are planned side by side, so that the processor adds and compares them in one instruction."""


class Outcomes(NamedTuple):
    """What can be written in the boxes. U = different pairs of box and points, B boxes, R rolls, K keeps, M multisets.

    It also holds the lists of multisets that planning a turn goes through.
    """

    throws: int  # after the first one of a turn
    first: NDArray[np.int64]  # (B + 1,) where each box's pairs begin
    points: NDArray[np.int64]  # (U,) points of each pair, ascending within a box
    number: NDArray[np.int64]  # (B, R) which of the box's pairs a roll is, counted from 0
    add: NDArray[np.int64]  # (K, 6) the multiset with one more die
    part: NDArray[np.int64]  # the multisets with one die less of multiset 1, of multiset 2, ...
    first_part: NDArray[np.int64]  # (M,) where each one's begin
    keep: NDArray[np.int64]  # the keeps that are part of roll 0, of roll 1, ...
    first_keep: NDArray[np.int64]  # (R + 1,) where each roll's begin
    probability: NDArray[np.float64]  # (R,) chance of each roll


class Ends(NamedTuple):
    """The cards that turns can end with, a row each, turn after turn and box by box."""

    start: NDArray[np.int64]  # (n + 1,) where each turn's rows begin
    turn: NDArray[np.int64]  # (rows,) which turn a row belongs to
    filled: NDArray[np.int64]  # (rows,) the card after
    upper: NDArray[np.int64]  # (rows,)
    gain: NDArray[np.int64]  # (rows,) points gained, bonus included


class Plans(NamedTuple):
    """Turns that are planned."""

    start: NDArray[np.int64]  # (n + 1,) as in `Ends`
    values: NDArray[np.float64]  # (rows,) values of the cards that the turns can end with
    keeps: NDArray[np.float64]  # (n, throws, K) values of the keeps by throws left, one throw left at 0
    mean: NDArray[np.float64]  # (n,) value before the first throw of the turn
    other: NDArray[np.float64]  # (n,) expectation of another quantity under this plan, 0 where none was asked for


@lru_cache(maxsize=8)
def list_outcomes(rules: Ruleset) -> Outcomes:
    """Lists what can be written in the boxes of a ruleset.

    Raises:
        YatzyError: if cards hold more than boxes and one upper sum.
    """
    tables = compile_tables(rules)
    if tables.card.columns > 1 or tables.card.extra_yatzy_bonus or tables.card.joker or tables.saved_throws:
        raise YatzyError(
            f"ruleset {rules.name!r}: play for the win knows cards of one column without joker, extra bonus and saved "
            "throws alone"
        )
    plan = plan_turn(tables)
    pairs = [np.unique(points, return_inverse=True) for points in tables.points[0]]
    return Outcomes(
        throws=tables.throws - 1,
        first=np.cumsum([0, *(len(points) for points, _ in pairs)]),
        points=np.concatenate([points for points, _ in pairs]),
        number=np.array([number for _, number in pairs], np.int64),
        add=tables.add.astype(np.int64),
        part=tables.drop[tables.drop >= 0].astype(np.int64),
        first_part=np.cumsum((tables.drop >= 0).sum(axis=1)),
        keep=plan.keep,
        first_keep=plan.first_keep,
        probability=tables.probability.copy(),
    )


def list_ends(tables: Tables, outcomes: Outcomes, filled: NDArray[np.int64], upper: NDArray[np.int64]) -> Ends:
    """Lists the cards that turns can end with.

    Args:
        tables: the compiled ruleset.
        outcomes: of the same ruleset.
        filled: (n,) bits of the filled boxes at the start of each turn; no card is full.
        upper: (n,) upper sums.

    Returns:
        The cards; those of boxes that the order forbids now are among them.
    """
    is_open = (filled[:, None] >> np.arange(tables.card.boxes)) & 1 == 0
    sizes = is_open @ np.diff(outcomes.first)
    start = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    rows = int(start[-1])
    ends = Ends(
        start,
        np.repeat(np.arange(len(filled)), sizes),
        *(np.empty(rows, np.int64) for _ in ("filled", "upper", "gain")),
    )
    _list_ends(tables.card, outcomes, filled, upper, ends)
    return ends


def plan(
    tables: Tables,
    outcomes: Outcomes,
    filled: NDArray[np.int64],
    ends: Ends,
    values: NDArray[np.float64],
    others: NDArray[np.float64] | None = None,
) -> Plans:
    """Plans turns so that the expected value of the card they end with is largest.

    Args:
        tables: the compiled ruleset.
        outcomes: of the same ruleset.
        filled: (n,) bits of the filled boxes at the start of each turn.
        ends: of the same turns.
        values: (rows,) what each of those cards is worth, points of this turn included where they count.
        others: (rows,) another quantity that depends on the card at the end, whose expectation is wanted.

    Returns:
        The plans.
    """
    size = len(filled)
    plans = Plans(
        start=ends.start,
        values=np.ascontiguousarray(values, np.float64),
        keeps=np.empty((size, outcomes.throws, tables.keeps)),
        mean=np.zeros(size),
        other=np.zeros(size),
    )
    quantity = plans.values if others is None else np.ascontiguousarray(others, np.float64)
    _plan(tables, outcomes, filled, quantity, others is not None, plans)
    return plans


def choose(tables: Tables, outcomes: Outcomes, plans: Plans, now: Situations) -> NDArray[np.int64]:
    """The best action of each situation within its turn's plan, the lowest index among equals.

    Args:
        tables: the compiled ruleset.
        outcomes: of the same ruleset.
        plans: one per situation, of the turn it stands in.
        now: (n,) situations, dice on the table.

    Returns:
        (n,) action indices.
    """
    actions = np.empty(len(now.filled), np.int64)
    _choose_all(tables, outcomes, plans, now, actions)
    return actions


def play_turns(tables: Tables, outcomes: Outcomes, plans: Plans, games: Games) -> None:
    """Plays a whole turn of every game as planned, dice included.

    Args:
        tables: the compiled ruleset.
        outcomes: of the same ruleset.
        plans: one per game, of the turn that begins.
        games: the games before the first decision of that turn; changed in place.
    """
    _play_turns(tables, outcomes, plans, games)


@kernel
def _list_ends(card, outcomes, filled, upper, ends):
    for turn in range(filled.shape[0]):
        row = ends.start[turn]
        for box in range(card.boxes):
            if (filled[turn] >> box) & 1:
                continue
            for pair in range(outcomes.first[box], outcomes.first[box + 1]):
                points = outcomes.points[pair]
                ends.filled[row] = filled[turn] | (np.int64(1) << box)
                ends.upper[row] = upper[turn] + (points if card.face[box] != 0 else 0)
                ends.gain[row] = points * card.multiplier[0] + bonus_step(card, box, points, upper[turn])
                row += 1


@kernel(inline="always")
def _best_end(card, outcomes, filled, legal, start, values, roll):
    """The row of the best card that a roll can be stopped with, and the box."""
    best_row, best_box = np.int64(-1), np.int64(-1)
    at = start
    for box in range(card.boxes):
        if (filled >> box) & 1:
            continue
        if (legal >> box) & 1:
            row = at + outcomes.number[box, roll]
            if best_row < 0 or values[row] > values[best_row]:
                best_row, best_box = row, np.int64(box)
        at += outcomes.first[box + 1] - outcomes.first[box]
    return best_row, best_box


@kernel(inline="always")
def _stop(tables, outcomes, filled, start, values, rows):
    """Writes the row of the best card that each roll can be stopped with."""
    rows[:] = -1
    by_order = legal_by_order(tables.card, filled)
    at = start
    for box in range(tables.card.boxes):
        if (filled >> box) & 1:
            continue
        if (by_order >> box) & 1:
            for roll in range(tables.rolls):
                row = at + outcomes.number[box, roll]
                is_better = rows[roll] < 0 or values[row] > values[rows[roll]]
                rows[roll] = row if is_better else rows[roll]
        at += outcomes.first[box + 1] - outcomes.first[box]
    for roll in range(tables.rolls):
        if tables.alike[roll] != 0:
            legal = legal_boxes(tables.card, filled, tables.alike[roll])
            rows[roll], _ = _best_end(tables.card, outcomes, filled, legal, start, values, roll)


@kernel(inline="always")
def _throw(outcomes, worth):
    """Values the keeps: the mean over the faces of the next die, largest keeps first."""
    keeps = outcomes.add.shape[0]
    for behind in range(1, keeps + 1):
        keep = keeps - behind
        for lane in range(_LANES):
            total = 0.0
            for face in range(6):
                total += worth[outcomes.add[keep, face], lane]
            worth[keep, lane] = total / 6.0


@kernel(inline="always")
def _choose_keep(outcomes, worth):
    """Raises every multiset to the best one it contains, smallest first."""
    for whole in range(1, worth.shape[0]):
        for index in range(outcomes.first_part[whole - 1], outcomes.first_part[whole]):
            part = outcomes.part[index]
            for lane in range(_LANES):
                worth[whole, lane] = max(worth[whole, lane], worth[part, lane])


@kernel(inline="always")
def _choose_both(outcomes, worth, other):
    """The same, and what `other` holds goes along with the choice."""
    for whole in range(1, worth.shape[0]):
        for index in range(outcomes.first_part[whole - 1], outcomes.first_part[whole]):
            part = outcomes.part[index]
            for lane in range(_LANES):
                is_better = worth[part, lane] > worth[whole, lane]
                worth[whole, lane] = worth[part, lane] if is_better else worth[whole, lane]
                other[whole, lane] = other[part, lane] if is_better else other[whole, lane]


@kernel
def _plan(tables, outcomes, filled, others, has_other, plans):
    tables, outcomes, plans = borrow(tables), borrow(outcomes), borrow(plans)
    others = borrow(others)
    size = filled.shape[0]
    worth = np.zeros((tables.keeps + tables.rolls, _LANES))
    other = np.zeros((tables.keeps + tables.rolls, _LANES))
    rows = np.empty(tables.rolls, np.int64)
    for first in range(0, size, _LANES):
        lanes = min(_LANES, size - first)
        for lane in range(lanes):
            _stop(tables, outcomes, filled[first + lane], plans.start[first + lane], plans.values, rows)
            for roll in range(tables.rolls):
                worth[tables.keeps + roll, lane] = plans.values[rows[roll]]
                other[tables.keeps + roll, lane] = others[rows[roll]]
        for stage in range(outcomes.throws):
            _throw(outcomes, worth)
            for lane in range(lanes):
                for keep in range(tables.keeps):
                    plans.keeps[first + lane, stage, keep] = worth[keep, lane]
            if has_other:
                _throw(outcomes, other)
                _choose_both(outcomes, worth, other)
            else:
                _choose_keep(outcomes, worth)
        for lane in range(lanes):
            for roll in range(tables.rolls):
                plans.mean[first + lane] += outcomes.probability[roll] * worth[tables.keeps + roll, lane]
                if has_other:
                    plans.other[first + lane] += outcomes.probability[roll] * other[tables.keeps + roll, lane]


@kernel(inline="always")
def _best_keep(outcomes, keeps, roll):
    """The best keep of a roll, the lowest among equals."""
    best = outcomes.keep[outcomes.first_keep[roll]]
    for index in range(outcomes.first_keep[roll] + 1, outcomes.first_keep[roll + 1]):
        keep = outcomes.keep[index]
        if keeps[keep] > keeps[best]:
            best = keep
    return best


@kernel(inline="always")
def _choose(tables, outcomes, plans, turn, now, lane):
    roll = now.roll[lane]
    filled = now.filled[lane]
    legal = legal_boxes(tables.card, filled, tables.alike[roll])
    row, box = _best_end(tables.card, outcomes, filled, legal, plans.start[turn], plans.values, roll)
    if now.throws_left[lane] > 0:
        keeps = plans.keeps[turn, now.throws_left[lane] - 1]
        best = _best_keep(outcomes, keeps, roll)
        if keeps[best] >= plans.values[row]:
            return best
    return tables.keeps + box


@kernel
def _choose_all(tables, outcomes, plans, now, actions):
    for lane in range(actions.shape[0]):
        actions[lane] = _choose(tables, outcomes, plans, lane, now, lane)


@kernel
def _play_turns(tables, outcomes, plans, games):
    tables, outcomes, plans, games = borrow(tables), borrow(outcomes), borrow(plans), borrow(games)
    for lane in range(games.key.shape[0]):
        filled = games.now.filled[lane]
        while games.now.filled[lane] == filled:
            act(tables, games, lane, _choose(tables, outcomes, plans, lane, games.now, lane))
