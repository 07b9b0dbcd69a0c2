"""Reads what a training run left beside its model: command, seed, steps, time, versions, commit and digests."""

from __future__ import annotations

import csv
import hashlib
import json
from pathlib import Path
from typing import Any

from agents.reports.card import Training
from yatzy_env.errors import YatzyError

_UNKNOWN = "not recorded"
_MODEL_FILES = (".zip", ".npz", ".pt", ".pth")
_PICKLES = (".zip", ".pt", ".pth")


def read_training(folder: Path) -> Training:
    """Reads the files of a run or of a shipped model. What is missing is called "not recorded".

    Args:
        folder: holds model files and, as far as they were kept, `command.txt`, `config.yaml`, `run.json` and
            `curve.csv`.

    Returns:
        How the model was made.

    Raises:
        YatzyError: if the folder holds no model or one of the files is damaged.
    """
    models = sorted(path for path in folder.rglob("*") if path.suffix in _MODEL_FILES and path.name != "state.npz")
    if not models:
        raise YatzyError(f"{folder} holds no model: no file ending in {', '.join(_MODEL_FILES)}")
    run = _read_json(folder / "run.json")
    steps, seconds = _end_of_curve(folder / "curve.csv")
    machine, versions = _object(run, "machine"), _object(run, "versions")
    facts = {
        "seed": _seed(folder / "config.yaml"),
        "steps": f"{steps:,}" if steps else _UNKNOWN,
        "wall time": f"{seconds / 60:.1f} minutes" if seconds else _UNKNOWN,
        "commit": str(run.get("commit") or _UNKNOWN),
        "versions": _pairs(versions) if versions else _UNKNOWN,
        "machine": f"{machine.get('processor')}, {machine.get('cores')} cores" if machine else _UNKNOWN,
    }
    command = folder / "command.txt"
    names = {path: path.relative_to(folder).as_posix() for path in models}
    return Training(
        command=command.read_text(encoding="utf-8").strip() if command.is_file() else _UNKNOWN,
        facts=facts,
        digests={name: _sha256(path) for path, name in names.items()},
        pickles=tuple(name for path, name in names.items() if path.suffix in _PICKLES),
    )


def _read_json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise YatzyError(f"{path}: damaged ({' '.join(str(error).split())})") from error
    if not isinstance(found, dict):
        raise YatzyError(f"{path}: damaged, it is not a JSON object")
    return found


def _seed(path: Path) -> str:
    """The seed of a configuration; a plain `seed: N` line, so that no YAML reader is needed."""
    if path.is_file():
        for line in path.read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition(":")
            if key == "seed":
                return value.partition("#")[0].strip()
    return _UNKNOWN


def _object(record: dict[str, Any], key: str) -> dict[str, Any]:
    found = record.get(key)
    return found if isinstance(found, dict) else {}


def _end_of_curve(path: Path) -> tuple[int, float]:
    """Steps and seconds in the last row of a training curve, zeros where there is none."""
    if not path.is_file():
        return 0, 0.0
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    try:
        return int(rows[-1]["steps"]), float(rows[-1]["seconds"])
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise YatzyError(f"{path}: damaged, its last row has no steps and seconds") from error


def _pairs(facts: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in facts.items())


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
