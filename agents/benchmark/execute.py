"""A task from start to result: train, measure on the way and at the end."""

from __future__ import annotations

import io
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console

from agents.benchmark.protocol import PPOSettings
from agents.benchmark.tasks import Outcome, Task
from agents.distilled import DistilledSettings, distil
from agents.errors import RunError
from agents.ppo.agent import PPOAgent
from agents.ppo.config import Config
from agents.ppo.runs import check_complete, create_run
from agents.ppo.training import train as train_ppo
from agents.ppo.weights import PolicyWeights, read_weights, save_weights
from agents.registry import make_agent
from agents.sb3 import UnmaskedAgent
from agents.sb3 import train as train_sb3
from agents.training.runs import Run, newest_run
from yatzy_env.agent import Agent
from yatzy_env.evaluation.matches import play_match
from yatzy_env.evaluation.provenance import commit, versions
from yatzy_env.evaluation.results import summarise
from yatzy_env.files import read_json, write_json
from yatzy_env.solver import Solution, can_solve, solve

FIGURES = ("mean_score", "score_se", "regret_per_game", "regret_se", "expected_score", "percent_of_optimum")


def execute(task: Task, scratch: Path | None = None) -> Outcome:
    """Does a task.

    Args:
        task: the task.
        scratch: a folder of its own for what lets a killed task go on; a temporary one if None.

    Returns:
        Its outcome; figures and network are the same for the same task on the same machine.
    """
    start, cpu = time.perf_counter(), time.process_time()
    rules = task.rules
    solution = solve(rules, progress=False) if can_solve(rules) else None
    settings = task.protocol.evaluation

    def measure(agent: Agent, games: int, seed: int) -> dict[str, float | None]:
        fields = summarise(play_match(agent, rules, games, seed, solution)).fields()
        figures = {name: fields[name] for name in FIGURES}
        rate = getattr(agent, "illegal_rate", None)
        return figures | ({} if rate is None else {"illegal_rate": rate})

    def evaluate(policy: PolicyWeights) -> dict[str, float | None]:
        return measure(_make_player(task, policy), settings.curve_games, settings.curve_seed)

    result: dict[str, Any] = {"ruleset": rules.name, "algorithm": task.algorithm, "seed": task.seed}
    network = None
    if task.trains:
        evaluations = Evaluations(evaluate, points_of(task))
        with tempfile.TemporaryDirectory() as folder:
            policy, steps_here = _learn(task, solution, evaluations, scratch or Path(folder))
            trained = max(time.process_time() - cpu - evaluations.cpu_seconds, 1e-9)
            save_weights(policy, Path(folder) / "network.npz")
            network = (Path(folder) / "network.npz").read_bytes()
        agent: Agent = _make_player(task, policy)
        result |= {"steps": policy.steps, "curve": evaluations.curve}
        timing = {"training_cpu_seconds": round(trained, 1), "steps_per_cpu_second": round(steps_here / trained)}
    else:
        agent = make_agent(task.algorithm, rules, lambda: solve(rules, progress=False))
        result |= {"steps": 0, "curve": []}
        timing = {}
    result["optimum"] = float(solution.expected_score) if solution is not None else None
    result["final"] = measure(agent, settings.games, settings.seed)
    result["timing"] = timing | {"seconds": round(time.perf_counter() - start, 1)}
    result["made_with"] = {"commit": commit(), "versions": versions()}
    return Outcome(result, network)


@dataclass
class Evaluations:
    """The evaluations of a network during its training.

    Attributes:
        evaluate: measures a network.
        points: the steps after which to do so.
        curve: what was seen, with the steps done, in order.
        cpu_seconds: what they took of the processor.
    """

    evaluate: Callable[[PolicyWeights], dict[str, Any]]
    points: Sequence[int]
    curve: list[dict[str, Any]] = field(default_factory=list)
    cpu_seconds: float = 0.0

    def __call__(self, steps: int, network: Callable[[], PolicyWeights]) -> bool:
        """Evaluates the network if a point was reached since the last time; returns whether it did."""
        seen = self.curve[-1]["steps"] if self.curve else 0
        is_due = any(seen < point <= steps for point in self.points)
        if is_due:
            start = time.process_time()
            self.curve.append({"steps": steps, **self.evaluate(network())})
            self.cpu_seconds += time.process_time() - start
        return is_due


def points_of(task: Task) -> list[int]:
    """The steps after which a network is evaluated."""
    steps, count = task.protocol.steps_of(task.algorithm), task.protocol.evaluation.curve_points
    return [max(round(steps * number / count), 1) for number in range(1, count + 1)]


def _make_player(task: Task, policy: PolicyWeights) -> Agent:
    """The agent that plays a task's network."""
    settings = task.protocol.algorithms[task.algorithm]
    if isinstance(settings, PPOSettings | DistilledSettings):
        return PPOAgent(task.rules, policy, task.algorithm)
    return UnmaskedAgent(task.rules, policy, task.algorithm)


def _learn(task: Task, solution: Solution | None, evaluations: Evaluations, scratch: Path) -> tuple[PolicyWeights, int]:
    """Trains the network of a task: the network, and the steps that were done in this call."""
    settings, steps = task.protocol.algorithms[task.algorithm], task.protocol.steps_of(task.algorithm)
    if isinstance(settings, PPOSettings):
        return _learn_ppo(settings.config_for(task.rules, steps, task.seed), evaluations, scratch)
    if isinstance(settings, DistilledSettings):
        assert solution is not None, "the work list leaves out what cannot be solved"
        policy = distil(task.rules, solution, settings, steps, task.seed, evaluations)
    else:
        policy = train_sb3(task.rules, settings, steps, task.seed, evaluations)
    return policy, policy.steps


@dataclass(frozen=True)
class _EvaluatedRun(Run):
    """A run whose checkpoints are evaluated: each holds the network as it then is."""

    evaluations: Evaluations

    @contextmanager
    def saving(self, steps: int) -> Iterator[Path]:
        """Makes a checkpoint the one that counts, and evaluates it if it is the first to reach a point.

        The result is kept before the checkpoint counts: a run killed in between evaluates the same checkpoint again.
        """
        with super().saving(steps) as folder:
            yield folder
            if self.evaluations(steps, lambda: read_weights(folder / "weights.npz")):
                write_json(self.folder / "looks.json", self.evaluations.curve, indent=None)


def _learn_ppo(config: Config, evaluations: Evaluations, scratch: Path) -> tuple[PolicyWeights, int]:
    """Trains as `train.py` does, in a run folder; the run goes on from its checkpoint if there is one."""
    run = _unfinished(config, scratch) or create_run(config, scratch, "benchmark.py agents")
    before = run.manifest().get("steps", 0)
    kept = run.folder / "looks.json"
    if before and kept.exists():
        evaluations.curve += [point for point in read_json(kept) if point["steps"] <= before]
    evaluated = _EvaluatedRun(run.folder, evaluations)
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
