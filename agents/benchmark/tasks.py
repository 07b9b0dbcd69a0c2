"""Tasks: what one is, where its result stands, and how it is done."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.benchmark.protocol import Protocol
from agents.ppo.runs import write_atomically
from agents.ppo.weights import PolicyWeights, save_weights
from yatzy_env.agent import Agent
from yatzy_env.evaluation.matches import play_match
from yatzy_env.evaluation.provenance import commit, versions
from yatzy_env.evaluation.results import summarise
from yatzy_env.rules import Ruleset, ruleset

FIGURES = ("mean_score", "score_se", "regret_per_game", "regret_se", "expected_score", "percent_of_optimum")


@dataclass(frozen=True)
class Task:
    """One training run, or one agent without training.

    Attributes:
        protocol: the protocol it is part of.
        ruleset: the ruleset, by name.
        algorithm: a key of the protocol's algorithms, or an agent without training.
        seed: seed of the training; 0 without training.
    """

    protocol: Protocol
    ruleset: str
    algorithm: str
    seed: int

    def __hash__(self) -> int:
        return hash((self.ruleset, self.algorithm, self.seed))

    @property
    def trains(self) -> bool:
        """Whether anything is trained."""
        return self.algorithm in self.protocol.algorithms

    @property
    def rules(self) -> Ruleset:
        """The ruleset."""
        return ruleset(self.ruleset)

    def result_file(self, root: Path) -> Path:
        """Where the result stands, under the folder of all benchmarks; another setting is another folder."""
        folder = root / self.protocol.digest[:12] / self.ruleset
        if not self.trains:
            return folder / self.algorithm / "result.json"
        return (
            folder / f"{self.algorithm}-{self.protocol.settings_digest(self.algorithm)[:8]}" / f"seed-{self.seed}.json"
        )


@dataclass(frozen=True)
class Outcome:
    """What a task has found.

    Attributes:
        result: figures, learning curve, seconds and versions, as JSON.
        network: the trained network as the bytes of an `.npz` file; None without training.
    """

    result: dict[str, Any]
    network: bytes | None


def work_list(protocol: Protocol, known: Callable[[str], bool] | None = None) -> list[Task]:
    """All tasks of a protocol, the quick ones first, then seed by seed.

    Args:
        protocol: the protocol.
        known: whether a ruleset can be solved; what learns from the optimum is left out where it cannot, and the
            optimal player with it. All can if not given.
    """
    solved = {name for name in protocol.rulesets if known is None or known(name)}
    tasks = [
        Task(protocol, name, agent, 0)
        for name in protocol.rulesets
        for agent in protocol.untrained
        if agent != "optimal" or name in solved
    ]
    return tasks + [
        Task(protocol, name, algorithm, seed)
        for seed in range(1, protocol.seeds + 1)
        for name in protocol.rulesets
        for algorithm, settings in protocol.algorithms.items()
        if settings.kind != "distilled" or name in solved
    ]


def save_outcome(task: Task, outcome: Outcome, root: Path) -> None:
    """Writes the network, then the result: a task with a result is done."""
    file = task.result_file(root)
    file.parent.mkdir(parents=True, exist_ok=True)
    if outcome.network is not None:
        partial = file.with_suffix(".npz.partial")
        partial.write_bytes(outcome.network)
        partial.replace(file.with_suffix(".npz"))
    write_atomically(file, json.dumps(outcome.result, indent=1) + "\n")


def read_result(task: Task, root: Path) -> dict[str, Any] | None:
    """The result of a task, None if it has none yet or the file is damaged."""
    try:
        found = json.loads(task.result_file(root).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and "final" in found else None


def execute(task: Task, scratch: Path | None = None) -> Outcome:
    """Does a task.

    Args:
        task: the task.
        scratch: a folder of its own for what lets a killed task go on; a temporary one if None.

    Returns:
        Its outcome; figures and network are the same for the same task on the same machine.
    """
    from agents.benchmark.learn import Watch, learn, make_player
    from agents.registry import make_agent
    from agents.session import can_solve
    from yatzy_env.solver import solve

    start, cpu = time.perf_counter(), time.process_time()
    rules = task.rules
    solution = solve(rules, progress=False) if can_solve(rules) else None
    looks = task.protocol.evaluation

    def measure(agent: Agent, games: int, seed: int) -> dict[str, float | None]:
        fields = summarise(play_match(agent, rules, games, seed, solution)).fields()
        figures = {name: fields[name] for name in FIGURES}
        rate = getattr(agent, "illegal_rate", None)
        return figures | ({} if rate is None else {"illegal_rate": rate})

    result: dict[str, Any] = {"ruleset": rules.name, "algorithm": task.algorithm, "seed": task.seed}
    network = None
    if task.trains:

        def look(policy: PolicyWeights) -> dict[str, float | None]:
            return measure(make_player(task, rules, policy), looks.curve_games, looks.curve_seed)

        watch = Watch(look)
        policy, steps_here = learn(task, rules, solution, watch, scratch)
        trained = max(time.process_time() - cpu - watch.cpu_seconds, 1e-9)
        agent: Agent = make_player(task, rules, policy)
        result |= {"steps": policy.steps, "curve": watch.curve}
        timing = {"training_cpu_seconds": round(trained, 1), "steps_per_cpu_second": round(steps_here / trained)}
        network = _bytes(policy)
    else:
        agent = make_agent(task.algorithm, rules, lambda: solve(rules, progress=False))
        result |= {"steps": 0, "curve": []}
        timing = {}
    result["optimum"] = float(solution.expected_score) if solution is not None else None
    result["final"] = measure(agent, looks.games, looks.seed)
    result["timing"] = timing | {"seconds": round(time.perf_counter() - start, 1)}
    result["made_with"] = {"commit": commit(), "versions": versions()}
    return Outcome(result, network)


def _bytes(policy: PolicyWeights) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "network.npz"
        save_weights(policy, path)
        return path.read_bytes()
