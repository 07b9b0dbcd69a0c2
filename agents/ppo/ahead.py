"""An agent that looks one throw ahead with its own value network instead of asking its policy network.

It plays the action of the largest value by `agents.ppo.estimate`. What it is better by than the policy is what the
policy has not learnt from its value network yet; a comparison of the two says which of them holds an agent back. It
asks the value network about some two thousand situations per decision, so it is slow.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.ppo.agent import PPOAgent
from yatzy_env.situation import Situations


class AheadAgent:
    """Plays what the value network of a trained agent expects most of."""

    merges_upper = True  # as the agent below: an observation is all it sees
    deterministic = True

    def __init__(self, agent: PPOAgent, name: str) -> None:
        """Wraps a trained agent.

        Args:
            agent: the agent; its model must hold a value network.
            name: what the agent is called.
        """
        self.name = name
        self.notice = agent.notice
        self._agent = agent

    def action_values(self, situations: Situations) -> NDArray[np.float64]:
        """(n, actions) what the value network expects of each action, nan where illegal."""
        return self._agent.action_values(situations)

    def act(self, situations: Situations, noise: NDArray[np.float64]) -> NDArray[np.int64]:
        """Chooses the action that most is expected of, the lowest index among equals."""
        if not len(situations.filled):
            return np.zeros(0, np.int64)
        return np.nanargmax(self.action_values(situations), axis=1).astype(np.int64)
