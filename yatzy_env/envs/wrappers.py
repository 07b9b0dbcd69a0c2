"""Other views of the environment for one player: plain observations, keeps by position, the mask where others want it.

Each is a Gymnasium wrapper and may lie above others: `DictObservation(gymnasium.make("yatzy_env/Yatzy-v0"))`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, cast

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import DTypeLike, NDArray

from yatzy_env.envs.single import YatzyEnv
from yatzy_env.errors import IllegalActionError, YatzyError, shown
from yatzy_env.inputs import action_index
from yatzy_env.multisets import multisets
from yatzy_env.rules.boxes import face_of
from yatzy_env.tables import roll_index


def base_env(env: gymnasium.Env[Any, Any]) -> YatzyEnv:
    """The environment below all wrappers.

    Raises:
        YatzyError: if it is another one than `YatzyEnv`.
    """
    if not isinstance(env, gymnasium.Env) or not isinstance(env.unwrapped, YatzyEnv):
        raise YatzyError(f"env = {env!r}; allowed: a yatzy_env environment for one player, wrapped or not")
    return env.unwrapped


class DictObservation(gymnasium.ObservationWrapper[Any, Any, Any], RecordConstructorArgs):
    """The situation in plain integers instead of the flat vector.

    | key | space | meaning |
    | --- | --- | --- |
    | `dice` | MultiDiscrete, (n,) | the faces in ascending order; 0 when the game is over |
    | `throws_left` | Discrete | throws that may still be made this turn, saved ones included |
    | `filled` | MultiBinary, (B,) | 1 per filled box, column by column in sheet order; the rest are open |
    | `upper` | Box int64, (C,) | upper sum per column, counted on beyond the threshold |
    | `yatzy_fifty` | Discrete(2) | 1 if the yatzy box holds points, under rules that pay extra for further ones |

    Args:
        env: the environment.

    Raises:
        YatzyError: if there is no `YatzyEnv` below.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        self._base = base_env(env)
        super().__init__(env)
        tables, rules = self._base.tables, self._base.rules
        highest = rules.dice * sum(face_of(box) for box in rules.boxes)
        self.observation_space = spaces.Dict(
            {
                "dice": spaces.MultiDiscrete([7] * rules.dice),
                "throws_left": spaces.Discrete(tables.most_throws_left + 1),
                "filled": spaces.MultiBinary(tables.card.boxes),
                "upper": spaces.Box(0, max(highest, 1), (tables.card.columns,), np.int64),
                "yatzy_fifty": spaces.Discrete(2),
            }
        )

    def observation(self, observation: Any) -> dict[str, Any]:
        """The situation; the observation handed in is not read."""
        situation = self._base.situation
        boxes = self._base.tables.card.boxes
        dice = situation.roll or (0,) * self._base.rules.dice
        return {
            "dice": np.array(dice, np.int64),
            "throws_left": np.int64(situation.throws_left),
            "filled": (situation.filled >> np.arange(boxes) & 1).astype(np.int8),
            "upper": np.array(situation.upper, np.int64),
            "yatzy_fifty": np.int64(situation.yatzy_fifty),
        }


@lru_cache(maxsize=8)
def keep_patterns(dice: int) -> NDArray[np.int64]:
    """(R, 2**n) the keep action that each bit pattern of `PositionalActions` means for every roll of n dice.

    It is -1 for a pattern that is never legal: all dice kept, or what a lower number keeps already.
    """
    number = {counts: index for index, counts in enumerate(c for size in range(dice) for c in multisets(size))}
    rolls = multisets(dice)
    patterns = np.full((len(rolls), 2**dice), -1, np.int64)
    for roll, counts in enumerate(rolls):
        faces = np.repeat(np.arange(6), counts)
        for pattern in range(2**dice - 1):
            held = [bool(pattern >> place & 1) for place in range(dice)]
            keep = number[cast(Any, tuple(np.bincount(faces[held], minlength=6).tolist()))]
            if keep not in patterns[roll]:
                patterns[roll, pattern] = keep
    patterns.flags.writeable = False
    return patterns


