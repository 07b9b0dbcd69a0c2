"""Training runs from configuration to finished model: build, continue, learn."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from rich.console import Console
from stable_baselines3.common.callbacks import CallbackList
from stable_baselines3.common.logger import configure
from torch import nn

from agents.errors import DivergedError
from agents.ppo.agent import PPOAgent
from agents.ppo.algorithm import YatzyPPO
from agents.ppo.callbacks import Checkpoints, Clock, Curve, EvalCallback, Report, Schedules
from agents.ppo.checkpoint import load_checkpoint
from agents.ppo.config import Config
from agents.ppo.policy import YatzyPolicy
from agents.ppo.runs import config_of
from agents.ppo.vec_env import BatchVecEnv
from agents.training.runs import CURVE, Run
from yatzy_env.rules import Ruleset

_ACTIVATIONS = {"relu": nn.ReLU, "tanh": nn.Tanh, "elu": nn.ELU, "silu": nn.SiLU}


def has_bfloat16() -> bool:
    """Whether this processor multiplies bfloat16 matrices in hardware."""
    found = torch.cpu.get_capabilities()
    return any(found.get(name, False) for name in ("avx512_bf16", "amx_bf16", "amx_tile", "bf16"))


def build(config: Config) -> YatzyPPO:
    """Makes the envs and the untrained networks of a configuration.

    Args:
        config: the configuration.

    Returns:
        The algorithm; the same configuration gives the same weights.
    """
    hidden = list(config.network.hidden)
    mixed = config.precision == "bfloat16" or (config.precision == "auto" and has_bfloat16())
    return YatzyPPO(
        YatzyPolicy,
        BatchVecEnv(config.tasks, config.num_envs, config.seed, config.reward_scale),
        learning_rate=lambda left: config.learning_rate.at(1 - left),
        n_steps=config.rollout_steps,
        batch_size=config.minibatch,
        n_epochs=config.epochs,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda.start,
        ent_coef=config.entropy.start,
        clip_range=config.clip_range,
        vf_coef=config.value_weight,
        max_grad_norm=config.max_gradient_norm,
        seed=config.seed,
        microbatch=config.microbatch,
        ema=config.ema,
        chance_samples=config.chance_samples,
        improvement_share=config.improvement_share,
        improvement_weight=config.improvement_weight,
        improvement_temperature=config.improvement_temperature.start,
        policy_kwargs={
            "net_arch": {"pi": hidden, "vf": hidden},
            "activation_fn": _ACTIVATIONS[config.network.activation],
            "mixed_precision": mixed,
            "optimizer_kwargs": {"eps": 1e-5, "fused": True},
        },
    )


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
    model = build(config)
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
    clock = Clock(before)
    report = Report(config, console)
    callbacks = CallbackList([
        Schedules(config),
        *([EvalCallback(config, evaluate)] if evaluate else []),
        Curve(run.folder / CURVE, config, clock),
        Checkpoints(run, config, clock),
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
