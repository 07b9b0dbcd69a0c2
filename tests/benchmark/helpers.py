"""A protocol of seconds, and results without training."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from agents.benchmark.execute import MARKS
from agents.benchmark.protocol import Protocol
from agents.benchmark.summary import summarise_results
from agents.benchmark.tasks import Task, work_list

SMALL: dict[str, Any] = {
    "rulesets": ["half-force"],
    "steps": 3000,
    "minutes": 60,
    "seeds": 2,
    "evaluation": {"games": 50, "curve_points": 3, "curve_games": 10},
    "algorithms": {
        "hand": {"kind": "tests.benchmark.learners:by_hand"},
        "one": {"kind": "tests.benchmark.learners:one_env"},
        "both": {"kind": "tests.benchmark.learners:two_agents", "learns_from_optimum": True},
    },
}


def small(**changes: Any) -> Protocol:
    """The protocol with some keys changed."""
    return Protocol.parse({**SMALL, **_plain(changes)}, "protocol")


def write_small(path: Path, **changes: Any) -> Path:
    """The same as a file."""
    path.write_text(yaml.safe_dump({**SMALL, **_plain(changes)}))
    return path


def fake(task: Task) -> dict[str, Any]:
    """A result without work: what it says depends on the task alone."""
    percent = 50.0 + 10 * task.seed + len(task.algorithm)
    figures = {"mean_score": percent, "regret_per_game": 150 - 1.5 * percent, "regret_se": 0.5}
    figures |= {"expected_score": 1.5 * percent, "percent_of_optimum": percent, "normalized": percent / 100}
    curve = [{"point": at, "steps": 1500 * (at + 1), "minutes": at + 1.0, **figures} for at in range(2 * task.trains)]
    after = {mark: {"steps": 3000 * task.trains, "minutes": 2.0 * task.trains, **figures} for mark in MARKS}
    return {
        "ruleset": task.ruleset,
        "algorithm": task.algorithm,
        "seed": task.seed,
        "optimum": 150.0,
        "agents": {"": {"curve": curve, "after": after}},
        "timing": {"seconds": 0.0, "steps": 3000 * task.trains, "minutes": 0.5 * task.seed},
        "made_with": {"commit": "abc", "versions": {}},
    }


def fake_summary(protocol: Protocol) -> dict[str, Any]:
    """The summary of a protocol all of whose results are made up."""
    return summarise_results(protocol, {task: fake(task) for task in work_list(protocol)})


def compared(pairs: dict[str, str], **changes: Any) -> Protocol:
    """The small protocol in which the first of each pair is compared with the second."""
    algorithms = {
        name: settings | ({"against": pairs[name]} if name in pairs else {})
        for name, settings in SMALL["algorithms"].items()
    }
    return small(algorithms=algorithms, **changes)


def _plain(changes: dict[str, Any]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in changes.items()}
