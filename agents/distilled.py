r"""A network that learns from the optimum: how well a network of this size plays that is told every value.

It learns from the exact solution and is no reinforcement learning; wherever it appears it is labelled so. In every
situation it meets, the values $q_a$ of all legal actions are turned into a distribution
$p_a \propto e^{q_a / \tau}$, and the network is trained on the cross-entropy with it. Situations come from mixed play,
so that it learns where games lead it: in each env and at each decision the action is the network's own, the optimal
one, or any legal one. Dice are training dice, which no evaluation throws.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from torch import nn

from agents.ppo import kernels
from agents.ppo.weights import PolicyWeights
from agents.training.config import AlgorithmSettings, Count, OnUpdate, Widths
from agents.training.networks import linear_layers
from yatzy_env.agent import best_actions
from yatzy_env.dice import key
from yatzy_env.envs.batch import YatzyVectorEnv
from yatzy_env.envs.observation import observation_size
from yatzy_env.rules import Ruleset
from yatzy_env.solver import Solution

LABEL = "distilled (learns from the optimum)"

_LOW = -1e9  # a logit whose probability is 0; an infinite one would make 0 * inf of the loss


class DistilledSettings(AlgorithmSettings):
    """How the network is trained.

    Attributes:
        num_envs: games played at once.
        rollout_steps: decisions per env that are mixed before they are learnt from.
        minibatch: situations per update.
        epochs: how often each situation is used.
        learning_rate: of Adam, falling linearly to 0.
        temperature: points; actions that are worth this much less are e times less likely in the target.
        own: the share of decisions that the network makes itself.
        random: the share of decisions made at random; the rest is optimal.
        hidden: widths of the hidden layers.
    """

    kind: Literal["distilled"] = "distilled"
    num_envs: Count = 512
    rollout_steps: Count = 64
    minibatch: Count = 1024
    epochs: Count = 2
    learning_rate: float = Field(default=2e-3, gt=0)
    temperature: float = Field(default=1.0, gt=0)
    own: float = Field(default=0.5, ge=0, le=1)
    random: float = Field(default=0.1, ge=0, le=1)
    hidden: Widths = (256, 256)


def distil(
    rules: Ruleset,
    solution: Solution,
    settings: DistilledSettings,
    steps: int,
    seed: int,
    on_update: OnUpdate,
) -> PolicyWeights:
    """Trains a network on the solution's action values until the first rollout that reaches `steps` situations.

    The seed decides weights, dice and choices; `on_update` is called after every rollout.
    """
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    env = YatzyVectorEnv(settings.num_envs, rules)
    env.reset(seed=[key("train", seed, env) for env in range(settings.num_envs)])
    model = _network(observation_size(env.tables), env.tables.actions, settings.hidden)
    optimizer = torch.optim.Adam(model.parameters())
    done = 0

    def network() -> PolicyWeights:
        return PolicyWeights(linear_layers(model), "relu", rules.name, rules.digest, done)

    while done < steps:
        for group in optimizer.param_groups:
            group["lr"] = settings.learning_rate * (1 - done / steps)
        _learn(model, optimizer, *_play(env, model, solution, settings, rng), settings, rng)
        done += settings.num_envs * settings.rollout_steps
        on_update(done, network)
    return network()


def _network(inputs: int, outputs: int, hidden: Sequence[int]) -> nn.Sequential:
    layers: list[nn.Module] = []
    for before, after in pairwise([inputs, *hidden]):
        layers += [nn.Linear(before, after), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(hidden[-1], outputs))


def _play(
    env: YatzyVectorEnv,
    model: nn.Sequential,
    solution: Solution,
    settings: DistilledSettings,
    rng: np.random.Generator,
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_]]:
    """Mixed play: (n, D) observations, (n, actions) target distributions and what is legal."""
    observations, targets, legal = [], [], []
    seen = env.restore(env.state())
    for _ in range(settings.rollout_steps):
        masks = env.action_masks()
        values = solution.batch_action_values(env.situations)
        observations.append(seen)
        targets.append(_softmax(values, settings.temperature))
        legal.append(masks == 1)
        with torch.no_grad():
            actions = kernels.best(model(torch.from_numpy(seen)).numpy(), masks)
        die = rng.random(len(actions))
        chance = (rng.random(masks.shape) * masks).argmax(axis=1)
        actions = np.where(die < settings.random, chance, actions)
        actions = np.where(die >= settings.random + settings.own, best_actions(values), actions)
        seen = env.step(actions)[0]
    return np.concatenate(observations), np.concatenate(targets), np.concatenate(legal)


def _softmax(values: NDArray[np.float64], temperature: float) -> NDArray[np.float32]:
    """Distributions over the legal actions; nan, where an action is illegal, becomes 0."""
    weights = np.exp((values - np.nanmax(values, axis=1, keepdims=True)) / temperature)
    np.nan_to_num(weights, copy=False)
    return (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)


def _learn(
    model: nn.Sequential,
    optimizer: torch.optim.Optimizer,
    observations: NDArray[np.float32],
    targets: NDArray[np.float32],
    legal: NDArray[np.bool_],
    settings: DistilledSettings,
    rng: np.random.Generator,
) -> None:
    """Goes through the situations in random order. Illegal actions take no part."""
    x, y, illegal = torch.from_numpy(observations), torch.from_numpy(targets), torch.from_numpy(~legal)
    for _ in range(settings.epochs):
        order = torch.from_numpy(rng.permutation(len(x)))
        for index in order.split(settings.minibatch):
            logits = model(x[index]).masked_fill(illegal[index], _LOW)
            optimizer.zero_grad()
            (-(y[index] * logits.log_softmax(dim=1)).sum(dim=1).mean()).backward()
            optimizer.step()
