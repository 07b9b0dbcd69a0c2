"""Training runs from configuration to finished networks: the value network first, then the policy that it teaches."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from filelock import FileLock, Timeout
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from torch.utils.tensorboard import SummaryWriter

from agents.errors import DivergedError, RunError
from agents.ppo.agent import PPOAgent
from agents.ppo.config import Config
from agents.ppo.learner import EndValues, PolicyLearner
from agents.ppo.policy import FILE as POLICY
from agents.ppo.policy import PolicyNetwork
from agents.ppo.runs import check_complete, config_of
from agents.training.networks import Layers
from agents.training.runs import CURVE, Run, add_to_curve, start_curve
from agents.values.learner import ValueLearner
from agents.values.network import FILE as VALUES
from agents.values.network import ValueNetwork
from agents.values.planner import Planner
from agents.values.table import ValueTable, has_table
from yatzy_env.agent import Agent
from yatzy_env.errors import folded
from yatzy_env.files import write_text
from yatzy_env.rules import Ruleset

Evaluate = Callable[[Agent, Ruleset], Mapping[str, float]]
"""Figures of the networks as they are now, for the log, by the ruleset they play."""

COLUMNS = ("stage", "round", "cpu_seconds", "loss", "planned_regret", "entropy", "percent")
"""Of the training curve: `loss` in points is the value network's, the following two are the policy's."""

_STATE = "state.pt"
_REPORT_SECONDS = 30.0  # between lines of progress where there is no terminal


class _StoppedError(Exception):
    """Asked to stop; everything is saved."""


def train(run: Run, console: Console, evaluate: Evaluate | None = None) -> None:
    """Trains a run to its end, from its checkpoint if it has one.

    Ctrl-C and SIGTERM save and stop after the round under way.

    Args:
        run: the run folder, whose last checkpoint holds the trained networks in the end.
        console: where to say what happens.
        evaluate: measures the networks now and then for the log; nothing in training depends on what it finds.

    Raises:
        RunError: if the checkpoint cannot be used, or another process trains the run.
        DivergedError: when numbers are not finite any more; the last checkpoint stays.
        KeyboardInterrupt: if it was asked to stop.
    """
    torch.set_num_threads(1)
    check_complete(run)
    with _alone(run), _stop_signals() as asked:
        training = _Training(run, config_of(run), console, evaluate, asked)
        try:
            training.work()
        except DivergedError as error:
            raise DivergedError(
                f"training diverged: {error}; the checkpoint of round {training.saved} is kept"
            ) from error
        except _StoppedError:
            console.print(f"stopped and saved in {run.folder}; --resume goes on from round {training.saved}")
            raise KeyboardInterrupt from None
        finally:
            training.close()


class _Training:
    """A run at work.

    Attributes:
        saved: rounds done, of both stages, when the last checkpoint was made.
    """

    def __init__(self, run: Run, config: Config, console: Console, evaluate: Evaluate | None, asked: list[int]) -> None:
        self._run, self._config, self._console = run, config, console
        self._evaluate, self._asked = evaluate, asked
        self._values = ValueLearner(config.rules, config.values, config.seed)
        self._policy: PolicyLearner | None = None
        self._teacher: Layers = ()  # of the value network, once it is trained
        self._seconds = 0.0
        self.saved = 0
        self._restore()
        start_curve(
            run.folder / CURVE, COLUMNS, lambda row: self._number(row["stage"], int(row["round"])) <= self.saved
        )
        self._log = SummaryWriter(str(run.folder / "tensorboard"), purge_step=self.saved + 1)
        self._log.add_text("configuration", f"```\n{config.to_yaml()}```", self.saved)
        self._saved_at = self._evaluated_at = self._said_at = time.monotonic()
        self._progress, self._bar = _bar(console, config, self.saved)

    def close(self) -> None:
        """Takes the bar off the terminal's last line, and closes the log."""
        if self._progress:
            self._progress.stop()
        self._log.close()

    def work(self) -> None:
        """Both stages, from where they stand."""
        total = self._config.values.rounds + self._config.policy.rounds
        what = "resuming" if self.saved else "training in"
        self._console.print(
            f"{what} {self._run.folder}: {self.saved:,} of {total:,} rounds done, "
            f"{self._config.values.rounds:,} of the value network and {self._config.policy.rounds:,} of the policy"
        )
        fitter = self._values.fitter
        while self._policy is None:
            self._round(self._values.work)
            self._note("values", fitter.round, {"loss": self._values.loss}, fitter.done)
            if fitter.done:
                self._begin_policy(fitter.layers)
        while not self._policy.done:
            self._round(self._policy.work)
            self._note("policy", self._policy.round, self._policy.figures, self._policy.done)

    def _round(self, work: Callable[[], None]) -> None:
        started = time.process_time()
        work()
        self._seconds += time.process_time() - started

    def _begin_policy(self, teacher: Layers) -> None:
        """Makes the learner of the policy, and lets the value network plan its turns from now on."""
        started = time.process_time()
        self._teacher = teacher
        values: list[EndValues] = [
            ValueTable(network) if has_table(network) else network
            for network in ValueNetwork.of_each(self._config.rules, teacher)
        ]
        self._policy = PolicyLearner(self._config.rules, self._config.policy, self._config.seed, values)
        self._seconds += time.process_time() - started

    def _number(self, stage: str, round_: int) -> int:
        """Rounds of both stages done after one of a stage."""
        return round_ + (self._config.values.rounds if stage == "policy" else 0)

    def _note(self, stage: str, round_: int, figures: Mapping[str, float], is_last: bool) -> None:
        """What follows a round: evaluation, curve, log, checkpoint, progress, and a stop where one was asked for."""
        number, now = self._number(stage, round_), time.monotonic()
        figures = dict(figures)
        if self._evaluate and (is_last or now - self._evaluated_at >= 60 * self._config.eval_minutes):
            figures |= self._measured()
            self._evaluated_at = time.monotonic()
        for name, value in figures.items():
            self._log.add_scalar(name if "/" in name else f"{stage}/{name}", value, number)
        known = {name: f"{figures[name]:.6g}" for name in COLUMNS[3:] if name in figures}
        row = [stage, round_, f"{self._seconds:.1f}", *(known.get(name, "") for name in COLUMNS[3:])]
        add_to_curve(self._run.folder / CURVE, row)
        if is_last or self._asked or now - self._saved_at >= 60 * self._config.checkpoint_minutes:
            self._save(number)
        if self._asked:
            raise _StoppedError
        self._report(number, ", ".join(f"{name} {value:.4g}" for name, value in figures.items() if "/" not in name))

    def _measured(self) -> dict[str, float]:
        """Percent of the optimum and what else `evaluate` says, of the network in training."""
        assert self._evaluate is not None
        agents: list[Agent]
        if self._policy is None:
            layers = self._values.fitter.layers
            agents = [Planner(one.rules, one) for one in ValueNetwork.of_each(self._config.rules, layers)]
        else:
            layers = self._policy.layers
            agents = [PPOAgent(one.rules, one) for one in PolicyNetwork.of_each(self._config.rules, layers)]
        found: dict[str, float] = {}
        for agent, rules in zip(agents, self._config.rules, strict=True):
            for name, value in self._evaluate(agent, rules).items():
                found[f"{name}/{rules.name}" if self._config.rulesets else name] = value
                if name.endswith("percent_of_optimum"):
                    found["percent"] = found.get("percent", 0.0) + value / len(agents)
        return found

    def _save(self, number: int) -> None:
        config, fitter = self._config, self._values.fitter
        stage, state = ("values", fitter.state()) if self._policy is None else ("policy", self._policy.state())
        with self._run.saving(number) as folder:
            torch.save({"seconds": self._seconds, "stage": stage, "learner": state}, folder / _STATE)
            layers = self._teacher or fitter.layers
            ValueNetwork.save(folder / VALUES, config.rules, layers, min(number, config.values.rounds))
            if self._policy is not None:
                PolicyNetwork.save(folder / POLICY, config.rules, self._policy.layers, self._policy.round)
        self.saved, self._saved_at = number, time.monotonic()

    def _restore(self) -> None:
        """Puts everything where the checkpoint stands; a run that has none gets one before its first round."""
        if not self._run.manifest():
            if (self._run.folder / CURVE).exists():
                raise RunError(f"{self._run.folder / 'manifest.json'} is missing: the run cannot be continued")
            self._save(0)
            return
        folder = self._run.checked_checkpoint()
        try:
            state: dict[str, Any] = torch.load(folder / _STATE, weights_only=True)
            self._seconds, stage = float(state["seconds"]), state["stage"]
            if stage == "values":
                self._values.fitter.restore(state["learner"])
                self.saved = self._values.fitter.round
                if self._values.fitter.done:
                    self._begin_policy(self._values.fitter.layers)
            else:
                self._begin_policy(ValueNetwork.read_layers(folder / VALUES)[1])
                assert self._policy is not None
                self._policy.restore(state["learner"])
                self.saved = self._number("policy", self._policy.round)
        except Exception as error:
            raise RunError(f"{folder}: damaged, or of another version ({folded(error)})") from error

    def _report(self, number: int, text: str) -> None:
        if self._progress:
            self._progress.update(self._bar, completed=number, text=text)
        elif time.monotonic() - self._said_at >= _REPORT_SECONDS:
            self._console.print(f"round {number:,}: {self._seconds:.0f} CPU s, {text}")
            self._said_at = time.monotonic()


