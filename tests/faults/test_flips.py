"""Bits flipped in the files that the product writes: each is noticed, harmless, or computed anew; none is served."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

from agents.baselines import GreedyAgent
from agents.benchmark.tasks import read_result, work_list
from agents.models.digest import MODELS
from agents.models.record import EXACT_KEYS, kept_exact
from agents.ppo.config import PolicySettings
from agents.training.runs import start_run
from tests.benchmark.helpers import fake, small
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.exact import exact_score
from yatzy_env.evaluation.optimal_scores import _read, optimal_scores
from yatzy_env.files import CACHE_VARIABLE, read_record, write_npz, write_record
from yatzy_env.rules import ruleset
from yatzy_env.solver import Solution, solve
from yatzy_env.solver.chances import chances_file
from yatzy_env.solver.layers import open_folder
from yatzy_env.solver.layout import lay_out
from yatzy_env.solver.store import cache_file
from yatzy_env.solver.triple import interval
from yatzy_env.tables import compile_tables

SAVED = ruleset(
    {
        "name": "small",
        "dice": 6,
        "saved_throws": True,
        "boxes": ["ones", "sixes", "castle", "chance"],
        "bonus_threshold": 12,
    }
)
PLAIN = ruleset({"name": "plain", "boxes": ["ones", "sixes", "chance", "yatzy"], "dice": 3, "bonus_threshold": 12})
COLUMNS = PLAIN.replace(boxes=("sixes", "chance"), columns=(1, 2))
FLIPS = 100


def flipped(file: Path, chance: Random, count: int = FLIPS) -> Iterator[str]:
    """Flips one bit at a time, at the same time of modification, and puts it back; says which."""
    whole, found = file.read_bytes(), file.stat()
    for _ in range(count):
        bit = chance.randrange(8 * len(whole))
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        file.write_bytes(damaged)
        os.utime(file, ns=(found.st_atime_ns, found.st_mtime_ns))
        yield f"bit {bit} of {file.name}"
        file.write_bytes(whole)
        os.utime(file, ns=(found.st_atime_ns, found.st_mtime_ns))


def none_silent(file: Path, read: Callable[[], Any], chance: Random) -> None:
    """Checks that what is read from a damaged file is what is read from the whole one, or a clear error naming it."""
    expected = read()
    for which in flipped(file, chance):
        try:
            found = read()
        except YatzyError as error:
            found = expected if file.name in str(error) and "\n" not in str(error) else error
        assert found == expected, which


def answers(solution: Solution) -> tuple[float, bytes, int]:
    """What a solution says of all its cards."""
    values = solution._values
    layers = [np.asarray(layer) for layer in values._layers]
    return solution.expected_score, b"".join(layer.tobytes() for layer in layers), solution.cards


def computed_again(file: Path, known: Callable[[], bool], answer: Callable[[], Any], chance: Random) -> None:
    """Checks that a damaged file counts as none, and that what is computed instead is what was there."""
    expected = answer()
    for which in flipped(file, chance):
        assert not known(), which
    assert known()
    file.write_bytes(file.read_bytes()[:-200])
    assert answer() == expected


def test_a_solution(tmp_path: Path, rng: Random) -> None:
    solve(PLAIN, cache_dir=tmp_path, progress=False)
    (file,) = tmp_path.iterdir()
    none_silent(file, lambda: answers(solve(PLAIN, cache_dir=tmp_path, progress=False)), rng)


def test_chances(tmp_path: Path, rng: Random) -> None:
    def answer() -> bytes:
        solution = solve(PLAIN, cache_dir=tmp_path, progress=False)
        solution.prepare_chances(progress=False)
        return np.asarray(solution._chance_table._content).tobytes()

    answer()
    file = chances_file(PLAIN, tmp_path)
    computed_again(file, lambda: solve(PLAIN, cache_dir=tmp_path, progress=False).has_chances, answer, rng)


def test_the_scores_of_optimal_play(tmp_path: Path, rng: Random, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    solution = solve(PLAIN, progress=False)
    expected = optimal_scores(solution)
    assert expected is not None
    (file,) = tmp_path.glob("*.scores.npy")
    computed_again(file, lambda: _read(file) is not None, lambda: np.asarray(optimal_scores(solution)).tobytes(), rng)


def test_an_interval(tmp_path: Path, rng: Random) -> None:
    def answer() -> dict[str, Any]:
        return interval(COLUMNS, games=20, cache_dir=tmp_path, progress=False).figures()

    answer()
    (file,) = tmp_path.glob("*.json")
    none_silent(file, answer, rng)


def test_an_exact_score(tmp_path: Path, rng: Random, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    agent = GreedyAgent(PLAIN)
    agent.digest = "greedy"

    def answer() -> tuple[float, float, float, bytes]:
        found = exact_score(agent, PLAIN)
        assert found.distribution is not None
        return found.expected_score, found.bonus_rate, found.yatzy_rate, found.distribution.probability.tobytes()

    answer()
    (file,) = tmp_path.glob("exact-*")
    none_silent(file, answer, rng)


def test_a_result_of_the_benchmark(tmp_path: Path, rng: Random) -> None:
    task = work_list(small())[0]
    result = fake(task)
    write_record(task.result_file(tmp_path), result)
    for which in flipped(task.result_file(tmp_path), rng):
        assert read_result(task, tmp_path) is None, which
    assert read_result(task, tmp_path) == result


def test_the_records_of_a_run(tmp_path: Path, rng: Random) -> None:
    run = start_run(tmp_path, PolicySettings(), [ruleset("forced")], "train")
    with run.saving(3) as folder:
        write_npz(folder / "network.npz", {"weight": np.arange(9.0)})
    none_silent(run.config_file, lambda: PolicySettings.read(run.config_file), rng)
    none_silent(tmp_path / "run.json", lambda: read_record(tmp_path / "run.json")["ruleset"], rng)
    none_silent(tmp_path / "manifest.json", run.manifest, rng)
    none_silent(tmp_path / "checkpoint-3" / "network.npz", run.checked_checkpoint, rng)


def test_the_results_of_a_model(tmp_path: Path, rng: Random) -> None:
    exact = {"greedy": dict.fromkeys(EXACT_KEYS, 1.5) | {"weights": "ab" * 32}}
    file = tmp_path / "results.json"
    write_record(file, {"agents": [{"mean_score": 247.9}], "exact": exact})
    none_silent(file, lambda: kept_exact(file, {"greedy": "ab" * 32}), rng)
    none_silent(file, lambda: read_record(file)["agents"], rng)


def test_shipped_records_are_whole() -> None:
    for file in MODELS.glob("*/*.json"):
        assert read_record(file), file


def test_layers_of_saved_throws(tmp_path: Path, rng: Random) -> None:
    solve(SAVED, cache_dir=tmp_path, progress=False)
    for file in sorted(path for path in tmp_path.rglob("*") if path.is_file() and path.stat().st_size):
        none_silent(file, lambda: answers(solve(SAVED, cache_dir=tmp_path, progress=False)), rng)


def test_a_resumed_solve_builds_on_no_damaged_layer(tmp_path: Path, rng: Random) -> None:
    solve(SAVED, cache_dir=tmp_path / "half", progress=False)
    half = cache_file(SAVED, tmp_path / "half")
    folder = open_folder(half, SAVED, lay_out(compile_tables(SAVED)).numbers)
    folder.layers = folder.layers[:2]  # of 4 and 3 filled boxes
    folder.write_header()

    def go_on() -> Any:
        with TemporaryDirectory(dir=tmp_path) as copy:
            shutil.copytree(half, cache_file(SAVED, copy))
            return answers(solve(SAVED, cache_dir=copy, progress=False))

    none_silent(half / "filled-03.f64", go_on, rng)