class PositionalActions(gymnasium.ActionWrapper[Any, Any, Any], RecordConstructorArgs):
    """Keeps as bit patterns over the dice on the table, as many other programs have them.

    `Discrete(2**n + B)`. Action a < 2**n keeps the dice whose bits are set, bit i standing for the i-th die in
    ascending order (bit 0, the lowest die), and throws the rest; a >= 2**n fills box a - 2**n. Where several patterns
    keep the same multiset, the lowest number is legal, which keeps the first of equal dice; the others are masked, and
    so is keeping all dice. A masked action is illegal, as in the environment below. `info["action_mask"]` and
    `action_masks()` are those of this space.

    Args:
        env: the environment.

    Raises:
        YatzyError: if there is no `YatzyEnv` below, or its actions are not the usual ones.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        self._base = base_env(env)
        super().__init__(env)
        if env.action_space != self._base.action_space:
            raise YatzyError(f"action space {env.action_space}; allowed below: {self._base.action_space}")
        self._patterns = keep_patterns(self._base.rules.dice)
        self.action_space = spaces.Discrete(self._patterns.shape[1] + self._base.tables.card.boxes)

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """As below, with the mask of this space in the info."""
        observation, info = self.env.reset(seed=seed, options=cast("dict[str, Any] | None", options))
        return observation, info | {"action_mask": self.action_masks()}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """As below, with the mask of this space in the info."""
        observation, reward, terminated, truncated, info = self.env.step(self.action(action))
        return observation, reward, terminated, truncated, info | {"action_mask": self.action_masks()}

    def action(self, action: Any) -> int:
        """The index below of an action of this space; for an illegal action that of an illegal one.

        Raises:
            IllegalActionError: for a number outside the action space; if the environment is strict for an illegal
                action too.
        """
        size = self._patterns.shape[1]
        index = action_index(size + self._base.tables.card.boxes, action)
        if index >= size:
            return self._base.tables.keeps + index - size
        roll = self._base.situation.roll
        keep = int(self._patterns[roll_index(self._base.tables, roll), index]) if roll else -1
        if keep >= 0:
            return keep
        if self._base.strict:
            places = [place + 1 for place in range(len(roll)) if index >> place & 1]
            raise IllegalActionError(f"action {index}: keeping dice {places} of {roll} is not legal")
        return int(np.argmin(self._base.action_masks()))

    def action_masks(self) -> NDArray[np.int8]:
        """(2**n + B,) int8, 1 where legal."""
        mask = self._base.action_masks()
        size = self._patterns.shape[1]
        out = np.zeros(size + self._base.tables.card.boxes, np.int8)
        out[size:] = mask[self._base.tables.keeps :]
        roll = self._base.situation.roll
        if roll:
            keeps = self._patterns[roll_index(self._base.tables, roll)]
            out[:size] = np.where(keeps >= 0, mask[keeps], 0)
        return out


class MaskInObservation(gymnasium.ObservationWrapper[Any, Any, Any], RecordConstructorArgs):
    """The action mask beside the observation in a dict, for libraries that look for it there.

    TorchRL and PettingZoo's tools read the names used by default; RLlib's example of action masking calls the
    observation `observations`. Put it outside any wrapper that changes observations: a mask must not be normalised.

    Args:
        env: the environment, wrapped or not.
        observation_key: name of the observation.
        mask_key: name of the mask, 1 where legal.
        mask_dtype: `int8`, as Gymnasium samples by, or `bool`, as TorchRL wants it.

    Raises:
        YatzyError: if there is no `YatzyEnv` below, both names are the same, or the dtype is another one.
    """

    def __init__(
        self,
        env: gymnasium.Env[Any, Any],
        observation_key: str = "observation",
        mask_key: str = "action_mask",
        mask_dtype: DTypeLike = np.int8,
    ) -> None:
        try:
            self._mask_dtype = np.dtype(mask_dtype)
        except TypeError as error:
            raise YatzyError(f"mask_dtype = {shown(mask_dtype)}; allowed: bool, int8") from error
        if self._mask_dtype not in (np.bool_, np.int8):
            raise YatzyError(f"mask_dtype = {shown(mask_dtype)}; allowed: bool, int8")
        RecordConstructorArgs.__init__(
            self, observation_key=observation_key, mask_key=mask_key, mask_dtype=self._mask_dtype.name
        )
        base_env(env)
        super().__init__(env)
        if observation_key == mask_key:
            raise YatzyError(f"mask_key = {mask_key!r} names the observation too")
        self._observation_key = observation_key
        self._mask_key = mask_key
        actions = cast(spaces.Discrete, env.action_space).n
        mask_space = spaces.Box(0, 1, (int(actions),), self._mask_dtype.type)
        self.observation_space = spaces.Dict({observation_key: env.observation_space, mask_key: mask_space})

    def observation(self, observation: Any) -> dict[str, Any]:
        """The observation with the mask beside it."""
        return {self._observation_key: observation, self._mask_key: self.action_masks().astype(self._mask_dtype)}

    def action_masks(self) -> NDArray[np.int8]:
        """(actions,) int8, 1 where legal."""
        return cast(NDArray[np.int8], self.env.get_wrapper_attr("action_masks")())
