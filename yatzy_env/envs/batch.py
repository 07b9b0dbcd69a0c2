"""Thousands of games at once: a Gymnasium vector environment whose step is one compiled loop over lanes.

Lane i reset with seed s plays the very episodes of the single environment reset with seed s + i. A lane whose episode
ends starts its next game in the same step (SAME_STEP autoreset); its last observation is in `infos["final_obs"]`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from yatzy_env.envs.observation import (
    observation_size,
    observation_space,
    write_observation,
    write_observations,
)
from yatzy_env.envs.single import ILLEGAL_LIMIT
from yatzy_env.errors import IllegalActionError, YatzyError
from yatzy_env.games import act, is_legal, new_games, start_game, write_mask, write_masks
from yatzy_env.kernel import kernel
from yatzy_env.rules import Ruleset
from yatzy_env.rules import ruleset as find_ruleset
from yatzy_env.situation import Situations
from yatzy_env.tables import action_names, compile_tables


class YatzyVectorEnv(VectorEnv[NDArray[np.float32], NDArray[np.int64], NDArray[np.float64]]):
    """The environment of `yatzy_env.envs.single.YatzyEnv` for `num_envs` lanes.

    `infos` holds `action_mask` (num_envs, actions) int8 after autoreset, `illegal_action` (num_envs,) bool, `score`
    (num_envs,) int64; and where an episode ended `final_obs` (num_envs, D) and `final_info`, each beside its `_` mask.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}  # noqa: RUF012, the base class declares it so

    def __init__(self, num_envs: int = 1, ruleset: str | dict[str, Any] | Ruleset = "yatzy") -> None:
        """Allocates the lanes.

        Args:
            num_envs: number of lanes, at least 1.
            ruleset: a name of the catalogue, a dict of fields or a Ruleset.

        Raises:
            RulesetError: for an unknown or invalid ruleset.
            YatzyError: for a number of lanes below 1.
        """
        if not isinstance(num_envs, int) or num_envs < 1:
            raise YatzyError(f"num_envs = {num_envs!r}; allowed: a whole number from 1")
        self.rules = find_ruleset(ruleset)
        self.tables = compile_tables(self.rules)
        self.action_names = action_names(self.rules)
        self.num_envs = num_envs
        self.single_action_space = spaces.Discrete(self.tables.actions)
        self.single_observation_space = observation_space(self.rules)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        size = observation_size(self.tables)
        self._games = new_games(self.tables, np.zeros(num_envs, np.uint64))
        self._games.game[:] = -1
        self._observations = np.empty((num_envs, size), np.float32)
        self._masks = np.empty((num_envs, self.tables.actions), np.int8)
        self._final_observations = np.zeros((num_envs, size), np.float32)
        self._rewards = np.zeros(num_envs)
        self._terminated = np.zeros(num_envs, np.bool_)
        self._truncated = np.zeros(num_envs, np.bool_)
        self._illegal = np.zeros(num_envs, np.bool_)
        self._illegal_in_a_row = np.zeros(num_envs, np.int64)
        self._final_scores = np.zeros(num_envs, np.int64)
        self._has_keys = False

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Starts an episode in every lane.

        Args:
            seed: lane i gets key seed + i; or a list of keys. Without one the lanes go on with the next game under
                their keys, or get random keys at first.
            options: none are known; an empty mapping is allowed.

        Returns:
            Observations and infos.

        Raises:
            YatzyError: for an option, or a list of seeds of the wrong length.
        """
        if options:
            raise YatzyError(f"reset options {sorted(options)} are not known to the batch environment")
        keys = self._keys(seed)
        super().reset(seed=seed if isinstance(seed, int) else None)
        if keys is not None:
            self._games.key[:] = keys
            self._games.game[:] = -1
            self._has_keys = True
        self._illegal_in_a_row[:] = 0
        self._illegal[:] = False
        _reset_lanes(self.tables, self._games, self._observations, self._masks)
        return self._observations.copy(), self._infos()

    def step(self, actions: Any) -> tuple[NDArray[np.float32], Any, Any, Any, dict[str, Any]]:
        """Plays one action per lane.

        Args:
            actions: (num_envs,) action indices.

        Returns:
            Observations, rewards (float64), terminated, truncated, infos.

        Raises:
            IllegalActionError: for actions of the wrong shape or outside the action space; then nothing is played.
        """
        chosen = np.ascontiguousarray(actions, np.int64)
        if chosen.shape != (self.num_envs,):
            raise IllegalActionError(f"actions has shape {chosen.shape}; allowed: ({self.num_envs},)")
        if chosen.min() < 0 or chosen.max() >= self.tables.actions:
            raise IllegalActionError(
                f"actions must lie in 0..{self.tables.actions - 1}, got {chosen.min()}..{chosen.max()}"
            )
        _step_lanes(
            self.tables,
            self._games,
            chosen,
            self._observations,
            self._masks,
            self._final_observations,
            self._rewards,
            self._terminated,
            self._truncated,
            self._illegal,
            self._illegal_in_a_row,
            self._final_scores,
        )
        ended = self._terminated | self._truncated
        infos = self._infos()
        if ended.any():
            infos |= {
                "final_obs": self._final_observations.copy(),
                "_final_obs": ended,
                "final_info": {"score": self._final_scores.copy(), "_score": ended},
                "_final_info": ended,
            }
        return (
            self._observations.copy(),
            self._rewards.copy(),
            self._terminated.copy(),
            self._truncated.copy(),
            infos,
        )

    def action_masks(self) -> NDArray[np.int8]:
        """(num_envs, actions) int8, 1 where legal."""
        return self._masks.copy()

    @property
    def situations(self) -> Situations:
        """Where every lane stands, as a copy."""
        return self._games.now.copy()

    def state(self) -> dict[str, NDArray[Any]]:
        """All that decides how the lanes go on, as copied arrays; `restore` puts it back."""
        games = self._games
        arrays = {f"now_{name}": values for name, values in games.now._asdict().items()}
        arrays |= {name: values for name, values in games._asdict().items() if name != "now"}
        arrays["illegal_in_a_row"] = self._illegal_in_a_row
        return {name: values.copy() for name, values in arrays.items()}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> NDArray[np.float32]:
        """Puts the lanes where `state` found them, in this process or another.

        Args:
            state: what `state` returned for as many lanes of the same ruleset.

        Returns:
            (num_envs, D) the observations there.
        """
        games = self._games
        for name, values in games.now._asdict().items():
            values[:] = state[f"now_{name}"]
        for name, values in games._asdict().items():
            if name != "now":
                values[:] = state[name]
        self._illegal_in_a_row[:] = state["illegal_in_a_row"]
        self._has_keys = True
        write_observations(self.tables, games.now, self._observations)
        write_masks(self.tables, games.now, self._masks)
        return self._observations.copy()

    def _keys(self, seed: int | Sequence[int | None] | None) -> NDArray[np.uint64] | None:
        if seed is None:
            if self._has_keys:
                return None
            return self.np_random.integers(2**63, size=self.num_envs, dtype=np.uint64)
        if isinstance(seed, int | np.integer):
            return np.uint64(seed) + np.arange(self.num_envs, dtype=np.uint64)
        if len(seed) != self.num_envs or any(key is None for key in seed):
            raise YatzyError(
                f"seed has {len(seed)} entries; allowed: a number, or one number per lane ({self.num_envs})"
            )
        return np.array(seed, np.uint64)

    def _infos(self) -> dict[str, Any]:
        every = np.ones(self.num_envs, np.bool_)
        return {
            "action_mask": self._masks.copy(),
            "_action_mask": every,
            "illegal_action": self._illegal.copy(),
            "_illegal_action": every,
            "score": self._games.total.copy(),
            "_score": every,
        }


@kernel
def _next_game(tables, games, lane):
    games.game[lane] += 1
    start_game(tables, games, lane)


@kernel
def _reset_lanes(tables, games, observations, masks):
    for lane in range(masks.shape[0]):
        _next_game(tables, games, lane)
        write_observation(tables, games.now, lane, observations[lane])
        write_mask(tables, games.now, lane, masks[lane])


@kernel
def _step_lanes(
    tables,
    games,
    actions,
    observations,
    masks,
    final_observations,
    rewards,
    terminated,
    truncated,
    illegal,
    illegal_in_a_row,
    final_scores,
):
    """Plays an action in every lane and writes what each lane shows now; an ended lane starts its next game."""
    for lane in range(actions.shape[0]):
        illegal[lane] = not is_legal(tables, games.now, lane, actions[lane])
        rewards[lane] = 0.0
        if illegal[lane]:
            illegal_in_a_row[lane] += 1
        else:
            illegal_in_a_row[lane] = 0
            rewards[lane] = act(tables, games, lane, actions[lane])
        terminated[lane] = games.now.roll[lane] < 0
        truncated[lane] = illegal_in_a_row[lane] >= ILLEGAL_LIMIT
        if terminated[lane] or truncated[lane]:
            write_observation(tables, games.now, lane, final_observations[lane])
            final_scores[lane] = games.total[lane]
            illegal_in_a_row[lane] = 0
            _next_game(tables, games, lane)
        elif illegal[lane]:
            continue
        write_observation(tables, games.now, lane, observations[lane])
        write_mask(tables, games.now, lane, masks[lane])
