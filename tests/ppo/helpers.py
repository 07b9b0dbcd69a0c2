"""Small configurations, and training without a word."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console

from agents.ppo.config import Config, find_config, override
from agents.ppo.runs import create_run
from agents.ppo.training import train
from agents.training.runs import Run


def tiny_config(**changes: object) -> Config:
    """The configuration of the tiny game; `policy__rounds=5` changes `policy.rounds`."""
    return override(find_config("tiny"), [(key.replace("__", "."), str(value)) for key, value in changes.items()])


def quiet() -> Console:
    """A console whose file holds what was said."""
    return Console(file=io.StringIO(), width=200)


def trained(root: Path, config: Config) -> Run:
    """A run that is done."""
    run = create_run(config, root, "python scripts/train.py tiny")
    train(run, quiet())
    return run
