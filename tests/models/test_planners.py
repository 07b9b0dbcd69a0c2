"""Every shipped value network: on record, small beside the game, and as good as its record says."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agents.models.digest import MODELS
from agents.models.load import load_planner
from yatzy_env.evaluation.by_card import score_by_card
from yatzy_env.evaluation.matches import play_match
from yatzy_env.files import sha256
from yatzy_env.rules import ruleset
from yatzy_env.solver import solve

NAMES = sorted(file.parent.name for file in MODELS.glob("*/values.npz"))
OPTIMA = {
    found["ruleset"]: found
    for found in json.loads((MODELS.parent / "docs" / "optima.json").read_text(encoding="utf-8"))
}
EXACT = [name for name in NAMES if len(ruleset(name).columns) == 1 and not ruleset(name).saved_throws]
EXEMPT = 100_000  # games with fewer cards may have a network of any size
QUICK = 50_000  # cards up to which the exact score is computed again here


def record(name: str) -> dict[str, Any]:
    return json.loads((MODELS / name / "values.json").read_text(encoding="utf-8"))


def test_there_are_some() -> None:
    assert {"yatzy", "yahtzee"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_record_is_about_these_weights(name: str) -> None:
    found, planner = record(name), load_planner(ruleset(name))
    assert found["ruleset"] == name
    assert found["sha256"] == {"values.npz": sha256(MODELS / name / "values.npz")}
    assert found["weights"] == planner.network.weights
    if name in OPTIMA:
        assert found["optimum"] == pytest.approx(OPTIMA[name]["expected_score"], abs=1e-9)
    else:
        assert found["optimum"] is None


@pytest.mark.parametrize("name", EXACT)
def test_the_percent_is_of_the_exact_score(name: str) -> None:
    found = record(name)
    exact = found["planner"]["exact_score"]
    assert found["planner"]["exact_percent"] == pytest.approx(100 * exact / found["optimum"], abs=1e-9)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in EXACT])
def test_an_estimate_agrees_with_the_scores(name: str) -> None:
    found = record(name)["planner"]
    assert found["luck_adjusted_se"] <= 0.1 * found["score_se"]
    assert abs(found["mean_score"] - found["luck_adjusted_score"]) <= 4 * found["score_se"]


@pytest.mark.parametrize("name", [name for name in NAMES if name in OPTIMA])
def test_a_network_is_no_table_of_the_cards(name: str) -> None:
    cards = OPTIMA[name]["cards"]
    assert cards < EXEMPT or record(name)["weights"] <= cards / 10


@pytest.mark.parametrize("name", EXACT)
def test_games_agree_with_the_record(name: str) -> None:
    found = record(name)["planner"]
    shortfall = record(name)["optimum"] - found["exact_score"]
    assert (
        abs(found["regret_per_game"] - shortfall) <= 4 * found["regret_se"] + 1e-4
    )  # mistakes of few games in a million
    rules = ruleset(name)
    match = play_match(load_planner(rules), rules, 20, seed=3, solution=solve(rules, progress=False))
    assert match.game_regret.mean() <= 1.0


@pytest.mark.parametrize("name", [name for name in EXACT if OPTIMA[name]["cards"] <= QUICK])
def test_the_exact_score_is_the_one_on_record(name: str) -> None:
    rules = ruleset(name)
    score = score_by_card(load_planner(rules), rules).expected_score
    assert score == pytest.approx(record(name)["planner"]["exact_score"], abs=1e-6)
