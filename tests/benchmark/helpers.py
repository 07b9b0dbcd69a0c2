"""A protocol of seconds, and results without training."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from agents.benchmark.protocol import Protocol
from agents.benchmark.summary import summarise_results
from agents.benchmark.tasks import Outcome, Task, work_list

SMALL: dict[str, Any] = {
    "rulesets": ["forced"],
    "steps": 3000,
    "seeds": 2,
    "evaluation": {"games": 50, "curve_points": 2, "curve_games": 10},
    "algorithms": {
        "distilled": {"kind": "distilled", "num_envs": 32, "minibatch": 256, "hidden": [16]},
        "ppo": {
            "kind": "ppo",
            "changes": {
                "num_envs": 32,
                "rollout_steps": 32,
                "minibatch": 256,
                "network": {"hidden": [16]},
                "precision": "float32",
            },
        },
        "ppo-unmasked": {"kind": "ppo-unmasked", "num_envs": 32, "rollout_steps": 32, "minibatch": 256, "hidden": [16]},
        "a2c": {"kind": "a2c", "num_envs": 32, "hidden": [16]},
        "dqn": {"kind": "dqn", "num_envs": 16, "learning_starts": 100, "buffer": 2000, "minibatch": 32, "hidden": [16]},
    },
}


def small(**changes: Any) -> Protocol:
    """The protocol with some keys changed."""
    return Protocol.parse({**SMALL, **_plain(changes)}, "protocol")


def write_small(path: Path, **changes: Any) -> Path:
    """The same as a file."""
    path.write_text(yaml.safe_dump({**SMALL, **_plain(changes)}))
    return path


def fake(task: Task, scratch: Path | None = None) -> Outcome:
    """An outcome without work: what it says depends on the task alone."""
    percent = 50.0 + 10 * task.seed + len(task.algorithm)
    figures = {"mean_score": percent, "score_se": 1.0, "regret_per_game": 150 - 1.5 * percent, "regret_se": 0.5}
    figures |= {"expected_score": 1.5 * percent, "percent_of_optimum": percent}
    looks = [{"steps": steps, **figures} for steps in (1500, 3000)] if task.trains else []
    result = {"ruleset": task.ruleset, "algorithm": task.algorithm, "seed": task.seed, "steps": 3000 * task.trains}
    result |= {
        "curve": looks,
        "optimum": 150.0,
        "final": figures,
        "timing": {"seconds": 0.0, "steps_per_cpu_second": 100 * task.seed},
    }
    return Outcome(result | {"made_with": {"commit": "abc", "versions": {}}}, b"network" if task.trains else None)


def fake_summary(protocol: Protocol) -> dict[str, Any]:
    """The summary of a protocol all of whose outcomes are made up."""
    return summarise_results(protocol, {task: fake(task).result for task in work_list(protocol)})


def compared(pairs: dict[str, str], **changes: Any) -> Protocol:
    """The small protocol in which the first of each pair is compared with the second."""
    algorithms = {
        name: settings | ({"against": pairs[name]} if name in pairs else {})
        for name, settings in SMALL["algorithms"].items()
    }
    return small(algorithms=algorithms, **changes)


def _plain(changes: dict[str, Any]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in changes.items()}
