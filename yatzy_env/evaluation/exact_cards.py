"""The cards an agent can reach, layer by layer.

A layer holds all cards with equally many filled boxes: a lane per state and upper sum, as the solver lays them out, and
under saved throws a cell per lane and size of the pool. Upper sums that every observation shows alike (the bonus is
secured, or out of reach) share a lane if the agent declares that it makes no difference between them; otherwise each
sum has its own.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy_env.card import open_upper_points
from yatzy_env.solver.layout import Cards, lay_out
from yatzy_env.tables import Tables

MOST_ROWS = 4 << 30
"""Bytes that the score distributions of two layers may take; beyond it only the expected score is computed."""


class Places(NamedTuple):
    """C cards of one layer."""

    lane: NDArray[np.int64]  # (C,) lane within the layer
    filled: NDArray[np.int64]  # (C,) bits of the filled boxes
    upper: NDArray[np.int64]  # (C,) upper sum
    yatzy_scored: NDArray[np.bool_]  # (C,) whether the yatzy box is known to hold points

    def part(self, first: int, last: int) -> Places:
        """The cards from `first` to `last - 1`."""
        return Places._make(values[first:last] for values in self)


class Layer(NamedTuple):
    """How likely an agent is to come to each card with equally many filled boxes.

    Where scores are not followed there are no rows.
    """

    chance: NDArray[np.float64]  # (lanes, pools) of each card; the pool is always 0 without saved throws
    rows: NDArray[np.float64]  # (lanes, width) of each card together with each score so far
    span: NDArray[np.int64]  # (lanes, 2) where in a row the first score begins and the last ends


def lay_out_cards(tables: Tables, merged: bool) -> Cards:
    """Finds all cards of a ruleset of one column.

    Args:
        tables: the compiled ruleset.
        merged: whether upper sums that the observation shows alike share a lane.

    Returns:
        The cards. Their layout may hold lanes that no game can reach.
    """
    cards = lay_out(tables)
    if merged and not tables.saved_throws:
        return cards
    card, layout = tables.card, cards.layout
    low, high = layout.low, layout.high
    if not merged:
        every = [open_upper_points(card, filled, 0) for filled in range(card.upper_boxes + 1)]
        low, high = np.zeros_like(low), every[0] - np.array(every, np.int64)
    lanes = (high - low + 1)[cards.states & card.upper_boxes]
    first = np.full_like(layout.first, -1)
    first[cards.states] = np.cumsum(lanes) - lanes
    return cards._replace(layout=layout._replace(first=first, low=low, high=high, size=int(lanes.sum())))


def pools_of(tables: Tables, turn: int) -> int:
    """How many sizes the pool of saved throws can have after `turn` turns."""
    return 1 + (tables.throws - 1) * turn if tables.saved_throws else 1


def layer_start(cards: Cards, turn: int) -> int:
    """Where in the layout the layer after `turn` turns begins; for -1 where the first one ends."""
    return int(cards.starts[-2 - turn])


def lanes_by_turn(cards: Cards) -> list[int]:
    """How many lanes the layer after each number of turns has."""
    return np.diff(cards.starts)[::-1].tolist()


def row_width(tables: Tables, turn: int) -> int:
    """How many scores are possible after `turn` turns: 0 to the best of that many boxes, all bonuses included."""
    card = tables.card
    best = int(np.sort(tables.most)[::-1][:turn].sum())
    return best + card.bonus_points * int(card.multiplier[0]) + card.extra_yatzy_bonus * turn + 1


def rows_fit(tables: Tables, cards: Cards) -> bool:
    """Whether the distribution of the score is followed: no saved throws, and two layers fit in memory."""
    sizes = [8 * row_width(tables, turn) * lanes for turn, lanes in enumerate(lanes_by_turn(cards))]
    return not tables.saved_throws and max(one + next_one for one, next_one in pairwise(sizes)) <= MOST_ROWS


def new_layer(tables: Tables, cards: Cards, turn: int, with_rows: bool) -> Layer:
    """A layer in which no card has been reached."""
    lanes, width = lanes_by_turn(cards)[turn], row_width(tables, turn)
    rows = np.zeros((lanes, width) if with_rows else (0, 0))
    return Layer(np.zeros((lanes, pools_of(tables, turn))), rows, np.tile(np.array([width, 0]), (len(rows), 1)))


def first_layer(tables: Tables, cards: Cards, with_rows: bool) -> Layer:
    """The layer of the empty card, on which every game begins with no points."""
    layer = new_layer(tables, cards, 0, with_rows)
    layer.chance[0, 0] = 1.0
    layer.rows[:1, :1] = 1.0
    layer.span[:1] = (0, 1)
    return layer


def places_of(tables: Tables, cards: Cards, turn: int, lane: NDArray[np.int64]) -> Places:
    """The cards that stand in some lanes of a layer."""
    states = cards.layers[-1 - turn]
    starts = cards.layout.first[states] - layer_start(cards, turn)
    state = np.searchsorted(starts, lane, side="right") - 1
    filled = states[state] & tables.card.all_boxes
    upper = cards.layout.low[filled & tables.card.upper_boxes] + lane - starts[state]
    return Places(lane, filled, upper, (states[state] & cards.layout.scored_bit) != 0)


def reached(tables: Tables, cards: Cards, turn: int, layer: Layer) -> Places:
    """The cards of a layer that have been reached, in the order of their lanes."""
    return places_of(tables, cards, turn, np.flatnonzero(layer.chance.any(axis=1)))
