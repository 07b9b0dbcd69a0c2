"""The flat observation: a function of the situation alone, with upper sums merged where they no longer matter.

Nothing written on the card enters it beyond what the rules still need, so an agent that reads it can be evaluated on
every situation exactly. Sums that have reached the bonus look the same, and so do sums from which it is out of reach.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from yatzy_env.card import is_joker, open_upper_points
from yatzy_env.games import turns_done
from yatzy_env.kernel import kernel
from yatzy_env.native import borrow, padded
from yatzy_env.rules import Ruleset
from yatzy_env.situation import Situations, empty_situations
from yatzy_env.tables import Tables, compile_tables

_UPPER_FEATURES = 5
_SAVED_STEPS = 8  # with saved throws: one-hot of 0..7 throws left (7 stands for more), then a fraction of the most


@dataclass(frozen=True)
class Block:
    """A run of observation entries with one meaning."""

    name: str
    start: int
    size: int
    low: float
    high: float
    meaning: str


def _sizes(tables: Tables) -> dict[str, int]:
    """The blocks in order, each with its number of entries, 0 where the rules know no such thing."""
    card = tables.card
    return {
        "dice": 6 * (tables.dice + 1),
        "throws_left": _SAVED_STEPS + 1 if tables.saved_throws else tables.throws,
        "open": card.boxes,
        "pays": card.boxes,
        "upper": _UPPER_FEATURES * card.columns if card.bonus_threshold else 0,
        "yatzy_fifty": 1 if card.extra_yatzy_bonus else 0,
        "progress": 1,
    }


def observation_blocks(rules: Ruleset) -> list[Block]:
    """The index table of the observation: blocks in order, which together cover it."""
    tables = compile_tables(rules)
    throws, most = f"one-hot over 0 to {rules.throws - 1} throws left", tables.most_throws_left
    if rules.saved_throws:
        throws = f"one-hot over 0 to {_SAVED_STEPS - 1} or more throws left, then throws left / {most}"
    meanings = {
        "dice": f"per face 1 to 6: how many dice show it, one-hot over 0 to {rules.dice}",
        "throws_left": throws,
        "open": "1 per open box in sheet order" + (", column by column" if len(rules.columns) > 1 else ""),
        "pays": "per open box: points it would get for these dice / the most it can get, bonus left out",
        "upper": f"per column: points missing to the bonus / {rules.bonus_threshold}; those / what the open upper "
        "boxes can add; bonus secured; bonus out of reach; sum against par (an even share of the threshold per filled "
        "upper box, by face)",
        "yatzy_fifty": "1 if the yatzy box holds points",
        "progress": "filled boxes / all boxes",
    }
    blocks, start = [], 0
    for name, size in _sizes(tables).items():
        if size:
            blocks.append(Block(name, start, size, -1.0 if name == "upper" else 0.0, 1.0, meanings[name]))
            start += size
    return blocks


def observation_space(rules: Ruleset) -> spaces.Box:
    """The Gymnasium space of the observation: (D,) float32."""
    return space_of(observation_blocks(rules))


def space_of(blocks: list[Block]) -> spaces.Box:
    """The Gymnasium space that blocks describe: (D,) float32."""
    low = np.concatenate([np.full(block.size, block.low, np.float32) for block in blocks])
    high = np.concatenate([np.full(block.size, block.high, np.float32) for block in blocks])
    return spaces.Box(low, high, dtype=np.float32)


def observation_size(tables: Tables) -> int:
    """The number of entries D of the observation."""
    return sum(_sizes(tables).values())


class Rows(NamedTuple):
    """The parts of an observation and of a mask that are written as they stand, padded to whole vectors.

    The first row of those that read dice is that of a full card, which has none.
    """

    size: int  # D, entries of an observation
    boxes_padded: int
    dice_padded: int
    keeps_padded: int
    rest_padded: int
    throws_at: int  # where each part starts
    open_at: int
    pays_at: int
    rest_at: int
    dice: NDArray[np.float32]  # ((1 + R) * dice_padded,) the block `dice` of no roll and of every roll
    throws: NDArray[
        np.float32
    ]  # (1 + most throws left + 1) * 16, the block `throws_left` of no roll and of each number
    share: NDArray[np.float32]  # (2 * (1 + R) * boxes_padded,) `pays` of an empty card, without and with joker
    within: NDArray[np.int8]  # ((R + 1) * keeps_padded,) the keeps of every roll; of none in the last row


@lru_cache(maxsize=64)
def compile_rows(rules: Ruleset) -> Rows:
    """Compiles the rows of a ruleset. Compiled once per ruleset and process."""
    tables = compile_tables(rules)
    start = {block.name: block.start for block in observation_blocks(rules)}
    throws_at, open_at, pays_at = start["throws_left"], start["open"], start["pays"]
    boxes = tables.card.boxes
    dice = empty_situations(tables, 1 + tables.rolls)
    dice.roll[:] = np.arange(-1, tables.rolls)
    throws = empty_situations(tables, tables.most_throws_left + 2)
    throws.roll[1:] = 0
    throws.throws_left[1:] = np.arange(tables.most_throws_left + 1)
    share = np.zeros((2, 1 + tables.rolls, boxes), np.float32)
    share[:, 1:] = tables.share
    rows = {
        "dice": _pad(observe(tables, dice)[:, :throws_at], 16),
        "throws": _pad(observe(tables, throws)[:, throws_at:open_at], 16),
        "share": _pad(share.reshape(-1, boxes), 16),
        "within": _pad(np.concatenate([tables.within, np.zeros((1, tables.keeps), np.int8)]), 64),
    }
    return Rows(
        size=observation_size(tables),
        boxes_padded=padded(boxes),
        dice_padded=padded(throws_at),
        keeps_padded=padded(tables.keeps, 64),
        rest_padded=padded(observation_size(tables) - pays_at - boxes),
        throws_at=throws_at,
        open_at=open_at,
        pays_at=pays_at,
        rest_at=pays_at + boxes,
        **rows,
    )


def _pad(rows: NDArray[Any], unit: int) -> NDArray[Any]:
    out = np.zeros((len(rows), padded(rows.shape[1], unit)), rows.dtype)
    out[:, : rows.shape[1]] = rows
    out.flags.writeable = False
    return out.reshape(-1)


def observe(tables: Tables, situations: Situations) -> NDArray[np.float32]:
    """The observations of a batch: (n, D) float32."""
    out = np.empty((len(situations.filled), observation_size(tables)), np.float32)
    write_observations(tables, situations, out)
    return out


@kernel
def write_observations(tables, now, out):
    """Writes the observation of every env into the rows of an (n, D) float32 array."""
    tables, now = borrow(tables), borrow(now)
    for env in range(out.shape[0]):
        write_observation(tables, now, env, out[env])


@kernel
def write_observation(tables, now, env, out):
    """Writes an env's observation into a row of float32."""
    card = tables.card
    filled = now.filled[env]
    roll = now.roll[env]
    left = now.throws_left[env]
    out[:] = 0
    at = 0
    if roll >= 0:
        for face in range(6):
            out[at + face * (tables.dice + 1) + tables.counts[tables.keeps + roll, face]] = 1
    at += 6 * (tables.dice + 1)

    if tables.saved_throws:
        if roll >= 0:
            out[at + min(left, _SAVED_STEPS - 1)] = 1
        out[at + _SAVED_STEPS] = left / tables.most_throws_left
        at += _SAVED_STEPS + 1
    else:
        if roll >= 0:
            out[at + left] = 1
        at += tables.throws

    joker = 0
    if roll >= 0 and is_joker(card, filled, tables.alike[roll]):
        joker = 1
    for box in range(card.boxes):
        if (filled >> box) & 1 == 0:
            out[at + box] = 1
            if roll >= 0:
                out[at + card.boxes + box] = tables.share[joker, roll, box]
    at += 2 * card.boxes

    write_rest(tables, now, env, out[at:])


