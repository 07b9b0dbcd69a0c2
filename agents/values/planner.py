"""The planner: plays every turn as planned by a value network of score cards."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.errors import ModelError
from agents.values.network import ValueNetwork
from yatzy_env.rules import Ruleset
from yatzy_env.situation import Situations
from yatzy_env.tables import compile_tables
from yatzy_env.turn import Cards, KeptPlans


class Planner:
    """Takes the action that its planned turn values highest, the lowest index among equals.

    Plans are kept for the cards of the last call. `known_score` is its exact score where one is on record.
    """

    deterministic = True
    merges_upper = True
    known_score: float | None = None

    def __init__(self, rules: Ruleset, network: ValueNetwork, name: str = "planner") -> None:
        """Checks that the network fits the rules.

        Args:
            rules: the ruleset to play.
            network: the value network.
            name: what the agent is called.

        Raises:
            ModelError: if the network was trained for other rules.
        """
        if network.rules.digest != rules.digest:
            raise ModelError(
                f"the value network was trained for {network.rules.name!r} and does not fit {rules.name!r}"
            )
        self.name = name
        self.notice = ""  # what a reader of its figures should know
        self.network = network
        self._plans = KeptPlans(compile_tables(rules), network.end_values)

    @property
    def digest(self) -> str:
        """A SHA-256 over the network."""
        return self.network.digest

    def action_values(self, situations: Situations) -> NDArray[np.float64]:
        """(n, actions) float64 what the planned turn expects of each action, nan where illegal; an estimate."""
        return self._plans.action_values(situations)

    def card_values(self, cards: Cards) -> NDArray[np.float64]:
        """(n,) float64 what the network takes n cards to be worth, 0 for full ones."""
        return self.network.card_values(cards)

    def act(self, situations: Situations, noise: NDArray[np.float64]) -> NDArray[np.int64]:
        """Chooses a legal action for every situation; `noise` does not matter."""
        return self._plans.choose(situations)
