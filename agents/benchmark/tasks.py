"""Tasks: what one is, and where its result stands."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.benchmark.protocol import Protocol
from yatzy_env.errors import YatzyError
from yatzy_env.files import read_record
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


def work_list(protocol: Protocol) -> list[Task]:
    """All tasks of a protocol, the quick ones first, then seed by seed."""
    tasks = [
        Task(protocol, name, agent, 0)
        for name in (*protocol.rulesets, *protocol.checks)
        for agent in protocol.untrained
    ]
    return tasks + [
        Task(protocol, name, algorithm, seed)
        for seed in range(1, protocol.seeds + 1)
        for name in protocol.rulesets
        for algorithm in protocol.algorithms
    ]


def read_result(task: Task, root: Path) -> dict[str, Any] | None:
    """The result of a task, None if it has none yet, or the file is damaged or of another results number."""
    try:
        found = read_record(task.result_file(root))
    except YatzyError:
        return None
    return found if "agents" in found else None
