"""Episodes that start from late cards: an easier, shorter task, and a curriculum from the last box backwards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from secrets import randbits
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

from yatzy_env.dice import key
from yatzy_env.envs.wrappers import base_env
from yatzy_env.errors import YatzyError
from yatzy_env.games import action_masks, decision_noise, new_games, noise_keys, play
from yatzy_env.inputs import seed_key, whole_number
from yatzy_env.situation import Situation, Situations, single

Policy = Callable[[Situations, NDArray[np.float64]], NDArray[np.int64]]
"""Chooses an action per situation; the second argument is a uniform random number for each. `agent.act` is one."""


class LateStart(gymnasium.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Starts every episode from a random card with some boxes filled, at the first decision of a turn.

    A game is played from the empty card, by random legal actions or by a policy, until the boxes drawn are filled: so
    every start can be reached in play. It is played with dice of its own, not those of the episode. Scores start
    from 0: the return is what the rest of the game brings. `reset(options={"situation": ...})` starts there instead.

    Random play fills cards badly, with small upper sums; hand in a policy for cards as they look in good games.

    Args:
        env: the environment, wrapped or not.
        boxes: how many boxes are filled, or the fewest and the most, drawn uniformly at each reset. May be set anew at
            any time.
        policy: who fills them; None plays random legal actions.

    Raises:
        YatzyError: if there is no `YatzyEnv` below, or the numbers do not fit the card.
    """

    def __init__(
        self, env: gymnasium.Env[Any, Any], boxes: int | tuple[int, int], policy: Policy | None = None
    ) -> None:
        RecordConstructorArgs.__init__(self, _disable_deepcopy=True, boxes=boxes, policy=policy)
        self._base = base_env(env)
        super().__init__(env)
        if policy is not None and not callable(policy):
            raise YatzyError(f"policy = {policy!r}; allowed: None or a function of situations and noise")
        self.boxes = boxes
        self._policy = policy
        self._start: tuple[int, int] | None = None  # seed, and episodes before under it

    @property
    def boxes(self) -> tuple[int, int]:
        """The fewest and the most boxes that are filled at the start."""
        return self._boxes

    @boxes.setter
    def boxes(self, value: int | tuple[int, int]) -> None:
        most = self._base.tables.card.boxes - 1
        low, high = value if isinstance(value, tuple | list) and len(value) == 2 else (value, value)
        fewest = whole_number("boxes", low, 0, most)
        self._boxes = (fewest, whole_number("boxes", high, fewest, most))

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Starts an episode from a late card; a situation among the options is the start instead.

        Args:
            seed: decides the card and, as below, the dice. Without one the next episode of the present seed starts (a
                random seed if none was ever given).
            options: as below.
        """
        if seed is not None:
            start = (seed_key(seed), 0)
        elif self._start is None:
            start = (randbits(63), 0)
        else:
            start = (self._start[0], self._start[1] + 1)
        options = dict(options or {})
        if "situation" not in options:
            options["situation"] = self._late_situation(key("late start", *start))
        found = self.env.reset(seed=seed, options=options)
        self._start = start
        return found

    def _late_situation(self, dice_key: int) -> Situation:
        tables = self._base.tables
        low, high = self._boxes
        filled = int(np.random.default_rng(dice_key).integers(low, high + 1))
        games = new_games(tables, np.array([dice_key], np.uint64))
        hidden = noise_keys(games.key)
        while int(games.now.filled[0]).bit_count() < filled:
            noise = decision_noise(games, hidden)
            if self._policy is None:
                legal = np.flatnonzero(action_masks(tables, games.now)[0])
                action = legal[(noise * len(legal)).astype(np.int64)]
            else:
                action = self._policy(games.now.copy(), noise)
            play(tables, games, action)
        return single(tables, games.now, 0)
