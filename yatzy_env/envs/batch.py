"""Thousands of games at once: a Gymnasium vector environment whose step is one compiled loop over envs.

Env i reset with seed s plays the very episodes of the single environment reset with seed s + i. An env whose episode
ends starts its next game in the same step (SAME_STEP autoreset) unless asked to wait; its last observation is in
`infos["final_obs"]`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from yatzy_env.envs.batch_step import Memory, Shown, first_illegal, show_envs, show_masks, step_envs
from yatzy_env.envs.observation import compile_rows, observation_space
from yatzy_env.envs.recycled import Recycled
from yatzy_env.envs.single import ILLEGAL_LIMIT, STEP_BEFORE_RESET, YatzyEnv, illegal_action
from yatzy_env.errors import YatzyError, shown, unknown
from yatzy_env.games import Games, action_masks, new_games, next_games
from yatzy_env.inputs import action_array, action_index, own_seed, seed_keys, whole_number
from yatzy_env.rules import Ruleset
from yatzy_env.rules import ruleset as find_ruleset
from yatzy_env.situation import Situations
from yatzy_env.tables import action_names, compile_tables

_RENAMED = {"now_yatzy_scored": "now_fifty"}  # what states of an earlier version call arrays
_NOT_CALLED = ("close", "reset", "step")


class YatzyVectorEnv(VectorEnv[NDArray[np.float32], NDArray[np.int64], NDArray[np.float64]]):
    """The environment of `yatzy_env.envs.single.YatzyEnv` for `num_envs` envs.

    `infos` holds `action_mask` (num_envs, actions) int8, `illegal_action` (num_envs,) bool and `score` (num_envs,)
    int64, each beside its `_` mask. When a next game begins is the `autoreset_mode`:

    - SAME_STEP (default): in the step that ends an episode. What that step shows, mask and score included, belongs to
      the next game; where an episode ended, `final_obs` (num_envs, D) is its last observation and `final_info` holds
      the keys of infos as they stood. Rows outside their `_` mask mean nothing.
    - NEXT_STEP: in the step after, whatever the env's action is in it, with reward 0.
    - DISABLED: when `reset(options={"reset_mask": ...})` says so; until then a step is an error.

    Every array returned belongs to the caller: no later step changes it as long as it, or a view of it, is held.
    Arrays that nobody holds any more are used again, as fresh memory costs more than a step.

    Memory per env: 281 bytes of state for yatzy (321 for maxi-alga, 537 for triple), and 8 D + 2 A bytes for each set
    of observation and mask, final ones included: 1,050 (1,740; 1,670). Two sets go round when the caller holds one
    step's arrays while taking the next; up to four are kept.
    """

    metadata: dict[str, Any] = YatzyEnv.metadata | {"autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(
        self,
        num_envs: int = 1,
        ruleset: str | dict[str, Any] | Ruleset = "yatzy",
        render_mode: str | None = None,
        strict: bool = False,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
    ) -> None:
        """Allocates the envs, at least one.

        Args:
            num_envs: how many.
            ruleset: a name of the catalogue, a dict of fields or a Ruleset.
            render_mode: as in the single environment, for every env.
            strict: raise on an illegal action; then nothing is played.
            autoreset_mode: Gymnasium's enum or one of its values.

        Raises:
            RulesetError: for an unknown or invalid ruleset.
            YatzyError: for a number of envs below 1, an unknown render mode or autoreset mode.
        """
        self.num_envs = whole_number("num_envs", num_envs, 1)
        try:
            self.autoreset_mode = AutoresetMode(autoreset_mode)
        except ValueError as error:
            modes = [mode.value for mode in AutoresetMode]
            raise YatzyError(unknown("autoreset mode", autoreset_mode, modes)) from error
        self._same_step = self.autoreset_mode is AutoresetMode.SAME_STEP
        self.metadata = self.metadata | {"autoreset_mode": self.autoreset_mode}
        self.rules = find_ruleset(ruleset)
        self.strict = strict
        self.render_mode = render_mode
        self._single = YatzyEnv(self.rules, render_mode, strict)
        self.tables = compile_tables(self.rules)
        self.action_names = action_names(self.rules)
        self.single_action_space = spaces.Discrete(self.tables.actions)
        self.single_observation_space = observation_space(self.rules)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self._rows = compile_rows(self.rules)
        self._games = new_games(self.tables, np.zeros(self.num_envs, np.uint64))
        self._is_reset = False
        self._memory = Memory(
            player=np.zeros(self.num_envs, np.uint64),
            legal=np.zeros(self.num_envs, np.int64),
            rest=np.zeros(self.num_envs * self._rows.rest_padded, np.float32),
            illegal_in_a_row=np.zeros(self.num_envs, np.int64),
        )
        self._observation_rows = Recycled(self.num_envs, self._rows.size, np.float32)
        self._mask_rows = Recycled(self.num_envs, self.tables.actions, np.int8)
        self._final_observation_rows = Recycled(self.num_envs, self._rows.size, np.float32)
        self._final_mask_rows = Recycled(self.num_envs, self.tables.actions, np.int8)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Starts an episode in every env, or in some.

        Args:
            seed: env i gets the key of seed + i; or a sequence with a seed per env. Without one the envs go on with the
                next game under their keys; at first the seed is the random `np_random_seed`.
            options: `{"reset_mask": (num_envs,) bool}` starts an episode only where it is true.

        Returns:
            Observations and infos of all envs.

        Raises:
            YatzyError: for an unknown option, a mask that does not fit or comes before a first reset of all envs, or
                anything else than a whole number from 0 as a seed, or as many of them as there are envs.
        """
        chosen = self._chosen(options)
        keys = None if seed is None else seed_keys(seed, self.num_envs)
        super().reset(seed=int(seed) if isinstance(seed, int | np.integer) else None)
        if keys is None and not self._is_reset:
            keys = seed_keys(own_seed(self), self.num_envs)
        games = self._games.take(chosen)
        next_games(self.tables, games, None if keys is None else keys[chosen])
        self._put(games, chosen)
        self._memory.illegal_in_a_row[chosen] = 0
        self._is_reset = True
        observations, masks = self._show()
        return observations, self._infos(masks, self._memory.illegal_in_a_row > 0, self._games.total.copy())

    def step(self, actions: Any) -> tuple[NDArray[np.float32], Any, Any, Any, dict[str, Any]]:
        """Plays one action per env, (num_envs,) action indices.

        Returns:
            Observations, rewards (float64), terminated, truncated, infos.

        Raises:
            IllegalActionError: for anything but whole numbers of the action space, one per env; with `strict` for an
                illegal action too. Nothing is played then.
            YatzyError: before the first `reset`, or where an episode has ended under DISABLED.
        """
        if not self._is_reset:
            raise YatzyError(STEP_BEFORE_RESET)
        if not self._same_step and self.autoreset_mode is AutoresetMode.DISABLED:
            self._refuse_ended()
        chosen = action_array(self.tables.actions, self.num_envs, actions)
        if self.strict:
            self._refuse_illegal(chosen)
        size = self.num_envs
        observations, flat_observations = self._observation_rows.take()
        masks, flat_masks = self._mask_rows.take()
        final_observations, flat_final_observations = self._final_observation_rows.take()
        final_masks, flat_final_masks = self._final_mask_rows.take()
        shown = Shown(
            flat_observations,
            flat_masks,
            np.empty(size),
            np.empty(size, np.bool_),
            np.empty(size, np.bool_),
            np.empty(size, np.bool_),
            np.empty(size, np.bool_),
            np.empty(size, np.int64),
            flat_final_observations,
            flat_final_masks,
            np.zeros(size, np.int64),
        )
        ended = step_envs(self.tables, self._rows, self._games, self._memory, chosen, self._same_step, shown)
        if ended < 0:
            for action in actions:
                action_index(self.tables.actions, action)
        infos = self._infos(masks, shown.illegal, shown.scores)
        if ended and self._same_step:
            final = self._infos(final_masks, shown.illegal, shown.final_scores, shown.ended)
            infos |= {
                "illegal_action": shown.illegal & ~shown.ended,
                "final_obs": final_observations,
                "_final_obs": shown.ended,
                "final_info": final,
                "_final_info": shown.ended,
            }
        return observations, shown.rewards, shown.terminated, shown.truncated, infos

    def action_masks(self) -> NDArray[np.int8]:
        """(num_envs, actions) int8, 1 where legal."""
        masks, flat = self._mask_rows.take()
        show_masks(self.tables, self._rows, self._games, self._memory, flat)
        return masks

    @property
    def situations(self) -> Situations:
        """Where every env stands, as a copy."""
        return self._games.now.copy()

    def render(self) -> tuple[Any, ...] | None:
        """What the single environment renders, per env."""
        return None if self.render_mode is None else self.call("render")

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """What a method of the single environment returns, or an attribute of it is, in every env.

        `call("action_masks")`, `call("render")`, `get_attr("situation")`. It is slow, as every env is looked at singly.

        Raises:
            YatzyError: for what the single environment does not have, or would play with.
        """
        if name.startswith("_") or name in _NOT_CALLED or not hasattr(self._single, name):
            raise YatzyError(f"{name!r} cannot be asked of every env; allowed: what YatzyEnv shows of its game")
        found = []
        for env in range(self.num_envs):
            self._single.look_at(self._games.take(slice(env, env + 1)))
            value = getattr(self._single, name)
            found.append(value(*args, **kwargs) if callable(value) else value)
        return tuple(found)

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """An attribute of the single environment in every env: `call` without arguments."""
        return self.call(name)

    def state(self) -> dict[str, NDArray[Any]]:
        """All that decides how the envs go on, as copied arrays; `restore` puts it back."""
        return {name: values.copy() for name, values in self._arrays().items()}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> NDArray[np.float32]:
        """Puts as many envs of the same ruleset where `state` found them, in this process or another.

        Returns:
            (num_envs, D) the observations there.
        """
        self._is_reset = True
        for name, values in self._arrays().items():
            values[:] = state[name if name in state else _RENAMED[name]]
        return self._show()[0]

    def __getstate__(self) -> dict[str, Any]:
        """All but the tables, which copies share: kernels would be compiled anew for writable ones."""
        return {name: value for name, value in vars(self).items() if name not in ("tables", "_rows")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.tables = compile_tables(self.rules)
        self._rows = compile_rows(self.rules)

    def _arrays(self) -> dict[str, NDArray[Any]]:
        return self._games.arrays() | {"illegal_in_a_row": self._memory.illegal_in_a_row}

    def _put(self, games: Games, chosen: NDArray[np.intp]) -> None:
        """Puts games at some positions."""
        for here, values in zip(self._games.arrays().values(), games.arrays().values(), strict=True):
            here[chosen] = values

    def _show(self) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        observations, flat_observations = self._observation_rows.take()
        masks, flat_masks = self._mask_rows.take()
        show_envs(self.tables, self._rows, self._games, self._memory, flat_observations, flat_masks)
        return observations, masks

    def _chosen(self, options: Mapping[str, Any] | None) -> NDArray[np.intp]:
        """The envs to reset."""
        if options is not None and not isinstance(options, Mapping):
            raise YatzyError(f"options = {shown(options)}; allowed: a mapping with the key reset_mask")
        options = options or {}
        for key in options:
            if key != "reset_mask":
                raise YatzyError(unknown("reset option", key, ["reset_mask"]))
        if "reset_mask" not in options:
            return np.arange(self.num_envs)
        mask = np.asarray(options["reset_mask"])
        if mask.dtype != np.bool_ or mask.shape != (self.num_envs,) or not mask.any():
            allowed = f"({self.num_envs},) booleans, one of them true"
            raise YatzyError(f"reset_mask = {shown(options['reset_mask'])}; allowed: {allowed}")
        if not self._is_reset:
            raise YatzyError("reset_mask before the first reset; reset all envs first")
        return np.flatnonzero(mask)

    def _refuse_ended(self) -> None:
        over = self._games.now.filled == self.tables.card.all_boxes
        over |= self._memory.illegal_in_a_row >= ILLEGAL_LIMIT
        if over.any():
            envs = shown(np.flatnonzero(over).tolist())
            raise YatzyError(f"the episodes of envs {envs} have ended; reset them with options={{'reset_mask': ...}}")

    def _refuse_illegal(self, actions: NDArray[np.int64]) -> None:
        env = first_illegal(self.tables, self._games, self._memory, actions)
        if env >= 0:
            index = action_index(self.tables.actions, actions[env])
            mask = action_masks(self.tables, self._games.now.take(slice(env, env + 1)))[0]
            raise illegal_action(self.action_names, index, mask, f"env {env}: ")

    def _infos(
        self,
        masks: NDArray[np.int8],
        illegal: NDArray[np.bool_],
        scores: NDArray[np.int64],
        known: NDArray[np.bool_] | None = None,
    ) -> dict[str, Any]:
        known = np.ones(self.num_envs, np.bool_) if known is None else known
        return {
            "action_mask": masks,
            "_action_mask": known,
            "illegal_action": illegal,
            "_illegal_action": known,
            "score": scores,
            "_score": known,
        }
