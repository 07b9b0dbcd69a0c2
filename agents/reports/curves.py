"""Learning curves of the agents of an evaluation, from what training left beside their models."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.training.runs import CURVE
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.provenance import CHECKOUT
from yatzy_env.evaluation.statistics import interquartile_mean
from yatzy_env.rules import Ruleset

_POINTS = 200  # places at which several runs are compared


@dataclass(frozen=True, eq=False)
class Curve:
    """How the score grew in training: one run, or several that differ in their seed alone.

    Attributes:
        name: the agent's name, or that of the first run and how many there are.
        steps: (n,) int64 environment steps.
        score: (n,) float64 mean score of the training games, the interquartile mean of several runs.
        low: (n,) float64 the lowest of the runs, the same as `score` for one.
        high: (n,) float64 the highest of them.
        runs: how many runs.
    """

    name: str
    steps: NDArray[np.int64]
    score: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    runs: int


def curves_of(names: Sequence[str], rules: Ruleset) -> list[Curve]:
    """The learning curves of those agents that have one.

    Args:
        names: agents as the command line names them: "ppo" is the shipped model, others may be folders.
        rules: the ruleset.

    Raises:
        YatzyError: if a file cannot be read as a curve.
    """
    groups: dict[str, list[tuple[str, Path]]] = {}
    for name in names:
        folder = _folder(name, rules)
        if folder is not None:
            groups.setdefault(_likeness(folder), []).append((name, folder / CURVE))
    return [_joined([name for name, _ in group], [read_curve(path) for _, path in group]) for group in groups.values()]


def read_curve(path: Path) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The steps and the mean scores of a training curve; rows without a score are left out.

    Raises:
        YatzyError: if the file has no such columns.
    """
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = [(int(row["steps"]), float(row["score"])) for row in csv.DictReader(file)]
    except (KeyError, TypeError, ValueError) as error:
        raise YatzyError(f"{path}: damaged, it has no columns of numbers called steps and score") from error
    known = [(steps, score) for steps, score in rows if math.isfinite(score)]
    return np.array([steps for steps, _ in known], np.int64), np.array([score for _, score in known], np.float64)


def _folder(name: str, rules: Ruleset) -> Path | None:
    folder = CHECKOUT / "models" / rules.name if name == "ppo" else Path(name)
    return folder if (folder / CURVE).is_file() else None


def _likeness(folder: Path) -> str:
    """What runs have in common that differ in their seed alone: their configuration without it."""
    path = folder / "config.yaml"
    if not path.is_file():
        return str(folder.resolve())
    lines = path.read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if not line.startswith("seed:"))


def _joined(names: list[str], runs: list[tuple[NDArray[np.int64], NDArray[np.float64]]]) -> Curve:
    """One curve of several runs, over the steps that all of them reached."""
    if len(runs) == 1:
        steps, score = runs[0]
        return Curve(names[0], steps, score, score, score, 1)
    first, last = max(steps[0] for steps, _ in runs), min(steps[-1] for steps, _ in runs)
    steps = np.linspace(first, last, _POINTS).astype(np.int64)
    scores = np.array([np.interp(steps, known, score) for known, score in runs])
    middle = np.array([interquartile_mean(column) for column in scores.T])
    name = f"{names[0]} and {len(names) - 1} more"
    return Curve(name, steps, middle, scores.min(axis=0), scores.max(axis=0), len(runs))
