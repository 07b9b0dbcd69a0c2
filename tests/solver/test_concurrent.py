"""Many callers solve one ruleset at the same time: each gets the solution, and the cache holds it whole."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.test_files import in_threads
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.solver import Solution, is_cached, solve
from yatzy_env.solver.store import cache_file

PLAIN = ruleset({"dice": 3, "boxes": ["ones", "twos", "one_pair", "chance"], "bonus_threshold": 5})
SAVED = ruleset({"dice": 6, "boxes": ["ones", "one_pair", "chance"], "bonus_threshold": 2, "saved_throws": True})
CALLERS = pytest.mark.parametrize("rules", [PLAIN, SAVED], ids=["plain", "saved throws"])


def check_cache(rules: Ruleset, folder: Path) -> None:
    """The cache holds the solution, and nothing that was left over."""
    assert is_cached(rules, folder)
    stored = Solution.load(cache_file(rules, folder))
    assert stored.digest == solve(rules, cache=False, progress=False).digest
    assert [path.name for path in folder.iterdir()] == [cache_file(rules).name]
    assert not list(folder.rglob("*.part"))


@CALLERS
def test_threads(rules: Ruleset, tmp_path: Path) -> None:
    expected = solve(rules, cache=False, progress=False).digest
    for attempt in range(10):
        folder = tmp_path / str(attempt)
        found: list[str] = []

        def work(_: int, folder: Path = folder, found: list[str] = found) -> None:
            found.append(solve(rules, cache_dir=folder, progress=False).digest)

        in_threads(work)
        assert found == [expected] * 8
        check_cache(rules, folder)


@CALLERS
def test_processes(rules: Ruleset, tmp_path: Path) -> None:
    code = (
        "import os, sys\nos.getpid = lambda: 1  # as in containers\nfrom yatzy_env import ruleset, solve\n"
        f"rules = ruleset({rules.model_dump(mode='json')!r})\nsolve(rules, cache=False, progress=False)\n"
        "print('ready', flush=True)\n"
        "for folder in sys.stdin:\n    print(solve(rules, cache_dir=folder.strip(), progress=False).digest, flush=True)"
    )
    command = [sys.executable, "-W", "error", "-c", code]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    workers = [subprocess.Popen(command, **pipes) for _ in range(4)]
    try:
        for worker in workers:
            assert worker.stdout.readline() == "ready\n"
        for attempt in range(5):
            for worker in workers:
                worker.stdin.write(f"{tmp_path / str(attempt)}\n")
            for worker in workers:
                worker.stdin.flush()
            found = {worker.stdout.readline().strip() for worker in workers}
            assert found == {solve(rules, cache=False, progress=False).digest}
            check_cache(rules, tmp_path / str(attempt))
    finally:
        for worker in workers:
            worker.kill()
            worker.communicate()


def test_a_second_caller_waits_and_takes_what_the_first_has_done(tmp_path: Path) -> None:
    solutions: list[Solution] = []
    before = threading.active_count()
    in_threads(lambda _: solutions.append(solve(SAVED, cache_dir=tmp_path, progress=False)), 4)
    assert sorted(solution.from_cache for solution in solutions) == [False, True, True, True]
    assert len({solution.seconds for solution in solutions}) == 1
    assert threading.active_count() <= before, "no thread is left over"
