# mypy: disallow-untyped-defs=False
"""A policy network as an agent: the best-rated legal action of every situation. Needs numpy alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.errors import ModelError
from agents.ppo.kernels import list_legal
from agents.ppo.policy import PolicyNetwork
from yatzy_env.kernel import kernel
from yatzy_env.native import borrow
from yatzy_env.rules import Ruleset
from yatzy_env.situation import Situations
from yatzy_env.tables import compile_tables
from yatzy_env.turn import Cards, end_kinds, plan_turn

_SITUATIONS = 2048  # rated at once


class PPOAgent:
    """Plays the action that a policy network rates highest, the lowest index among equals."""

    deterministic = True
    merges_upper = True

    def __init__(self, rules: Ruleset, network: PolicyNetwork, name: str = "ppo") -> None:
        """Checks that the network fits the rules.

        Args:
            rules: the ruleset to play.
            network: the policy network.
            name: what the agent is called.

        Raises:
            ModelError: if the network was trained for other rules.
        """
        if network.rules.digest != rules.digest:
            raise ModelError(f"the policy was trained for {network.rules.name!r} and does not fit {rules.name!r}")
        self.name = name
        self.notice = ""  # what a reader of its figures should know
        self.known_score: float | None = None  # its exact score where one is on record
        self.network = network
        self._tables = compile_tables(rules)

    @property
    def digest(self) -> str:
        """A SHA-256 over the network."""
        return self.network.digest

    def ratings(self, cards: Cards, throws_left: int) -> NDArray[np.float32]:
        """(n, K + U) float32 what the network makes of keeps and ends, for exact scores; see `PolicyNetwork`."""
        return self.network.ratings(cards, np.full(len(cards.filled), throws_left))

    def act(self, situations: Situations, noise: NDArray[np.float64]) -> NDArray[np.int64]:
        """Chooses a legal action for every situation; `noise` does not matter."""
        tables = self._tables
        actions = np.empty(len(situations.roll), np.int64)
        for start in range(0, len(actions), _SITUATIONS):
            part = slice(start, start + _SITUATIONS)
            some = Situations._make(np.ascontiguousarray(values[part]) for values in situations)
            cards = Cards(some.filled, some.upper, some.yatzy_scored, some.throws_left)
            ratings = self.network.ratings(cards, some.throws_left)
            _best(tables, end_kinds(tables), plan_turn(tables), some, ratings, actions[part])
        return actions


@kernel(nogil=True)
def _best(tables, kinds, plan, now, ratings, actions):
    tables, kinds, plan, now = borrow(tables), borrow(kinds), borrow(plan), borrow(now)
    most = tables.keeps + tables.card.boxes
    legal, outputs = np.empty(most, np.int64), np.empty(most, np.int64)
    for row in range(actions.shape[0]):
        roll, scored = now.roll[row], now.yatzy_scored[row]
        count = list_legal(tables, kinds, plan, now.filled[row], scored, roll, now.throws_left[row], legal, outputs)
        best = 0
        for i in range(1, count):
            if ratings[row, outputs[i]] > ratings[row, outputs[best]]:
                best = i
        actions[row] = legal[best]
