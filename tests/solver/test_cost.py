"""What solving takes, said beforehand, and how much of it is done, said meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

import yatzy_env
from tests.solver.helpers import solved
from yatzy_env.errors import SolutionError
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.solver import is_cached, solve, solve_cost

SAVED = ruleset(
    {"dice": 6, "throws": 2, "boxes": ["ones", "chance", "castle"], "bonus_threshold": 3, "saved_throws": True}
)


@pytest.mark.parametrize("rules", [ruleset("half-force"), SAVED], ids=["plain", "saved throws"])
def test_disk_is_what_the_solution_takes(rules: Ruleset, tmp_path: Path) -> None:
    path = tmp_path / "solution"
    solved(rules).save(path)
    files = path.glob("*.f64") if rules.saved_throws else [path]
    taken = sum(file.stat().st_size for file in files)
    assert 0 <= taken - solve_cost(rules).disk_bytes < 2000
    assert solve_cost(rules).memory_bytes <= solve_cost(rules).disk_bytes


def test_time_is_shared_by_threads_and_columns_are_refused() -> None:
    one, two = (yatzy_env.solve_cost("yatzy", threads=threads) for threads in (1, 2))
    assert one.disk_bytes == 8 * 1_078_272
    assert one.seconds == 2 * two.seconds
    assert 0.2 < one.seconds < 5
    with pytest.raises(SolutionError, match="3 columns have too many cards"):
        solve_cost("triple")


@pytest.mark.parametrize("rules", [ruleset("half-force"), SAVED], ids=["plain", "saved throws"])
def test_progress_rises_to_one(rules: Ruleset, tmp_path: Path) -> None:
    shares: list[float] = []
    solution = solve(rules, cache_dir=tmp_path, progress=False, threads=2, on_progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert solution.digest == solved(rules).digest
    assert is_cached(rules, tmp_path)


class StoppedError(Exception):
    pass


def test_work_that_is_stopped_goes_on_where_it_was_under_saved_throws(tmp_path: Path) -> None:
    shares: list[float] = []

    def stop_at_the_last_layer(share: float) -> None:
        shares.append(share)
        if share == 1:
            raise StoppedError

    with pytest.raises(StoppedError):
        solve(SAVED, cache_dir=tmp_path, progress=False, on_progress=stop_at_the_last_layer)
    assert len(shares) == 3
    assert not is_cached(SAVED, tmp_path)
    shares.clear()
    assert solve(SAVED, cache_dir=tmp_path, progress=False, on_progress=shares.append).digest == solved(SAVED).digest
    assert shares == [1]
