"""Games in envs: dealing dice, keeping, filling boxes, for one env or thousands, on preallocated arrays.

An env is one player's game. The single environment is one env, the batch environment and the evaluation many; all of
them call the functions below, so there is one implementation of a step. Dice come from `yatzy_env.dice`: throw number
`throw` of turn `turn` (the number of boxes filled before) of game `game` under the env's key.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy_env.card import bonus_step, extra_step, is_joker, legal_boxes, scored_after
from yatzy_env.dice import die, key, mix, player_state, throw_state, uniform
from yatzy_env.errors import IllegalActionError
from yatzy_env.inputs import action_array, action_index
from yatzy_env.kernel import kernel
from yatzy_env.multisets import FACES
from yatzy_env.native import borrow, count_bits, peek
from yatzy_env.situation import Situations, empty_situations
from yatzy_env.tables import Tables

_FACES = len(FACES)


class Games(NamedTuple):
    """n games as arrays. B = boxes of the whole card."""

    now: Situations  # where each game stands
    key: NDArray[np.uint64]  # (n,) key of the dice
    game: NDArray[np.int64]  # (n,) games played under this key before
    seat: NDArray[np.int64]  # (n,) seat of the player, 0 when alone
    throw: NDArray[np.int64]  # (n,) throws made this turn before the last one
    written: NDArray[np.int64]  # (n, B) points written in each box, times its column; -1 where nothing was
    total: NDArray[np.int64]  # (n,) points so far, bonuses included

    def take(self, index: NDArray[np.intp] | NDArray[np.bool_] | slice) -> Games:
        """The games at some positions, copied; those of a slice in the same memory, to be played in place."""
        return Games._make([self.now.take(index), *(values[index] for values in self[1:])])

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays by name, those of `now` as `now_filled` and so on."""
        now = {f"now_{name}": values for name, values in self.now._asdict().items()}
        return now | {name: values for name, values in self._asdict().items() if name != "now"}

    def copy(self) -> Games:
        """A copy that shares no memory."""
        return Games._make(values.copy() for values in self)


def new_games(tables: Tables, keys: NDArray[np.uint64]) -> Games:
    """Allocates one game per key, (n,) uint64, and throws the first dice of each."""
    size = len(keys)
    games = Games(
        now=empty_situations(tables, size),
        key=np.empty(size, np.uint64),
        game=np.empty(size, np.int64),
        seat=np.zeros(size, np.int64),
        throw=np.zeros(size, np.int64),
        written=np.full((size, tables.card.boxes), -1, np.int64),
        total=np.zeros(size, np.int64),
    )
    next_games(tables, games, keys)
    return games


def next_games(tables: Tables, games: Games, keys: NDArray[np.uint64] | np.uint64 | None = None) -> None:
    """Throws the first dice of the next game under each key, or of the first one under new keys."""
    if keys is not None:
        games.key[:] = keys
        games.game[:] = -1
    games.game[:] += 1
    _start_all(tables, games)


@kernel(inline="always")
def turns_done(filled):
    """How many boxes are filled: the number of the turn, from 0."""
    return count_bits(filled)


@kernel(inline="always")
def player_of(games, env):
    """The state of the generator of an env's dice; it stays the same during a game."""
    return player_state(games.key[env], games.game[env], games.seat[env])


@kernel(inline="always")
def throw_dice(tables, games, env, keep, player):
    """Throws the dice that are not kept and puts the new roll on the table; `player` is the env's `player_of`."""
    now = games.now
    state = throw_state(player, turns_done(now.filled[env]), games.throw[env])
    held = np.int64(keep)
    thrown = tables.dice - tables.size[held]
    for j in range(tables.dice - 1, -1, -1):
        # As many rounds for any keep, without a branch: how many dice are thrown is hard to predict for a processor.
        more = peek(tables.add, held * _FACES + die(state, j))
        held = more if j < thrown else held
    now.roll[env] = held - tables.keeps


@kernel
def clear_game(tables, games, env):
    """Clears an env's card for its first turn; no dice are thrown."""
    now = games.now
    now.filled[env] = 0
    now.upper[env, :] = 0
    now.yatzy_scored[env] = False
    now.throws_left[env] = tables.throws - 1
    games.throw[env] = 0
    games.written[env, :] = -1
    games.total[env] = 0


@kernel
def _start_all(tables, games):
    for env in range(games.key.shape[0]):
        clear_game(tables, games, env)
        throw_dice(tables, games, env, 0, player_of(games, env))


@kernel(inline="always")
def box_points(tables, now, env, box):
    """The plain points that a box would get for the dice on the table, joker included, column and bonus left out."""
    roll = now.roll[env]
    joker = is_joker(tables.card, now.filled[env], tables.alike[roll])
    return tables.points[1 if joker else 0, box, roll]


@kernel(inline="always")
def gain(tables, now, env, box):
    """All points that filling a box gains at once: column, bonus and extra yatzy bonus included."""
    card = tables.card
    column = card.column[box]
    points = box_points(tables, now, env, box)
    extra = extra_step(card, now.yatzy_scored[env], tables.alike[now.roll[env]])
    return points * card.multiplier[column] + bonus_step(card, box, points, now.upper[env, column]) + extra


