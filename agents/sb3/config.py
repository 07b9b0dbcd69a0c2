"""The settings of the algorithms of Stable-Baselines3; where theirs is another default, it stands beside the field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field

from agents.training.config import Count, Settings, Widths


class SB3Settings(Settings):
    """What all of them have in common.

    Attributes:
        steps: decisions to train on at most, below the protocol's; None for as many as the protocol says.
        against: the algorithm of the protocol it is compared with; nothing that is trained or measured depends on it.
        num_envs: games played at once.
        learning_rate: of the optimizer.
        gamma: discount; below 1 an illegal action costs time.
        reward_scale: rewards are points times this.
        hidden: widths of the hidden layers, for policy and value alike.
    """

    RENAMED: ClassVar[Mapping[str, str]] = {"lanes": "num_envs"}

    steps: Count | None = None
    against: str | None = None
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
