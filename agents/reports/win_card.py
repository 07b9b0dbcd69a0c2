"""The card of the model that plays for the win, from a measurement."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agents.errors import ModelError
from agents.models.record import listed, machine_in_words
from agents.reports.card import measured_facts, write_both
from agents.reports.render import render
from agents.training.runs import CURVE
from agents.winning.config import load_config
from agents.winning.network import FILE
from yatzy_env.evaluation.provenance import Provenance
from yatzy_env.files import read_json_object, sha256


def one_line(fields: Mapping[str, Any]) -> str:
    """A measurement in words."""
    low, high = fields["win_share_interval"]
    return (
        f"{fields['agent']} wins {100 * fields['win_share']:.2f} % of {fields['games']:,} games against "
        f"{fields['opponent']}, draws counted half; 95 % interval {100 * low:.2f} to {100 * high:.2f}"
    )


def write_win_card(fields: Mapping[str, Any], origin: Provenance, folder: Path) -> Path:
    """Writes `README.md` and `results.json` beside a model.

    Args:
        fields: the measurement.
        origin: where it comes from.
        folder: the folder of the model.

    Returns:
        The path of the card.

    Raises:
        ModelError: if the folder does not say how the model was trained.
    """
    training, digests = _read_training(folder), {FILE: sha256(folder / FILE)}
    text = render(
        "win.md.j2",
        found=fields,
        training=training,
        listed=listed,
        digests=digests,
        command=origin.command,
        measured=measured_facts(origin, fields["seed"], fields["games"]),
    )
    return write_both(folder, {**fields, "provenance": origin.fields(), "training": training, "sha256": digests}, text)


def _read_training(folder: Path) -> dict[str, Any]:
    try:
        run = read_json_object(folder / "run.json", ModelError)
        commands = (folder / "command.txt").read_text(encoding="utf-8").splitlines()
        with (folder / CURVE).open(newline="", encoding="utf-8") as file:
            curve = list(csv.DictReader(file))
        return {
            "command": commands[0],
            "seed": load_config(folder / "config.yaml").seed,
            "seconds": int(curve[-1]["seconds"]),
            "rounds": len(curve),
            "taken_up_again": len(commands) - 1,
            "commit": run["commit"],
            "versions": run["versions"],
            "machine": machine_in_words(run["machine"]),
        }
    except (OSError, ValueError, KeyError, IndexError, ModelError) as error:
        raise ModelError(f"{folder}: does not say how the model was trained ({error})") from error