@kernel(inline="always")
def fill_box(tables, games, env, box):
    """Fills a box and sets the throws of the next turn, or ends the game on a full card; returns the points gained.

    No dice are thrown.
    """
    now = games.now
    card = tables.card
    column = card.column[box]
    points = box_points(tables, now, env, box)
    gained = gain(tables, now, env, box)
    now.yatzy_scored[env] = scored_after(card, now.yatzy_scored[env], box, points)
    if card.face[box] != 0:
        now.upper[env, column] += points
    now.filled[env] |= np.int64(1) << box
    games.written[env, box] = points * card.multiplier[column]
    games.total[env] += gained
    if now.filled[env] == card.all_boxes:
        now.roll[env] = -1
        now.throws_left[env] = 0
    else:
        games.throw[env] = 0
        now.throws_left[env] = tables.throws - 1 + (now.throws_left[env] if tables.saved_throws else 0)
    return gained


@kernel(inline="always")
def may(tables, now, env, action, legal):
    """Whether an action of the action space is legal in an env whose legal boxes are the bits `legal`."""
    if action < tables.keeps:
        return now.throws_left[env] > 0 and tables.within[now.roll[env], action] == 1
    return (legal >> (action - tables.keeps)) & 1 == 1


@kernel
def is_legal(tables, now, env, action):
    """Whether an action of the action space is legal in an env."""
    roll = now.roll[env]
    if roll < 0:
        return False
    return may(tables, now, env, action, legal_boxes(tables.card, now.filled[env], tables.alike[roll]))


@kernel(inline="always")
def settle(tables, games, env, action):
    """Plays a legal action up to the throw that follows unless the card is full; returns the points gained."""
    if action >= tables.keeps:
        return fill_box(tables, games, env, action - tables.keeps)
    games.now.throws_left[env] -= 1
    games.throw[env] += 1
    return np.int64(0)


@kernel
def act(tables, games, env, action):
    """Plays a legal action in an env; returns the points gained."""
    gained = settle(tables, games, env, action)
    if games.now.filled[env] != tables.card.all_boxes:
        keep = action if action < tables.keeps else 0
        throw_dice(tables, games, env, keep, player_of(games, env))
    return gained


@kernel
def write_mask(tables, now, env, out):
    """Writes an env's action mask, 1 where legal, into a row of int8; all zero on a full card."""
    roll = now.roll[env]
    keeps = tables.keeps
    if roll < 0:
        out[:] = 0
        return
    if now.throws_left[env] > 0:
        out[:keeps] = tables.within[roll]
    else:
        out[:keeps] = 0
    legal = legal_boxes(tables.card, now.filled[env], tables.alike[roll])
    for box in range(tables.card.boxes):
        out[keeps + box] = (legal >> box) & 1


@kernel
def write_masks(tables, now, out):
    """Writes the action mask of every env into the rows of an (n, actions) int8 array."""
    for env in range(out.shape[0]):
        write_mask(tables, now, env, out[env])


@kernel
def _gains(tables, now, out):
    for env in range(out.shape[0]):
        if now.roll[env] < 0:
            continue
        legal = legal_boxes(tables.card, now.filled[env], tables.alike[now.roll[env]])
        for box in range(tables.card.boxes):
            if (legal >> box) & 1:
                out[env, box] = gain(tables, now, env, box)


@kernel
def _act_all(tables, games, actions, gained):
    tables, games = borrow(tables), borrow(games)
    for env in range(actions.shape[0]):
        if not is_legal(tables, games.now, env, actions[env]):
            return env
    for env in range(actions.shape[0]):
        gained[env] = act(tables, games, env, actions[env])
    return -1


def action_masks(tables: Tables, situations: Situations) -> NDArray[np.int8]:
    """The legal actions of a batch: (n, actions) int8, 1 where legal; a row of zeros for a full card."""
    masks = np.empty((len(situations.filled), tables.actions), np.int8)
    write_masks(tables, situations, masks)
    return masks


def gains(tables: Tables, situations: Situations) -> NDArray[np.int64]:
    """The points each legal box would gain at once, bonuses included: (n, B) int64, -1 where it may not be filled."""
    out = np.full((len(situations.filled), tables.card.boxes), -1, np.int64)
    _gains(tables, situations, out)
    return out


def noise_keys(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The keys of the noise of games, hashed from those of their dice, (n,) uint64: noise tells nothing about dice.

    The generator itself hides nothing, two of its numbers tell its key; so noise must not come from the dice's.
    """
    return np.array([key("noise", own) for own in keys.tolist()], np.uint64)


@kernel
def _noise(games, keys, out):
    for env in range(out.shape[0]):
        player = player_state(keys[env], games.game[env], games.seat[env])
        state = throw_state(player, turns_done(games.now.filled[env]), games.throw[env])
        out[env] = uniform(mix(state, 0))


def decision_noise(games: Games, keys: NDArray[np.uint64]) -> NDArray[np.float64]:
    """One uniform number in [0, 1) per game for agents that choose at random, fixed by the game's key like the dice.

    Args:
        games: the games.
        keys: (n,) uint64 their `noise_keys`.

    Returns:
        (n,) float64, independent of the dice and of how many games are played together.
    """
    out = np.empty(len(games.key))
    _noise(games, keys, out)
    return out


def play(tables: Tables, games: Games, actions: NDArray[np.int64]) -> NDArray[np.int64]:
    """Plays one action in every env, in place; no env may hold a finished game.

    Returns:
        (n,) int64 points gained.

    Raises:
        IllegalActionError: if an action is not legal; then no game is changed.
    """
    actions = action_array(tables.actions, len(games.key), actions)
    if len(actions):
        for extreme in (actions.min(), actions.max()):
            action_index(tables.actions, extreme)
    gained = np.zeros(len(actions), np.int64)
    env = _act_all(tables, games, actions, gained)
    if env >= 0:
        raise IllegalActionError(f"action {actions[env]} in env {env} is not legal")
    return gained
