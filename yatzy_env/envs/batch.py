"""Thousands of games at once: a Gymnasium vector environment whose step is one compiled loop over envs.

Env i reset with seed s plays the very episodes of the single environment reset with seed s + i. An env whose episode
ends starts its next game in the same step (SAME_STEP autoreset); its last observation is in `infos["final_obs"]`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from sys import getrefcount
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from yatzy_env.card import is_joker, legal_boxes, legal_by_order
from yatzy_env.envs.observation import compile_rows, observation_space, update_rest, write_observation, write_rest
from yatzy_env.envs.single import ILLEGAL_LIMIT, STEP_BEFORE_RESET
from yatzy_env.errors import YatzyError
from yatzy_env.games import clear_game, may, new_games, next_games, player_of, settle, throw_dice
from yatzy_env.inputs import action_array, action_index, own_seed, seed_keys, whole_number
from yatzy_env.kernel import kernel
from yatzy_env.native import SLACK, borrow, copy_bytes, copy_floats, flag_bytes, flag_floats, flagged_floats
from yatzy_env.rules import Ruleset
from yatzy_env.rules import ruleset as find_ruleset
from yatzy_env.situation import Situations
from yatzy_env.tables import action_names, compile_tables

_RENAMED = {"now_yatzy_scored": "now_fifty"}  # what states of an earlier version call arrays
_KEPT = 4  # arrays of a kind that are kept for reuse


class Memory(NamedTuple):
    """What is remembered of each env beside its game. T = padded size of the rest of an observation."""

    player: NDArray[np.uint64]  # (n,) `player_of`
    legal: NDArray[np.int64]  # (n,) bits of the boxes that the order allows
    rest: NDArray[np.float32]  # (n * T,) what `write_rest` writes
    illegal_in_a_row: NDArray[np.int64]  # (n,)


class Shown(NamedTuple):
    """What a step writes, D entries of an observation and A actions."""

    observations: NDArray[np.float32]  # (n * D + SLACK,)
    masks: NDArray[np.int8]  # (n * A + SLACK,)
    rewards: NDArray[np.float64]  # (n,)
    terminated: NDArray[np.bool_]  # (n,)
    truncated: NDArray[np.bool_]  # (n,)
    ended: NDArray[np.bool_]  # (n,) terminated or truncated
    illegal: NDArray[np.bool_]  # (n,)
    scores: NDArray[np.int64]  # (n,) after autoreset
    final_observations: NDArray[np.float32]  # (n, D) of envs that ended
    final_scores: NDArray[np.int64]  # (n,) of envs that ended


class YatzyVectorEnv(VectorEnv[NDArray[np.float32], NDArray[np.int64], NDArray[np.float64]]):
    """The environment of `yatzy_env.envs.single.YatzyEnv` for `num_envs` envs.

    `infos` holds `action_mask` (num_envs, actions) int8 after autoreset, `illegal_action` (num_envs,) bool, `score`
    (num_envs,) int64; and where an episode ended `final_obs` (num_envs, D) and `final_info`, each beside its `_` mask.
    Rows of `final_obs` outside its mask mean nothing.

    Every array returned belongs to the caller: no later step changes it as long as it, or a view of it, is held.
    Arrays that nobody holds any more are used again, as fresh memory costs more than a step.

    Memory per env: 281 bytes of state for yatzy (321 for maxi-alga, 537 for triple), and 8 D + A bytes for each set of
    observation, final observation and mask: 825 (1,258; 1,415). Two sets go round when the caller holds one step's
    arrays while taking the next; up to four are kept.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}  # noqa: RUF012, the base class declares it so

    def __init__(self, num_envs: int = 1, ruleset: str | dict[str, Any] | Ruleset = "yatzy") -> None:
        """Allocates the envs, at least one, for a name of the catalogue, a dict of fields or a Ruleset.

        Raises:
            RulesetError: for an unknown or invalid ruleset.
            YatzyError: for a number of envs below 1.
        """
        num_envs = whole_number("num_envs", num_envs, 1)
        self.rules = find_ruleset(ruleset)
        self.tables = compile_tables(self.rules)
        self.action_names = action_names(self.rules)
        self.num_envs = num_envs
        self.single_action_space = spaces.Discrete(self.tables.actions)
        self.single_observation_space = observation_space(self.rules)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._rows = compile_rows(self.rules)
        self._games = new_games(self.tables, np.zeros(num_envs, np.uint64))
        self._is_reset = False
        self._memory = Memory(
            player=np.zeros(num_envs, np.uint64),
            legal=np.zeros(num_envs, np.int64),
            rest=np.zeros(num_envs * self._rows.rest_padded, np.float32),
            illegal_in_a_row=np.zeros(num_envs, np.int64),
        )
        self._observation_rows = _Recycled(num_envs, self._rows.size, np.float32)
        self._mask_rows = _Recycled(num_envs, self.tables.actions, np.int8)
        self._final_rows = _Recycled(num_envs, self._rows.size, np.float32)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Starts an episode in every env.

        Args:
            seed: env i gets key seed + i; or a list of keys. Without one the envs go on with the next game under
                their keys, or get random keys at first.
            options: none are known; an empty mapping is allowed.

        Returns:
            Observations and infos.

        Raises:
            YatzyError: for an option, or a list of seeds of the wrong length.
        """
        if options:
            raise YatzyError(f"reset options {sorted(options)} are not known to the batch environment")
        keys = None if seed is None else seed_keys(seed, self.num_envs)
        super().reset(seed=int(seed) if isinstance(seed, int | np.integer) else None)
        if keys is None and not self._is_reset:
            keys = seed_keys(own_seed(self), self.num_envs)
        next_games(self.tables, self._games, keys)
        self._is_reset = True
        self._memory.illegal_in_a_row[:] = 0
        observations, masks = self._show()
        return observations, self._infos(masks, np.zeros(self.num_envs, np.bool_), self._games.total.copy())

    def step(self, actions: Any) -> tuple[NDArray[np.float32], Any, Any, Any, dict[str, Any]]:
        """Plays one action per env, (num_envs,) action indices.

        Returns:
            Observations, rewards (float64), terminated, truncated, infos.

        Raises:
            IllegalActionError: for actions of the wrong shape or outside the action space; then nothing is played.
        """
        if not self._is_reset:
            raise YatzyError(STEP_BEFORE_RESET)
        chosen = action_array(self.tables.actions, self.num_envs, actions)
        size = self.num_envs
        observations, flat_observations = self._observation_rows.take()
        masks, flat_masks = self._mask_rows.take()
        final_observations, _ = self._final_rows.take()
        shown = Shown(
            observations=flat_observations,
            masks=flat_masks,
            rewards=np.empty(size),
            terminated=np.empty(size, np.bool_),
            truncated=np.empty(size, np.bool_),
            ended=np.empty(size, np.bool_),
            illegal=np.empty(size, np.bool_),
            scores=np.empty(size, np.int64),
            final_observations=final_observations,
            final_scores=np.zeros(size, np.int64),
        )
        count = _step_envs(self.tables, self._rows, self._games, self._memory, chosen, shown)
        if count < 0:
            for action in actions:
                action_index(self.tables.actions, action)
        infos = self._infos(masks, shown.illegal, shown.scores)
        if count:
            infos |= {
                "final_obs": final_observations,
                "_final_obs": shown.ended,
                "final_info": {"score": shown.final_scores, "_score": shown.ended},
                "_final_info": shown.ended,
            }
        return observations, shown.rewards, shown.terminated, shown.truncated, infos

    def action_masks(self) -> NDArray[np.int8]:
        """(num_envs, actions) int8, 1 where legal."""
        masks, flat = self._mask_rows.take()
        _show_masks(self.tables, self._rows, self._games, self._memory, flat)
        return masks

    @property
    def situations(self) -> Situations:
        """Where every env stands, as a copy."""
        return self._games.now.copy()

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

    def _arrays(self) -> dict[str, NDArray[Any]]:
        arrays = {f"now_{name}": values for name, values in self._games.now._asdict().items()}
        arrays |= {name: values for name, values in self._games._asdict().items() if name != "now"}
        return arrays | {"illegal_in_a_row": self._memory.illegal_in_a_row}

    def _show(self) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        observations, flat_observations = self._observation_rows.take()
        masks, flat_masks = self._mask_rows.take()
        _show_envs(self.tables, self._rows, self._games, self._memory, flat_observations, flat_masks)
        return observations, masks

    def _infos(self, masks: NDArray[np.int8], illegal: NDArray[np.bool_], scores: NDArray[np.int64]) -> dict[str, Any]:
        every = np.ones(self.num_envs, np.bool_)
        return {
            "action_mask": masks,
            "_action_mask": every,
            "illegal_action": illegal,
            "_illegal_action": every,
            "score": scores,
            "_score": every,
        }


def _references_when_unused() -> int:
    """What `getrefcount` says in `_Recycled.take` of an array that nobody else holds; Python versions differ."""
    for owner in deque([np.zeros(1)]):
        return getrefcount(owner)
    raise AssertionError("the loop above returns")


_UNUSED = _references_when_unused()


class _Recycled:
    """Arrays to hand out, taken again once nobody holds them.

    Fresh memory of this size costs more than writing to it. Whoever gets an array owns it: it is reused only when no
    reference to it is left, neither to the array nor to a view of it.
    """

    def __init__(self, rows: int, size: int, dtype: Any) -> None:
        self._shape = (rows, size)
        self._dtype = dtype
        self._owners: deque[NDArray[Any]] = deque(maxlen=_KEPT)

    def take(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """A (rows, size) array with arbitrary contents, and the flat one behind it, `SLACK` entries longer."""
        rows, size = self._shape
        for owner in self._owners:
            if getrefcount(owner) == _UNUSED:
                break
        else:
            owner = np.zeros(rows * size + SLACK, self._dtype)
            self._owners.append(owner)
        return owner[: rows * size].reshape(rows, size), owner


@kernel(inline="always")
def _remember_box(tables, rows, games, memory, env, box):
    """Brings up to date what changes when a box is filled."""
    memory.legal[env] = legal_by_order(tables.card, games.now.filled[env])
    start = env * rows.rest_padded
    update_rest(tables, games.now, env, box, memory.rest[start : start + rows.rest_padded])


@kernel(inline="always")
def _remember(tables, rows, games, memory, env):
    """Works out anew all that is remembered of a game."""
    memory.player[env] = player_of(games, env)
    memory.legal[env] = legal_by_order(tables.card, games.now.filled[env])
    start = env * rows.rest_padded
    write_rest(tables, games.now, env, memory.rest[start : start + rows.rest_padded])


@kernel(inline="always")
def _legal_now(tables, now, memory, env):
    """Bits of the boxes that may be filled: those the order allows, unless all dice are alike."""
    alike = tables.alike[now.roll[env]]
    if alike == 0:
        return memory.legal[env]
    return legal_boxes(tables.card, now.filled[env], alike)


@kernel(inline="always")
def _show_observation(tables, rows, now, memory, env, out):
    """Writes an env's observation, from left to right."""
    roll = now.roll[env]
    filled = now.filled[env]
    at = env * rows.size
    for part in range(0, rows.dice_padded, 16):
        copy_floats(out, at + part, rows.dice, roll * rows.dice_padded + part)
    copy_floats(out, at + rows.throws_at, rows.throws, now.throws_left[env] * 16)
    is_open = tables.card.all_boxes & ~filled
    for part in range(0, rows.boxes_padded, 16):
        flag_floats(out, at + rows.open_at + part, is_open >> part)
    joker = tables.rolls if is_joker(tables.card, filled, tables.alike[roll]) else 0
    for part in range(0, rows.boxes_padded, 16):
        source = (joker + roll) * rows.boxes_padded + part
        flagged_floats(out, at + rows.pays_at + part, rows.share, source, is_open >> part)
    for part in range(0, rows.rest_padded, 16):
        copy_floats(out, at + rows.rest_at + part, memory.rest, env * rows.rest_padded + part)


