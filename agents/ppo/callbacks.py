"""What happens between rollouts: schedules, checkpoints, the training curve and progress."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import HParam

from agents.ppo.agent import PPOAgent
from agents.ppo.algorithm import YatzyPPO
from agents.ppo.checkpoint import averaged_weights, save_checkpoint
from agents.ppo.config import Config
from agents.ppo.multitask import task_weights
from agents.training.runs import Run, add_to_curve, start_curve
from yatzy_env.rules import Ruleset

_CURVE = (
    "rollout/score",
    "rollout/entropy_keep",
    "rollout/entropy_box",
    "train/explained_variance",
    "train/value_loss",
)

_REPORT_SECONDS = 30.0  # between lines of progress where there is no terminal


class _Callback(BaseCallback):
    model: YatzyPPO

    @property
    def config(self) -> Config:
        return self.model.config

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        self._between_rollouts(is_last=False)

    def _on_training_end(self) -> None:
        self._between_rollouts(is_last=True)

    def _between_rollouts(self, is_last: bool) -> None:
        """Called before the first rollout, after every update, and once more after all of them."""


class Schedules(_Callback):
    """Sets what follows a schedule before each rollout, by the steps done."""

    def _on_rollout_start(self) -> None:
        share = self.model.num_timesteps / self.config.total_steps
        self.model.rollout_buffer.gae_lambda = self.model.gae_lambda = self.config.gae_lambda.at(share)
        self.model.ent_coef = self.config.entropy.at(share)
        self.model.improvement_temperature = self.config.improvement_temperature.at(share)


class Checkpoints(_Callback):
    """Saves after the first rollout, then by time, and at the end; `began` is now less the seconds trained so far."""

    def __init__(self, run: Run, began: float) -> None:
        super().__init__()
        self.run = run
        self.began = began

    def _on_training_start(self) -> None:
        self._saved_steps = self.model.num_timesteps
        self._saved_at = time.monotonic()

    def _between_rollouts(self, is_last: bool) -> None:
        steps, now = self.model.num_timesteps, time.monotonic()
        is_due = is_last or not self._saved_steps or now - self._saved_at >= 60 * self.config.checkpoint_minutes
        if steps > self._saved_steps and is_due:
            save_checkpoint(self.run, self.model, now - self.began)
            self._saved_steps, self._saved_at = steps, time.monotonic()


class EvalCallback(_Callback):
    """Evaluates the averaged network between rollouts, by time, for the log alone: nothing in training reads it."""

    def __init__(self, evaluate: Callable[[PPOAgent, Ruleset], Mapping[str, float]]) -> None:
        super().__init__()
        self.evaluate = evaluate
        self._evaluated_at = time.monotonic()

    def _between_rollouts(self, is_last: bool) -> None:
        if not is_last and time.monotonic() - self._evaluated_at < 60 * self.config.eval_minutes:
            return
        weights = averaged_weights(self.model)
        for rules in self.config.tasks.rulesets:
            agent = PPOAgent(rules, task_weights(weights, rules))
            for name, value in self.evaluate(agent, rules).items():
                self.logger.record(f"{name}/{rules.name}" if self.config.rulesets else name, value)
        self._evaluated_at = time.monotonic()


class Curve(_Callback):
    """Writes a row per update to `curve.csv`, and hyper-parameters and speed to the log."""

    def __init__(self, path: Path, began: float) -> None:
        super().__init__()
        self.path = path
        self.began = began

    def _on_training_start(self) -> None:
        columns = ["steps", "seconds", "steps_per_second", *(name.partition("/")[2] for name in _CURVE)]
        start_curve(self.path, columns, lambda row: int(row["steps"]) <= self.model.num_timesteps)
        self.logger.record("hyper_parameters", self._table(), exclude=("stdout", "log", "json", "csv"))
        self._written_steps = self.model.num_timesteps
        self._written_at = time.monotonic()

    def _between_rollouts(self, is_last: bool) -> None:
        steps, now = self.model.num_timesteps, time.monotonic()
        if steps > self._written_steps:
            speed = self.config.rollout / max(now - self._written_at, 1e-9)
            self.logger.record("time/steps_per_second", speed)
            values = self.logger.name_to_value | self.model.last_rollout
            row = [steps, f"{now - self.began:.1f}", f"{speed:.0f}"]
            add_to_curve(self.path, row + [f"{float(values.get(name, float('nan'))):.6g}" for name in _CURVE])
            self._written_steps, self._written_at = steps, now
        if is_last:
            self.logger.dump(steps)

    def _table(self) -> HParam:
        flat: dict[str, Any] = {}
        for name, value in self.config.model_dump(mode="json").items():
            values = value.items() if isinstance(value, dict) else [("", value)]
            flat |= {f"{name}.{key}".rstrip("."): inner for key, inner in values}
        plain = {name: value if isinstance(value, int | float) else str(value) for name, value in flat.items()}
        return HParam(plain, {"rollout/score": 0.0})


class Report(_Callback):
    """Shows progress on stderr: a bar on a terminal, otherwise a line now and then."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self.console = console
        self._progress: Progress | None = None
        self._began = (0.0, 0)
        self._said = 0.0

    def _on_training_start(self) -> None:
        self._began = (time.monotonic(), self.model.num_timesteps)
        if self.console.is_terminal:
            self._progress = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TaskProgressColumn(),
                TextColumn("{task.fields[speed]:,.0f} steps/s, mean score {task.fields[score]:.1f}, left"),
                TimeRemainingColumn(elapsed_when_finished=True, compact=True),
                console=self.console,
            )
            name = f"{self.config.name} seed {self.config.seed}"
            self._progress.add_task(name, total=self.config.total_steps, speed=0.0, score=float("nan"))
            self._progress.start()

    def _between_rollouts(self, is_last: bool) -> None:
        done, total, now = self.model.num_timesteps, self.config.total_steps, time.monotonic()
        if done == self._began[1] and not is_last:
            return
        speed = (done - self._began[1]) / max(now - self._began[0], 1e-9)
        score = self.model.last_rollout.get("rollout/score", float("nan"))
        if self._progress:
            self._progress.update(self._progress.task_ids[0], completed=min(done, total), speed=speed, score=score)
        elif is_last or now - self._said >= _REPORT_SECONDS:
            left = max(total - done, 0) / max(speed, 1e-9) / 60
            self.console.print(
                f"{done:,} of {total:,} steps, {speed:,.0f} steps/s, mean score {score:.1f}, {left:.0f} min left"
            )
            self._said = now
        if is_last:
            self.close()

    def close(self) -> None:
        """Takes the bar off the terminal's last line."""
        if self._progress:
            self._progress.stop()
            self._progress = None
