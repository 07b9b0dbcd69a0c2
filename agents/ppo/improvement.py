r"""The policy improvement loss: in some decisions the value network says what it expects of every legal action.

PPO learns about the actions it draws. An action that looked bad early is hardly drawn again, and stays untried although
the value network, which has learnt from other games since, would rate it above the one that is played. So the value
network is asked about all legal actions of a decision, each with the mean over the throws that may follow
(`agents.ppo.estimate`), and the policy is pulled towards

$$p_a \propto \exp(Q_a / \tau),$$

by cross-entropy, beside the loss of PPO. $\tau$ is the temperature in points. Everything in it is the agent's own: the
chances of dice, which the rules state, and the network that is being trained. Nothing here knows good play.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from agents.ppo.estimate import Values, estimated_action_values
from yatzy_env.rules import Ruleset
from yatzy_env.situation import Situations

_THROWS = 8  # first throws of the next turn that a box is rated by


class Improvement(NamedTuple):
    """Decisions with what the policy should do there."""

    observations: Tensor  # (n, D) float32
    action_masks: Tensor  # (n, actions) int8
    targets: Tensor  # (n, actions) float32, rows add up to 1

    def take(self, index: Tensor) -> Improvement:
        """Some of the decisions."""
        return Improvement(*(values[index] for values in self))


def pick(masks: NDArray[np.int8], share: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """Chooses decisions to improve: a share of those that leave a choice, at random.

    Args:
        masks: (n, actions), nonzero where legal.
        share: how many of the n in the mean, if that many leave a choice.
        rng: draws them.

    Returns:
        Their positions in ascending order.
    """
    leaves_a_choice = np.flatnonzero(np.count_nonzero(masks, axis=1) > 1)
    wanted = min(int(share * len(masks) + rng.random()), len(leaves_a_choice))  # a fraction is one more now and then
    return np.sort(rng.choice(leaves_a_choice, wanted, replace=False))


def improvement_targets(
    rules: Ruleset, values: Values, situations: Situations, temperature: float, rng: np.random.Generator
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Asks the value network about every legal action.

    Args:
        rules: the ruleset.
        values: the value network, in points.
        situations: n decisions.
        temperature: points that make an action e times as likely.
        rng: draws the throws that boxes are rated by.

    Returns:
        (n, actions) int8, 1 where legal; (n, actions) float32, how likely each action should be.
    """
    expected = estimated_action_values(rules, values, situations, _THROWS, rng.random(len(situations.roll)))
    is_legal = ~np.isnan(expected)
    above = np.where(is_legal, expected - np.nanmax(expected, axis=1, keepdims=True), -np.inf)
    weights = np.exp(above / temperature)
    return is_legal.astype(np.int8), (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)


def improvement_loss(logits: Tensor, decisions: Improvement) -> Tensor:
    """The mean divergence of the policy from its targets: zero where it has reached them.

    Args:
        logits: (n, actions) of the policy.
        decisions: n decisions with their targets.

    Returns:
        A scalar, in nats.
    """
    log_probs = logits.masked_fill(decisions.action_masks == 0, -1e9).log_softmax(dim=1)
    entropies = torch.special.entr(decisions.targets).sum(dim=1)
    return (-(decisions.targets * log_probs).sum(dim=1) - entropies).mean()
