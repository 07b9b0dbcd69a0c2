"""The cards an agent can reach, layer by layer.

A layer holds all cards with equally many filled boxes: a lane per state and upper sum, as the solver lays them out, and
under saved throws a cell per lane and size of the pool. Upper sums that every observation shows alike (the bonus is
secured, or out of reach) share a lane if the agent declares that it makes no difference between them; otherwise each
sum has its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy_env.card import CardRules, open_upper_points
from yatzy_env.solver.layout import Cards, Layout, lay_out
from yatzy_env.tables import Tables

MOST_ROWS = 4 << 30
"""Bytes that the score distributions of two layers may take; beyond it only the expected score is computed."""


class Places(NamedTuple):
    """C cards of one layer."""

    lane: NDArray[np.int64]  # (C,) lane within the layer
    filled: NDArray[np.int64]  # (C,) bits of the filled boxes
    upper: NDArray[np.int64]  # (C,) upper sum
    fifty: NDArray[np.bool_]  # (C,) whether the yatzy box is known to hold points

    def part(self, first: int, last: int) -> Places:
        """The cards from `first` to `last - 1`."""
        return Places._make(values[first:last] for values in self)


@dataclass
class Layer:
    """How likely an agent is to come to each card with equally many filled boxes.

    Attributes:
        chance: (lanes, pools) float64 chance of each card; the pool is always 0 without saved throws.
        rows: (lanes, width) float64 chance of each card together with each score so far, None where they are not asked.
        span: (lanes, 2) int64 where in a row the first score begins and the last ends, None where they are not asked.
    """

    chance: NDArray[np.float64]
    rows: NDArray[np.float64] | None = None
    span: NDArray[np.int64] | None = None


def lay_out_cards(tables: Tables, merged: bool) -> Cards:
    """Finds all cards of a ruleset of one column.

    Args:
        tables: the compiled ruleset.
        merged: whether upper sums that the observation shows alike share a lane.

    Returns:
        The cards. Their layout may hold lanes that no game can reach.
    """
    cards = lay_out(tables)
    if merged:
        return cards
    card, layout = tables.card, cards.layout
    low = np.zeros_like(layout.low)
    high = _most_upper(card)
    lanes = (high - low + 1)[cards.states & card.upper_boxes]
    first = np.full_like(layout.first, -1)
    first[cards.states] = np.cumsum(lanes) - lanes
    return cards._replace(layout=Layout(layout.fifty_bit, first, low, high, layout.earned, int(lanes.sum())))


def _most_upper(card: CardRules) -> NDArray[np.int64]:
    """(U,) the largest sum of every set of filled upper boxes."""
    everything = open_upper_points(card, 0, 0)
    return np.array(
        [everything - open_upper_points(card, filled, 0) for filled in range(card.upper_boxes + 1)], np.int64
    )


def pools_of(tables: Tables, turn: int) -> int:
    """How many sizes the pool of saved throws can have after `turn` turns."""
    return 1 + (tables.throws - 1) * turn if tables.saved_throws else 1


def layer_states(cards: Cards, boxes: int, turn: int) -> NDArray[np.int64]:
    """The states with `turn` filled boxes of `boxes`, in the order of their lanes."""
    return cards.states[cards.turns[boxes - turn] : cards.turns[boxes - turn + 1]]


def layer_start(cards: Cards, boxes: int, turn: int) -> int:
    """Where in the layout a layer begins; for `turn` = -1 where the last one ends."""
    return int(cards.layout.first[layer_states(cards, boxes, turn)[0]]) if turn >= 0 else cards.layout.size


def layer_lanes(cards: Cards, boxes: int, turn: int) -> int:
    """How many lanes a layer has."""
    return layer_start(cards, boxes, turn - 1) - layer_start(cards, boxes, turn)


def row_width(tables: Tables, turn: int) -> int:
    """How many scores are possible after `turn` turns: 0 to the best of that many boxes, all bonuses included."""
    card = tables.card
    best = int(np.sort(tables.most)[::-1][:turn].sum())
    return best + card.bonus_points * int(card.multiplier[0]) + card.extra_yatzy_bonus * turn + 1


def rows_fit(tables: Tables, cards: Cards) -> bool:
    """Whether the distribution of the score is followed: no saved throws, and two layers fit in memory."""
    boxes = tables.card.boxes
    sizes = [8 * row_width(tables, turn) * layer_lanes(cards, boxes, turn) for turn in range(boxes + 1)]
    return not tables.saved_throws and max(one + next_one for one, next_one in pairwise(sizes)) <= MOST_ROWS


def new_layer(tables: Tables, cards: Cards, turn: int, with_rows: bool) -> Layer:
    """A layer in which no card has been reached."""
    lanes = layer_lanes(cards, tables.card.boxes, turn)
    chance = np.zeros((lanes, pools_of(tables, turn)))
    if not with_rows:
        return Layer(chance)
    width = row_width(tables, turn)
    span = np.zeros((lanes, 2), np.int64)
    span[:, 0] = width
    return Layer(chance, np.zeros((lanes, width)), span)


def first_layer(tables: Tables, cards: Cards, with_rows: bool) -> Layer:
    """The layer of the empty card, on which every game begins with no points."""
    layer = new_layer(tables, cards, 0, with_rows)
    layer.chance[0, 0] = 1.0
    if layer.rows is not None and layer.span is not None:
        layer.rows[0, 0] = 1.0
        layer.span[0] = (0, 1)
    return layer


def reached(tables: Tables, cards: Cards, turn: int, layer: Layer) -> Places:
    """The cards of a layer that have been reached, in the order of their lanes."""
    boxes = tables.card.boxes
    lane = np.flatnonzero(layer.chance.any(axis=1))
    states = layer_states(cards, boxes, turn)
    starts = cards.layout.first[states] - layer_start(cards, boxes, turn)
    state = np.searchsorted(starts, lane, side="right") - 1
    filled = states[state] & tables.card.all_boxes
    upper = cards.layout.low[filled & tables.card.upper_boxes] + lane - starts[state]
    return Places(lane, filled, upper, (states[state] & cards.layout.fifty_bit) != 0)


def pieces(first: int, last: int, piece: int) -> Iterator[tuple[int, int]]:
    """Consecutive ranges that cover `first` to `last - 1`."""
    for start in range(first, last, piece):
        yield start, min(start + piece, last)
