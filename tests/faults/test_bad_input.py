"""Input of the largest and strangest kinds is refused in one line, before anything is allocated."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import optimal
from agents.errors import ModelError, RunError
from agents.registry import make_agent
from agents.training.networks import read_networks
from agents.training.runs import start_curve
from scripts._cli import _change
from scripts.maintain import generalist
from tests.faults.test_flips import PLAIN
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.evaluate import evaluate
from yatzy_env.files import write_npz
from yatzy_env.solver import solve

DEEP = 20_000


@pytest.mark.parametrize(
    "text", [f"bonus_threshold={'9' * 5000}", f"dice={'[' * DEEP}", f"dice={'[' * DEEP}{']' * DEEP}"]
)
def test_values_of_rules(text: str) -> None:
    with pytest.raises(YatzyError, match=text.partition("=")[0]) as caught:
        PLAIN.replace(**dict([_change(text)]))
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("games", [10**15, 10**30])
def test_games(games: int) -> None:
    with pytest.raises(YatzyError, match="allowed: up to 10,000,000"):
        evaluate(lambda observations, masks: masks.argmax(axis=1), PLAIN, games=games, solution=False)


@pytest.mark.parametrize("name", ["os:system", "builtins:int", "agents.registry:make_agent", "builtins:open"])
def test_factories_that_are_none(name: str) -> None:
    with pytest.raises(YatzyError, match="takes no ruleset alone") as caught:
        make_agent(name, PLAIN, lambda: solve(PLAIN))
    assert "\n" not in str(caught.value)


def test_what_fails_inside_a_factory_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optimal, "broken", lambda rules: rules + 1, raising=False)
    with pytest.raises(TypeError, match="unsupported operand"):
        make_agent(f"{optimal.__name__}:broken", PLAIN, lambda: solve(PLAIN))


def network(path: Path, about: str, weight: float = 0.0) -> Path:
    arrays: dict[str, Any] = {"about": np.array(about), "weight_0": np.full((2, 3), weight, np.float32)}
    write_npz(path, arrays | {"bias_0": np.zeros(2, np.float32)})
    return path


@pytest.mark.parametrize(
    ("about", "weight"),
    [
        ('{"format": 4, "layers": Infinity, "value_layers": 0}', 0),
        ('{"format": 4, "layers": 1e999, "value_layers": 0}', 0),
        (f'{{"format": 4, "layers": {"9" * 5000}, "value_layers": 0}}', 0),
        ('{"format": 4, "layers": 1, "value_layers": 1000000000000}', 0),
        ("[" * DEEP, 0),
        ("[]", 0),
        ('{"format": [4], "layers": 1, "value_layers": 0}', 0),
        (json.dumps({"format": 4, "layers": 1, "value_layers": 0}), np.nan),
        (json.dumps({"format": 4, "layers": 1, "value_layers": 0}), -np.inf),
    ],
)
def test_networks(about: str, weight: float, tmp_path: Path) -> None:
    path = network(tmp_path / "weights.npz", about, weight)
    with pytest.raises(ModelError, match=r"weights\.npz: ") as caught:
        read_networks(path, ("", "value"), (4,))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"steps,score\n1,2\nx,2\n", b"steps,score\n1\x00,2\n", b"steps,score\n\xff,2\n"])
def test_cells_of_a_curve(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "curve.csv"
    path.write_bytes(content)
    with pytest.raises(RunError, match=r"curve\.csv: damaged"):
        start_curve(path, ["steps", "score"], lambda row: int(row["steps"]) < 5)
    assert path.read_bytes() == content


def test_half_a_row_of_a_curve_goes(tmp_path: Path) -> None:
    path = tmp_path / "curve.csv"
    path.write_text("steps,score\n1,2\n3,4\n9,4\n4")
    start_curve(path, ["steps", "score"], lambda row: int(row["steps"]) < 5)
    assert path.read_text() == "steps,score\n1,2\n3,4\n"


def test_one_game_has_no_error_and_nothing_shipped_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(generalist, "FOLDER", tmp_path)
    monkeypatch.setattr("sys.argv", ["generalist.py", "--games", "1", "--write"])
    with pytest.raises(SystemExit) as left:
        generalist.main()
    assert left.value.code == 2
    assert "games = 1; allowed: 2 or more" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
