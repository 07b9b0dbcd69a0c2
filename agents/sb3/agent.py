"""A network trained without masks as an agent that plays legally all the same."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.ppo import kernels
from agents.ppo.agent import PPOAgent
from agents.ppo.weights import PolicyWeights
from yatzy_env.games import action_masks
from yatzy_env.rules import Ruleset
from yatzy_env.situation import Situations
from yatzy_env.tables import compile_tables


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
