"""The distribution of the final score and its moments, against games enumerated in plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from tests.plain_games import Choose, play_out
from tests.solver.helpers import solved
from tests.solver.test_plain_agreement import GAMES, random_rules
from yatzy_env.errors import SolutionError
from yatzy_env.reference import Card, Dice, Solver
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.solver.distribution import QUANTILES, find_distribution
from yatzy_env.solver.expectations import moments_of
from yatzy_env.solver.layout import lay_out
from yatzy_env.tables import action_names, compile_tables


def optimal_play(rules: Ruleset) -> Choose:
    """The optimal player on the plain reading; ties within 1e-9 go to the lowest action."""
    solver, names = Solver(rules), action_names(rules)

    def choose(card: Card, rolls: list[Dice], throws_left: int) -> list[str]:
        chosen = []
        for dice in rolls:
            values = solver.action_values(card, dice, throws_left)
            best = max(values.values())
            chosen.append(next(name for name in names if values.get(name, -1.0) >= best - 1e-9))
        return chosen

    return choose


def compare(rules: Ruleset) -> None:
    ends = play_out(rules, optimal_play(rules))
    expected = np.zeros(rules.max_score + 1)
    for end, chance in ends.items():
        expected[end.points] += chance
    solution = solved(rules)
    found = solution.distribution()
    assert found.maximum >= np.flatnonzero(expected)[-1]
    probability = np.zeros(len(expected))
    probability[: len(found.probability)] = found.probability[: len(expected)]
    assert np.abs(probability - expected).max() < 1e-12
    assert found.probability[len(expected) :].sum() == 0
    assert found.mean == pytest.approx(solution.expected_score, abs=1e-9, rel=0)
    moments = solution.moments()
    bonus_rate = sum(chance for end, chance in ends.items() if end.bonus)
    yatzy_rate = sum(chance for end, chance in ends.items() if end.yatzy)
    assert moments.mean == pytest.approx(solution.expected_score, abs=1e-9, rel=0)
    assert moments.standard_deviation == pytest.approx(found.standard_deviation, abs=1e-6, rel=0)
    assert moments.bonus_rate == found.bonus_rate == pytest.approx(bonus_rate, abs=1e-12)
    assert moments.yatzy_rate == found.yatzy_rate == pytest.approx(yatzy_rate, abs=1e-12)


SMALL = [name for name, fields in GAMES.items() if fields.get("dice", 5) <= 3 and not fields.get("saved_throws")]


@pytest.mark.parametrize("game", SMALL)
def test_all_games_of_small_rules(game: str) -> None:
    compare(ruleset(GAMES[game]))


@pytest.mark.parametrize("seed", range(20, 32))
def test_all_games_of_random_rules(seed: int) -> None:
    compare(random_rules(seed, (2, 2, 3)))


@pytest.mark.parametrize(
    "fields",
    [
        {"dice": 6, "boxes": ["sixes", "castle"], "bonus_threshold": 18, "yatzy_points": 100, "throws": 2},
        {"dice": 5, "boxes": ["fives", "full_house", "yatzy"], "bonus_threshold": 15, "throws": 2},
    ],
)
def test_all_games_with_the_usual_number_of_dice(fields: dict[str, object]) -> None:
    compare(ruleset(fields))


@pytest.mark.parametrize("name", ["forced", "yahtzee-no-bonus", "full-force"])
def test_chances_add_up_and_the_mean_is_the_optimum(name: str) -> None:
    solution = solved(ruleset(name))
    found = solution.distribution()
    assert found.probability.sum() == pytest.approx(1, abs=1e-12)
    assert (found.probability >= 0).all()
    assert found.mean == pytest.approx(solution.expected_score, abs=1e-9, rel=0)
    assert found.standard_deviation == pytest.approx(solution.moments().standard_deviation, abs=1e-8)
    assert found.maximum == solution.rules.max_score
    assert found.at_least(0) == pytest.approx(1)
    for share, score in found.quantiles.items():
        assert found.at_least(score) >= 1 - share - 1e-12
        assert found.at_least(score + 1) <= 1 - share + 1e-12
    assert tuple(found.quantiles) == QUANTILES


def test_the_result_does_not_depend_on_the_number_of_threads() -> None:
    rules = ruleset("full-force")
    tables, cards = compile_tables(rules), lay_out(compile_tables(rules))
    values = solved(rules)._values.whole("")
    alone = find_distribution(tables, cards, values, threads=1)
    assert find_distribution(tables, cards, values, threads=3).tobytes() == alone.tobytes()
    assert moments_of(tables, cards, values, 1) == moments_of(tables, cards, values, 3)


@pytest.mark.slow
def test_yatzy() -> None:
    found = solved(ruleset("yatzy")).distribution()
    assert found.mean == pytest.approx(248.4399893778553, abs=1e-9, rel=0)
    assert found.standard_deviation == pytest.approx(38.50, abs=0.005)
    assert found.bonus_rate == pytest.approx(0.898, abs=0.0005)
    assert found.maximum == 374


@pytest.mark.slow
def test_yahtzee_as_published() -> None:
    """Mean and standard deviation are those of the published optimal strategy, 254.59 and 59.61."""
    found = solved(ruleset("yahtzee")).distribution()
    assert found.mean == pytest.approx(254.58772873449593, abs=1e-9, rel=0)
    assert found.standard_deviation == pytest.approx(59.61, abs=0.005)
    assert found.maximum == 1575


def test_saved_throws_are_refused() -> None:
    rules = ruleset({"dice": 6, "throws": 2, "boxes": ["ones"], "bonus_threshold": 2, "saved_throws": True})
    for ask in (solved(rules).moments, solved(rules).distribution):
        with pytest.raises(SolutionError, match="saved throws"):
            ask()


@pytest.mark.slow
def test_too_many_cards_are_refused_before_any_work() -> None:
    tables = compile_tables(ruleset("maxi-tactic"))
    cards = lay_out(tables)
    with pytest.raises(SolutionError, match="GB of memory"):
        find_distribution(tables, cards, np.zeros(0))
