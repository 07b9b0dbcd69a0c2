"""What is on record of a model: how it was trained, and in `results.json` what was measured, its exact score too."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.training.runs import CURVE
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.exact import ExactScore
from yatzy_env.evaluation.provenance import Provenance
from yatzy_env.files import read_json_object, sha256

CARD = "README.md"
RESULTS = "results.json"
CURVE_PICTURE = "curve.png"

EXACT_KEYS = {
    "expected_score", "standard_deviation", "bonus_rate", "yatzy_rate", "cards", "situations", "seconds", "weights",
    "date", "commit",
}  # fmt: skip
"""What `results.json` says of an exact score."""

_UNKNOWN = "not recorded"
_PICKLES = (".zip", ".pt", ".pth")
_MODEL_FILES = (".zip", ".npz", ".pt", ".pth")


@dataclass(frozen=True)
class Training:
    """How a model was made, as far as its files say.

    Attributes:
        command: the training command.
        facts: further facts in the order in which they are to be listed: seed, steps, wall time, versions, commit ...
        digests: SHA-256 of each model file by its name.
        pickles: names of the files that hold pickled objects and can run code when they are loaded.
    """

    command: str
    facts: Mapping[str, str]
    digests: Mapping[str, str]
    pickles: Sequence[str] = ()


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
    run = read_json_object(folder / "run.json") if (folder / "run.json").is_file() else {}
    steps, seconds = _end_of_curve(folder / CURVE)
    machine, versions = run.get("machine"), run.get("versions")
    command = folder / "command.txt"
    names = {path.relative_to(folder).as_posix(): path for path in models}
    return Training(
        command=command.read_text(encoding="utf-8").strip() if command.is_file() else _UNKNOWN,
        facts={
            "seed": _seed(folder / "config.yaml"),
            "steps": f"{steps:,}" if steps else _UNKNOWN,
            "wall time": f"{seconds / 60:.1f} minutes" if seconds else _UNKNOWN,
            "commit": str(run.get("commit") or _UNKNOWN),
            "versions": listed(versions) if isinstance(versions, dict) and versions else _UNKNOWN,
            "machine": machine_in_words(machine) if machine else _UNKNOWN,
        },
        digests={name: sha256(path) for name, path in names.items()},
        pickles=tuple(name for name, path in names.items() if path.suffix in _PICKLES),
    )


def machine_in_words(machine: str | Mapping[str, object]) -> str:
    """The machine of a run in a line; some earlier runs recorded it so."""
    return machine if isinstance(machine, str) else f"{machine.get('processor')}, {machine.get('cores')} cores"


def listed(versions: Mapping[str, object]) -> str:
    """Versions in a line."""
    return ", ".join(f"{name} {version}" for name, version in versions.items())


def _seed(path: Path) -> str:
    """The seed of a configuration; a plain `seed: N` line, so that no YAML reader is needed."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    found = [line.partition(":")[2].partition("#")[0].strip() for line in lines if line.startswith("seed:")]
    return found[0] if found else _UNKNOWN


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


def exact_record(exact: ExactScore, weights: str, origin: Provenance) -> dict[str, Any]:
    """The record of an exact evaluation: it costs up to an hour, and stays true as long as the weights do.

    Args:
        exact: what was computed.
        weights: SHA-256 of the file of weights.
        origin: where and when.

    Returns:
        The entries of `EXACT_KEYS`; `standard_deviation` is None where it was not computed.
    """
    found = {
        "expected_score": exact.expected_score,
        "standard_deviation": exact.standard_deviation,
        "bonus_rate": exact.bonus_rate,
        "yatzy_rate": exact.yatzy_rate,
        "cards": exact.cards,
        "situations": exact.situations,
        "seconds": round(exact.seconds, 1),
    }
    return found | {"weights": weights, "date": origin.date, "commit": origin.commit}


def kept_exact(results: Path, weights: str) -> dict[str, Any] | None:
    """The exact score in an earlier `results.json`; None if there is none, or it is that of other weights.

    Raises:
        YatzyError: if the file is damaged.
    """
    found = read_json_object(results).get("exact") if results.is_file() else None
    if found and (not isinstance(found, dict) or found.keys() != EXACT_KEYS):
        raise YatzyError(f"{results}: damaged (no record of an exact score); delete it to measure anew")
    return found if found and found["weights"] == weights else None
