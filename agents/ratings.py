"""Agents out of models of other software, which rate the actions by what the environments show."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.functions import FunctionAgent
from yatzy_env.rules import Ruleset

if TYPE_CHECKING:
    import torch

Rate = Callable[[NDArray[np.float32], NDArray[np.int8]], NDArray[np.floating]]
"""From (n, D) observations and (n, actions) masks to (n, actions) ratings. Masks may be ignored."""


def rating_agent(rate: Rate, rules: Ruleset, name: str) -> FunctionAgent:
    """An agent that plays the legal action rated highest, the lowest index among equals.

    It sees observations only and always answers alike, and says so: it can be evaluated exactly.

    Raises:
        YatzyError: when it plays, if there is not one rating per action.
    """

    def best_rated(observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.int64]:
        ratings = np.asarray(rate(observations, masks))
        if ratings.shape != masks.shape:
            raise YatzyError(
                f"agent {name!r} gives ratings of shape {ratings.shape}; ruleset {rules.name!r} has {masks.shape[1]} "
                f"actions: shape {masks.shape}"
            )
        return np.where(masks == 1, ratings, -np.inf).argmax(axis=1)

    return FunctionAgent(best_rated, rules, name)


def torch_agent(module: torch.nn.Module, rules: Ruleset, name: str = "torch") -> FunctionAgent:
    """An agent out of a torch module that maps (n, D) float32 observations to (n, actions) ratings.

    The module is put into evaluation mode, and stays on its device.
    """
    import torch

    module.eval()
    device = next((parameter.device for parameter in module.parameters()), torch.device("cpu"))

    @torch.no_grad()
    def rate(observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.floating]:
        ratings: NDArray[np.float32] = module(torch.from_numpy(observations).to(device)).float().cpu().numpy()
        return ratings

    return rating_agent(rate, rules, name)


def sb3_rating(model: Any) -> Rate:
    """What a model of Stable-Baselines3 or sb3-contrib makes of every action: Q-values of DQN, logits of the others.

    It reads observations; the mask beside them where its space has both by name, or after them where it was trained so.
    """
    import torch

    policy, space = model.policy, model.observation_space
    by_name = hasattr(space, "spaces")
    policy.set_training_mode(False)

    @torch.no_grad()
    def rate(observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.floating]:
        shown: Any = {"observation": observations, "action_mask": masks} if by_name else observations
        if not by_name and space.shape[0] > observations.shape[1]:
            shown = np.concatenate([observations, masks], axis=1, dtype=np.float32)
        tensor, _ = policy.obs_to_tensor(shown)
        rated = (
            policy.q_net(tensor) if hasattr(policy, "q_net") else policy.get_distribution(tensor).distribution.logits
        )
        found: NDArray[np.float32] = rated.float().numpy()
        return found

    return rate
