"""Tasks: what one is, and where its result stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.benchmark.protocol import Protocol
from yatzy_env.errors import YatzyError
from yatzy_env.files import read_record, write_bytes, write_record
from yatzy_env.rules import Ruleset


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
        return self.protocol.rules(self.ruleset)

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

    `known` says whether a ruleset can be solved; what learns from the optimum is left out where it cannot, and the
    optimal player with it. All can if it is not given.
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
    if outcome.network is not None:
        write_bytes(file.with_suffix(".npz"), outcome.network)
    write_record(file, outcome.result, indent=1)


def read_result(task: Task, root: Path) -> dict[str, Any] | None:
    """The result of a task, None if it has none yet, or the file is damaged or of another results number."""
    try:
        found = read_record(task.result_file(root))
    except YatzyError:
        return None
    return found if found.keys() >= {"final", "curve", "steps", "timing", "made_with"} else None
