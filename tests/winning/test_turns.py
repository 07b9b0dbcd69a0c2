"""Turns of play for points, against the exact solution."""

from __future__ import annotations

import numpy as np
import pytest

from agents.winning.cards import PointsPlayer, reachable_cards
from tests.winning.helpers import SMALL, exact_table
from yatzy_env.errors import YatzyError
from yatzy_env.rules import ruleset
from yatzy_env.solver import solve
from yatzy_env.turn import plan_turns

PLAYER = PointsPlayer(SMALL, exact_table(SMALL))
TABLES = PLAYER.tables


def open_cards() -> tuple[np.ndarray, np.ndarray]:
    filled, upper, _ = reachable_cards(SMALL)
    is_open = filled != TABLES.card.all_boxes
    return filled[is_open], upper[is_open]


def test_planned_with_exact_values_a_turn_is_worth_what_the_solution_says() -> None:
    filled, upper = open_cards()
    expected = solve(SMALL, cache=False, progress=False).card_values(filled, upper)
    assert PLAYER.plan(filled, upper).mean == pytest.approx(expected, abs=1e-9)


def test_squares_are_those_of_points_with_the_spread_of_the_cards_after() -> None:
    filled, upper = open_cards()
    plans = PLAYER.plan(filled, upper, squares=True)
    after = plans.ends.after
    spread = PLAYER.table.spread[PLAYER.table.place(after.filled, after.upper[:, 0])]
    squares = plans.chance * (plans.values**2 + spread**2)
    assert plans.other == pytest.approx(np.bincount(plans.ends.turn, squares), abs=1e-9)
    assert (plans.other >= plans.mean**2 - 1e-9).all()


def test_rating_cards_by_another_quantity_too_raises_its_expectation_or_leaves_it_as_it_is() -> None:
    ends = PLAYER.ends(*open_cards())
    values, others = PLAYER.values(ends), np.random.default_rng(1).random(len(ends.turn))
    for_points = plan_turns(TABLES, ends, values, others).other
    for weight in (1e-6, 1.0):
        assert (plan_turns(TABLES, ends, values + weight * others, others).other >= for_points - 1e-9).all()


@pytest.mark.parametrize("name", ["yahtzee", "triple", "maxi-alga"])
def test_cards_that_hold_more_are_refused(name: str) -> None:
    with pytest.raises(YatzyError, match="one column without joker"):
        PointsPlayer(ruleset(name), PLAYER.table)
