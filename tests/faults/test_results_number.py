"""What was computed under another results number is refused wherever it is read; what does not say its number has 1."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agents.baselines import GreedyAgent
from agents.benchmark.tasks import read_result, work_list
from tests.benchmark.helpers import fake, small
from tests.faults.test_flips import COLUMNS, PLAIN, SAVED
from yatzy_env import files
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation import exact_store
from yatzy_env.evaluation.exact import exact_score
from yatzy_env.files import CACHE_VARIABLE
from yatzy_env.solver import solve, store
from yatzy_env.solver.chances import chances_file
from yatzy_env.solver.triple import interval

MODULES = (files, store, exact_store)


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))


def greedy_score() -> Any:
    agent = GreedyAgent(PLAIN)
    agent.digest = "greedy"
    return exact_score(agent, PLAIN)


@pytest.mark.parametrize(
    "answer",
    [
        lambda: solve(PLAIN, progress=False),
        lambda: solve(SAVED, progress=False),
        lambda: interval(COLUMNS, games=20, progress=False),
        greedy_score,
    ],
)
def test_others_are_refused(answer: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    answer()
    for module in MODULES:
        monkeypatch.setattr(module, "RESULTS_NUMBER", 2)
    with pytest.raises(YatzyError, match=r"holds results of number 1, this version computes those of number 2; delete"):
        answer()


def test_chances_and_benchmark_results_of_others_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    solve(PLAIN, progress=False).prepare_chances(progress=False)
    task = work_list(small())[0]
    files.write_record(task.result_file(tmp_path), fake(task))
    assert read_result(task, tmp_path) is not None
    files.read_npy(chances_file(PLAIN))
    monkeypatch.setattr(files, "RESULTS_NUMBER", 2)
    assert read_result(task, tmp_path) is None
    with pytest.raises(YatzyError, match="number 1"):
        files.read_npy(chances_file(PLAIN))


def test_files_without_a_number_have_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files.write_json(tmp_path / "old.json", {"a": 1})
    digest = files.json_sha256({"a": 1})
    files.write_json(tmp_path / "digested.json", {"a": 1, "sha256": digest})
    for name in ("old.json", "digested.json"):
        assert files.read_record(tmp_path / name) == {"a": 1}
    files.write_json(tmp_path / "digested.json", {"a": 2, "sha256": digest})
    with pytest.raises(YatzyError, match="digest"):
        files.read_record(tmp_path / "digested.json")
    monkeypatch.setattr(files, "RESULTS_NUMBER", 2)
    with pytest.raises(YatzyError, match="holds results of number 1"):
        files.read_record(tmp_path / "old.json")