@kernel(inline="always")
def _show_mask(tables, rows, now, memory, env, out):
    """Writes an env's action mask, from left to right."""
    at = env * tables.actions
    row = now.roll[env] if now.throws_left[env] > 0 else tables.rolls
    for part in range(0, rows.keeps_padded, 64):
        copy_bytes(out, at + part, rows.within, row * rows.keeps_padded + part)
    flag_bytes(out, at + tables.keeps, _legal_now(tables, now, memory, env))


@kernel
def _show_envs(tables, rows, games, memory, observations, masks):
    """Shows every env, wherever its game has been put."""
    tables, rows, games, memory = borrow(tables), borrow(rows), borrow(games), borrow(memory)
    for env in range(memory.legal.shape[0]):
        _remember(tables, rows, games, memory, env)
        _show_observation(tables, rows, games.now, memory, env, observations)
        _show_mask(tables, rows, games.now, memory, env, masks)


@kernel
def _show_masks(tables, rows, games, memory, masks):
    tables, rows, games, memory = borrow(tables), borrow(rows), borrow(games), borrow(memory)
    for env in range(memory.legal.shape[0]):
        _show_mask(tables, rows, games.now, memory, env, masks)


@kernel
def _step_envs(tables, rows, games, memory, actions, shown):
    """Plays an action in every env and writes what each env shows now; an ended env starts its next game.

    Returns:
        How many episodes ended, or -1 and nothing played if an action is outside the action space.
    """
    tables, rows, games, memory, shown = borrow(tables), borrow(rows), borrow(games), borrow(memory), borrow(shown)
    actions = borrow(actions)
    now = games.now
    outside = False
    for env in range(actions.shape[0]):
        outside |= actions[env] < 0 or actions[env] >= tables.actions
    if outside:
        return -1
    ended = 0
    for env in range(actions.shape[0]):
        action = actions[env]
        gained = np.int64(0)
        keep = np.int64(-1)  # what is kept of the dice, -1 if none are thrown
        illegal = not may(tables, now, env, action, _legal_now(tables, now, memory, env))
        if illegal:
            memory.illegal_in_a_row[env] += 1
        else:
            memory.illegal_in_a_row[env] = 0
            gained = settle(tables, games, env, action)
            keep = action
            if action >= tables.keeps:
                keep = np.int64(0)
                _remember_box(tables, rows, games, memory, env, action - tables.keeps)
        terminated = now.filled[env] == tables.card.all_boxes
        truncated = memory.illegal_in_a_row[env] >= ILLEGAL_LIMIT
        shown.rewards[env] = gained
        shown.terminated[env] = terminated
        shown.truncated[env] = truncated
        shown.ended[env] = terminated or truncated
        shown.illegal[env] = illegal
        if terminated or truncated:
            ended += 1
            keep = np.int64(0)
            _restart_env(tables, rows, games, memory, env, shown)
        if keep >= 0:
            throw_dice(tables, games, env, keep, memory.player[env])
        shown.scores[env] = games.total[env]
        _show_observation(tables, rows, now, memory, env, shown.observations)
        _show_mask(tables, rows, now, memory, env, shown.masks)
    return ended


@kernel
def _restart_env(tables, rows, games, memory, env, shown):
    """Writes down how an episode ended and starts the next game up to the throw of the dice."""
    write_observation(tables, games.now, env, shown.final_observations[env])
    shown.final_scores[env] = games.total[env]
    memory.illegal_in_a_row[env] = 0
    games.game[env] += 1
    clear_game(tables, games, env)
    _remember(tables, rows, games, memory, env)
