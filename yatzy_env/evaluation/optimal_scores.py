"""The exact distribution of the scores of optimal play, kept in the cache: yatzy takes a quarter of a minute."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from yatzy_env.errors import SolutionError, YatzyError
from yatzy_env.files import read_npy, replacing_npy
from yatzy_env.solver import Solution
from yatzy_env.solver.store import cache_file

_FORMAT = 1
_SECONDS_PER_CARD = 2e-5  # of processor time, to say how long it takes
_WORTH_STATING = 2.0  # seconds
_MOST_CARDS = 10_000_000  # six dice in a free order have 50 million, and it takes minutes to find that they do not fit
_SUM_ERROR = 1e-9  # by which chances may miss one


def optimal_scores(
    solution: Solution, cache: bool = True, console: Console | None = None
) -> NDArray[np.float64] | None:
    """The chance of every final score under optimal play.

    Args:
        solution: the exact solution.
        cache: whether to read the cache and to write it. A file that is damaged is computed anew.
        console: where to say how long it takes; stderr if None.

    Returns:
        (scores,) float64 from score 0 on; None where the distribution cannot be computed (six dice in a free order,
        saved throws).
    """
    path = cache_file(solution.rules).with_name(f"{solution.rules.digest[:16]}-v{_FORMAT}.scores.npy")
    if cache and (found := _read(path)) is not None:
        return found
    if solution.rules.saved_throws or solution.cards > _MOST_CARDS:
        return None
    seconds = solution.cards * _SECONDS_PER_CARD / (os.cpu_count() or 1)
    if seconds > _WORTH_STATING:
        console = console if console is not None else Console(stderr=True)
        text = f"distribution of the optimal scores of {solution.rules.name}: about {seconds:.0f} s, then in the cache"
        console.print(text, highlight=False, soft_wrap=True)
    try:
        chances = solution.distribution().probability
    except SolutionError:
        return None
    if cache:
        _write(path, chances)
    return chances


def _read(path: Path) -> NDArray[np.float64] | None:
    try:
        found = read_npy(path)
    except YatzyError:
        return None
    sound = found.dtype == np.float64 and found.ndim == 1 and abs(float(found.sum()) - 1) <= _SUM_ERROR
    return found if sound else None


def _write(path: Path, chances: NDArray[np.float64]) -> None:
    """Replaces the file in one step; a cache that cannot be written costs the next call its time and nothing else."""
    with suppress(YatzyError), replacing_npy(path, chances.shape, np.float64) as content:
        content[:] = chances
