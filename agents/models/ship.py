"""Makes a run's networks a shipped model: `python -m agents.models.ship RUN`."""

from __future__ import annotations

import argparse
import csv
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console

from agents.errors import RunError
from agents.models.digest import MODELS, record_digests
from agents.models.load import WIN_MODEL, load_agent, load_planner
from agents.models.record import CARD, CURVE_PICTURE, RESULTS
from agents.ppo.policy import FILE as POLICY
from agents.ppo.runs import config_of
from agents.training.runs import CURVE, Run, curve_rows, open_run
from agents.values.network import FILE as VALUES
from agents.winning.rests import FILE as WIN
from agents.winning.rests import read_model
from yatzy_env.errors import YatzyError
from yatzy_env.files import replacing, sha256

LARGEST = 5 << 20
"""Bytes that a network of a shipped model may have."""

_COPIED = ("config.yaml", "command.txt", "run.json")
_MEASURED = (CARD, RESULTS, CURVE_PICTURE)  # what `scripts/maintain/card.py` adds
_CURVE_ROWS = 200


def ship_model(run_folder: Path, models: Path = MODELS) -> Path:
    """Copies the averaged networks of a run's last checkpoint, how they were trained and their curve to `models/NAME/`.

    What else was there goes, the card only if it is about other networks; `scripts/maintain/card.py` or
    `win.py measure --card` writes a new one. Returns the folder of the model.

    Raises:
        YatzyError: if the run has no usable networks, or one is too large.
    """
    run = open_run(run_folder)
    checkpoint = run.checked_checkpoint()
    networks = [file for name in (POLICY, VALUES, WIN) if (file := checkpoint / name).is_file()]
    name = _checked_name(run, [file.name for file in networks])
    for file in networks:
        if (size := file.stat().st_size) > LARGEST:
            raise RunError(f"{file} has {size:,} bytes; allowed: up to {LARGEST:,}")
    target = models / name
    target.mkdir(parents=True, exist_ok=True)
    same = all((own := target / file.name).is_file() and sha256(own) == sha256(file) for file in networks)
    kept = {CURVE, *_COPIED, *(_MEASURED if same else ()), *(file.name for file in networks)}
    for other in target.iterdir():
        if other.name not in kept:
            other.unlink()
    for source in (*networks, *(run.folder / copied for copied in _COPIED)):
        shutil.copyfile(source, target / source.name)
    if name == WIN_MODEL.name:
        shutil.copyfile(run.folder / CURVE, target / CURVE)
    else:
        _thin(run, target / CURVE)
    record_digests([target / file.name for file in networks], models)
    return target


def _checked_name(run: Run, files: list[str]) -> str:
    """The folder in `models/` for the networks of a run; raises if they cannot be played."""
    if WIN in files:
        read_model(run.checked_checkpoint() / WIN)
        return WIN_MODEL.name
    config = config_of(run)
    if POLICY not in files:
        raise RunError(f"{run.folder}: the run has no policy yet; --resume goes on with its training")
    for rules in config.rules:
        load_agent(run.folder / POLICY, rules)
        load_planner(rules, run.folder / VALUES)
    return config.name


def _thin(run: Run, target: Path) -> None:
    """Copies a training curve up to the checkpoint: its measurements, and about 200 rows with the last one."""
    steps, values = run.manifest()["steps"], config_of(run).values.rounds

    def number(row: Mapping[str, str]) -> int:
        return int(row["round"]) + (values if row["stage"] == "policy" else 0)

    path = run.folder / CURVE
    try:
        rows = [row for row in curve_rows(path) if number(row) <= steps]
    except (KeyError, TypeError, ValueError) as error:
        raise RunError(f"{path}: damaged, it has no columns of stages and rounds") from error
    every = -(-len(rows) // _CURVE_ROWS) or 1
    last = len(rows) - 1
    kept = [row for place, row in enumerate(rows) if row["percent"] or (last - place) % every == 0]
    with replacing(target, RunError) as part, part.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]) if rows else [], lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept)


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m agents.models.ship", description="Ship the model of a run.")
    parser.add_argument("run", type=Path, help="a run folder")
    parser.add_argument("--models", type=Path, default=MODELS, help="the folder of shipped models")
    arguments = parser.parse_args()
    console = Console(stderr=True, soft_wrap=True, highlight=False)
    try:
        console.print(f"shipped: {ship_model(arguments.run, arguments.models)}")
    except YatzyError as error:
        console.print(f"ship: {error}", markup=False)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