@kernel(inline="always")
def write_rest(tables, now, env, out):
    """Writes what follows `pays` in an observation: it changes only when a box is filled."""
    if tables.card.bonus_threshold > 0:
        for column in range(tables.card.columns):
            _write_upper(tables.card, now.filled[env], now.upper[env, column], column, out)
    _write_end(tables, now, env, out)


@kernel(inline="always")
def update_rest(tables, now, env, box, out):
    """Brings what `write_rest` wrote before `box` was filled up to date."""
    card = tables.card
    if card.bonus_threshold > 0 and card.face[box] != 0:
        column = card.column[box]
        _write_upper(card, now.filled[env], now.upper[env, column], column, out)
    _write_end(tables, now, env, out)


@kernel(inline="always")
def _write_end(tables, now, env, out):
    card = tables.card
    at = _UPPER_FEATURES * card.columns if card.bonus_threshold > 0 else 0
    if card.extra_yatzy_bonus > 0:
        out[at] = now.yatzy_scored[env]
        at += 1
    out[at] = turns_done(now.filled[env]) / card.boxes


@kernel(inline="always")
def _write_upper(card, filled, upper, column, out):
    at = _UPPER_FEATURES * column
    missing = max(card.bonus_threshold - upper, 0)
    reach = open_upper_points(card, filled, column)
    secured, hopeless, share = 0, 0, 0.0
    if missing == 0:
        secured = 1
    elif missing > reach:
        missing = card.bonus_threshold
        hopeless = 1
        share = 1.0
    else:
        share = missing / reach
    every, done = 0, 0
    for face in range(1, 7):
        box = card.upper_box[column, face]
        every += face if box != 0 else 0
        done += face if box & filled != 0 else 0
    missing_share = missing / card.bonus_threshold
    out[at] = missing_share
    out[at + 1] = share
    out[at + 2] = secured
    out[at + 3] = hopeless
    out[at + 4] = -1 if hopeless else 1 - missing_share - done / every
