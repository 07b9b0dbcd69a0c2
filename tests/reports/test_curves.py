from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agents.reports.curves import PERCENT, PLANNED, curves_of, read_curve
from agents.reports.plots import draw_curves
from agents.reports.themes import LIGHT
from tests.evaluation.helpers import TINY
from yatzy_env.errors import YatzyError

HEAD = "stage,round,cpu_seconds,loss,planned_regret,entropy,percent"


def run(folder: Path, percents: list[float | None], seed: int = 1, hidden: int = 8) -> str:
    """A run folder with a curve whose policy begins after two minutes, a row a minute; returns its name."""
    folder.mkdir()
    rows = [
        f"{'values' if minute <= 2 else 'policy'},{minute},{60 * minute},0.5,{'' if minute <= 2 else 1 / minute},,"
        f"{'' if percent is None else percent}"
        for minute, percent in enumerate(percents, 1)
    ]
    (folder / "curve.csv").write_text("\n".join([HEAD, *rows]) + "\n")
    (folder / "config.yaml").write_text(f"ruleset: tiny\nseed: {seed}\nhidden: {hidden}\n")
    return str(folder)


def test_a_run_has_a_line_without_a_band(tmp_path: Path) -> None:
    name = run(tmp_path / "a", [90, None, 99, 100])
    (curve,) = curves_of(["greedy", name, str(tmp_path)], TINY)
    assert (curve.name, curve.runs, curve.measure, curve.policy) == (name, 1, PERCENT, 2)
    assert curve.minutes.tolist() == [1, 3, 4], "a row without a measurement is left out"
    assert curve.value.tolist() == curve.low.tolist() == curve.high.tolist() == [10, 1, 0.001]


def test_runs_that_differ_in_their_seed_make_one_curve_with_a_band(tmp_path: Path) -> None:
    names = [
        run(tmp_path / "a", [90, 80, 70], seed=1),
        run(tmp_path / "b", [80, 70, 60], seed=2),
        run(tmp_path / "c", [1, 1, 1], seed=2, hidden=16),
        run(tmp_path / "d", [70, 60, 50, 40], seed=3),
    ]
    three, other = curves_of(names, TINY)
    assert (three.runs, other.runs) == (3, 1)
    assert (three.minutes[0], three.minutes[-1]) == (1, 3)
    for line, ends in ((three.low, (10, 30)), (three.value, (20, 40)), (three.high, (30, 50))):
        assert (line[0], line[-1]) == pytest.approx(ends)
        assert (np.diff(line) >= 0).all()


def test_where_one_run_was_not_measured_all_are_drawn_by_the_plan(tmp_path: Path) -> None:
    names = [run(tmp_path / "a", [90, None, 99, 100]), run(tmp_path / "b", [None] * 5, hidden=16)]
    curves = curves_of(names, TINY)
    assert {curve.measure for curve in curves} == {PLANNED}
    assert curves[1].minutes.tolist() == [3, 4, 5]
    assert curves[1].value.tolist() == pytest.approx([1 / 3, 1 / 4, 1 / 5])


def test_a_picture_draws_both_stages(tmp_path: Path) -> None:
    curves = curves_of([run(tmp_path / "a", [90, 95, 99, 100]), run(tmp_path / "b", [80, 85, 89, 90], seed=2)], TINY)
    with LIGHT.figure(4, 3) as figure:
        axes = figure.subplots()
        draw_curves(axes, curves, LIGHT)
    drawn = [line.get_xdata() for line in axes.lines]
    assert [max(part) <= 2 < min(other) for part, other in [drawn[1:3]]] == [True]
    assert axes.get_ylabel() == PERCENT


def test_curves_of_other_training_are_not_drawn(tmp_path: Path) -> None:
    (tmp_path / "curve.csv").write_text("steps,score\n1,2\n")
    assert not curves_of([str(tmp_path)], TINY)


@pytest.mark.parametrize("text", ["steps,score\n1,2\n", f"{HEAD}\nvalues,1,many,,,,\n", "a,b\n1,2\n"])
def test_a_damaged_curve_is_one_clear_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "curve.csv").write_text(text)
    with pytest.raises(YatzyError, match=r"curve\.csv: damaged, or of an earlier version"):
        read_curve(tmp_path / "curve.csv")
