"""Every algorithm behind one call: train a task's network, and evaluate it on the way."""

from __future__ import annotations

import io
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console

from agents.benchmark.protocol import PPOSettings
from agents.benchmark.tasks import Task
from agents.distilled import DistilledSettings, distil
from agents.errors import RunError
from agents.ppo.agent import PPOAgent
from agents.ppo.config import Config
from agents.ppo.runs import check_complete, create_run
from agents.ppo.training import train as train_ppo
from agents.ppo.weights import PolicyWeights, read_weights
from agents.sb3.agent import UnmaskedAgent
from agents.sb3.training import train as train_sb3
from agents.training.runs import Run, newest_run
from yatzy_env.agent import Agent
from yatzy_env.files import read_json, write_json
from yatzy_env.rules import Ruleset
from yatzy_env.solver import Solution


@dataclass
class Evaluations:
    """The evaluations of a network during its training.

    Attributes:
        evaluate: measures a network.
        curve: what was seen, with the steps done, in order.
        cpu_seconds: what they took of the processor.
    """

    evaluate: Callable[[PolicyWeights], dict[str, Any]]
    curve: list[dict[str, Any]] = field(default_factory=list)
    cpu_seconds: float = 0.0

    def __call__(self, policy: PolicyWeights) -> None:
        """Evaluates a network."""
        start = time.process_time()
        self.curve.append({"steps": policy.steps, **self.evaluate(policy)})
        self.cpu_seconds += time.process_time() - start


def points_of(task: Task) -> list[int]:
    """The steps after which a network is evaluated."""
    steps, count = task.protocol.steps_of(task.algorithm), task.protocol.evaluation.curve_points
    return [max(round(steps * number / count), 1) for number in range(1, count + 1)]


def make_player(task: Task, rules: Ruleset, policy: PolicyWeights) -> Agent:
    """The agent that plays a task's network."""
    settings = task.protocol.algorithms[task.algorithm]
    if isinstance(settings, PPOSettings | DistilledSettings):
        return PPOAgent(rules, policy, task.algorithm)
    return UnmaskedAgent(rules, policy, task.algorithm)


def learn(
    task: Task, rules: Ruleset, solution: Solution | None, evaluations: Evaluations, scratch: Path | None
) -> tuple[PolicyWeights, int]:
    """Trains the network of a task.

    Args:
        task: the task.
        rules: its ruleset.
        solution: its exact solution; read by the distilled network alone.
        evaluations: called with the network on the way.
        scratch: a folder for what lets a killed task go on; a temporary one if None.

    Returns:
        The network, and the steps that were done in this call.
    """
    settings = task.protocol.algorithms[task.algorithm]
    steps, points = task.protocol.steps_of(task.algorithm), points_of(task)
    if isinstance(settings, PPOSettings):
        if scratch is None:
            with tempfile.TemporaryDirectory() as folder:
                return _learn_ppo(task, rules, settings, evaluations, Path(folder))
        return _learn_ppo(task, rules, settings, evaluations, scratch)
    if isinstance(settings, DistilledSettings):
        assert solution is not None, "the work list leaves out what cannot be solved"
        policy = distil(rules, solution, settings, steps, task.seed, points, evaluations)
    else:
        policy = train_sb3(rules, settings, steps, task.seed, points, evaluations)
    return policy, policy.steps


@dataclass(frozen=True)
class _EvaluatedRun(Run):
    """A run whose checkpoints are evaluated: each holds the network as it then is."""

    points: tuple[int, ...]
    evaluations: Evaluations

    @contextmanager
    def saving(self, steps: int) -> Iterator[Path]:
        """Makes a checkpoint the one that counts, and evaluates it if it is the first to reach a point.

        The result is kept before the checkpoint counts: a run killed in between evaluates the same checkpoint again.
        """
        with super().saving(steps) as folder:
            yield folder
            seen = self.evaluations.curve[-1]["steps"] if self.evaluations.curve else 0
            if any(seen < point <= steps for point in self.points):
                self.evaluations(read_weights(folder / "weights.npz"))
                write_json(self.folder / "looks.json", self.evaluations.curve, indent=None)


def _learn_ppo(
    task: Task, rules: Ruleset, settings: PPOSettings, evaluations: Evaluations, scratch: Path
) -> tuple[PolicyWeights, int]:
    """Trains as `train.py` does, in a run folder; the run goes on from its checkpoint if there is one."""
    config = settings.config_for(rules, task.protocol.steps_of(task.algorithm), task.seed)
    run = _unfinished(config, scratch) or create_run(config, scratch, "benchmark.py agents")
    before = run.manifest().get("steps", 0)
    kept = run.folder / "looks.json"
    if before and kept.exists():
        evaluations.curve += [point for point in read_json(kept) if point["steps"] <= before]
    evaluated = _EvaluatedRun(run.folder, tuple(points_of(task)), evaluations)
    train_ppo(evaluated, Console(file=io.StringIO()))
    checkpoint = evaluated.checkpoint()
    assert checkpoint is not None, "training ends with a checkpoint"
    policy = read_weights(checkpoint / "weights.npz")
    return policy, policy.steps - before


def _unfinished(config: Config, scratch: Path) -> Run | None:
    """The run that a killed task left, if this version can go on with it."""
    if not any(scratch.glob(f"{config.name}/*/config.yaml")):
        return None
    run = newest_run(config.name, scratch)
    try:
        check_complete(run)
    except RunError:
        return None
    return run
