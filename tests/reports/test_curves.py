from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agents.reports.curves import curves_of, read_curve
from tests.evaluation.helpers import TINY
from yatzy_env.errors import YatzyError
from yatzy_env.rules import ruleset


def run(folder: Path, scores: list[float], seed: int = 1, lanes: int = 8, every: int = 100) -> str:
    """A run folder with a curve; returns its name."""
    folder.mkdir()
    rows = [f"{every * (place + 1)},1.0,{score}" for place, score in enumerate(scores)]
    (folder / "curve.csv").write_text("\n".join(["steps,seconds,score", *rows]) + "\n")
    (folder / "config.yaml").write_text(f"ruleset: tiny\nseed: {seed}\nlanes: {lanes}\n")
    return str(folder)


def test_a_run_has_a_line_without_a_band(tmp_path: Path) -> None:
    name = run(tmp_path / "a", [10, float("nan"), 30])
    (curve,) = curves_of(["greedy", name, str(tmp_path)], TINY)
    assert (curve.name, curve.runs) == (name, 1)
    assert curve.steps.tolist() == [100, 300], "a row without a score is left out"
    assert curve.score.tolist() == curve.low.tolist() == curve.high.tolist() == [10, 30]


def test_runs_that_differ_in_their_seed_make_one_curve_with_a_band(tmp_path: Path) -> None:
    names = [
        run(tmp_path / "a", [10, 20, 30], seed=1),
        run(tmp_path / "b", [20, 30, 40], seed=2),
        run(tmp_path / "c", [0, 0, 0], seed=2, lanes=16),
        run(tmp_path / "d", [30, 40, 50, 60], seed=3),
    ]
    three, other = curves_of(names, TINY)
    assert (three.runs, other.runs) == (3, 1)
    assert (three.steps[0], three.steps[-1]) == (100, 300)
    for line, ends in ((three.low, (10, 30)), (three.score, (20, 40)), (three.high, (30, 50))):
        assert (line[0], line[-1]) == pytest.approx(ends)
        assert (np.diff(line) >= 0).all()


def test_the_shipped_model_has_a_curve() -> None:
    (curve,) = curves_of(["ppo"], ruleset("yatzy"))
    assert curve.score[-1] > 240


@pytest.mark.parametrize("text", ["steps,seconds\n1,2\n", "steps,score\nmany,2\n", ""])
def test_a_damaged_curve_is_one_clear_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "curve.csv").write_text(text + ("" if text else "a,b\n1,2\n"))
    with pytest.raises(YatzyError, match="damaged, it has no columns of numbers called steps and score"):
        read_curve(tmp_path / "curve.csv")
