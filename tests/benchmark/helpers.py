"""A protocol of seconds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from agents.benchmark.protocol import Protocol, parse_protocol

SMALL: dict[str, Any] = {
    "rulesets": ["forced"],
    "steps": 3000,
    "seeds": 2,
    "evaluation": {"games": 50, "curve_points": 2, "curve_games": 10},
    "algorithms": {
        "distilled": {"kind": "distilled", "lanes": 32, "minibatch": 256, "hidden": [16]},
        "ppo": {
            "kind": "ppo",
            "changes": {
                "lanes": 32,
                "rollout_steps": 32,
                "minibatch": 256,
                "network": {"hidden": [16]},
                "precision": "float32",
            },
        },
        "ppo-unmasked": {"kind": "ppo-unmasked", "lanes": 32, "rollout_steps": 32, "minibatch": 256, "hidden": [16]},
        "a2c": {"kind": "a2c", "lanes": 32, "hidden": [16]},
        "dqn": {"kind": "dqn", "lanes": 16, "learning_starts": 100, "buffer": 2000, "minibatch": 32, "hidden": [16]},
    },
}


def small(**changes: Any) -> Protocol:
    """The protocol with some keys changed."""
    return parse_protocol({**SMALL, **_plain(changes)})


def write_small(path: Path, **changes: Any) -> Path:
    """The same as a file."""
    path.write_text(yaml.safe_dump({**SMALL, **_plain(changes)}))
    return path


def _plain(changes: dict[str, Any]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in changes.items()}
