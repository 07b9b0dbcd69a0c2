"""What a `Solution` answers, and what it refuses."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tests.solver.helpers import sampled, solved, unfinished
from yatzy_env.errors import RulesetError, SituationError, SolutionError
from yatzy_env.games import action_masks, new_games, play
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.situation import Situation, batch, single
from yatzy_env.solver import Solution, solve
from yatzy_env.tables import compile_tables

NAMES = ("yahtzee", "forced", "yacht")
FRESH = Situation(0, (0,), (2, 2, 2, 5, 5), 2)


@pytest.fixture(params=NAMES)
def rules(request: pytest.FixtureRequest) -> Ruleset:
    return ruleset(request.param)


def test_values_are_nan_exactly_where_actions_are_illegal(rules: Ruleset) -> None:
    now = sampled(rules, 2000)
    values = solved(rules).batch_action_values(now)
    assert values.dtype == np.float64
    assert np.array_equal(~np.isnan(values), action_masks(compile_tables(rules), now) == 1)


def test_batches_of_any_size_and_order_give_the_same(rules: Ruleset) -> None:
    solution, now = solved(rules), sampled(rules, 3000)
    values = solution.batch_action_values(now)
    order = np.random.default_rng(3).permutation(len(now.roll))
    assert np.array_equal(solution.batch_action_values(now.take(order)), values[order], equal_nan=True)
    for lane in range(10):
        situation = single(compile_tables(rules), now, lane)
        assert np.array_equal(solution.action_values(situation), values[lane], equal_nan=True)
        assert solution.value(situation) == np.nanmax(values[lane])


def test_regret() -> None:
    solution = solved(ruleset("yahtzee"))
    values = solution.action_values(FRESH)
    best = int(np.nanargmax(values))
    regrets = np.array([solution.regret(FRESH, action) for action in range(len(values))])
    assert regrets[best] == 0
    assert np.array_equal(np.isnan(regrets), np.isnan(values))
    assert np.nanmin(regrets) == 0
    assert solution.regret(FRESH, np.int64(best)) == 0


@pytest.mark.parametrize("action", [-1, 223, 10**6])
def test_actions_outside_the_action_space_are_refused(action: int) -> None:
    with pytest.raises(IndexError, match="allowed: 0 to 222"):
        solved(ruleset("yahtzee")).regret(FRESH, action)


def test_full_cards(rules: Ruleset) -> None:
    solution = solved(rules)
    every_box = compile_tables(rules).card.all_boxes
    full = Situation(every_box, (40,), (), 0)
    assert np.isnan(solution.action_values(full)).all()
    assert solution.value(full) == 0
    assert np.isnan(solution.regret(full, 0))
    assert solution.card_values([every_box] * 3, [0, 62, 105]).tolist() == [0, 0, 0]


def test_sums_beyond_the_threshold_and_beyond_reach_are_what_they_stand_for() -> None:
    rules = ruleset("yahtzee")
    solution = solved(rules)
    upper_full = 0b111111
    values = solution.card_values([upper_full] * 4, [0, 62, 63, 105])
    assert values[0] == values[1]
    assert values[2] == values[3]
    # The bonus is paid when it falls: nothing of it is still to come, whether it was earned or missed.
    assert values[1] == pytest.approx(values[2], abs=1e-12)


def test_values_of_cards_have_the_shape_of_what_is_asked() -> None:
    solution = solved(ruleset("yahtzee"))
    assert solution.card_values(0, 0) == solution.expected_score
    assert solution.card_values(np.zeros((2, 3), np.int64), 0).shape == (2, 3)
    assert solution.card_values([], []).shape == (0,)


def test_expected_score_is_the_value_of_the_first_turn(rules: Ruleset) -> None:
    solution = solved(rules)
    assert solution.expected_score == solution.card_values([0], [0], [False])[0]
    assert isinstance(solution.expected_score, float)
    assert f"{solution.expected_score:.10f}" in repr(solution)
    assert rules.name in repr(solution)


def test_situations_that_cannot_arise_are_refused() -> None:
    solution = solved(ruleset("forced"))
    for wrong in ({"filled": 2}, {"upper": (3,)}, {"roll": (1, 2, 3)}, {"throws_left": 3}, {"yatzy_fifty": True}):
        with pytest.raises(SituationError):
            solution.action_values(dataclasses.replace(FRESH, **wrong))


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("filled", 2, "cannot be reached"),
        ("filled", -1, "cannot be reached"),
        ("filled", 1 << 40, "cannot be reached"),
        ("upper", -3, "cannot be reached"),
        ("yatzy_scored", True, "cannot be reached"),
        ("roll", 252, "roll must lie in -1..251"),
        ("roll", -1, "roll must be -1 on full cards"),
        ("throws_left", 3, "throws_left must lie in 0..2"),
        ("throws_left", -1, "throws_left must lie in 0..2"),
    ],
)
def test_batches_with_a_bad_entry_are_refused(field: str, value: int, message: str) -> None:
    rules = ruleset("forced")
    now = batch(rules, [FRESH, FRESH])
    getattr(now, field)[1] = value
    with pytest.raises(SituationError, match=message):
        solved(rules).batch_action_values(now)


def test_batches_of_the_wrong_shape_are_refused() -> None:
    now = batch(ruleset("triple"), [Situation(0, (0, 0, 0), (1, 2, 3, 4, 5))])
    with pytest.raises(SituationError, match="shapes"):
        solved(ruleset("forced")).batch_action_values(now)


def test_playing_on_does_not_touch_what_was_returned() -> None:
    rules = ruleset("forced")
    solution, now = solved(rules), sampled(rules, 50)
    values = solution.batch_action_values(now)
    copy = values.copy()
    solution.batch_action_values(sampled(rules, 50, seed=2))
    assert np.array_equal(values, copy, equal_nan=True)


def test_ways_to_name_the_rules(tmp_path: object) -> None:
    rules = ruleset("forced")
    for given in ("forced", rules, rules.model_dump()):
        solution = solve(given, cache=False)
        assert isinstance(solution, Solution)
        assert solution.rules == rules
        assert solution.digest == solved(rules).digest
    with pytest.raises(RulesetError, match="did you mean"):
        solve("forcd", cache=False)


def test_several_columns_cannot_be_solved() -> None:
    with pytest.raises(SolutionError, match="3 columns") as caught:
        solve("triple")
    assert "\n" not in str(caught.value)
    assert "'triple'" in str(caught.value)


def test_optimal_play_earns_the_optimum_on_average() -> None:
    """A coarse end-to-end check; the exact ones are elsewhere."""
    rules = ruleset("forced")
    tables, solution = compile_tables(rules), solved(rules)
    games = new_games(tables, np.arange(4000, dtype=np.uint64))
    scores: list[int] = []
    while len(games.key):
        play(tables, games, np.nanargmax(solution.batch_action_values(games.now), axis=1))
        scores += games.total[games.now.roll < 0].tolist()
        games = unfinished(games)
    assert len(scores) == 4000
    assert abs(np.mean(scores) - solution.expected_score) < 4 * np.std(scores) / np.sqrt(len(scores))
