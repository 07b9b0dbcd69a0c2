"""Learning curves of the agents of an evaluation, from what training left beside their models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.training.runs import CURVE, curve_rows
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.provenance import CHECKOUT
from yatzy_env.evaluation.statistics import interquartile_mean
from yatzy_env.rules import Ruleset

PERCENT, PLANNED = "below the optimum, %", "below the plan, points a decision"
"""What curves count: by the games of measurements or, where there is no optimum, by the planned turns of training."""

_POINTS = 200  # places at which several runs are compared
_LEAST = {PERCENT: 1e-3, PLANNED: 1e-4}  # less is drawn as this: the axis is logarithmic


@dataclass(frozen=True, eq=False)
class Curve:
    """How far from the best the network in training played: one run, or several that differ in their seed alone.

    Attributes:
        name: the agent's name, or that of the first run and how many there are.
        measure: what is counted, `PERCENT` or `PLANNED`; the same for all curves of a picture.
        minutes: (n,) float64 minutes of a processor, of both stages.
        value: (n,) float64 the measure, the interquartile mean of several runs.
        low: (n,) float64 the lowest of the runs, the same as `value` for one.
        high: (n,) float64 the highest of them.
        policy: minutes after which the policy took the place of the value network, in the mean of the runs.
        runs: how many runs.
    """

    name: str
    measure: str
    minutes: NDArray[np.float64]
    value: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    policy: float
    runs: int


class _Rows:
    """The training curve of a run, as its file has it."""

    def __init__(self, path: Path) -> None:
        try:
            rows = curve_rows(path)
            self._minutes = np.array([float(row["cpu_seconds"]) / 60 for row in rows])
            percent = np.array([float(row["percent"] or "nan") for row in rows])
            planned = np.array([float(row["planned_regret"] or "nan") for row in rows])
            is_policy = np.array([row["stage"] == "policy" for row in rows])
        except (KeyError, TypeError, ValueError) as error:
            raise YatzyError(f"{path}: damaged, or of an earlier version ({error})") from error
        self._columns = {PERCENT: 100 - percent, PLANNED: planned}
        self.policy = float(self._minutes[~is_policy].max(initial=0.0))

    def of(self, measure: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The minutes and values at which a measure is known."""
        known = np.isfinite(self._columns[measure])
        return self._minutes[known], np.maximum(self._columns[measure][known], _LEAST[measure])


def curves_of(names: Sequence[str], rules: Ruleset) -> list[Curve]:
    """The learning curves of those agents that have one, by percent of the optimum if all were measured so.

    Args:
        names: agents as the command line names them: "ppo" is the shipped model, others may be folders.
        rules: the ruleset.

    Raises:
        YatzyError: if a file cannot be read as a curve.
    """
    groups: dict[str, list[tuple[str, _Rows]]] = {}
    for name in names:
        folder = _folder(name, rules)
        if folder is not None:
            groups.setdefault(_likeness(folder), []).append((name, _Rows(folder / CURVE)))
    every = [rows for group in groups.values() for _, rows in group]
    measure = PERCENT if all(len(rows.of(PERCENT)[0]) > 1 for rows in every) else PLANNED
    drawn = ([(name, rows) for name, rows in group if len(rows.of(measure)[0])] for group in groups.values())
    return [_joined(group, measure) for group in drawn if group]


def read_curve(path: Path) -> Curve:
    """The training curve of one run.

    Raises:
        YatzyError: if the file cannot be read as one.
    """
    rows = _Rows(path)
    return _joined([("ppo", rows)], PERCENT if len(rows.of(PERCENT)[0]) > 1 else PLANNED)


def _folder(name: str, rules: Ruleset) -> Path | None:
    folder = CHECKOUT / "models" / rules.name if name == "ppo" else Path(name)
    return folder if (folder / CURVE).is_file() and _has_two_stages(folder / CURVE) else None


def _has_two_stages(path: Path) -> bool:
    """Whether a curve is one of both networks; other runs, of the agent that plays for the win too, have their own."""
    with path.open(encoding="utf-8") as file:
        return file.readline().startswith("stage,")


def _likeness(folder: Path) -> str:
    """What runs have in common that differ in their seed alone: their configuration without it."""
    path = folder / "config.yaml"
    if not path.is_file():
        return str(folder.resolve())
    lines = path.read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if not line.startswith(("seed:", "#")))


def _joined(group: list[tuple[str, _Rows]], measure: str) -> Curve:
    """One curve of several runs, over the minutes that all of them reached."""
    runs = [rows.of(measure) for _, rows in group]
    policy = float(np.mean([rows.policy for _, rows in group]))
    if len(runs) == 1:
        minutes, value = runs[0]
        return Curve(group[0][0], measure, minutes, value, value, value, policy, 1)
    first, last = max(minutes[0] for minutes, _ in runs), min(minutes[-1] for minutes, _ in runs)
    minutes = np.linspace(first, last, _POINTS)
    values = np.array([np.interp(minutes, known, value) for known, value in runs])
    middle = np.array([interquartile_mean(column) for column in values.T])
    name = f"{group[0][0]} and {len(group) - 1} more"
    return Curve(name, measure, minutes, middle, values.min(axis=0), values.max(axis=0), policy, len(runs))
