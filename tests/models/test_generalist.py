"""The shipped generalist: whole, playable under each of its rulesets, and as good as its card says."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from agents.models.digest import MODELS
from agents.models.load import load_agent
from agents.models.ship import LARGEST
from agents.ppo.config import Config
from agents.ppo.multitask import GENERALIST
from yatzy_env.evaluation.matches import play_match
from yatzy_env.files import sha256
from yatzy_env.rules import ruleset
from yatzy_env.solver import solve

FOLDER = MODELS / GENERALIST
FILES = {"weights.npz", "config.yaml", "command.txt", "run.json", "curve.csv", "results.json", "README.md"}
NAMES = [rules.name for rules in Config.read(FOLDER / "config.yaml").tasks.rulesets]
GAMES = 300
SEED = 77  # neither the card's dice nor those of a training log
ERRORS = 4.0  # as in test_models.py


def record() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / "results.json").read_text(encoding="utf-8"))
    return found


def test_the_folder_is_whole() -> None:
    assert len(NAMES) > 1
    assert {path.name for path in FOLDER.iterdir()} == FILES
    assert (FOLDER / "weights.npz").stat().st_size <= LARGEST
    assert [rules["name"] for rules in json.loads((FOLDER / "run.json").read_text())["rulesets"]] == NAMES
    assert [case["ruleset"] for case in record()["cases"]] == NAMES


def test_the_card_is_about_these_weights() -> None:
    digest = sha256(FOLDER / "weights.npz")
    assert record()["sha256"] == {"weights.npz": digest}
    assert digest in (FOLDER / "README.md").read_text(encoding="utf-8")


def test_the_card_says_what_its_record_says() -> None:
    """Read from the card's text and compared with the record, without the code that writes the table."""
    lines = re.findall(r"^\| `(.+?)` \| (.+) \|$", (FOLDER / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    rows = {name: rest.split(" | ") for name, rest in lines if name in NAMES}
    assert list(rows) == NAMES
    for case in record()["cases"]:
        _, regret, percent, theirs, their_percent, which = rows[case["ruleset"]]
        assert regret == f"{case['regret_per_game']:.2f} ± {case['regret_se']:.2f}"
        assert float(percent) == pytest.approx(100 * (1 - case["regret_per_game"] / case["optimum"]), abs=0.006)
        assert theirs == f"{case['specialist_regret']:.2f} ± {case['specialist_se']:.2f}"
        assert float(their_percent) == pytest.approx(100 * (1 - case["specialist_regret"] / case["optimum"]), abs=0.006)
        assert (which == "its own") == (case["specialist"] == case["ruleset"])


@pytest.mark.parametrize("name", NAMES)
def test_it_plays_a_game(name: str) -> None:
    rules = ruleset(name)
    match = play_match(load_agent(FOLDER, rules), rules, 1, SEED)
    assert sorted(match.order[0].tolist()) == list(range(len(rules.box_names)))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_it_is_as_good_as_its_card_says(name: str) -> None:
    rules = ruleset(name)
    (case,) = [case for case in record()["cases"] if case["ruleset"] == name]
    regret = play_match(load_agent(FOLDER, rules), rules, GAMES, SEED, solve(rules, progress=False)).game_regret
    error = case["regret_se"] * (record()["games"] / GAMES) ** 0.5
    assert abs(regret.mean() - case["regret_per_game"]) <= ERRORS * (error**2 + case["regret_se"] ** 2) ** 0.5
