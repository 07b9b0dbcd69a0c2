"""Planning a turn, against the exact solution and against enumeration."""

from __future__ import annotations

import numpy as np
import pytest

from agents.winning.cards import PointsPlayer, reachable_cards
from agents.winning.turns import choose, list_ends, list_outcomes, plan, play_turns
from tests.winning.helpers import SMALL, exact_table
from yatzy_env.errors import YatzyError
from yatzy_env.games import gains, new_games, play
from yatzy_env.rules import ruleset
from yatzy_env.situation import Situations, empty_situations
from yatzy_env.solver import solve
from yatzy_env.tables import compile_tables

PLAYER = PointsPlayer(SMALL, exact_table(SMALL))
TABLES, OUTCOMES = PLAYER.tables, PLAYER.outcomes


def open_cards() -> tuple[np.ndarray, np.ndarray]:
    filled, upper, _ = reachable_cards(SMALL)
    is_open = filled != TABLES.card.all_boxes
    return filled[is_open], upper[is_open]


def situations(filled: np.ndarray, upper: np.ndarray, roll: int, throws_left: int) -> Situations:
    now = empty_situations(TABLES, len(filled))
    now.filled[:], now.upper[:, 0], now.roll[:], now.throws_left[:] = filled, upper, roll, throws_left
    return now


def test_planned_with_exact_values_a_turn_is_worth_what_the_solution_says() -> None:
    filled, upper = open_cards()
    expected = solve(SMALL, cache=False, progress=False).card_values(filled, upper)
    assert PLAYER.plan(filled, upper).mean == pytest.approx(expected, abs=1e-9)


def test_the_plan_chooses_a_best_action() -> None:
    filled, upper = open_cards()
    solution = solve(SMALL, cache=False, progress=False)
    plans = PLAYER.plan(filled, upper)
    for roll in range(0, TABLES.rolls, 5):
        for throws_left in range(3):
            now = situations(filled, upper, roll, throws_left)
            values = solution.batch_action_values(now)
            chosen = values[np.arange(len(filled)), choose(TABLES, OUTCOMES, plans, now)]
            assert chosen == pytest.approx(np.nanmax(values, axis=1), abs=1e-9)


def test_ends_are_the_cards_that_boxes_lead_to() -> None:
    filled, upper = open_cards()
    ends = list_ends(TABLES, OUTCOMES, filled, upper)
    listed = {tuple(row) for row in np.column_stack([ends.turn, ends.filled, ends.upper, ends.gain]).tolist()}
    found = set()
    for roll in range(TABLES.rolls):
        now = situations(filled, upper, roll, 0)
        for turn, boxes in enumerate(gains(TABLES, now)):
            for box, gain in enumerate(boxes.tolist()):
                if gain >= 0:
                    face = TABLES.card.face[box]
                    points = int(TABLES.points[0, box, roll])
                    found.add((turn, int(filled[turn]) | 1 << box, int(upper[turn]) + (points if face else 0), gain))
    assert listed == found
    assert len(listed) == len(ends.turn)


def test_the_other_quantity_follows_the_plan() -> None:
    filled, upper = open_cards()
    ends = list_ends(TABLES, OUTCOMES, filled, upper)
    values = PLAYER.values(ends)
    rng = np.random.default_rng(1)
    others = rng.random(len(values))
    plans = plan(TABLES, OUTCOMES, filled, ends, values, others)
    same = plan(TABLES, OUTCOMES, filled, ends, values, values)
    assert same.other == pytest.approx(same.mean, abs=1e-12)
    # Rating cards by a little of the other quantity too raises its expectation or leaves it as it is.
    for weight in (1e-6, 1.0):
        mixed = plan(TABLES, OUTCOMES, filled, ends, values + weight * others, others)
        assert (mixed.other >= plans.other - 1e-9).all()


def test_the_expectation_is_what_play_yields_on_average() -> None:
    games = 20_000
    turn = new_games(TABLES, np.arange(games, dtype=np.uint64))
    filled, upper = turn.now.filled.copy(), turn.now.upper[:, 0].copy()
    ends = list_ends(TABLES, OUTCOMES, filled[:1], upper[:1])
    others = (ends.gain >= 12).astype(float)
    one = plan(TABLES, OUTCOMES, filled[:1], ends, PLAYER.values(ends), others)
    play_turns(TABLES, OUTCOMES, PLAYER.plan(filled, upper), turn)
    share = (turn.total >= 12).mean()
    assert share == pytest.approx(one.other[0], abs=4 * np.sqrt(0.25 / games))


def test_a_turn_played_at_once_is_the_turn_played_by_choices() -> None:
    keys = np.arange(50, dtype=np.uint64)
    fast, slow = new_games(TABLES, keys), new_games(TABLES, keys)
    plans = PLAYER.plan(fast.now.filled.copy(), fast.now.upper[:, 0].copy())
    play_turns(TABLES, OUTCOMES, plans, fast)
    for _ in range(TABLES.throws):
        waiting = slow.now.filled == 0
        actions = choose(TABLES, OUTCOMES, plans, slow.now)
        some = slow.take(waiting)
        play(TABLES, some, actions[waiting])
        for whole, part in zip(slow.now, some.now, strict=True):
            whole[waiting] = part
        for whole, part in zip(slow[1:], some[1:], strict=True):
            whole[waiting] = part
    assert (slow.total == fast.total).all()
    assert (slow.now.filled == fast.now.filled).all()
    assert (slow.now.roll == fast.now.roll).all()


@pytest.mark.parametrize("name", ["yahtzee", "triple", "maxi-alga"])
def test_cards_that_hold_more_are_refused(name: str) -> None:
    with pytest.raises(YatzyError, match="one column without joker"):
        list_outcomes(ruleset(name))


def test_forced_orders_are_kept() -> None:
    rules = ruleset("forced")
    outcomes, tables = list_outcomes(rules), compile_tables(rules)
    zero = np.zeros(1, np.int64)
    ends = list_ends(tables, outcomes, zero, zero)
    plans = plan(tables, outcomes, zero, ends, ends.gain.astype(float))
    games = new_games(tables, np.array([5], np.uint64))
    play_turns(tables, outcomes, plans, games)
    assert games.now.filled[0] == 1
