"""Entries of the scoreboard: computed from files, by seeds that nobody chooses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.benchmark import scoreboard
from agents.benchmark.scoreboard import enter, files_of, make_entry, markdown, read_board, seed_of, stale
from agents.ppo.policy import PolicyNetwork
from agents.values.network import ValueNetwork
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.exact import exact_score
from yatzy_env.evaluation.seeds import is_final
from yatzy_env.files import sha256
from yatzy_env.rules import ruleset
from yatzy_env.solver import solve

TINY = ruleset({"name": "tiny", "dice": 3, "boxes": ["ones", "sixes", "one_pair"], "bonus_points": 0})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of both networks, untrained."""
    rng = np.random.default_rng(1)
    for kind, file in ((PolicyNetwork, "policy.npz"), (ValueNetwork, "values.npz")):
        shared = kind.shared([TINY])
        weight = rng.normal(size=(shared.outputs, shared.inputs)).astype(np.float32)
        kind.save(tmp_path / "mine" / file, [TINY], ((weight, np.zeros(shared.outputs, np.float32)),), 0)
    return tmp_path / "mine"


def test_a_folder_is_an_entry_per_network(folder: Path) -> None:
    files = files_of(str(folder))
    assert [file.name for file in files] == ["policy.npz", "values.npz"]
    entries = [make_entry(file, trust=True) for file in files]
    assert [entry["digest"] for entry in entries] == [sha256(file) for file in files]
    optimum = solve(TINY, progress=False).expected_score
    for entry in entries:
        assert entry["ruleset"] == "tiny"
        assert entry["games"] is None
        assert entry["percent_of_optimum"] == pytest.approx(100 * entry["score"] / optimum)
        assert entry["score"] <= optimum + 1e-9
    text = markdown(entries)
    assert f"### `tiny`, optimum {optimum:.4f}" in text
    assert f"| {files[0].as_posix()} | {entries[0]['score']:.4f} | exact |" in text
    best, other = sorted(entries, key=lambda entry: -entry["score"])
    assert text.index(best["digest"][:12]) < text.index(other["digest"][:12])


def test_without_an_exact_score_games_are_played_under_the_seed_of_the_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any) -> None:
        raise YatzyError("too large")

    monkeypatch.setattr(scoreboard, "check_agent", refuse)
    monkeypatch.setattr(scoreboard, "GAMES", 4000)
    file = folder / "policy.npz"
    entry = make_entry(file, trust=True)
    assert entry["seed"] == seed_of(sha256(file))
    assert is_final(entry["seed"])
    assert entry == make_entry(file, trust=True)
    agent = scoreboard.make_agent(str(file), TINY, lambda: solve(TINY, progress=False), True)
    exact = exact_score(agent, TINY, cache=False).expected_score
    assert abs(entry["score"] - exact) < 5 * entry["score_se"]
    assert f"seed {entry['seed']}" in markdown([entry])


def test_entries_take_the_place_of_those_of_the_same_file(tmp_path: Path) -> None:
    board = tmp_path / "board.json"
    assert read_board(board) == []
    one, other = ({"file": name, "ruleset": "yatzy", "digest": "0", "score": 1.0} for name in ("b", "a"))
    enter([one, other], board)
    enter([one | {"score": 2.0}], board)
    assert [(entry["file"], entry["score"]) for entry in read_board(board)] == [("a", 1.0), ("b", 2.0)]
    assert markdown([]) == "No entries yet.\n"


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(YatzyError, match="an entry is a model file"):
        files_of(str(tmp_path))


def test_entries_of_the_repository_are_the_files_that_were_measured() -> None:
    assert stale(read_board()) == []
