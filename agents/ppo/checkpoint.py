"""Checkpoints: everything a run needs to go on as if it had never stopped, and the averaged network for play.

Nothing is unpickled when a checkpoint is read: the networks come from the `.pth` entries of `model.zip`, which torch
reads as plain tensors, and the rest from `.npz` files without objects.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import torch

from agents.errors import RunError
from agents.ppo.algorithm import YatzyPPO
from agents.ppo.runs import check_complete
from agents.ppo.weights import PolicyWeights, save_weights
from agents.training.networks import linear_layers
from agents.training.runs import Run
from yatzy_env.errors import folded
from yatzy_env.files import read_npz, write_npz


def averaged_weights(model: YatzyPPO) -> PolicyWeights:
    """Policy and value network with averaged weights, values in points."""
    config, extractor = model.config, model.policy.mlp_extractor
    average = dict(zip(model.policy.parameters(), model.averages, strict=True))
    *value_layers, (weight, bias) = linear_layers([*extractor.value_net, model.policy.value_net], average)
    points = np.float32(1 / config.reward_scale)
    rulesets = tuple((rules.name, rules.digest) for rules in config.tasks.rulesets) if config.rulesets else ()
    return PolicyWeights(
        layers=linear_layers([*extractor.policy_net, model.policy.action_net], average),
        activation=config.network.activation,
        ruleset=config.name,
        ruleset_digest="" if rulesets else config.rules.digest,
        steps=model.num_timesteps,
        value_layers=(*value_layers, (weight * points, bias * points)),
        features=config.features,
        rulesets=rulesets,
    )


def save_checkpoint(run: Run, model: YatzyPPO, seconds: float) -> None:
    """Writes a checkpoint after some seconds of training, between two rollouts, and makes it the one that counts."""
    about = {
        "steps": model.num_timesteps,
        "updates": model._n_updates,
        "seconds": seconds,
        "mixed_precision": model.policy.mixed_precision,
        "generator": model.rng.bit_generator.state,
    }
    arrays: dict[str, Any] = {
        "about": json.dumps(about),
        "episode_starts": model._last_episode_starts,
        "torch_generator": torch.get_rng_state().numpy(),
    }
    arrays |= {f"lane_{name}": values for name, values in model.env.state().items()}
    arrays |= {f"average_{index}": tensor.numpy() for index, tensor in enumerate(model.averages)}
    with run.saving(model.num_timesteps) as folder:
        model.save(folder / "model.zip")
        save_weights(averaged_weights(model), folder / "weights.npz")
        write_npz(folder / "state.npz", arrays, RunError)


def load_checkpoint(run: Run, model: YatzyPPO) -> float:
    """Puts an algorithm freshly built from the run's configuration where its checkpoint left off.

    Returns:
        The training seconds spent before.

    Raises:
        RunError: if there is no checkpoint, its files are not those on record, or another version started the run.
    """
    folder = run.checked_checkpoint()
    check_complete(run)
    try:
        model.set_parameters(str(folder / "model.zip"), device="cpu")
        return _restore(model, read_npz(folder / "state.npz", RunError))
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise RunError(f"{folder}: does not fit this version ({folded(error)})") from error


def _restore(model: YatzyPPO, arrays: dict[str, Any]) -> float:
    about = json.loads(str(arrays["about"]))
    model.num_timesteps = about["steps"]
    model._n_updates = about["updates"]
    model.policy.mixed_precision = about["mixed_precision"]
    model.rng.bit_generator.state = about["generator"]
    torch.set_rng_state(torch.from_numpy(arrays["torch_generator"]))
    for index, tensor in enumerate(model.averages):
        tensor.copy_(torch.from_numpy(arrays[f"average_{index}"]))
    envs = {name.removeprefix("lane_"): values for name, values in arrays.items() if name.startswith("lane_")}
    model._last_obs = model.env.restore(envs)
    model._last_episode_starts = arrays["episode_starts"]
    return about["seconds"]
