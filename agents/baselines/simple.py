"""Agents that look at most at the turn they are in: random, greedy, one-turn-optimal."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from yatzy_env.agent import best_actions
from yatzy_env.games import action_masks, gains
from yatzy_env.rules import Ruleset
from yatzy_env.situation import Situations
from yatzy_env.tables import compile_tables
from yatzy_env.turn import rate_actions


class RandomAgent:
    """Plays every legal action with equal chance."""

    name = "random"

    def __init__(self, rules: Ruleset) -> None:
        self._tables = compile_tables(rules)

    def act(self, situations: Situations, noise: NDArray[np.float64]) -> NDArray[np.int64]:
        """Chooses the action at the noise's place among the legal ones."""
        legal = np.cumsum(action_masks(self._tables, situations), axis=1, dtype=np.int64)
        place = np.floor(noise * legal[:, -1]).astype(np.int64)
        return np.argmax(legal > place[:, None], axis=1).astype(np.int64)


class GreedyAgent:
    """Takes the most points it can have now: it fills the best paying box, and throws all dice again if none pays."""

    name = "greedy"
    deterministic = True
    merges_upper = True

    def __init__(self, rules: Ruleset) -> None:
        self._tables = compile_tables(rules)

    def act(self, situations: Situations, noise: NDArray[np.float64]) -> NDArray[np.int64]:
        """Chooses by the points of the step alone; keeps gain nothing and come first among equals."""
        values = np.where(action_masks(self._tables, situations) == 1, 0.0, np.nan)
        boxes = values[:, self._tables.keeps :]
        boxes += gains(self._tables, situations)
        return best_actions(values)


class OneTurnAgent:
    """Maximises the expected points of this turn and gives no thought to the turns after it."""

    name = "one-turn"
    deterministic = True
    merges_upper = True

    def __init__(self, rules: Ruleset) -> None:
        self._tables = compile_tables(rules)

    def act(self, situations: Situations, noise: NDArray[np.float64]) -> NDArray[np.int64]:
        """Chooses by the exact expectation of this turn's points."""
        return best_actions(rate_actions(self._tables, situations, lambda ends: ends.gain))
