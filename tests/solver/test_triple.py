"""The interval for games of several columns, against brute force over joint cards in plain Python."""

from __future__ import annotations

import json
from functools import cache
from itertools import combinations, combinations_with_replacement
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from yatzy_env import reference
from yatzy_env.errors import SolutionError
from yatzy_env.reference import Card
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.solver import solve, triple, triple_endgame
from yatzy_env.solver.layout import lay_out
from yatzy_env.solver.sweep import sweep_with_passes
from yatzy_env.solver.triple_endgame import endgame_bound
from yatzy_env.solver.triple_play import play_games
from yatzy_env.solver.triple_prices import find_prices
from yatzy_env.tables import compile_tables

GAMES: dict[str, dict[str, Any]] = {
    "two columns": {
        "dice": 3,
        "throws": 2,
        "boxes": ["fives", "sixes", "one_pair"],
        "columns": [1, 2],
        "bonus_threshold": 22,
        "bonus_points": 30,
    },
    "three columns": {
        "dice": 2,
        "throws": 3,
        "boxes": ["twos", "yatzy"],
        "columns": [1, 2, 3],
        "bonus_threshold": 4,
        "bonus_points": 9,
        "yatzy_points": 20,
    },
    "order": {
        "dice": 2,
        "throws": 2,
        "boxes": ["ones", "sixes", "one_pair", "yatzy"],
        "columns": [1, 3],
        "bonus_threshold": 12,
        "bonus_points": 20,
        "yatzy_points": 15,
        "order": "top-down",
        "yatzy_first": True,
    },
    "no bonus": {
        "dice": 3,
        "throws": 2,
        "boxes": ["one_pair", "three_of_a_kind", "chance"],
        "columns": [2, 2],
        "bonus_threshold": 0,
        "bonus_points": 0,
    },
}
CLOSE = 0.12
"""How far above the optimum the bound may lie, as a share; the games are small, where the relaxation is worst."""


class JointSolver:
    """The exact optimum of several columns at once: plain recursion over cards, upper sums cut at the threshold."""

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self.value = cache(self._value)

    def start(self) -> float:
        return self.value(reference.empty_card(self.rules))

    def _value(self, card: Card) -> float:
        if len(card.filled) == len(self.rules.box_names):
            return 0.0
        plan = reference.plan_turn(self.rules, card, self._worth)
        return reference.mean(self.rules.dice, plan.rolls[-1])

    def _worth(self, gained: int, after: Card) -> float:
        cut = tuple(min(upper, self.rules.bonus_threshold) for upper in after.upper)
        return gained + self.value(after._replace(upper=cut))


@cache
def optimum(name: str) -> float:
    return JointSolver(ruleset(GAMES[name])).start()


@cache
def found(name: str) -> triple.Interval:
    return triple.interval(GAMES[name], games=4000, cache=False, progress=False)


@pytest.mark.parametrize("name", GAMES)
def test_the_interval_holds_the_optimum_and_is_not_vacuous(name: str) -> None:
    rules, bounds = ruleset(GAMES[name]), found(name)
    assert bounds.lower < optimum(name) < bounds.upper
    assert bounds.upper < (1 + CLOSE) * optimum(name)
    one = solve(rules.replace(columns=(1,)), cache=False, progress=False).expected_score
    assert bounds.lower == pytest.approx(sum(rules.columns) * one, abs=1e-5)


@pytest.mark.parametrize("name", GAMES)
def test_columns_set_free_are_a_bound_and_not_a_vacuous_one(name: str) -> None:
    rules = ruleset(GAMES[name])
    prices, *_ = find_prices(compile_tables(rules))
    bound = triple.upper_bound(rules, prices)
    assert optimum(name) < bound < (1 + CLOSE) * optimum(name)
    assert bound < 0.8 * rules.max_score


