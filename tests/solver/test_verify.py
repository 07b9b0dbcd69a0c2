"""`solve.py --verify`: its slow path against the library, and that it notices what is wrong."""

from __future__ import annotations

import copy
import json
import sys

import pytest

from scripts import _verify
from scripts import solve as script
from tests.solver.helpers import solved
from tests.solver.test_plain_agreement import GAMES
from yatzy_env import reference
from yatzy_env.rules import ruleset


@pytest.mark.parametrize("game", GAMES)
def test_small_games_pass(game: str) -> None:
    rules = ruleset(GAMES[game])
    if rules.dice <= 4:
        checked = _verify.check_cards(solved(rules), 6, seed=1)
        assert checked["largest_difference"] < 1e-11


@pytest.mark.parametrize(
    "changes",
    [{"bonus_points": 51}, {"bonus_threshold": 41}, {"yatzy_points": 51}, {"yatzy_first": False}, {"throws": 2}],
)
def test_other_rules_are_noticed(changes: dict[str, object]) -> None:
    solution = copy.copy(solved(ruleset("forced-yatzy-first")))
    solution.rules = solution.rules.replace(**changes)
    with pytest.raises(_verify.DisagreementError, match="slow path differs"):
        _verify.check_cards(solution, 100, seed=1)


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["solve.py", *arguments])
    try:
        script.main()
    except SystemExit as leaving:
        return int(leaving.code or 0)
    return 0


ARGUMENTS = ("forced", "--no-cache", "--verify", "--sample", "5", "--games", "200", "--json")


def test_the_script_tells_what_was_checked(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, *ARGUMENTS) == 0
    checked = json.loads(capsys.readouterr().out)["verified"]
    assert list(checked) == [
        "cards", "largest_difference", "games", "mean_score", "standard_deviation", "score_se", "standard_errors_away",
    ]  # fmt: skip
    assert checked["cards"] == 5
    assert checked["games"] == 200
    assert abs(checked["standard_errors_away"]) < 4


def test_a_wrong_value_ends_with_status_1(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    right = reference.mean
    monkeypatch.setattr(reference, "mean", lambda *arguments: right(*arguments) + 2e-9 * (len(arguments) == 2))
    assert run(monkeypatch, *ARGUMENTS) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "2.00e-09" in err


def test_a_wrong_mean_ends_with_status_1(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """An agent that plays at random is nowhere near the optimum."""
    from agents import optimal
    from agents.baselines import RandomAgent

    monkeypatch.setattr(optimal, "OptimalAgent", lambda solution: RandomAgent(solution.rules))
    assert run(monkeypatch, *ARGUMENTS) == 1
    assert "standard errors away" in capsys.readouterr().err


def test_distribution(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "forced", "--no-cache", "--distribution", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["mean"] == pytest.approx(found["expected_score"], abs=1e-9)
    assert list(found["quantiles"]) == ["0.01", "0.05", "0.25", "0.5", "0.75", "0.95", "0.99"]
    assert found["quantiles"]["0.5"] == 156
    assert found["maximum"] == 374
    assert found["bonus_rate"] == pytest.approx(0.59674, abs=1e-5)
    assert run(monkeypatch, "forced", "--no-cache", "--distribution", "--verify", "--sample", "2", "--games", "50") == 0
    text = capsys.readouterr().out
    assert "standard deviation" in text
    assert "slow path" in text
