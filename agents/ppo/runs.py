"""Runs of PPO: `runs/NAME/<time>-<seed>/`, where NAME is the ruleset, or generalist; see `agents.training.runs`.

A checkpoint holds `model.zip` (networks and optimizer), `weights.npz` (for play) and `state.npz` (everything else); the
folder `tensorboard` holds logs.
"""

from __future__ import annotations

import time
from pathlib import Path

from agents.errors import RunError
from agents.ppo.config import Config
from agents.training.config import read_yaml
from agents.training.runs import Run, start_run

_FIXED = (
    *("ruleset", "options", "rulesets", "seed", "num_envs", "rollout_steps", "network", "features", "gamma"),
    "reward_scale",
)


def config_of(run: Run) -> Config:
    """The configuration of a run."""
    return Config.read(run.config_file)


def create_run(config: Config, root: Path, command: str) -> Run:
    """Makes a new run folder under the folder of all runs, and puts the configuration and the command on record."""
    name = f"{time.strftime('%Y%m%d-%H%M%S')}-{config.seed}"
    parent = root / config.name
    parent.mkdir(parents=True, exist_ok=True)
    folder = parent / name
    for attempt in range(2, 100):
        try:
            folder.mkdir()
            break
        except FileExistsError:
            folder = parent / f"{name}-{attempt}"
    return start_run(folder, config, config.tasks.rulesets, command)


def change_run(run: Run, config: Config, command: str) -> None:
    """Gives an existing run a changed configuration, and adds the command to its record.

    Raises:
        RunError: if the change would make it another run.
    """
    check_complete(run)
    before, after = config_of(run).model_dump(), config.model_dump()
    changed = [key for key in _FIXED if before[key] != after[key]]
    if changed:
        raise RunError(
            f"{changed[0]} = {after[changed[0]]!r} cannot change when a run is resumed; it is {before[changed[0]]!r}"
        )
    run.change(config, command)


def check_complete(run: Run) -> None:
    """Checks that the run's configuration says everything: defaults of another version would make it another run.

    Raises:
        RunError: if a key is missing.
    """
    written = Config.modernise(read_yaml(run.config_file))
    missing = [key for key in Config.model_fields if key not in written]
    if missing:
        raise RunError(
            f"{run.config_file} does not say {missing[0]!r}: only the version that started the run can resume it"
        )
