"""The batch environment as a Stable-Baselines3 `VecEnv`: thousands of envs, one compiled call per step and ruleset."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices

from agents.ppo.luck import other_throws
from agents.ppo.multitask import MultiTask
from yatzy_env.dice import key
from yatzy_env.envs.batch import YatzyVectorEnv
from yatzy_env.rules import Ruleset
from yatzy_env.situation import Situations

StepReturn = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]


class TaskEnvs:
    """The envs that play one of the rulesets.

    Attributes:
        rules: the ruleset.
        envs: where they stand among all envs.
        batch: their games.
        played: (n,) the last actions, by the numbers of the ruleset.
    """

    def __init__(self, tasks: MultiTask, task: int, envs: slice) -> None:
        """Allocates the envs that play one of the tasks and stand at `envs` among all envs."""
        self.rules: Ruleset = tasks.rulesets[task]
        self.envs = envs
        size = envs.stop - envs.start
        self.batch = YatzyVectorEnv(size, self.rules)
        self.played = np.zeros(size, np.int64)
        self._tasks, self._task = tasks, task
        self._lengths = np.zeros(size, np.int64)
        self._observations = np.empty((size, 0), np.float32)

    @property
    def situations(self) -> Situations:
        """Where every env stands, as a copy."""
        return self.batch.situations

    def show(self, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        """(n, inputs) what the network reads, for (n, D) observations of the ruleset."""
        return self._tasks.show(self._task, observations)

    def actions_of(self, values: NDArray[Any]) -> NDArray[Any]:
        """(n, actions) what (n, a) values of the ruleset's actions say; 0 at actions that it does not have."""
        return self._tasks.actions_of(self._task, values)

    def action_masks(self) -> NDArray[np.int8]:
        """(n, actions) int8, 1 where legal."""
        return self.actions_of(self.batch.action_masks())

    def reset(self, seeds: Sequence[int | None] | None) -> NDArray[np.float32]:
        """Starts an episode in every env, with the next dice if there are no seeds; returns what they show."""
        self._lengths[:] = 0
        return self.show(self.batch.reset(seed=seeds)[0])

    def step(self, actions: NDArray[np.integer]) -> tuple[NDArray[np.float32], NDArray[Any], NDArray[np.bool_], list]:
        """Plays actions; one that the ruleset does not have is illegal.

        Returns:
            What the envs show, points, dones, one info per env.
        """
        self.played = self._tasks.own_actions(self._task, actions)
        self._observations, points, terminated, truncated, last = self.batch.step(self.played)
        self._lengths += 1
        dones = terminated | truncated
        infos: list[dict[str, Any]] = [{} for _ in dones]
        ended = np.flatnonzero(dones)
        if len(ended):
            shown = self.show(last["final_obs"][ended])
            for row, env in enumerate(ended):
                infos[env] = {
                    "terminal_observation": shown[row],
                    "TimeLimit.truncated": bool(truncated[env] and not terminated[env]),
                    "episode": {"r": int(last["final_info"]["score"][env]), "l": int(self._lengths[env]), "t": 0.0},
                }
        self._lengths[dones] = 0
        return self.show(self._observations), points, dones, infos

    def other_throws(self, throws: int, noise: NDArray[np.float32]) -> NDArray[np.float32]:
        """What the envs would show if other dice had come of the last actions (`agents.ppo.luck`).

        Args:
            throws: how many throws are drawn per env.
            noise: (n,) uniform numbers in [0, 1).

        Returns:
            (n * throws, inputs) float32, the throws of an env one after the other.
        """
        draw = other_throws(self.rules, throws)
        others = draw.observations(self._observations, self.situations, self.played, noise)
        return self.show(others.reshape(-1, others.shape[2]))

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything that decides how the envs go on, as copied arrays."""
        return self.batch.state() | {"lengths": self._lengths.copy()}

    def restore(self, state: dict[str, NDArray[Any]]) -> NDArray[np.float32]:
        """Puts the envs where `state` found them; returns what they show there."""
        self._lengths[:] = state["lengths"]
        return self.show(self.batch.restore(state))


class BatchVecEnv(VecEnv):
    """`YatzyVectorEnv` behind the interface Stable-Baselines3 trains on: an equal share of the envs plays each ruleset.

    Env i of seed s meets the dice of `dice.key("train", s, i)`, which no evaluation throws. All arrays returned are
    copies, masks are those of the next decision (after an ended env has started its next game), and the info of an
    ended env holds `terminal_observation`, `TimeLimit.truncated` and `episode` with the unscaled score. Every env's
    info is a dict of its own, as wrappers write into them.
    """

    def __init__(self, tasks: MultiTask, num_envs: int, seed: int, reward_scale: float = 1.0) -> None:
        """Allocates the envs.

        Args:
            tasks: the rulesets, and what is shown of them.
            num_envs: how many games are played at once, at least one per ruleset. Where they do not divide evenly, the
                first rulesets get one more.
            seed: of the dice.
            reward_scale: rewards are points times this.
        """
        self.reward_scale = np.float32(reward_scale)
        self.render_mode = None
        shares = np.array_split(np.arange(num_envs), len(tasks.rulesets))
        self.parts = [
            TaskEnvs(tasks, task, slice(int(share[0]), int(share[-1]) + 1)) for task, share in enumerate(shares)
        ]
        self._actions = np.zeros(num_envs, np.int64)
        observation_space = spaces.Box(-1.0, 1.0, (tasks.inputs,), np.float32)
        super().__init__(num_envs, observation_space, spaces.Discrete(tasks.actions))
        self.seed(seed)

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Sets the dice of every env from the next `reset` on; without a seed nothing changes."""
        if seed is not None:
            self._seeds = [key("train", seed, env) for env in range(self.num_envs)]
        return self._seeds

    def reset(self) -> NDArray[np.float32]:
        """Starts an episode in every env."""
        seeds = None if self._seeds[0] is None else self._seeds
        shown = [part.reset(seeds[part.envs] if seeds else None) for part in self.parts]
        self._reset_seeds()
        return join(shown)

    def step(self, actions: NDArray[np.int64]) -> StepReturn:
        """`step_async` and `step_wait` in one."""
        self.step_async(actions)
        return self.step_wait()

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Takes the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> StepReturn:
        """Plays the actions.

        Returns:
            Observations, scaled rewards (float32), dones, one info per env.
        """
        found = [part.step(self._actions[part.envs]) for part in self.parts]
        shown, points, dones, infos = zip(*found, strict=True)
        rewards = join(points).astype(np.float32) * self.reward_scale
        return join(shown), rewards, join(dones), list(chain(*infos))

    def action_masks(self) -> NDArray[np.int8]:
        """(num_envs, actions) int8, 1 where legal."""
        return join([part.action_masks() for part in self.parts])

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything that decides how the envs go on, as copied arrays."""
        return {start + name: held for start, part in self._named() for name, held in part.state().items()}

    def restore(self, state: dict[str, NDArray[Any]]) -> NDArray[np.float32]:
        """Puts the envs where `state` found them.

        Returns:
            The observations there.
        """
        self._reset_seeds()
        return join([
            part.restore({name.removeprefix(start): held for name, held in state.items() if name.startswith(start)})
            for start, part in self._named()
        ])  # fmt: skip

    def _named(self) -> list[tuple[str, TaskEnvs]]:
        """The parts with what their arrays' names begin with in a state: their number, if there are several."""
        return [(f"{at}_" if len(self.parts) > 1 else "", part) for at, part in enumerate(self.parts)]

    def close(self) -> None:
        """Nothing is held open."""

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute of the batch environments, once per env; `render_mode` is None."""
        values = [
            None if attr_name == "render_mode" else getattr(part.batch, attr_name)
            for part in self.parts
            for _ in part.played
        ]
        return [values[env] for env in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Envs have no attributes of their own to set."""
        raise AttributeError(f"envs of a batch have no attribute {attr_name!r} of their own to set")

    def env_method(self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any) -> Any:
        """Calls a method of the batch environments; its results must hold one entry per env.

        For `action_masks` that is the (num_envs, actions) array itself, by the actions of the network.
        """
        if method_name == "action_masks":
            result: Any = self.action_masks()
        else:
            result = join([getattr(part.batch, method_name)(*args, **kwargs) for part in self.parts])
        return result if indices is None else [result[env] for env in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: VecEnvIndices = None) -> list[bool]:
        """No env is wrapped."""
        return [False for _ in self._get_indices(indices)]


def join(parts: Sequence[Any]) -> Any:
    """Arrays one after the other; a single one is not copied."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
