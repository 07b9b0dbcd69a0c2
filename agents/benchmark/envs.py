"""The environments of a training run: they count the decisions made in them, and never throw evaluation dice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from yatzy_env.dice import key
from yatzy_env.envs import YatzyEnv
from yatzy_env.envs.batch import YatzyVectorEnv
from yatzy_env.rules import Ruleset


class TrainingEnvs:
    """Makes environments of a ruleset for a training run.

    Attributes:
        decisions: actions played in all of them.
    """

    def __init__(self, rules: Ruleset, seed: int) -> None:
        """Makes none yet; the seed is that of the run."""
        self.decisions = 0
        self._rules, self._seed = rules, seed
        self._made = 0

    def __call__(self, num_envs: int | None = None) -> Any:
        """A Gymnasium environment, or a vector environment of so many games.

        Under the seeds that `reset` may get, and without, its dice are training dice of this run.
        """
        if num_envs is None:
            return _Single(self, self._take(1))
        return _Batch(self, self._take(num_envs), num_envs)

    def _take(self, count: int) -> int:
        first = self._made
        self._made += count
        return first

    def key(self, word: str, number: int) -> int:
        """The dice of game number so many, or of a seed."""
        return key("train", self._seed, word, number)


class _Single(YatzyEnv):
    def __init__(self, envs: TrainingEnvs, number: int) -> None:
        super().__init__(envs._rules)
        self._envs, self._number = envs, number
        self._is_new = True

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        if seed is not None:
            seed = self._envs.key("seed", seed)
        elif self._is_new:
            seed = self._envs.key("game", self._number)
        self._is_new = False
        return super().reset(seed=seed, options=options)

    def step(self, action: Any) -> Any:
        self._envs.decisions += 1
        return super().step(action)


class _Batch(YatzyVectorEnv):
    def __init__(self, envs: TrainingEnvs, first: int, num_envs: int) -> None:
        super().__init__(num_envs, envs._rules)
        self._envs, self._first = envs, first
        self._is_new = True

    def reset(self, *, seed: int | Sequence[int | None] | None = None, options: Any = None) -> Any:
        if isinstance(seed, int | np.integer):
            seed = [int(seed) + game for game in range(self.num_envs)]
        if seed is not None:
            seed = [None if each is None else self._envs.key("seed", each) for each in seed]
        elif self._is_new:
            seed = [self._envs.key("game", self._first + game) for game in range(self.num_envs)]
        self._is_new = False
        return super().reset(seed=seed, options=options)

    def step(self, actions: Any) -> Any:
        self._envs.decisions += self.num_envs
        return super().step(actions)
