"""Training with Stable-Baselines3: from settings to a network as plain arrays, evaluated on the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from torch import nn

from agents.ppo.multitask import MultiTask
from agents.ppo.vec_env import BatchVecEnv
from agents.ppo.weights import PolicyWeights
from agents.sb3.config import A2CSettings, DQNSettings, SB3Settings, UnmaskedPPOSettings
from agents.training.networks import linear_layers
from yatzy_env.rules import Ruleset

OnPoint = Callable[[PolicyWeights], None]


def build(rules: Ruleset, settings: SB3Settings, seed: int) -> BaseAlgorithm:
    """The algorithm that the settings are for, untrained, on the CPU; the same arguments give the same weights."""
    env = BatchVecEnv(MultiTask([rules]), settings.num_envs, seed, settings.reward_scale)
    common: dict[str, Any] = {
        "learning_rate": settings.learning_rate,
        "gamma": settings.gamma,
        "seed": seed,
        "device": "cpu",
        "policy_kwargs": {"net_arch": list(settings.hidden), "activation_fn": nn.ReLU},
    }
    match settings:
        case A2CSettings():
            return A2C(
                "MlpPolicy",
                env,
                n_steps=settings.rollout_steps,
                gae_lambda=settings.gae_lambda,
                ent_coef=settings.entropy,
                **common,
            )
        case UnmaskedPPOSettings():
            return PPO(
                "MlpPolicy",
                env,
                n_steps=settings.rollout_steps,
                batch_size=settings.minibatch,
                n_epochs=settings.epochs,
                gae_lambda=settings.gae_lambda,
                ent_coef=settings.entropy,
                clip_range=settings.clip_range,
                **common,
            )
        case DQNSettings():
            return DQN(
                "MlpPolicy",
                env,
                buffer_size=settings.buffer,
                learning_starts=settings.learning_starts,
                batch_size=settings.minibatch,
                train_freq=max(settings.steps_per_update // settings.num_envs, 1),
                gradient_steps=max(settings.num_envs // settings.steps_per_update, 1),
                target_update_interval=settings.target_steps,
                exploration_fraction=settings.exploration_share,
                exploration_final_eps=settings.exploration_end,
                **common,
            )
    raise TypeError(f"no algorithm for {type(settings).__name__}")


def network(model: BaseAlgorithm, rules: Ruleset) -> PolicyWeights:
    """The network that rates the actions, as plain arrays: logits, or Q-values for DQN."""
    policy: Any = model.policy
    if isinstance(model, DQN):
        modules = list(policy.q_net.q_net)
    else:
        modules = [*policy.mlp_extractor.policy_net, policy.action_net]
    return PolicyWeights(linear_layers(modules), "relu", rules.name, rules.digest, model.num_timesteps)


class _Points(BaseCallback):
    """Shows the network after the first update at which each point is reached."""

    def __init__(self, rules: Ruleset, points: Sequence[int], on_point: OnPoint) -> None:
        super().__init__()
        self._rules = rules
        self._left = sorted(points)
        self._on_point = on_point

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        self._evaluate()

    def _on_training_end(self) -> None:
        self._evaluate()

    def _evaluate(self) -> None:
        if self._left and self.num_timesteps >= self._left[0]:
            self._left = [point for point in self._left if point > self.num_timesteps]
            self._on_point(network(self.model, self._rules))


def train(
    rules: Ruleset, settings: SB3Settings, steps: int, seed: int, points: Sequence[int], on_point: OnPoint
) -> PolicyWeights:
    """Trains one of the algorithms and returns its network.

    Training ends with the first update that reaches `steps` decisions; `on_point` is called with the network after
    the first one that reaches each of the points. The seed is that of weights, dice and choices.
    """
    torch.set_num_threads(1)
    model = build(rules, settings, seed)
    model.learn(steps, _Points(rules, points, on_point))
    return network(model, rules)
