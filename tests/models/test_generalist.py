"""The shipped generalist: whole, playable under each of its rulesets, and as good as its card says."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from agents.models.digest import MODELS
from agents.models.load import load_agent
from agents.models.ship import LARGEST
from agents.ppo.config import GENERALIST
from agents.ppo.policy import PolicyNetwork
from agents.values.network import ValueNetwork
from yatzy_env.evaluation.matches import play_match
from yatzy_env.files import sha256
from yatzy_env.rules import ruleset
from yatzy_env.solver import solve

FOLDER = MODELS / GENERALIST
NETWORKS = {"ppo": FOLDER / "policy.npz", "planner": FOLDER / "values.npz"}
FILES = {"config.yaml", "command.txt", "run.json", "curve.csv", "results.json", "README.md"}
NAMES = [rules.name for rules in PolicyNetwork.read_layers(NETWORKS["ppo"])[0]] if NETWORKS["ppo"].is_file() else []
AGENTS = [(name, agent) for name in NAMES for agent in NETWORKS]
GAMES = 300
SEED = 77  # neither the card's dice nor those of a training log
ERRORS = 4.0  # as in test_models.py

pytestmark = pytest.mark.skipif(not NAMES, reason="the generalist is a network over observations")


def record() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / "results.json").read_text(encoding="utf-8"))
    return found


def claim(case: dict[str, Any], agent: str) -> dict[str, Any]:
    (found,) = [figures for figures in case["agents"] if figures["agent"] == agent]
    return found


def test_the_folder_is_whole() -> None:
    assert len(NAMES) > 1
    assert [rules.name for rules in ValueNetwork.read_layers(NETWORKS["planner"])[0]] == NAMES
    assert {path.name for path in FOLDER.iterdir()} == FILES | {file.name for file in NETWORKS.values()}
    assert all(file.stat().st_size <= LARGEST for file in NETWORKS.values())
    assert [rules["name"] for rules in json.loads((FOLDER / "run.json").read_text())["rulesets"]] == NAMES
    assert [case["ruleset"] for case in record()["cases"]] == NAMES


def test_the_card_is_about_these_weights() -> None:
    digests = {file.name: sha256(file) for file in NETWORKS.values()}
    assert record()["sha256"] == digests
    card = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert all(digest in card for digest in digests.values())


def test_the_card_says_what_its_record_says() -> None:
    """Read from the card's text and compared with the record, without the code that writes the table."""
    lines = re.findall(r"^\| `(.+?)` \| (.+) \|$", (FOLDER / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    rows = {name: rest.split(" | ") for name, rest in lines if name in NAMES}
    assert list(rows) == NAMES
    for case in record()["cases"]:
        _, *cells = rows[case["ruleset"]]
        for agent, (regret, percent) in zip(NETWORKS, (cells[:2], cells[3:5]), strict=True):
            own = claim(case, agent)
            best = own.get("exact_score", own["expected_score"])
            assert regret == f"{own['regret_per_game']:.3f} ± {own['regret_se']:.3f}"
            assert float(percent) == pytest.approx(100 * best / case["optimum"], abs=0.0006)


@pytest.mark.parametrize(("name", "agent"), AGENTS)
def test_it_plays_a_game(name: str, agent: str) -> None:
    rules = ruleset(name)
    match = play_match(load_agent(NETWORKS[agent], rules), rules, 1, SEED)
    assert sorted(match.order[0].tolist()) == list(range(len(rules.box_names)))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "agent"), AGENTS)
def test_it_is_as_good_as_its_card_says(name: str, agent: str) -> None:
    rules = ruleset(name)
    (case,) = [case for case in record()["cases"] if case["ruleset"] == name]
    own = claim(case, agent)
    regret = play_match(
        load_agent(NETWORKS[agent], rules), rules, GAMES, SEED, solve(rules, progress=False)
    ).game_regret
    error = own["regret_se"] * (record()["games"] / GAMES) ** 0.5
    assert abs(regret.mean() - own["regret_per_game"]) <= ERRORS * (error**2 + own["regret_se"] ** 2) ** 0.5
