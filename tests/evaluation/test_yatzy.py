"""The measurement on the real games: yatzy, and yahtzee for the joker and the extra bonus."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from agents.baselines import GreedyAgent, OneTurnAgent, RandomAgent
from agents.optimal import OptimalAgent
from tests.evaluation.helpers import false_dice
from yatzy_env.agent import Agent
from yatzy_env.evaluation.matches import Match, MeasurementError, check_luck, play_match
from yatzy_env.evaluation.results import summarise
from yatzy_env.evaluation.statistics import estimate, paired
from yatzy_env.rules import ruleset
from yatzy_env.solver import Solution, solve

GAMES = 1000
YATZY = ruleset("yatzy")


@pytest.fixture(scope="module")
def solution() -> Solution:
    """The solution of yatzy."""
    return solve(YATZY, cache=False, progress=False)


@pytest.fixture(scope="module")
def matches(solution: Solution) -> dict[str, Match]:
    """The ladder on the same dice."""
    agents: list[Agent] = [RandomAgent(YATZY), GreedyAgent(YATZY), OneTurnAgent(YATZY), OptimalAgent(solution)]
    return {agent.name: play_match(agent, YATZY, GAMES, 1, solution) for agent in agents}


def test_every_game_is_optimum_plus_luck_minus_regret(matches: dict[str, Match]) -> None:
    for match in matches.values():
        assert match.luck is not None
        np.testing.assert_allclose(match.score, match.optimum + match.luck - match.game_regret, rtol=0, atol=1e-9)
        check_luck(match)


def test_optimal_play(matches: dict[str, Match]) -> None:
    match = matches["optimal"]
    result = summarise(match)
    assert result.regret_per_game == pytest.approx(0, abs=1e-9)
    assert result.expected_score == pytest.approx(248.4399893778553, abs=1e-9)
    assert result.percent_of_optimum == pytest.approx(100, abs=1e-9)
    assert abs(result.mean_score - 248.4399893778553) < 4 * result.score_se
    assert 0.85 < result.bonus_rate < 0.95
    assert match.decisions.max() <= 45


def test_the_ladder_has_its_order(matches: dict[str, Match]) -> None:
    names = ["random", "greedy", "one-turn", "optimal"]
    for worse, better in pairwise(names):
        assert paired(matches[better].score, matches[worse].score).low > 10, f"{better} over {worse}"


def test_the_regret_is_the_sharper_measure(matches: dict[str, Match]) -> None:
    match = matches["one-turn"]
    score, regret = estimate(match.score), estimate(match.game_regret)
    assert regret.error < score.error / 2
    assert abs(score.mean - (match.optimum - regret.mean)) < 4 * score.error


def test_false_dice_make_the_luck_check_fail(solution: Solution) -> None:
    match = play_match(OneTurnAgent(YATZY), YATZY, 300, 1, solution, tables=false_dice(YATZY))
    with pytest.raises(MeasurementError, match="mean luck"):
        check_luck(match)


@pytest.mark.parametrize("name", ["yahtzee", "forced", "half-force", "yacht"])
def test_other_rulesets(name: str) -> None:
    rules = ruleset(name)
    solved = solve(rules, cache=False, progress=False)
    for agent in (RandomAgent(rules), OptimalAgent(solved)):
        match = play_match(agent, rules, 200, 1, solved)
        check_luck(match)
    assert np.abs(match.game_regret).max() < 1e-9