def _bar(console: Console, config: Config, done: int) -> tuple[Progress | None, TaskID]:
    if not console.is_terminal:
        return None, TaskID(0)
    progress = Progress(
        TextColumn(f"{config.name} seed {config.seed}"),
        BarColumn(),
        TextColumn("{task.completed:,} of {task.total:,} rounds, {task.fields[text]}, left"),
        TimeRemainingColumn(elapsed_when_finished=True, compact=True),
        console=console,
    )
    bar = progress.add_task("", total=config.values.rounds + config.policy.rounds, completed=done, text="")
    progress.start()
    return progress, bar


@contextmanager
def _alone(run: Run) -> Iterator[None]:
    """Holds the run against other processes."""
    number = run.folder / "training.pid"
    lock = FileLock(run.folder / "training.lock", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        holder = number.read_text(encoding="utf-8").strip() if number.exists() else "unknown"
        raise RunError(f"{run.folder}: process {holder} is training this run") from None
    try:
        write_text(number, f"{os.getpid()}\n", RunError)
        yield
    finally:
        number.unlink(missing_ok=True)
        lock.release()


@contextmanager
def _stop_signals() -> Iterator[list[int]]:
    """Notes Ctrl-C and SIGTERM instead of falling dead; a second one of either does."""
    asked: list[int] = []
    before: dict[int, Any] = {}

    def note(number: int, frame: object) -> None:
        asked.append(number)
        for each, handler in before.items():
            signal.signal(each, handler)

    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            before[number] = signal.signal(number, note)
    except ValueError:  # not the main thread: whoever runs it stops it
        pass
    try:
        yield asked
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
