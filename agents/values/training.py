"""Training of a value network in a run folder that can be taken up again after any round (`agents.training.runs`)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch

from agents.errors import RunError
from agents.training.runs import CURVE, Run, add_to_curve, start_curve
from agents.values.config import ValuesConfig
from agents.values.learner import Learner
from agents.values.network import FILE, ValueNetwork, save_values
from yatzy_env.situation import empty_situations
from yatzy_env.turn import cards_of

_STATE = "state.pt"
_COLUMNS = ("round", "cpu_seconds", "loss", "start")


def train_values(run: Run, say: Callable[[str], None], on_round: Callable[[int], None] | None = None) -> ValueNetwork:
    """Trains what the run's configuration says, from where it stands.

    Args:
        run: the run.
        say: called with a line after each checkpoint.
        on_round: called with the number of rounds done.

    Returns:
        The trained network, which the run's last checkpoint holds as `values.npz`.

    Raises:
        RunError: if the checkpoint cannot be read.
        DivergedError: when the loss is not finite any more; the last checkpoint stays.
    """
    torch.set_num_threads(1)
    config = ValuesConfig.read(run.config_file)
    learner = Learner(config)
    seconds = _restore(run, learner)
    start_curve(run.folder / CURVE, _COLUMNS, lambda row: int(row["round"]) <= learner.fitter.round)
    saved = seconds
    while not learner.fitter.done:
        started = time.process_time()
        learner.work()
        seconds += time.process_time() - started
        row = [learner.fitter.round, round(seconds), f"{learner.loss:.6g}", f"{_start_value(learner):.6g}"]
        add_to_curve(run.folder / CURVE, row)
        if on_round is not None:
            on_round(learner.fitter.round)
        if learner.fitter.done or seconds - saved >= 60 * config.checkpoint_minutes:
            saved = seconds
            with run.saving(learner.fitter.round) as folder:
                torch.save({"seconds": seconds, "learner": learner.fitter.state()}, folder / _STATE)
                save_values(learner.network, folder / FILE, learner.fitter.round)
            say(f"round {learner.fitter.round} of {config.rounds}: {seconds:.0f} CPU s, loss {learner.loss:.3f} points")
    return learner.network


def _start_value(learner: Learner) -> float:
    """What the network thinks a whole game is worth."""
    return float(learner.network.card_values(cards_of(learner.tables, empty_situations(learner.tables, 1)))[0])


def _restore(run: Run, learner: Learner) -> float:
    """Puts the learner where the run stands; returns the CPU seconds it has worked."""
    if not run.manifest():
        return 0.0
    path = run.checked_checkpoint() / _STATE
    try:
        state: dict[str, Any] = torch.load(path, weights_only=True)
        learner.fitter.restore(state["learner"])
        return float(state["seconds"])
    except Exception as error:
        raise RunError(f"{path}: damaged ({' '.join(str(error).split())})") from error
