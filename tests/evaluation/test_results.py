from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from agents.baselines import GreedyAgent, RandomAgent
from tests.evaluation.helpers import TINY, Optimal, tiny_evaluation, tiny_solution
from yatzy_env.evaluation import provenance as origin
from yatzy_env.evaluation.matches import play_match
from yatzy_env.evaluation.results import Evaluation, measure, summarise
from yatzy_env.rules import ruleset
from yatzy_env.solver.triple import interval

FIELDS = [
    "agent",
    "games",
    "mean_score",
    "score_se",
    "regret_per_game",
    "regret_se",
    "expected_score",
    "percent_of_optimum",
    "bonus_rate",
    "yatzy_rate",
]


def test_fields_of_an_agent_are_the_documented_ones() -> None:
    evaluation = tiny_evaluation()
    fields = json.loads(json.dumps(evaluation.fields(), allow_nan=False))
    assert list(fields) == ["ruleset", "options", "optimum", "agents", "head_to_head"]
    for agent in fields["agents"]:
        assert list(agent) == FIELDS


def test_options_are_what_differs_from_the_named_ruleset() -> None:
    plain, changed = ruleset("forced"), ruleset("forced").replace(bonus_threshold=63)
    for rules, options in ((plain, None), (changed, {"bonus_threshold": 63})):
        found = measure({"greedy": GreedyAgent(rules)}, rules, 5, 1, None, "test")
        fields = found.fields()
        assert fields["ruleset"] == "forced"
        assert fields.get("options") == options


def test_figures_of_a_match() -> None:
    match = play_match(GreedyAgent(TINY), TINY, 200, 1, tiny_solution())
    result = summarise(match)
    assert result.mean_score == pytest.approx(np.mean(match.score))
    assert result.score_se == pytest.approx(np.std(match.score, ddof=1) / np.sqrt(200))
    assert result.regret_per_game == pytest.approx(np.mean(match.game_regret))
    assert result.regret_se == pytest.approx(np.std(match.game_regret, ddof=1) / np.sqrt(200))
    assert result.expected_score == pytest.approx(tiny_solution().expected_score - result.regret_per_game)
    assert result.percent_of_optimum == pytest.approx(100 * result.expected_score / tiny_solution().expected_score)
    assert result.bonus_rate == np.mean(match.bonus)
    assert result.yatzy_rate == np.mean(match.written[:, TINY.box_index("yatzy")] > 0)


def test_without_an_optimum_its_fields_are_null() -> None:
    rules = ruleset("triple")
    found = measure({"greedy": GreedyAgent(rules)}, rules, 10, 1, None, "test")
    fields = json.loads(json.dumps(found.fields(), allow_nan=False))
    assert fields["optimum"] is None
    (agent,) = fields["agents"]
    assert list(agent) == FIELDS
    empty = [field for field, value in agent.items() if value is None]
    assert empty == ["regret_per_game", "regret_se", "expected_score", "percent_of_optimum"]
    assert "regret_by_decision" not in found.record()


def test_an_interval_stands_beside_an_unknown_optimum() -> None:
    rules = TINY.replace(columns=(1, 2))
    bounds = interval(rules, games=100, cache=False, progress=False)
    found = measure({"greedy": GreedyAgent(rules)}, rules, 10, 1, None, "test", bounds=bounds)
    fields = json.loads(json.dumps(found.fields(), allow_nan=False))
    assert list(fields) == ["ruleset", "options", "optimum", "lower", "upper", "agents"]
    assert fields["optimum"] is None
    assert 3 * tiny_solution().expected_score == pytest.approx(fields["lower"], abs=1e-4)
    assert fields["lower"] < fields["upper"]


def test_one_game_has_null_errors() -> None:
    found = measure({"greedy": GreedyAgent(TINY)}, TINY, 1, 1, tiny_solution(), "test")
    (agent,) = json.loads(json.dumps(found.fields(), allow_nan=False))["agents"]
    assert agent["score_se"] is agent["regret_se"] is None


def test_a_sheet_without_bonus_or_yatzy_box_has_rates_of_zero() -> None:
    rules = TINY.replace(boxes=("ones", "chance"), bonus_points=0)
    result = summarise(play_match(GreedyAgent(rules), rules, 20, 1))
    assert result.bonus_rate == result.yatzy_rate == 0


def test_agents_keep_their_names_and_order_and_meet_the_same_dice() -> None:
    agents = {"b": RandomAgent(TINY), "a": RandomAgent(TINY)}
    found = measure(agents, TINY, 50, 1, tiny_solution(), "test")
    assert [result.agent for result in found.results] == ["b", "a"]
    np.testing.assert_array_equal(found.matches[0].score, found.matches[1].score)


def test_unexplained_luck_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    class Lucky(type(tiny_solution())):  # type: ignore[misc]
        """Its values before every first throw are too low, which reads as luck."""

        def card_values(self, filled, upper, yatzy_scored):
            return super().card_values(filled, upper, yatzy_scored) - 50 * (filled == 0)

    lucky = Lucky(TINY)
    lucky.expected_score -= 50
    found = measure({"optimal": Optimal(tiny_solution())}, TINY, 50, 1, lucky, "test")
    assert len(found.warnings) == 1
    assert "mean luck +" in found.warnings[0]
    assert not tiny_evaluation().warnings


def test_the_record_says_where_the_figures_come_from(tmp_path: Path) -> None:
    evaluation: Evaluation = tiny_evaluation()
    evaluation.write_json(tmp_path / "results.json")
    record = json.loads((tmp_path / "results.json").read_text())
    assert record["seed"] == evaluation.seed
    assert record["games"] == evaluation.games
    by_decision = record["regret_by_decision"]["greedy"]
    assert list(by_decision) == ["first keep", "second keep", "choice of box"]
    regret = record["agents"][1]["regret_per_game"]
    assert sum(by_decision.values()) == pytest.approx(regret)
    assert sum(record["regret_by_turn"]["greedy"]) == pytest.approx(regret)
    assert list(record["regret_by_box"]["greedy"]) == list(TINY.box_names)
    assert sum(record["regret_by_box"]["greedy"].values()) == pytest.approx(regret)
    assert record["luck"]["greedy"]["luck_adjusted_score"] == pytest.approx(record["agents"][1]["expected_score"])
    assert record["luck"]["greedy"]["luck_adjusted_se"] == pytest.approx(record["agents"][1]["regret_se"])
    assert {"command", "commit", "date", "versions", "machine"} == set(record["provenance"])
    assert {"python", "numpy", "numba", "yatzy-env"} <= set(record["provenance"]["versions"])


def test_commands_are_written_as_a_reader_would_type_them() -> None:
    assert origin.command_line("evaluate.py", ["ppo", "--plot", "my picture.png"]) == (
        "python scripts/evaluate.py ppo --plot 'my picture.png'"
    )


def test_no_repository_means_no_commit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(origin, "CHECKOUT", tmp_path)
    assert origin.commit() is None
