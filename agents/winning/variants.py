"""What the agent is made of, part by part: the same networks with less of them in use."""

from __future__ import annotations

import numpy as np

from agents.winning.agent import WinningAgent
from agents.winning.features import Positions, input_size
from yatzy_env.errors import YatzyError, unknown
from yatzy_env.turn import TurnPlans

VARIANTS = ("win", "margin", "points")
"""All of it; the chance of a normal margin, without the win network; points alone, without the other card."""


class ForPoints(WinningAgent):
    """Plays for points, as the opponent in training does."""

    def plan(self, positions: Positions) -> TurnPlans:
        """Plans turns for points, whatever the other card."""
        return self.points.plan(positions.filled, positions.upper)


def variant(agent: WinningAgent, name: str) -> WinningAgent:
    """The agent with less of it in use.

    Args:
        agent: the agent.
        name: one of `VARIANTS`.

    Raises:
        YatzyError: if there is no such variant.
    """
    if name == "win":
        return agent
    if name == "margin":
        no_correction = ((np.zeros((1, input_size(agent.rules)), np.float32), np.zeros(1, np.float32)),)
        return WinningAgent(agent.rules, agent.table, no_correction, name)
    if name == "points":
        return ForPoints(agent.rules, agent.table, agent.network, name)
    raise YatzyError(unknown("variant", name, VARIANTS))
