"""The lanes of a family of rulesets: an equal share of them plays each, and all show and take the same entries."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices

from agents.ppo.family import Family
from agents.ppo.features import add_features
from agents.ppo.luck import other_throws
from agents.ppo.vec_env import BatchVecEnv, Part, StepReturn
from yatzy_env.envs.observation import observe
from yatzy_env.situation import Situations
from yatzy_env.tables import compile_tables


class MemberVecEnv(BatchVecEnv):
    """Lanes of one ruleset that show what the family's network reads and take the family's actions."""

    def __init__(
        self,
        family: Family,
        member: int,
        lanes: int,
        seed: int,
        reward_scale: float = 1.0,
        first_lane: int = 0,
    ) -> None:
        """Allocates the lanes.

        Args:
            family: the rulesets.
            member: which of them these lanes play.
            lanes: how many games are played at once.
            seed: of the dice.
            reward_scale: rewards are points times this.
            first_lane: the number of the first lane among those of the family.
        """
        super().__init__(family.members[member], lanes, seed, reward_scale, first_lane)
        self._family = family
        self._member = member
        self.observation_space = spaces.Box(-1.0, 1.0, (family.inputs,), np.float32)
        self.action_space = spaces.Discrete(family.actions)

    def show(self, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        """(n, inputs) of the family, for (n, D) observations of this ruleset."""
        return self._family.inputs_of(self._member, add_features(self.rules, self._family.features, observations))

    def reset(self) -> NDArray[np.float32]:
        """Starts an episode in every lane."""
        return self.show(super().reset())

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Takes the family's actions, as the ruleset's own, for `step_wait`; one it does not have is illegal."""
        super().step_async(self._family.own_actions(self._member, np.asarray(actions, np.int64)))

    def step_wait(self) -> StepReturn:
        """As in `BatchVecEnv`, with the family's observations."""
        observations, rewards, dones, infos = super().step_wait()
        for lane in np.flatnonzero(dones):
            last = infos[lane]["terminal_observation"]
            infos[lane]["terminal_observation"] = self.show(last[None])[0]
        return self.show(observations), rewards, dones, infos

    def restore(self, state: dict[str, NDArray[Any]]) -> NDArray[np.float32]:
        """As in `BatchVecEnv`, with the family's observations."""
        return self.show(super().restore(state))

    def action_masks(self) -> NDArray[np.int8]:
        """(lanes, actions of the family) int8, 1 where legal."""
        return self._family.actions_of(self._member, super().action_masks())

    def to_actions(self, values: NDArray[Any], situations: Situations) -> NDArray[Any]:
        """(n, actions of the family) what (n, actions) values of the ruleset say; 0 at actions it does not have."""
        return self._family.actions_of(self._member, values)

    def other_throws(
        self, observations: NDArray[np.float32], throws: int, noise: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """As in `BatchVecEnv`, with the family's observations."""
        now = self.situations
        own = observe(compile_tables(self.rules), now)
        others = other_throws(self.rules, throws).observations(own, now, self._actions, noise)
        return self.show(others.reshape(-1, own.shape[1])).reshape(len(own), throws, -1)


class FamilyVecEnv(VecEnv):
    """Lanes of all rulesets of a family, in the order of its members, behind the interface SB3 trains on."""

    def __init__(self, family: Family, lanes: int, seed: int, reward_scale: float = 1.0) -> None:
        """Allocates the lanes.

        Args:
            family: the rulesets.
            lanes: how many games are played at once, at least one per ruleset. Where they do not divide evenly, the
                first rulesets get one more.
            seed: of the dice.
            reward_scale: rewards are points times this.
        """
        self.reward_scale = np.float32(reward_scale)
        self.render_mode = None
        self.parts: list[Part] = []
        for member, numbers in enumerate(np.array_split(np.arange(lanes), len(family.members))):
            first = int(numbers[0])
            env = MemberVecEnv(family, member, len(numbers), seed, reward_scale, first)
            self.parts.append(Part(env, slice(first, first + len(numbers))))
        super().__init__(lanes, self.parts[0].env.observation_space, self.parts[0].env.action_space)

    def seed(self, seed: int | None = None) -> list[int | None]:
        """Sets the dice of every lane from the next `reset` on; without a seed nothing changes."""
        self._seeds = [key for part in self.parts for key in part.env.seed(seed)]
        return self._seeds

    def reset(self) -> NDArray[np.float32]:
        """Starts an episode in every lane."""
        return np.concatenate([part.env.reset() for part in self.parts])

    def step(self, actions: NDArray[np.int64]) -> StepReturn:
        """`step_async` and `step_wait` in one."""
        self.step_async(actions)
        return self.step_wait()

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Takes the actions for `step_wait`."""
        for part in self.parts:
            part.env.step_async(actions[part.lanes])

    def step_wait(self) -> StepReturn:
        """Plays the actions.

        Returns:
            Observations, scaled rewards (float32), dones, one info per lane.
        """
        observations, rewards, dones, infos = zip(*(part.env.step_wait() for part in self.parts), strict=True)
        return np.concatenate(observations), np.concatenate(rewards), np.concatenate(dones), list(chain(*infos))

    def action_masks(self) -> NDArray[np.int8]:
        """(lanes, actions) int8, 1 where legal."""
        return np.concatenate([part.env.action_masks() for part in self.parts])

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything that decides how the lanes go on, as copied arrays."""
        return {f"{at}_{name}": held for at, part in enumerate(self.parts) for name, held in part.env.state().items()}

    def restore(self, state: dict[str, NDArray[Any]]) -> NDArray[np.float32]:
        """Puts the lanes where `state` found them.

        Returns:
            The observations there.
        """
        shown = []
        for at, part in enumerate(self.parts):
            start = f"{at}_"
            own = {name.removeprefix(start): held for name, held in state.items() if name.startswith(start)}
            shown.append(part.env.restore(own))
        return np.concatenate(shown)

    def close(self) -> None:
        """Nothing is held open."""

    def has_attr(self, attr_name: str) -> bool:
        """Whether the lanes have an attribute."""
        return self.parts[0].env.has_attr(attr_name)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute of the batch environments, once per lane."""
        values = [value for part in self.parts for value in part.env.get_attr(attr_name)]
        return [values[lane] for lane in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Lanes have no attributes of their own to set."""
        self.parts[0].env.set_attr(attr_name, value, indices)

    def env_method(self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any) -> Any:
        """Calls a method of the batch environments; its results must hold one entry per lane."""
        results = [part.env.env_method(method_name, *args, **kwargs) for part in self.parts]
        found = np.concatenate(results)
        return found if indices is None else [found[lane] for lane in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: VecEnvIndices = None) -> list[bool]:
        """No lane is wrapped."""
        return [False for _ in self._get_indices(indices)]
