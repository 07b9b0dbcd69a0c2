"""Luck by values of score cards: nothing on average whatever the values, and the solution's own with the exact ones."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numpy.typing import NDArray

import yatzy_env
from agents.baselines import GreedyAgent, OneTurnAgent
from agents.models.digest import MODELS
from scripts import evaluate
from tests.evaluation.helpers import TINY
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.matches import CardValues, check_luck, play_match
from yatzy_env.evaluation.results import measure
from yatzy_env.evaluation.statistics import estimate
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.solver import Solution, solve
from yatzy_env.turn import Cards

SAVED = ruleset("maxi-alga").replace(name="saved", boxes=("ones", "sixes", "one_pair"), bonus_threshold=18)


def exact_values(solution: Solution) -> CardValues:
    pools = solution.rules.saved_throws

    def values(cards: Cards) -> NDArray[np.float64]:
        card = (cards.filled, cards.upper[:, 0], cards.yatzy_scored)
        return solution.card_values(*card, cards.pool) if pools else solution.card_values(*card)

    return values


def zero_values(cards: Cards) -> NDArray[np.float64]:
    return np.zeros(len(cards.filled))


def bad_values(cards: Cards) -> NDArray[np.float64]:
    """Nonsense: what is open counts by its number, and the upper sum against the player."""
    open_boxes = ~cards.filled & 0x7FFF
    return np.where(open_boxes == 0, 0.0, open_boxes / 200 - 3.0 * cards.upper[:, 0])


@pytest.mark.parametrize("rules", [TINY, ruleset("forced"), SAVED], ids=lambda rules: rules.name)
def test_exact_values_give_optimum_minus_regret_in_every_game(rules: Ruleset) -> None:
    solution = solve(rules, cache=False, progress=False)
    agent = OneTurnAgent(rules)
    solved = play_match(agent, rules, 300, seed=5, solution=solution)
    valued = play_match(agent, rules, 300, seed=5, card_values=exact_values(solution), batch=70)
    assert np.array_equal(valued.score, solved.score)
    assert solved.optimum is not None
    np.testing.assert_allclose(valued.luck_adjusted, solved.optimum - solved.game_regret, rtol=0, atol=1e-9)
    assert valued.regret is valued.optimum is None


def test_bad_values_leave_the_mean_alone() -> None:
    rules = ruleset("yatzy")
    for agent in (GreedyAgent(rules), OneTurnAgent(rules)):
        match = play_match(agent, rules, 1500, seed=11, card_values=bad_values)
        assert match.luck is not None
        assert match.luck.std() > 10
        check_luck(match)
        raw, adjusted = estimate(match.score), estimate(match.luck_adjusted)
        assert abs(raw.mean - adjusted.mean) < 4 * np.hypot(raw.error, adjusted.error)


def test_the_fields_stand_beside_the_mean_score_where_there_is_no_solution() -> None:
    result = yatzy_env.evaluate(
        GreedyAgent(TINY), TINY, games=400, card_values=exact_values(solve(TINY, cache=False, progress=False))
    )
    fields = result.fields()
    assert fields["regret_per_game"] is None
    assert fields["luck_adjusted_se"] < fields["score_se"]
    assert abs(fields["luck_adjusted_score"] - fields["mean_score"]) < 4 * fields["score_se"]
    assert "estimate" in str(result)
    solved = yatzy_env.evaluate(GreedyAgent(TINY), TINY, games=400, solution=solve(TINY, cache=False, progress=False))
    assert "luck_adjusted_score" not in solved.fields()
    assert fields["luck_adjusted_score"] == pytest.approx(solved.expected_score, abs=1e-9)


def test_luck_is_on_the_record() -> None:
    values = exact_values(solve(TINY, cache=False, progress=False))
    evaluation = measure({"greedy": GreedyAgent(TINY)}, TINY, 300, 1, None, card_values=values)
    assert evaluation.warnings == ()
    assert evaluation.record()["luck"]["greedy"]["luck_adjusted_score"] == evaluation.results[0].luck_adjusted_score


def test_values_that_are_none_are_refused() -> None:
    agent, solution = GreedyAgent(TINY), solve(TINY, cache=False, progress=False)
    with pytest.raises(YatzyError, match="one finite number per card"):
        yatzy_env.evaluate(agent, TINY, games=2, card_values=lambda cards: np.full(len(cards.filled), np.nan))
    with pytest.raises(YatzyError, match="one finite number per card"):
        yatzy_env.evaluate(agent, TINY, games=2, card_values=lambda cards: np.zeros(3))
    with pytest.raises(YatzyError, match="one of them"):
        yatzy_env.evaluate(agent, TINY, games=2, solution=solution, card_values=zero_values)
    with pytest.raises(YatzyError, match="card_values = 3"):
        yatzy_env.evaluate(agent, TINY, games=2, card_values=3)  # type: ignore[arg-type]


def test_an_exact_score_on_record_gives_the_percent(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        "sys.argv", ["evaluate.py", "planner", "greedy", "--ruleset", "half-force", "--games", "9", "--json"]
    )
    evaluate.main()
    planner, greedy = json.loads(capsys.readouterr().out)["agents"]
    record = json.loads((MODELS / "half-force" / "results.json").read_text("utf-8"))
    percent = 100 * record["exact"]["planner"]["expected_score"] / record["optimum"]
    assert planner["exact_percent"] == pytest.approx(percent, abs=1e-9)
    assert "exact_score" not in planner
    assert "exact_percent" not in greedy
    monkeypatch.setattr("sys.argv", ["evaluate.py", "planner", "--ruleset", "half-force", "--games", "9"])
    evaluate.main()
    assert f" {percent:.2f} " in capsys.readouterr().out
