"""Makes a run's model a shipped one: `python -m agents.models.ship RUN`."""

from __future__ import annotations

import argparse
import csv
import shutil
import sys
from pathlib import Path

from rich.console import Console

from agents.errors import RunError
from agents.models.digest import MODELS, record_digests
from agents.models.load import WIN_MODEL, load_agent, model_file
from agents.models.record import CARD, CURVE_PICTURE, RESULTS
from agents.ppo.runs import config_of
from agents.training.runs import CURVE, open_run
from agents.winning.rests import FILE, read_model
from yatzy_env.errors import YatzyError
from yatzy_env.files import sha256

LARGEST = 5 << 20
"""Bytes that the weights of a shipped model may have."""

_COPIED = ("config.yaml", "command.txt", "run.json")
_MEASURED = (CARD, RESULTS, CURVE_PICTURE)  # what `scripts/maintain/card.py` adds
_CURVE_ROWS = 200


def ship_model(run_folder: Path, models: Path = MODELS) -> Path:
    """Copies a run's model, how it was trained and its curve to `models/NAME/`.

    Of a run of PPO that is the averaged network of its last checkpoint. The card of other weights that were there
    goes; `scripts/maintain/card.py` or `win.py measure --card` writes a new one. Returns the folder of the model.

    Raises:
        YatzyError: if the run has no usable model, or its network is too large.
    """
    run = open_run(run_folder)
    found = model_file(run.folder)
    wins = found.name == FILE
    if (size := found.stat().st_size) > LARGEST:
        raise RunError(f"{found} has {size:,} bytes; allowed: up to {LARGEST:,}")
    if wins:
        read_model(found)
        name = WIN_MODEL.name
    else:
        load_agent(run.folder, config_of(run).rules)  # raises if it is not as recorded
        name = config_of(run).name
    target = models / name
    target.mkdir(parents=True, exist_ok=True)
    weights = target / found.name
    if not weights.is_file() or sha256(weights) != sha256(found):
        for measured in _MEASURED:  # of the weights that go
            (target / measured).unlink(missing_ok=True)
    for source in (found, *(run.folder / kept for kept in _COPIED)):
        shutil.copyfile(source, target / source.name)
    if wins:
        shutil.copyfile(run.folder / CURVE, target / CURVE)
    else:
        _thin(run.folder / CURVE, target / CURVE, run.manifest()["steps"])
    record_digests([weights], models)
    return target


def _thin(source: Path, target: Path, steps: int) -> None:
    """Copies a training curve up to some steps with at most about 200 rows, the last one among them."""
    with source.open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    at = header.index("steps")
    rows = [row for row in rows if int(row[at]) <= steps]
    every = -(-len(rows) // _CURVE_ROWS) or 1
    with target.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows[::-1][::every][::-1]])


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
