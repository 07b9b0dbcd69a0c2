"""The optimal player: reads the exact solution."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from yatzy_env.agent import best_actions
from yatzy_env.situation import Situations
from yatzy_env.solver import Solution


class OptimalAgent:
    """Maximises the expected final score exactly."""

    name = "optimal"
    deterministic = True
    merges_upper = True

    def __init__(self, solution: Solution) -> None:
        self._solution = solution

    def act(self, situations: Situations, noise: NDArray[np.float64]) -> NDArray[np.int64]:
        """Chooses the action of largest value."""
        return best_actions(self._solution.batch_action_values(situations))
