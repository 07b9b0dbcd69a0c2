"""Training runs from configuration to finished model."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import torch
from rich.console import Console
from stable_baselines3.common.callbacks import CallbackList
from stable_baselines3.common.logger import configure

from agents.errors import DivergedError
from agents.ppo.agent import PPOAgent
from agents.ppo.algorithm import YatzyPPO
from agents.ppo.callbacks import Checkpoints, Curve, EvalCallback, Report, Schedules
from agents.ppo.checkpoint import load_checkpoint
from agents.ppo.runs import config_of
from agents.training.runs import CURVE, Run
from yatzy_env.rules import Ruleset

Evaluate = Callable[[PPOAgent, Ruleset], Mapping[str, float]]
"""Figures of the network as it is now, for the log, by the ruleset it plays."""


def train(run: Run, console: Console, evaluate: Evaluate | None = None) -> YatzyPPO:
    """Trains a run to its end, from its checkpoint if it has one.

    Args:
        run: the run folder.
        console: where to say what happens.
        evaluate: measures the network now and then for the log; nothing in training depends on what it finds.

    Returns:
        The trained algorithm; its last checkpoint is in the folder.

    Raises:
        RunError: if the checkpoint cannot be used.
        DivergedError: when numbers are not finite any more; the last good checkpoint stays.
    """
    torch.set_num_threads(1)
    config = config_of(run)
    model = YatzyPPO(config)
    before = 0.0
    if run.manifest():
        before = load_checkpoint(run, model)
        console.print(f"resuming {run.folder}: {model.num_timesteps:,} of {config.total_steps:,} steps done")
    else:
        console.print(f"training in {run.folder}: {config.total_steps:,} steps")
    left = config.total_steps - model.num_timesteps
    if left <= 0:
        return model
    logger = configure(str(run.folder / "tensorboard"), ["tensorboard"])
    model.set_logger(logger)
    report, began = Report(console), time.monotonic() - before
    callbacks = CallbackList([
        Schedules(),
        *([EvalCallback(evaluate)] if evaluate else []),
        Curve(run.folder / CURVE, began),
        Checkpoints(run, began),
        report,
    ])  # fmt: skip
    try:
        model.learn(left, callbacks, reset_num_timesteps=model.num_timesteps == 0)
    except DivergedError as error:
        kept = run.manifest()
        hint = f"the checkpoint at step {kept['steps']} is kept" if kept else "there was no checkpoint yet"
        raise DivergedError(f"training diverged: {error}; {hint}") from error
    except KeyboardInterrupt:
        console.print(f"stopped in {run.folder}; --resume goes on from step {run.manifest().get('steps', 0):,}")
        raise
    finally:
        report.close()
        logger.close()
    return model
