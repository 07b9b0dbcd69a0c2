"""The batch environment as a Stable-Baselines3 `VecEnv`: thousands of games, one compiled call per step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices

from yatzy_env.envs.batch import YatzyVectorEnv
from yatzy_env.envs.observation import observation_size

StepReturn = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]


class BatchVecEnv(VecEnv):
    """`YatzyVectorEnv` behind the interface that Stable-Baselines3 trains on.

    All arrays returned are copies, masks are those of the next decision (after an ended game has been followed by the
    next), and the info of an ended game holds `terminal_observation`, `TimeLimit.truncated` and `episode` with the
    unscaled score. Every game's info is a dict of its own, as wrappers write into them.
    """

    def __init__(self, batch: YatzyVectorEnv, reward_scale: float = 1.0, shows_mask: bool = False) -> None:
        """Wraps a batch.

        Args:
            batch: the games.
            reward_scale: rewards are points times this.
            shows_mask: let the mask follow the observation, for algorithms that know no other way to it.
        """
        self.batch = batch
        self.render_mode = None
        self._scale = np.float32(reward_scale)
        self._shows_mask = shows_mask
        self._actions = np.zeros(batch.num_envs, np.int64)
        self._lengths = np.zeros(batch.num_envs, np.int64)
        size = observation_size(batch.tables) + (batch.tables.actions if shows_mask else 0)
        observations = spaces.Box(-1.0, 1.0, (size,), np.float32)
        super().__init__(batch.num_envs, observations, spaces.Discrete(batch.tables.actions))

    def _show(self, observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.float32]:
        return np.concatenate([observations, masks], axis=1, dtype=np.float32) if self._shows_mask else observations

    def reset(self) -> NDArray[np.float32]:
        """Starts an episode in every game."""
        seeds = None if self._seeds[0] is None else self._seeds
        observations, infos = self.batch.reset(seed=seeds)
        self._reset_seeds()
        self._lengths[:] = 0
        return self._show(observations, infos["action_mask"])

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Takes the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> StepReturn:
        """Plays the actions.

        Returns:
            Observations, scaled rewards (float32), dones, one info per game.
        """
        observations, points, terminated, truncated, last = self.batch.step(self._actions)
        self._lengths += 1
        dones = terminated | truncated
        infos: list[dict[str, Any]] = [{} for _ in dones]
        ended = np.flatnonzero(dones)
        if len(ended):
            finals = self._show(last["final_obs"][ended], np.zeros((len(ended), self.batch.tables.actions), np.int8))
            for final, game in zip(finals, ended, strict=True):
                infos[game] = {
                    "terminal_observation": final,
                    "TimeLimit.truncated": bool(truncated[game] and not terminated[game]),
                    "episode": {"r": int(last["final_info"]["score"][game]), "l": int(self._lengths[game]), "t": 0.0},
                }
        self._lengths[dones] = 0
        return self._show(observations, last["action_mask"]), points.astype(np.float32) * self._scale, dones, infos

    def action_masks(self) -> NDArray[np.int8]:
        """(num_envs, actions) int8, 1 where legal."""
        return self.batch.action_masks()

    def close(self) -> None:
        """Nothing is held open."""

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute of the batch, once per game; `render_mode` is None."""
        value = None if attr_name == "render_mode" else getattr(self.batch, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Games have no attributes of their own to set."""
        raise AttributeError(f"games of a batch have no attribute {attr_name!r} of their own to set")

    def env_method(self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any) -> Any:
        """Calls a method of the batch; its result must hold one entry per game."""
        result = getattr(self.batch, method_name)(*args, **kwargs)
        return result if indices is None else [result[game] for game in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: VecEnvIndices = None) -> list[bool]:
        """No game is wrapped."""
        return [False for _ in self._get_indices(indices)]

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Sets the seeds of the next `reset`, seed + i for game i; without one nothing changes."""
        if seed is not None:
            self._seeds = [seed + game for game in range(self.num_envs)]
        return self._seeds
