"""The batch environment as a Stable-Baselines3 `VecEnv`: thousands of lanes, one compiled call per step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices

from agents.ppo.luck import other_throws
from agents.ppo.positions import positional_actions, to_positions
from yatzy_env.dice import key
from yatzy_env.envs.batch import YatzyVectorEnv
from yatzy_env.envs.wrappers import keep_patterns
from yatzy_env.errors import IllegalActionError
from yatzy_env.rules import Ruleset
from yatzy_env.situation import Situations
from yatzy_env.tables import compile_tables

StepReturn = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]


class BatchVecEnv(VecEnv):
    """`YatzyVectorEnv` behind the interface Stable-Baselines3 trains on.

    Lane i of seed s meets the dice of `dice.key("train", s, i)`, which no evaluation throws. All arrays returned are
    copies, masks are those of the next decision (after an ended lane has started its next game), and the info of an
    ended lane holds `terminal_observation`, `TimeLimit.truncated` and `episode` with the unscaled score. Every lane's
    info is a dict of its own, as wrappers write into them.
    """

    def __init__(self, rules: Ruleset, lanes: int, seed: int, reward_scale: float = 1.0, first_lane: int = 0) -> None:
        """Allocates the lanes.

        Args:
            rules: the ruleset.
            lanes: how many games are played at once.
            seed: of the dice.
            reward_scale: rewards are points times this.
            first_lane: the number of the first lane, where these are some lanes of many.
        """
        self.env = YatzyVectorEnv(lanes, rules)
        self.rules = rules
        self.reward_scale = np.float32(reward_scale)
        self.render_mode = None
        self._first_lane = first_lane
        self._actions = np.zeros(lanes, np.int64)
        self._lengths = np.zeros(lanes, np.int64)
        super().__init__(lanes, self.env.single_observation_space, self.env.single_action_space)
        self.seed(seed)

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Sets the dice of every lane from the next `reset` on; without a seed nothing changes."""
        if seed is not None:
            self._seeds = [key("train", seed, self._first_lane + lane) for lane in range(self.num_envs)]
        return self._seeds

    def reset(self) -> NDArray[np.float32]:
        """Starts an episode in every lane."""
        keys = None if self._seeds[0] is None else self._seeds
        observations, _ = self.env.reset(seed=keys)
        self._reset_seeds()
        self._lengths[:] = 0
        return observations

    def step(self, actions: NDArray[np.int64]) -> StepReturn:
        """`step_async` and `step_wait` in one."""
        self.step_async(actions)
        return self.step_wait()

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Takes the actions for `step_wait`."""
        self._actions = np.asarray(actions, np.int64)

    def step_wait(self) -> StepReturn:
        """Plays the actions.

        Returns:
            Observations, scaled rewards (float32), dones, one info per lane.
        """
        observations, rewards, terminated, truncated, batch_infos = self.env.step(self._actions)
        self._lengths += 1
        dones = terminated | truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for lane in np.flatnonzero(dones):
            infos[lane] = {
                "terminal_observation": batch_infos["final_obs"][lane],
                "TimeLimit.truncated": bool(truncated[lane] and not terminated[lane]),
                "episode": {
                    "r": int(batch_infos["final_info"]["score"][lane]),
                    "l": int(self._lengths[lane]),
                    "t": 0.0,
                },
            }
        self._lengths[dones] = 0
        return observations, rewards.astype(np.float32) * self.reward_scale, dones, infos

    def action_masks(self) -> NDArray[np.int8]:
        """(lanes, actions) int8, 1 where legal."""
        return self.env.action_masks()

    @property
    def played(self) -> NDArray[np.int64]:
        """(lanes,) the last actions, by the numbers of the batch environment."""
        return self._actions

    @property
    def parts(self) -> list[Part]:
        """The lanes by ruleset: all of them play the same one here."""
        return [Part(self, slice(0, self.num_envs))]

    def show(self, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        """What these lanes show, (n, D) float32, for (n, D) observations of their ruleset: the same here."""
        return observations

    def other_throws(
        self, observations: NDArray[np.float32], throws: int, noise: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """What the lanes would show if other dice had come of the last actions (`agents.ppo.luck`).

        Args:
            observations: (lanes, D) what they show.
            throws: how many throws are drawn per lane.
            noise: (lanes,) uniform numbers in [0, 1).

        Returns:
            (lanes, throws, D) float32.
        """
        return other_throws(self.rules, throws).observations(observations, self.situations, self._actions, noise)

    def to_actions(self, values: NDArray[Any], situations: Situations) -> NDArray[Any]:
        """What stands at each action of the batch environment, at the actions of these lanes: the same here.

        Args:
            values: (n, actions) any values.
            situations: the n situations that they are of.

        Returns:
            (n, actions) in the order of `action_space`.
        """
        return values

    @property
    def situations(self) -> Situations:
        """Where every lane stands, as a copy."""
        return self.env.situations

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything that decides how the lanes go on, as copied arrays."""
        return self.env.state() | {"lengths": self._lengths.copy()}

    def restore(self, state: dict[str, NDArray[Any]]) -> NDArray[np.float32]:
        """Puts the lanes where `state` found them.

        Returns:
            The observations there.
        """
        observations = self.env.restore(state)
        self._lengths[:] = state["lengths"]
        self._reset_seeds()
        return observations

    def close(self) -> None:
        """Nothing is held open."""

    def has_attr(self, attr_name: str) -> bool:
        """Whether the lanes have an attribute."""
        return hasattr(self.env, attr_name)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute of the batch environment, once per lane; `render_mode` is None."""
        value = None if attr_name == "render_mode" else getattr(self.env, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Lanes have no attributes of their own to set."""
        raise AttributeError(f"lanes of a batch have no attribute {attr_name!r} of their own to set")

    def env_method(self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any) -> Any:
        """Calls a method of the batch environment; its result must hold one entry per lane.

        For `action_masks` that is the (lanes, actions) array itself, made in one call.
        """
        holder = self if method_name == "action_masks" else self.env  # masks are those of the actions of these lanes
        result = getattr(holder, method_name)(*args, **kwargs)
        return result if indices is None else [result[lane] for lane in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: VecEnvIndices = None) -> list[bool]:
        """No lane is wrapped."""
        return [False for _ in self._get_indices(indices)]


