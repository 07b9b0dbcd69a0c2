"""A2C, DQN and PPO of Stable-Baselines3 without action masks, as they are: what masks and care are measured against.

They train on the tolerant environment, where an illegal action changes nothing and earns nothing. For play and
evaluation the best-rated legal action is taken, and how often the best-rated action of all is illegal is reported.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from torch import nn

from agents.ppo import kernels
from agents.ppo.agent import PPOAgent
from agents.ppo.multitask import MultiTask
from agents.ppo.vec_env import BatchVecEnv
from agents.ppo.weights import PolicyWeights
from agents.training.config import AlgorithmSettings, Count, OnUpdate, Widths
from agents.training.networks import linear_layers
from yatzy_env.games import action_masks
from yatzy_env.rules import Ruleset
from yatzy_env.situation import Situations
from yatzy_env.tables import compile_tables


class SB3Settings(AlgorithmSettings):
    """What all of them have in common. Where their own default is another one, it stands beside the field.

    Attributes:
        num_envs: games played at once.
        learning_rate: of the optimizer.
        gamma: discount; below 1 an illegal action costs time.
        reward_scale: rewards are points times this.
        hidden: widths of the hidden layers, for policy and value alike.
    """

    num_envs: Count
    learning_rate: float = Field(gt=0)
    gamma: float = Field(default=0.99, gt=0, le=1)
    reward_scale: float = Field(default=0.02, gt=0)
    hidden: Widths = (256, 256)


class A2CSettings(SB3Settings):
    """Advantage actor-critic.

    Attributes:
        rollout_steps: decisions per env between updates (SB3: 5).
        gae_lambda: lambda of generalised advantage estimation (SB3: 1).
        entropy: weight of the entropy bonus (SB3: 0).
    """

    kind: Literal["a2c"] = "a2c"
    num_envs: Count = 64
    learning_rate: float = Field(default=7e-4, gt=0)
    rollout_steps: Count = 5
    gae_lambda: float = Field(default=1.0, ge=0, le=1)
    entropy: float = Field(default=0.0, ge=0)


class UnmaskedPPOSettings(SB3Settings):
    """PPO that is not told which actions are legal.

    Attributes:
        rollout_steps: decisions per env between updates.
        minibatch: decisions per update of the weights.
        epochs: how often each decision is used (SB3: 10).
        gae_lambda: lambda of generalised advantage estimation.
        entropy: weight of the entropy bonus (SB3: 0).
        clip_range: how far the probability ratio may move per rollout.
    """

    kind: Literal["ppo-unmasked"] = "ppo-unmasked"
    num_envs: Count = 256
    learning_rate: float = Field(default=3e-4, gt=0)
    rollout_steps: Count = 64
    minibatch: Count = 2048
    epochs: Count = 4
    gae_lambda: float = Field(default=0.95, ge=0, le=1)
    entropy: float = Field(default=0.0, ge=0)
    clip_range: float = Field(default=0.2, gt=0, lt=1)


class DQNSettings(SB3Settings):
    """Deep Q-learning.

    Attributes:
        buffer: decisions remembered.
        learning_starts: decisions before the first update.
        minibatch: decisions per update (SB3: 32).
        steps_per_update: decisions between updates (SB3: 4).
        target_steps: decisions between copies to the target network.
        exploration_share: the share of all steps in which the chance of a random action falls to its last value.
        exploration_end: that last value.
    """

    kind: Literal["dqn"] = "dqn"
    num_envs: Count = 32
    learning_rate: float = Field(default=1e-4, gt=0)
    buffer: Count = 200_000
    learning_starts: Count = 10_000
    minibatch: Count = 256
    steps_per_update: Count = 32
    target_steps: Count = 10_000
    exploration_share: float = Field(default=0.1, gt=0, le=1)
    exploration_end: float = Field(default=0.05, ge=0, le=1)


Unmasked = A2CSettings | UnmaskedPPOSettings | DQNSettings

_ARGUMENTS = {
    "learning_rate": "learning_rate",
    "gamma": "gamma",
    "rollout_steps": "n_steps",
    "minibatch": "batch_size",
    "epochs": "n_epochs",
    "gae_lambda": "gae_lambda",
    "entropy": "ent_coef",
    "clip_range": "clip_range",
    "buffer": "buffer_size",
    "learning_starts": "learning_starts",
    "target_steps": "target_update_interval",
    "exploration_share": "exploration_fraction",
    "exploration_end": "exploration_final_eps",
}
"""What Stable-Baselines3 calls the settings."""


def build(rules: Ruleset, settings: Unmasked, seed: int) -> BaseAlgorithm:
    """Makes the envs and the untrained networks, on the CPU; the same arguments give the same weights."""
    arguments: dict[str, Any] = {
        theirs: getattr(settings, ours) for ours, theirs in _ARGUMENTS.items() if hasattr(settings, ours)
    }
    if isinstance(settings, DQNSettings):
        arguments["train_freq"] = max(settings.steps_per_update // settings.num_envs, 1)
        arguments["gradient_steps"] = max(settings.num_envs // settings.steps_per_update, 1)
    algorithms: dict[str, type[BaseAlgorithm]] = {"a2c": A2C, "ppo-unmasked": PPO, "dqn": DQN}
    return algorithms[settings.kind](
        "MlpPolicy",
        BatchVecEnv(MultiTask([rules]), settings.num_envs, seed, settings.reward_scale),
        seed=seed,
        device="cpu",
        policy_kwargs={"net_arch": list(settings.hidden), "activation_fn": nn.ReLU},
        **arguments,
    )


def network(model: BaseAlgorithm, rules: Ruleset) -> PolicyWeights:
    """The network that rates the actions, as plain arrays: logits, or Q-values for DQN."""
    policy: Any = model.policy
    if isinstance(model, DQN):
        modules = list(policy.q_net.q_net)
    else:
        modules = [*policy.mlp_extractor.policy_net, policy.action_net]
    return PolicyWeights(linear_layers(modules), "relu", rules.name, rules.digest, model.num_timesteps)


class _AfterUpdates(BaseCallback):
    """Shows the network after every update."""

    def __init__(self, rules: Ruleset, on_update: OnUpdate) -> None:
        super().__init__()
        self._rules = rules
        self._on_update = on_update

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        self._on_update(self.num_timesteps, lambda: network(self.model, self._rules))

    def _on_training_end(self) -> None:
        self._on_rollout_start()


def train(rules: Ruleset, settings: Unmasked, steps: int, seed: int, on_update: OnUpdate) -> PolicyWeights:
    """Trains one of the algorithms until the first update that reaches `steps` decisions.

    The seed decides weights, dice and choices; `on_update` is called after every update.
    """
    torch.set_num_threads(1)
    model = build(rules, settings, seed)
    model.learn(steps, _AfterUpdates(rules, on_update))
    return network(model, rules)


class UnmaskedAgent:
    """Plays the best-rated legal action, and counts how often the best-rated of all actions is illegal."""

    merges_upper = True  # an observation is all it sees
    deterministic = True

    def __init__(self, rules: Ruleset, policy: PolicyWeights, name: str) -> None:
        """Checks that the network fits the rules.

        Raises:
            ModelError: if the network was trained for other rules.
        """
        self.name = name
        self.decisions = 0
        self.illegal = 0
        self._network = PPOAgent(rules, policy, name)
        self._tables = compile_tables(rules)

    @property
    def illegal_rate(self) -> float:
        """The share of all decisions so far in which the best-rated action was illegal; 0 before the first."""
        return self.illegal / self.decisions if self.decisions else 0.0

    def act(self, situations: Situations, noise: NDArray[np.float64]) -> NDArray[np.int64]:
        """Chooses the best-rated legal action."""
        logits = self._network.logits(situations)
        masks = action_masks(self._tables, situations)
        wanted = logits.argmax(axis=1)
        self.decisions += len(wanted)
        self.illegal += int((masks[np.arange(len(wanted)), wanted] == 0).sum())
        return kernels.best(logits, masks)
