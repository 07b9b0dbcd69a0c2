"""Optima that others have published, or that were computed independently."""

from __future__ import annotations

import pytest

from tests.solver.helpers import solved
from yatzy_env.rules import ruleset

# Tolerances: half a unit of the last digit printed, or 1e-9 where sixteen digits are.
FULL = 1e-9

PUBLISHED = [
    ("yatzy", {}, 248.4399893778553, FULL),
    ("yatzy", {"five_alike_is_full_house": True}, 248.4680909, 5e-8),
    ("yatzy", {"four_alike_is_two_pairs": True}, 248.6440589, 5e-8),
    ("yatzy", {"five_alike_is_full_house": True, "four_alike_is_two_pairs": True}, 248.6748827, 5e-8),
    ("yahtzee", {}, 254.58772873449593, FULL),
    ("yahtzee-free-joker", {}, 254.5896094819631, FULL),
    ("yahtzee-no-joker", {}, 253.97024118978018, FULL),
    ("yahtzee-no-bonus", {}, 245.8707745141, 5e-11 + FULL),
    ("forced", {"bonus_threshold": 63}, 122.55852739642387, FULL),
    ("forced", {"bonus_threshold": 63, "five_alike_is_full_house": True}, 122.60635350637136, FULL),
    ("forced", {"bonus_threshold": 63, "four_alike_is_two_pairs": True}, 123.19457810800856, FULL),
]


@pytest.mark.parametrize(("name", "changes", "optimum", "tolerance"), PUBLISHED)
def test_published_optimum(name: str, changes: dict[str, object], optimum: float, tolerance: float) -> None:
    assert solved(ruleset(name).replace(**changes)).expected_score == pytest.approx(optimum, abs=tolerance, rel=0)


@pytest.mark.slow
def test_maxi_as_published_with_tables_in_single_precision() -> None:
    # Published as 383.305389 to 383.305401, depending on the order of the sums; a float32 step is 3e-5 there.
    assert solved(ruleset("maxi-tactic")).expected_score == pytest.approx(383.3054, abs=5e-5, rel=0)


@pytest.mark.slow
def test_maxi_with_the_dear_bonus_and_no_saved_throws() -> None:
    rules = ruleset("maxi-danish").replace(bonus_points=100)
    assert solved(rules).expected_score == pytest.approx(394.56, abs=0.005, rel=0)


def test_cards_of_yatzy() -> None:
    assert solved(ruleset("yatzy")).cards == 1_430_528


def test_forced_orders_have_a_handful_of_states() -> None:
    solution = solved(ruleset("forced"))
    assert solution.cards < 1000
    assert solution.cpu_seconds < 0.5


@pytest.mark.parametrize("name", ["yatzy", "yahtzee"])
def test_a_rule_that_gives_more_freedom_is_worth_more(name: str) -> None:
    free = solved(ruleset(name)).expected_score
    half = solved(ruleset(name).replace(order="upper-first")).expected_score
    full = solved(ruleset(name).replace(order="upper-in-order")).expected_score
    down = solved(ruleset(name).replace(order="top-down")).expected_score
    assert free > half > full > down
