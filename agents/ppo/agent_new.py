# mypy: disallow-untyped-defs=False
"""A policy network as an agent: the best-rated legal action of every situation. Needs numpy alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.errors import ModelError
from agents.ppo.kernels_new import list_legal
from agents.ppo.policy_new import PolicyNetwork
from yatzy_env.kernel import kernel
from yatzy_env.native import borrow
from yatzy_env.rules import Ruleset
from yatzy_env.situation import Situations
from yatzy_env.tables import compile_tables
from yatzy_env.turn import Cards, end_kinds, plan_turn


@kernel(nogil=True)
def _best(tables, kinds, plan, now, ratings, actions):
    """The legal action of the highest rating per situation, the lowest index among equals."""
    tables, kinds, plan, now = borrow(tables), borrow(kinds), borrow(plan), borrow(now)
    legal = np.empty(tables.keeps + tables.card.boxes, np.int64)
    outputs = np.empty(tables.keeps + tables.card.boxes, np.int64)
    for row in range(actions.shape[0]):
        count = list_legal(
            tables, kinds, plan, now.filled[row], now.yatzy_scored[row], now.roll[row], now.throws_left[row], legal, outputs
        )
        best = 0
        for i in range(1, count):
            if ratings[row, outputs[i]] > ratings[row, outputs[best]]:
                best = i
        actions[row] = legal[best]


class PPOAgent:
    """Plays the action that a policy network rates highest."""

    deterministic = True
    merges_upper = True

    def __init__(self, rules: Ruleset, network: PolicyNetwork, name: str = "ppo") -> None:
        if network.rules.digest != rules.digest:
            raise ModelError(f"the policy was trained for {network.rules.name!r} and does not fit {rules.name!r}")
        self.name = name
        self.network = network
        self._tables = compile_tables(rules)

    def act(self, situations: Situations, noise: NDArray[np.float64]) -> NDArray[np.int64]:
        """Chooses a legal action for every situation; `noise` does not matter."""
        actions = np.empty(len(situations.roll), np.int64)
        for start in range(0, len(actions), 2048):
            some = situations.take(slice(start, start + 2048))
            cards = Cards(some.filled, some.upper, some.yatzy_scored, np.zeros_like(some.filled))
            ratings = self.network.ratings(cards, some.throws_left)
            _best(self._tables, end_kinds(self._tables), plan_turn(self._tables), some, ratings, actions[start:start+2048])
        return actions
