"""One step of many games: a compiled loop over envs that plays, starts next games, and writes what each env shows.

Observations and masks are written from left to right by whole vectors (`yatzy_env.native`) out of rows compiled once
per ruleset.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy_env.card import is_joker, legal_boxes, legal_by_order
from yatzy_env.envs.observation import update_rest, write_rest
from yatzy_env.envs.single import ILLEGAL_LIMIT
from yatzy_env.games import clear_game, may, player_of, settle, throw_dice
from yatzy_env.kernel import kernel
from yatzy_env.native import borrow, copy_bytes, copy_floats, flag_bytes, flag_floats, flagged_floats


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
    final_observations: NDArray[np.float32]  # (n * D + SLACK,) of envs that ended
    final_masks: NDArray[np.int8]  # (n * A + SLACK,) of envs that ended
    final_scores: NDArray[np.int64]  # (n,) of envs that ended


@kernel(inline="always")
def remember_box(tables, rows, games, memory, env, box):
    """Brings up to date what changes when a box is filled."""
    memory.legal[env] = legal_by_order(tables.card, games.now.filled[env])
    start = env * rows.rest_padded
    update_rest(tables, games.now, env, box, memory.rest[start : start + rows.rest_padded])


@kernel(inline="always")
def remember(tables, rows, games, memory, env):
    """Works out anew all that is remembered of a game."""
    memory.player[env] = player_of(games, env)
    memory.legal[env] = legal_by_order(tables.card, games.now.filled[env])
    start = env * rows.rest_padded
    write_rest(tables, games.now, env, memory.rest[start : start + rows.rest_padded])


@kernel(inline="always")
def legal_now(tables, now, memory, env):
    """Bits of the boxes that may be filled: those the order allows, unless all dice are alike."""
    alike = tables.alike[now.roll[env]]  # on a full card, of any roll: nothing is legal then
    if alike == 0:
        return memory.legal[env]
    return legal_boxes(tables.card, now.filled[env], alike)


@kernel(inline="always")
def show_observation(tables, rows, now, memory, env, out, at):
    """Writes an env's observation, from left to right, into a flat array from `at` on."""
    filled = now.filled[env]
    dice = now.roll[env] + 1  # 0 on a full card
    for part in range(0, rows.dice_padded, 16):
        copy_floats(out, at + part, rows.dice, dice * rows.dice_padded + part)
    copy_floats(out, at + rows.throws_at, rows.throws, (now.throws_left[env] + 1 if dice else 0) * 16)
    is_open = tables.card.all_boxes & ~filled
    for part in range(0, rows.boxes_padded, 16):
        flag_floats(out, at + rows.open_at + part, is_open >> part)
    joker = tables.rolls + 1 if is_joker(tables.card, filled, tables.alike[dice - 1]) else 0
    for part in range(0, rows.boxes_padded, 16):
        source = (joker + dice) * rows.boxes_padded + part
        flagged_floats(out, at + rows.pays_at + part, rows.share, source, is_open >> part)
    for part in range(0, rows.rest_padded, 16):
        copy_floats(out, at + rows.rest_at + part, memory.rest, env * rows.rest_padded + part)


@kernel(inline="always")
def show_mask(tables, rows, now, memory, env, out, at):
    """Writes an env's action mask, from left to right, into a flat array from `at` on."""
    row = now.roll[env] if now.throws_left[env] > 0 else tables.rolls
    for part in range(0, rows.keeps_padded, 64):
        copy_bytes(out, at + part, rows.within, row * rows.keeps_padded + part)
    flag_bytes(out, at + tables.keeps, legal_now(tables, now, memory, env))


@kernel(inline="always")
def is_over(tables, games, memory, env):
    """Whether an env's episode has ended and no other has begun; never so where the same step begins it."""
    return games.now.filled[env] == tables.card.all_boxes or memory.illegal_in_a_row[env] >= ILLEGAL_LIMIT


@kernel
def show_envs(tables, rows, games, memory, observations, masks):
    """Shows every env, wherever its game has been put."""
    tables, rows, games, memory = borrow(tables), borrow(rows), borrow(games), borrow(memory)
    for env in range(memory.legal.shape[0]):
        remember(tables, rows, games, memory, env)
        show_observation(tables, rows, games.now, memory, env, observations, env * rows.size)
        show_mask(tables, rows, games.now, memory, env, masks, env * tables.actions)


@kernel
def show_masks(tables, rows, games, memory, masks):
    """Shows what every env may do."""
    tables, rows, games, memory = borrow(tables), borrow(rows), borrow(games), borrow(memory)
    for env in range(memory.legal.shape[0]):
        show_mask(tables, rows, games.now, memory, env, masks, env * tables.actions)


@kernel
def first_illegal(tables, games, memory, actions):
    """The first env whose action is not legal, or -1; an env that is over asks for no action."""
    tables, games, memory = borrow(tables), borrow(games), borrow(memory)
    for env in range(actions.shape[0]):
        action = actions[env]
        if action < 0 or action >= tables.actions:
            return env
        legal = legal_now(tables, games.now, memory, env)
        if not is_over(tables, games, memory, env) and not may(tables, games.now, env, action, legal):
            return env
    return -1


@kernel
def step_envs(tables, rows, games, memory, actions, same_step, shown):
    """Plays an action in every env and writes what each env shows now.

    An ended env starts its next game in the same step, or else in the next one, whatever its action is then.

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
        illegal = False
        if not same_step and is_over(tables, games, memory, env):
            keep = np.int64(0)
            _next_game(tables, rows, games, memory, env)
        elif may(tables, now, env, action, legal_now(tables, now, memory, env)):
            memory.illegal_in_a_row[env] = 0
            gained = settle(tables, games, env, action)
            keep = action
            if action >= tables.keeps:
                keep = np.int64(0)
                remember_box(tables, rows, games, memory, env, action - tables.keeps)
        else:
            illegal = True
            memory.illegal_in_a_row[env] += 1
        terminated = now.filled[env] == tables.card.all_boxes
        truncated = memory.illegal_in_a_row[env] >= ILLEGAL_LIMIT
        shown.rewards[env] = gained
        shown.terminated[env] = terminated
        shown.truncated[env] = truncated
        shown.ended[env] = terminated or truncated
        shown.illegal[env] = illegal
        if terminated or truncated:
            ended += 1
            keep = np.int64(-1)
            if same_step:
                keep = np.int64(0)
                _write_final(tables, rows, games, memory, env, shown)
                _next_game(tables, rows, games, memory, env)
        if keep >= 0:
            throw_dice(tables, games, env, keep, memory.player[env])
        shown.scores[env] = games.total[env]
        show_observation(tables, rows, now, memory, env, shown.observations, env * rows.size)
        show_mask(tables, rows, now, memory, env, shown.masks, env * tables.actions)
    return ended


@kernel
def _write_final(tables, rows, games, memory, env, shown):
    """Writes down how an episode ended."""
    show_observation(tables, rows, games.now, memory, env, shown.final_observations, env * rows.size)
    show_mask(tables, rows, games.now, memory, env, shown.final_masks, env * tables.actions)
    shown.final_scores[env] = games.total[env]


@kernel
def _next_game(tables, rows, games, memory, env):
    """Starts the next game up to the throw of the dice."""
    memory.illegal_in_a_row[env] = 0
    games.game[env] += 1
    clear_game(tables, games, env)
    remember(tables, rows, games, memory, env)
