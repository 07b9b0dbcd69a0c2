"""What a run shows and logs while it trains."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator  # type: ignore[import-untyped]

from agents.ppo import algorithm
from agents.ppo.algorithm import YatzyPPO
from agents.ppo.callbacks import Schedules
from agents.ppo.runs import create_run
from agents.ppo.training import train
from agents.training.runs import Run
from tests.ppo.helpers import tiny_config


def test_tensorboard_gets_losses_entropies_speed_and_scores(short_run: Run) -> None:
    events = EventAccumulator(str(short_run.folder / "tensorboard"))
    events.Reload()
    assert {
        "train/policy_loss",
        "train/value_loss",
        "train/entropy_loss",
        "train/explained_variance",
        "train/approx_kl",
        "train/clip_fraction",
        "train/improvement_loss",
        "train/improvement_temperature",
        "train/learning_rate",
        "train/gae_lambda",
        "train/entropy_coefficient",
        "rollout/score",
        "rollout/entropy_keep",
        "rollout/entropy_box",
        "time/steps_per_second",
    } <= set(events.Tags()["scalars"])
    assert "_hparams_/session_start_info" in events.summary_metadata
    (first, *_) = events.Scalars("rollout/score")
    assert 0 < first.value < 40  # points, not scaled rewards
    assert first.step == 4096


def test_the_curve_has_a_row_per_update(short_run: Run) -> None:
    with (short_run.folder / "curve.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["steps"]) for row in rows] == [4096, 8192]
    for row in rows:
        assert 0 < float(row["score"]) < 40
        assert float(row["steps_per_second"]) > 0
        assert -1 <= float(row["explained_variance"]) <= 1
    assert float(rows[0]["seconds"]) < float(rows[1]["seconds"])


@pytest.mark.parametrize("is_terminal", [True, False])
def test_progress_names_speed_score_and_time_left(tmp_path: Path, is_terminal: bool) -> None:
    console = Console(file=io.StringIO(), force_terminal=is_terminal, width=150)
    train(create_run(tiny_config(total_steps=8192), tmp_path, "command"), console)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    for word in ("steps/s", "mean score", "left"):
        assert word in text
    assert ("\x1b" in text) == is_terminal


def test_schedules_follow_the_steps() -> None:
    config = tiny_config(
        total_steps=16_384, gae_lambda__start=1.0, gae_lambda__end=0.0, entropy__start=0.4,
        improvement_temperature__start=2.0, improvement_temperature__end=1.0,
    )  # fmt: skip
    model = YatzyPPO(config)
    seen = []

    class Spy(Schedules):
        def _on_rollout_start(self) -> None:
            super()._on_rollout_start()
            model = self.model
            seen.append([model.rollout_buffer.gae_lambda, model.ent_coef, model.improvement_temperature])

    model.learn(16_384, Spy())
    np.testing.assert_allclose(seen, [(1.0, 0.4, 2.0), (0.75, 0.3, 1.75), (0.5, 0.2, 1.5), (0.25, 0.1, 1.25)])
    assert model.policy.optimizer.param_groups[0]["lr"] == 0  # the last update comes after all steps


def test_a_processor_without_bfloat16_uses_float32(monkeypatch: pytest.MonkeyPatch) -> None:
    for has_it in (True, False):
        monkeypatch.setattr(algorithm, "has_bfloat16", lambda has_it=has_it: has_it)
        assert YatzyPPO(tiny_config(precision="auto")).policy.mixed_precision is has_it
    assert YatzyPPO(tiny_config(precision="bfloat16")).policy.mixed_precision
    assert isinstance(algorithm.has_bfloat16(), bool)
