"""Both stages of training in a folder that can be taken up again after any round.

config.yaml   the whole configuration
command.txt   the commands that worked on it
run.json      versions, commit, machine
state.pt      networks, optimizers and rounds done, replaced after every round
curve.csv     a row per round
networks.npz  the model, from the first round of the second stage on
"""

from __future__ import annotations

import csv
import json
import platform
import time
from pathlib import Path
from typing import Any

import torch
import yaml
from rich.console import Console

from agents.ppo.errors import RunError
from agents.ppo.runs import write_atomically
from agents.winning.cards import card_input_size, judge_cards
from agents.winning.config import WinConfig, load_config
from agents.winning.features import input_size
from agents.winning.learner import Learner
from agents.winning.network import FILE, Networks, save_networks
from agents.winning.points import points_round
from agents.winning.wins import win_round
from yatzy_env.evaluation.provenance import commit, versions

_STATE = "state.pt"
_COLUMNS = ("stage", "round", "seconds", "loss", "judgement")


def open_folder(folder: Path, config: WinConfig, command: str) -> None:
    """Makes the folder of a run, or notes the command in the one that is there.

    Args:
        folder: the folder.
        config: what to train.
        command: the command line, for the record.

    Raises:
        RunError: if the folder holds a run of another configuration.
    """
    file = folder / "config.yaml"
    if file.exists():
        if load_config(file) != config:
            raise RunError(f"{folder} holds a run of another configuration; --folder names another one")
    else:
        folder.mkdir(parents=True, exist_ok=True)
        record = {
            "versions": versions(),
            "commit": commit(),
            "machine": f"{platform.system()} {platform.machine()}",
        }
        write_atomically(folder / "run.json", json.dumps(record, indent=2) + "\n")
        write_atomically(file, yaml.safe_dump(config.model_dump(mode="json"), sort_keys=False))
    with (folder / "command.txt").open("a", encoding="utf-8") as commands:
        commands.write(command + "\n")


def train(folder: Path, console: Console) -> Path:
    """Trains what the folder's configuration says, from where it stands.

    Args:
        folder: the folder of a run.
        console: where to say what happens.

    Returns:
        The model's file.

    Raises:
        RunError: if the state cannot be read.
        DivergedError: when the loss is not finite any more; the state of the round before stays.
    """
    torch.set_num_threads(1)
    config = load_config(folder / "config.yaml")
    rules = config.rules
    points = Learner(config.points, card_input_size(rules), 2, config.seed)
    win = Learner(config.win, input_size(rules), 1, config.seed)
    seconds = _restore(folder, points, win)
    while not points.done:
        started = time.monotonic()
        table, loss = points_round(rules, config.points, points, config.seed)
        seconds += time.monotonic() - started
        _save(folder, points, win, seconds)
        _note(folder, console, "points", points, seconds, loss, float(table.mean[0]))
    table = judge_cards(rules, points.layers)
    while not win.done:
        started = time.monotonic()
        won, loss = win_round(rules, table, config.win, win, config.seed)
        seconds += time.monotonic() - started
        _save(folder, points, win, seconds)
        save_networks(Networks(rules.name, rules.digest, points.layers, win.layers), folder / FILE)
        _note(folder, console, "win", win, seconds, loss, won)
    return folder / FILE


def _restore(folder: Path, points: Learner, win: Learner) -> float:
    """Puts the learners where the folder says; returns the seconds they have worked."""
    path = folder / _STATE
    if not path.exists():
        return 0.0
    try:
        state: dict[str, Any] = torch.load(path, weights_only=True)
        points.restore(state["points"])
        win.restore(state["win"])
        return float(state["seconds"])
    except Exception as error:
        raise RunError(f"{path}: damaged ({' '.join(str(error).split())})") from error


def _save(folder: Path, points: Learner, win: Learner, seconds: float) -> None:
    partial = folder / f".{_STATE}.partial"
    torch.save({"seconds": seconds, "points": points.state(), "win": win.state()}, partial)
    partial.replace(folder / _STATE)


def _note(
    folder: Path, console: Console, stage: str, learner: Learner, seconds: float, loss: float, judgement: float
) -> None:
    """Adds a row to the curve: the loss, and what the round says about play."""
    path = folder / "curve.csv"
    is_new = not path.exists()
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        if is_new:
            writer.writerow(_COLUMNS)
        writer.writerow([stage, learner.round, round(seconds), f"{loss:.6g}", f"{judgement:.6g}"])
    console.print(
        f"{stage} {learner.round}/{learner.stage.rounds}: {seconds:.0f} s, loss {loss:.4g}, "
        + (f"a game is worth {judgement:.2f} points" if stage == "points" else f"won {judgement:.4f} while straying")
    )
