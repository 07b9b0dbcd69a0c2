"""Makes a run's model a shipped one: `python -m agents.ppo.ship RUN`."""

from __future__ import annotations

import argparse
import csv
import shutil
import sys
from pathlib import Path

from rich.console import Console

from agents.ppo.agent import load_agent
from agents.ppo.digest import MODELS, record_digests
from agents.ppo.errors import RunError
from agents.ppo.runs import open_run
from yatzy_env.errors import YatzyError

_COPIED = ("config.yaml", "command.txt", "run.json")
_CURVE_ROWS = 200


def ship_model(run_folder: Path, models: Path = MODELS) -> Path:
    """Copies the averaged network of a run's last checkpoint, how it was trained and its curve to `models/<ruleset>/`.

    Args:
        run_folder: the run.
        models: the folder of shipped models, whose record is brought up to date.

    Returns:
        The folder of the model.

    Raises:
        YatzyError: if the run has no usable checkpoint.
    """
    run = open_run(run_folder)
    rules = run.config.rules
    checkpoint = run.checkpoint()
    if checkpoint is None:
        raise RunError(f"{run.folder}: the run has no checkpoint yet")
    load_agent(run.folder, rules)  # raises if it is not as recorded
    target = models / rules.name
    target.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(checkpoint / "weights.npz", target / "weights.npz")
    for name in _COPIED:
        shutil.copyfile(run.folder / name, target / name)
    _thin(run.folder / "curve.csv", target / "curve.csv")
    record_digests([target / "weights.npz"], models)
    return target


def _thin(source: Path, target: Path) -> None:
    """Copies a training curve with at most about 200 rows, the last one among them."""
    with source.open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    every = -(-len(rows) // _CURVE_ROWS) or 1
    with target.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows[::-1][::every][::-1]])


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m agents.ppo.ship", description="Ship the model of a run.")
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
