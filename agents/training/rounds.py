"""Training by rounds in a run folder that can be taken up again after any of them, with the same weights."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from agents.errors import RunError
from agents.training.fitting import Fitter
from agents.training.runs import CURVE, Run, add_to_curve, start_curve
from yatzy_env.errors import folded

_STATE = "state.pt"
_COLUMNS = ("round", "cpu_seconds", "loss", "start")


def train_rounds(
    run: Run,
    fitter: Fitter,
    work: Callable[[], tuple[float, float]],
    save: Callable[[Path], None],
    minutes: float,
    say: Callable[[str], None],
    on_round: Callable[[int], None] | None = None,
) -> None:
    """Works from where a run stands until all rounds are done.

    Args:
        run: the run.
        fitter: fits the network, and holds the state of the training.
        work: does a round; returns the root of its mean squared error in points, and what a whole game is told by.
        save: writes the networks to the folder of a checkpoint.
        minutes: time between checkpoints.
        say: called with a line after each of them.
        on_round: called with the number of rounds done.

    Raises:
        RunError: if the checkpoint cannot be read.
        DivergedError: when the loss is not finite any more; the last checkpoint stays.
    """
    torch.set_num_threads(1)
    seconds = saved = _restore(run, fitter)
    start_curve(run.folder / CURVE, _COLUMNS, lambda row: int(row["round"]) <= fitter.round)
    while not fitter.done:
        started = time.process_time()
        loss, start = work()
        seconds += time.process_time() - started
        add_to_curve(run.folder / CURVE, [fitter.round, round(seconds), f"{loss:.6g}", f"{start:.6g}"])
        if on_round is not None:
            on_round(fitter.round)
        if fitter.done or seconds - saved >= 60 * minutes:
            saved = seconds
            with run.saving(fitter.round) as folder:
                torch.save({"seconds": seconds, "learner": fitter.state()}, folder / _STATE)
                save(folder)
            rounds = fitter.settings.rounds
            say(f"round {fitter.round} of {rounds}: {seconds:.0f} CPU s, loss {loss:.3f} points")


def _restore(run: Run, fitter: Fitter) -> float:
    """Puts the fitter where the run stands; returns the CPU seconds it has worked."""
    if not run.manifest():
        return 0.0
    path = run.checked_checkpoint() / _STATE
    try:
        state: dict[str, Any] = torch.load(path, weights_only=True)
        fitter.restore(state["learner"])
        return float(state["seconds"])
    except Exception as error:
        raise RunError(f"{path}: damaged ({folded(error)})") from error
