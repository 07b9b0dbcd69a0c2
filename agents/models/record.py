"""What is on record of a model: how it was trained, and in `results.json` what was measured, exact scores too."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.training.config import read_yaml
from agents.training.runs import CURVE, curve_rows
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.exact import ExactScore
from yatzy_env.evaluation.provenance import Provenance
from yatzy_env.files import read_record, sha256

CARD = "README.md"
RESULTS = "results.json"
CURVE_PICTURE = "curve.png"

EXACT_KEYS = {
    "expected_score", "standard_deviation", "bonus_rate", "yatzy_rate", "cards", "situations", "seconds", "weights",
    "date", "commit",
}  # fmt: skip
"""What `results.json` says of an exact score."""

_UNKNOWN = "not recorded"
_STAGES = {"values": "value network"}  # of a training curve


@dataclass(frozen=True)
class Training:
    """How a model was made, as far as its files say.

    Attributes:
        command: the training command.
        facts: further facts in the order in which they are to be listed: seed, rounds, CPU time, versions, commit ...
        digests: SHA-256 of each network's file by its name.
    """

    command: str
    facts: Mapping[str, str]
    digests: Mapping[str, str]


def read_training(folder: Path) -> Training:
    """Reads the files of a shipped model. What is missing is called "not recorded".

    Args:
        folder: holds networks and, as far as they were kept, `command.txt`, `config.yaml`, `run.json` and
            `curve.csv`.

    Returns:
        How the model was made.

    Raises:
        YatzyError: if the folder holds no model or one of the files is damaged.
    """
    models = sorted(folder.glob("*.npz"))
    if not models:
        raise YatzyError(f"{folder} holds no model: no file ending in .npz")
    run = read_record(folder / "run.json") if (folder / "run.json").is_file() else {}
    rounds, seconds = _end_of_curve(folder / CURVE)
    machine, versions = run.get("machine"), run.get("versions")
    command = folder / "command.txt"
    return Training(
        command=command.read_text(encoding="utf-8").strip() if command.is_file() else _UNKNOWN,
        facts={
            "seed": _seed(folder / "config.yaml"),
            "rounds": ", ".join(f"{count:,} of the {_STAGES.get(stage, stage)}" for stage, count in rounds.items())
            or _UNKNOWN,
            "CPU time": f"{seconds / 60:.1f} minutes" if seconds else _UNKNOWN,
            "commit": str(run.get("commit") or _UNKNOWN),
            "versions": listed(versions) if isinstance(versions, dict) and versions else _UNKNOWN,
            "machine": machine_in_words(machine) if machine else _UNKNOWN,
        },
        digests={path.name: sha256(path) for path in models},
    )


def machine_in_words(machine: str | Mapping[str, object]) -> str:
    """The machine of a run in a line; some earlier runs recorded it so."""
    return machine if isinstance(machine, str) else f"{machine.get('processor')}, {machine.get('cores')} cores"


def listed(versions: Mapping[str, object]) -> str:
    """Versions in a line."""
    return ", ".join(f"{name} {version}" for name, version in versions.items())


def _seed(path: Path) -> str:
    return str(read_yaml(path).get("seed", _UNKNOWN)) if path.is_file() else _UNKNOWN


def _end_of_curve(path: Path) -> tuple[dict[str, int], float]:
    """Rounds of each stage and the CPU seconds of both by a training curve; nothing where there is none."""
    if not path.is_file():
        return {}, 0.0
    rows = curve_rows(path)
    try:
        return {row["stage"]: int(row["round"]) for row in rows}, float(rows[-1]["cpu_seconds"])
    except (IndexError, KeyError, TypeError, ValueError) as error:
        raise YatzyError(f"{path}: damaged, its rows have no stage, round and cpu_seconds") from error


def exact_record(exact: ExactScore, weights: str, origin: Provenance) -> dict[str, Any]:
    """The record of an exact evaluation: it costs up to an hour, and stays true as long as the weights do.

    Args:
        exact: what was computed.
        weights: SHA-256 of the file of the network.
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


def kept_exact(results: Path, weights: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """The exact scores in an earlier `results.json`.

    Args:
        results: the file; it need not be there.
        weights: by agent, SHA-256 of the file of its network.

    Returns:
        By agent, the records of those whose network is still the same.

    Raises:
        YatzyError: if the file is damaged.
    """
    kept = read_record(results).get("exact", {}) if results.is_file() else {}
    if not isinstance(kept, dict) or not all(
        isinstance(one, dict) and one.keys() == EXACT_KEYS for one in kept.values()
    ):
        raise YatzyError(f"{results}: damaged (no record of exact scores); delete it to measure anew")
    return {agent: one for agent, one in kept.items() if one["weights"] == weights.get(agent)}


def best_percent(figures: Mapping[str, Any], optimum: float) -> float:
    """The percentage of the optimum in an agent's figures: by its exact score where there is one."""
    exact = figures.get("exact_score")
    return float(figures["percent_of_optimum"] if exact is None else 100 * exact / optimum)
