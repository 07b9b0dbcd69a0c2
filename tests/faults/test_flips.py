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

from yatzy_env.errors import YatzyError
from yatzy_env.rules import ruleset
from yatzy_env.solver import Solution, solve
from yatzy_env.solver.layers import open_folder
from yatzy_env.solver.layout import lay_out
from yatzy_env.solver.store import cache_file
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