@pytest.mark.parametrize("name", GAMES)
def test_any_number_of_last_turns_gives_a_bound(name: str) -> None:
    rules = ruleset(GAMES[name])
    tables, one = compile_tables(rules), compile_tables(rules.replace(columns=(1,)))
    good, shares, _ = find_prices(tables)
    rng = np.random.default_rng(2)
    turns = tables.card.boxes
    for last in range(turns + 1):
        assert endgame_bound(tables, one, good, shares, last) >= optimum(name) - 1e-9
        prices = good + 3 * rng.normal(size=good.shape)
        lines = rng.uniform(0, rules.bonus_points / max(rules.bonus_threshold, 1), len(shares))
        assert endgame_bound(tables, one, prices, lines, last) >= optimum(name) - 1e-9
    halfway = endgame_bound(tables, one, good, shares, turns // 2)
    assert halfway < endgame_bound(tables, one, good, shares, 0)


def test_without_bonus_and_order_all_turns_played_exactly_are_the_optimum() -> None:
    rules = ruleset(GAMES["no bonus"])
    tables, one = compile_tables(rules), compile_tables(rules.replace(columns=(1,)))
    prices, shares, _ = find_prices(tables, 5)
    assert endgame_bound(tables, one, prices, shares, 6) == pytest.approx(optimum("no bonus"), abs=1e-9)


def test_the_largest_excess_is_over_all_sets_in_the_order_of_their_ranks() -> None:
    rng = np.random.default_rng(3)
    ranked = sorted(combinations(range(7), 3), key=lambda boxes: boxes[::-1])
    values, worth = rng.normal(size=len(ranked)), rng.normal(size=7)
    expected = max(value - worth[list(boxes)].sum() for value, boxes in zip(values, ranked, strict=True))
    binomial = np.array([[comb(n, k) for k in range(5)] for n in range(9)], np.int64)
    assert triple_endgame._largest_excess(binomial, 3, values, worth) == pytest.approx(expected, abs=1e-12)


def test_without_last_turns_the_line_alone_is_looser_than_the_bonus() -> None:
    rules = ruleset(GAMES["two columns"])
    tables, one = compile_tables(rules), compile_tables(rules.replace(columns=(1,)))
    prices, shares, bound = find_prices(tables)
    assert triple.upper_bound(rules, prices) < endgame_bound(tables, one, prices, shares, 0) <= bound + 1e-9


@pytest.mark.parametrize("name", GAMES)
def test_the_estimate_is_a_better_policy_but_no_better_than_the_optimum(name: str) -> None:
    bounds = found(name)
    assert bounds.lower_estimate < optimum(name) + 4 * bounds.lower_estimate_se
    assert bounds.lower_estimate > bounds.lower + 0.5 * (optimum(name) - bounds.lower)


@pytest.mark.parametrize("name", GAMES)
def test_any_prices_give_a_bound(name: str) -> None:
    """The theorem asks nothing of the prices: neither their sign, nor their size, nor that they fit the turn."""
    rules = ruleset(GAMES[name])
    tables = compile_tables(rules)
    rng = np.random.default_rng(1)
    good, *_ = find_prices(tables)
    for size in (0.0, 0.3, 3.0, 30.0):
        for _ in range(3):
            prices = good + size * rng.normal(size=good.shape)
            assert triple.upper_bound(rules, prices) >= optimum(name)
    for constant in (-7.0, 0.0, 40.0):
        assert triple.upper_bound(rules, np.full_like(good, constant)) >= optimum(name)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_column_that_may_let_turns_pass_agrees_with_plain_recursion(seed: int) -> None:
    column = ruleset({"dice": 2, "boxes": ["ones", "yatzy"], "bonus_threshold": 2, "columns": [2], "throws": 2})
    tables, turns = compile_tables(column), 4
    prices = np.random.default_rng(seed).normal(5, 5, (turns, tables.rolls))
    rolls = list(combinations_with_replacement(range(1, 7), 2))

    @cache
    def worth(card: reference.Card, passes: int) -> float:
        still_open = len(column.boxes) - len(card.filled)
        if not still_open:
            return 0.0
        stop = {}
        for roll, dice in enumerate(rolls):
            ends = [reference.fill(column, card, box, dice) for box in reference.legal(column, card.filled, dice)]
            stop[dice] = max(gained + worth(after, passes) for gained, after in ends)
            stop[dice] -= prices[turns - still_open - passes, roll]
            if passes:
                stop[dice] = max(stop[dice], worth(card, passes - 1))
        keeps = {keep: reference.mean(2, stop, keep) for dice in rolls for keep in reference.parts_of(dice)}
        best = {dice: max(stop[dice], *(keeps[keep] for keep in reference.parts_of(dice))) for dice in rolls}
        return reference.mean(2, best)

    expected = worth(reference.empty_card(column), turns - 2)
    assert sweep_with_passes(tables, lay_out(tables), prices) == pytest.approx(expected, abs=1e-12)


def test_a_constant_price_changes_nothing() -> None:
    rules = ruleset(GAMES["two columns"])
    shape = (compile_tables(rules).card.boxes, compile_tables(rules).rolls)
    free = triple.upper_bound(rules, np.zeros(shape))
    assert triple.upper_bound(rules, np.full(shape, 11.0)) == pytest.approx(free, abs=1e-9)
    assert found("two columns").upper < free


@pytest.mark.parametrize("name", GAMES)
def test_columns_do_no_better_than_free_boxes(name: str) -> None:
    """A column is worth at most what its boxes are worth alone, for the same prices, with a line for the bonus."""
    prices, _, bound = find_prices(compile_tables(ruleset(GAMES[name])))
    assert triple.upper_bound(ruleset(GAMES[name]), prices) <= bound + 1e-4


def test_luck_has_mean_zero_and_the_estimate_is_the_mean_score() -> None:
    rules = ruleset(GAMES["two columns"])
    tables, one = compile_tables(rules), compile_tables(rules.replace(columns=(1,)))
    layout = lay_out(one).layout
    values = np.zeros((2, tables.card.boxes - one.card.boxes + 1, layout.size), np.float32)
    prices, *_ = find_prices(tables)
    triple.upper_bound(rules, prices, out=values)
    scores, luck = play_games(tables, one, layout, values, 8000, 5)
    assert abs(luck.mean()) < 4 * luck.std() / np.sqrt(len(luck))
    assert (scores - luck).std() < scores.std()
    again, _ = play_games(tables, one, layout, values, 100, 5)
    assert again.tolist() == scores[:100].tolist()


def test_the_cache_is_used_and_checked(tmp_path: Path) -> None:
    first = triple.interval(GAMES["three columns"], games=100, cache_dir=tmp_path, progress=False)
    again = triple.interval(GAMES["three columns"], games=100, cache_dir=tmp_path, progress=False)
    assert not first.from_cache
    assert again.from_cache
    assert first.figures() | {"from_cache": True} == again.figures()
    other = triple.interval(GAMES["three columns"], games=200, cache_dir=tmp_path, progress=False)
    assert not other.from_cache
    (file,) = tmp_path.glob("*.json")
    contents = json.loads(file.read_text())
    file.write_text(json.dumps(contents | {"upper": contents["upper"] - 1}))
    with pytest.raises(SolutionError, match="--no-cache"):
        triple.interval(GAMES["three columns"], games=200, cache_dir=tmp_path, progress=False)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (ruleset("yatzy"), "one column"),
        (ruleset("maxi-alga").replace(columns=(1, 2)), "saved throws"),
        (ruleset("maxi-danish").replace(columns=(1, 2)), "more than"),
    ],
)
def test_refusals(rules: Ruleset, message: str) -> None:
    with pytest.raises(SolutionError, match=message) as caught:
        triple.interval(rules, cache=False)
    assert "\n" not in str(caught.value)


def test_solve_points_to_the_interval() -> None:
    with pytest.raises(SolutionError, match="interval"):
        solve("triple")


@pytest.mark.slow
def test_triple_yatzy() -> None:
    """The figures of the README: about three minutes of processor time."""
    bounds = triple.interval("triple", games=1000, cache=False, progress=False)
    assert bounds.lower == pytest.approx(1490.6399, abs=1e-3)
    assert bounds.lower_estimate - 4 * bounds.lower_estimate_se > 1690
    assert bounds.lower_estimate < 1710
    assert bounds.upper < 1824
