"""Both stages of training, in a run folder that can be taken up again after any round (`agents.training.runs`).

A checkpoint holds `state.pt`, with networks, optimizers and rounds done, and from the second stage on `networks.npz`,
the model.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import torch
from rich.console import Console

from agents.errors import RunError
from agents.training.fitting import Fitter
from agents.training.runs import CURVE, Run, add_to_curve, start_curve, start_run
from agents.winning.cards import card_input_size, evaluate_cards
from agents.winning.config import WinConfig
from agents.winning.features import input_size
from agents.winning.network import FILE, Networks, save_model
from agents.winning.points import points_round
from agents.winning.wins import win_round
from yatzy_env.errors import folded

_STATE = "state.pt"
_COLUMNS = ("stage", "round", "seconds", "loss", "evaluation")


def open_folder(folder: Path, config: WinConfig, command: str) -> Run:
    """Makes the folder of a run, or notes the command in the one that is there.

    Raises:
        RunError: if the folder holds a run of another configuration.
    """
    run = Run(folder)
    if not run.config_file.exists():
        return start_run(folder, config, [config.rules], command)
    if WinConfig.read(run.config_file) != config:
        raise RunError(f"{folder} holds a run of another configuration; --folder names another one")
    run.change(config, command)
    return run


def train(run: Run, console: Console) -> Path:
    """Trains what the run's configuration says, from where it stands; returns the model's file.

    Raises:
        RunError: if the state cannot be read.
        DivergedError: when the loss is not finite any more; the state of the round before stays.
    """
    torch.set_num_threads(1)
    config = WinConfig.read(run.config_file)
    rules = config.rules
    points = Fitter(config.points, card_input_size(rules), 2, config.seed)
    win = Fitter(config.win, input_size(rules), 1, config.seed)
    seconds = _restore(run, points, win)
    rounds = {"points": points.round, "win": win.round}
    start_curve(run.folder / CURVE, _COLUMNS, lambda row: int(row["round"]) <= rounds[row["stage"]])
    while not points.done:
        started = time.monotonic()
        table, loss = points_round(rules, config.points, points, config.seed)
        seconds += time.monotonic() - started
        _note(run, console, "points", points, seconds, loss, float(table.mean[0]))
        _save(run, points, win, seconds)
    table = evaluate_cards(rules, points.layers)
    while not win.done:
        started = time.monotonic()
        won, loss = win_round(rules, table, config.win, win, config.seed)
        seconds += time.monotonic() - started
        _note(run, console, "win", win, seconds, loss, won)
        _save(run, points, win, seconds, Networks(rules.name, rules.digest, points.layers, win.layers))
    return (run.checkpoint() or run.folder) / FILE


def _restore(run: Run, points: Fitter, win: Fitter) -> float:
    """Puts the fitters where the run stands; returns the seconds they have worked."""
    path = (run.checked_checkpoint() if run.manifest() else run.folder) / _STATE  # runs of before have no checkpoints
    if not path.exists():
        return 0.0
    try:
        state: dict[str, Any] = torch.load(path, weights_only=True)
        points.restore(state["points"])
        win.restore(state["win"])
        return float(state["seconds"])
    except Exception as error:
        raise RunError(f"{path}: damaged ({folded(error)})") from error


def _save(run: Run, points: Fitter, win: Fitter, seconds: float, model: Networks | None = None) -> None:
    with run.saving(points.round + win.round) as folder:
        torch.save({"seconds": seconds, "points": points.state(), "win": win.state()}, folder / _STATE)
        if model is not None:
            save_model(model, folder / FILE)


def _note(
    run: Run, console: Console, stage: str, fitter: Fitter, seconds: float, loss: float, evaluation: float
) -> None:
    """Adds a row to the curve: the loss, and what the round says about play."""
    row = [stage, fitter.round, round(seconds), f"{loss:.6g}", f"{evaluation:.6g}"]
    add_to_curve(run.folder / CURVE, row)
    console.print(
        f"{stage} {fitter.round}/{fitter.settings.rounds}: {seconds:.0f} s, loss {loss:.4g}, "
        + (
            f"a game is worth {evaluation:.2f} points"
            if stage == "points"
            else f"won {evaluation:.4f} with exploration noise"
        )
    )
