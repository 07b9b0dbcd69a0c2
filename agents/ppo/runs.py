"""Runs of both networks: `runs/NAME/<time>-<seed>/`; see `agents.training.runs`.

NAME is the ruleset, with the beginning of its digest where it is not one of the catalogue, or generalist. A checkpoint
holds `values.npz`, from the second stage on `policy.npz`, and `state.pt`; the folder `tensorboard` holds logs.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agents.errors import ConfigError, RunError
from agents.ppo.config import Config
from agents.training.config import read_yaml
from agents.training.runs import Run, start_run
from yatzy_env.files import read_record
from yatzy_env.rules import CATALOGUE

_FREE = ("checkpoint_minutes", "eval_minutes")  # what may change when a run is resumed


def config_of(run: Run) -> Config:
    """The configuration of a run.

    Raises:
        RunError: if another version of this package started it.
    """
    try:
        return Config.read(run.config_file)
    except ConfigError as error:
        if "total_steps" not in read_yaml(run.config_file):
            raise
        made = read_record(run.folder / "run.json", RunError).get("versions", {})
        version = made.get("yatzy_env", "unknown") if isinstance(made, dict) else "unknown"
        raise RunError(
            f"{run.folder} was made by version {version}, which trained in another way: evaluate it, or start anew"
        ) from error


def check_complete(run: Run) -> None:
    """Checks that the run's configuration says everything: defaults of another version would make it another run.

    Raises:
        RunError: if a key is missing.
    """
    if missing := _missing(config_of(run).model_dump(mode="json"), read_yaml(run.config_file)):
        raise RunError(
            f"{run.config_file} does not say {missing!r}: only the version that started the run can resume it"
        )


def _missing(wanted: Mapping[str, Any], written: Mapping[Any, Any]) -> str:
    """The first key, with dots, that is wanted and not written; "" if there is none."""
    for key, value in wanted.items():
        if key not in written:
            return key
        inner = written[key]
        if key in ("values", "policy") and isinstance(inner, Mapping) and (found := _missing(value, inner)):
            return f"{key}.{found}"
    return ""


def folder_name(config: Config) -> str:
    """What the folder of a configuration's runs is called."""
    if config.rulesets:
        return config.name
    (rules,) = config.rules
    known = CATALOGUE.get(rules.name)
    return rules.name if known is not None and known.digest == rules.digest else f"{rules.name}-{rules.digest[:8]}"


def create_run(config: Config, root: Path, command: str) -> Run:
    """Makes a new run folder under the folder of all runs, and puts the configuration and the command on record."""
    name = f"{time.strftime('%Y%m%d-%H%M%S')}-{config.seed}"
    parent = root / folder_name(config)
    parent.mkdir(parents=True, exist_ok=True)
    folder = parent / name
    for attempt in range(2, 100):
        try:
            folder.mkdir()
            break
        except FileExistsError:
            folder = parent / f"{name}-{attempt}"
    return start_run(folder, config, config.rules, command)


def change_run(run: Run, config: Config, command: str) -> None:
    """Gives an existing run a changed configuration, and adds the command to its record.

    Raises:
        RunError: if the change would make it another run.
    """
    before, after = config_of(run).model_dump(), config.model_dump()
    changed = [key for key in before if before[key] != after[key] and key not in _FREE]
    if changed:
        raise RunError(f"{changed[0]} cannot change when a run is resumed; allowed: {', '.join(_FREE)}")
    run.change(config, command)
