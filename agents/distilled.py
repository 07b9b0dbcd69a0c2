"""A policy that learns from the optimum: how well a network of this size plays that is told what every card is worth.

It is trained as `agents.ppo.learner` trains, with the exact values of score cards in the place of a value network. It
is no reinforcement learning; wherever it appears it is labelled so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.ppo.agent import PPOAgent
from agents.ppo.learner import PolicyLearner
from agents.ppo.planned import learn_policy, policy_settings
from yatzy_env.rules import Ruleset
from yatzy_env.solver import Solution, solve
from yatzy_env.turn import Ends

LABEL = "learns from the optimum"


class SolvedEnds:
    """The exact values of the ends of turns."""

    def __init__(self, solution: Solution) -> None:
        """Takes them from a solution."""
        self._solution = solution

    def end_values(self, ends: Ends) -> NDArray[np.float64]:
        """(rows,) float64 the points gained and those still to come."""
        after = ends.after
        return ends.gain + self._solution.card_values(after.filled, after.upper[:, 0], after.yatzy_scored, after.pool)


def train(make_env: Any, rules: Ruleset, steps: int, seed: int, report: Callable[..., Any], **policy: Any) -> PPOAgent:
    """Trains a policy on planned turns of optimal play: a learner of a benchmark (`agents.benchmark.protocol`).

    Args:
        make_env: not used: its turns are planned and played without an environment.
        rules: the ruleset.
        steps: decisions to train on.
        seed: of the weights, the dice and the actions drawn.
        report: is told how far it is.
        policy: fields of `agents.ppo.config.PolicySettings`; the rounds follow from the steps.
    """
    settings = policy_settings(policy, steps)
    learner = PolicyLearner([rules], settings, seed, [SolvedEnds(solve(rules, progress=False))])
    return learn_policy(learner, report)