class Part(NamedTuple):
    """Some of the lanes, which play one ruleset."""

    env: BatchVecEnv
    lanes: slice  # where they stand among all lanes


class PositionalVecEnv(BatchVecEnv):
    """The same lanes and dice, with patterns for actions. Of patterns that keep the same dice the first is legal."""

    def __init__(self, rules: Ruleset, lanes: int, seed: int, reward_scale: float = 1.0) -> None:
        """Allocates the lanes; arguments as in `BatchVecEnv`."""
        super().__init__(rules, lanes, seed, reward_scale)
        self.action_space = spaces.Discrete(positional_actions(rules))
        self._keeps = compile_tables(rules).keeps

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Takes the actions, as usual ones, for `step_wait`."""
        patterns = keep_patterns(self.rules.dice)
        rolls = self.situations.roll
        actions = np.asarray(actions, np.int64)
        is_keep = actions < patterns.shape[1]
        meant = patterns[rolls, np.where(is_keep, actions, 0)]
        if (meant < 0).any():
            lane = int(np.argmax(meant < 0))
            raise IllegalActionError(f"pattern {actions[lane]} in lane {lane} means nothing with the dice on its table")
        super().step_async(np.where(is_keep, meant, actions - patterns.shape[1] + self._keeps))

    def to_actions(self, values: NDArray[Any], situations: Situations) -> NDArray[Any]:
        """What stands at each usual action, at the pattern that means it; 0 where a pattern means nothing."""
        return to_positions(self.rules, situations.roll, values)

    def action_masks(self) -> NDArray[np.int8]:
        """(lanes, positional actions) int8, 1 where legal."""
        return to_positions(self.rules, self.situations.roll, super().action_masks())
