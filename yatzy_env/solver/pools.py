"""Saved throws: where the value of each card and pool stands.

Under saved throws a card between turns also has a pool, 0 to (throws - 1) x filled boxes. Cards with equally many
filled boxes are a layer, an array of its own: the states in the order of the layout, for each the pools from 0 on, for
each pool a lane per upper sum. So the values of a card after for one throw more are the next lanes in memory, and what
is known about rows of upper sums holds for every pool.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy_env.card import CardRules
from yatzy_env.games import turns_done
from yatzy_env.kernel import kernel
from yatzy_env.solver.layout import Cards, Layout, capped_sums, lane_sum, state_of
from yatzy_env.tables import Tables


class Pools(NamedTuple):
    """The layers as kernels read them. B = boxes."""

    spare: int  # throws a turn can save of its own
    start: NDArray[np.int64]  # (B + 1,) by filled boxes, where the layer begins in the layout, which has no pools
    numbers: NDArray[np.int64]  # (B + 1,) how many values the layer holds


def lay_out_pools(tables: Tables, cards: Cards) -> Pools:
    """Lays out the values of all cards and pools.

    Args:
        tables: the compiled ruleset.
        cards: its cards.

    Returns:
        The layers.
    """
    spare, starts = tables.throws - 1, cards.starts[::-1]  # by filled boxes, which come in the order of open ones
    pools = Pools(spare, starts[1:].copy(), -np.diff(starts) * (spare * np.arange(tables.card.boxes + 1) + 1))
    pools.start.flags.writeable = pools.numbers.flags.writeable = False
    return pools


def reachable_cards(card: CardRules, cards: Cards, pools: Pools) -> int:
    """How many cards can be reached: state, upper sum capped at the threshold, and pool. Any pool goes with any sum."""
    sums = capped_sums(card)
    return sum(
        int(sums[cards.layers[-1 - filled] & card.upper_boxes].sum()) * (pools.spare * filled + 1)
        for filled in range(card.boxes + 1)
    )


@kernel
def enter_layer(places, written, start, pools):
    """Turns places that `find_places` wrote into those of pool 0 in a layer of `pools` pools.

    Args:
        places: (B + 1, 3) int64, changed in place.
        written: the bits of the rows written.
        start: where the layer begins in the layout.
        pools: how many pools a card of the layer can have.
    """
    for row in range(places.shape[0]):
        if (written >> row) & 1:
            low = places[row, 1]
            places[row, 0] = (places[row, 0] + low - start) * pools - low


@kernel
def move_pool(places, written, count):
    """Moves the places of `enter_layer` on by `count` pools, or back."""
    for row in range(places.shape[0]):
        if (written >> row) & 1:
            places[row, 0] += count * (places[row, 2] - places[row, 1] + 1)


@kernel(nogil=True)
def _find_values(card, layout, pools, filled, upper, fifty, pool, out):
    """The kernel of `find_pool_values`."""
    for lane in range(out.shape[0]):
        out[lane] = -1
        if 0 <= filled[lane] <= card.all_boxes and not (fifty[lane] and layout.fifty_bit == 0):
            first = layout.first[state_of(layout, filled[lane], fifty[lane])]
            turns = turns_done(filled[lane])
            if first >= 0 and 0 <= pool[lane] <= pools.spare * turns:
                low = layout.low[filled[lane] & card.upper_boxes]
                lanes = layout.high[filled[lane] & card.upper_boxes] - low + 1
                start = (first - pools.start[turns]) * (pools.spare * turns + 1)
                out[lane] = start + pool[lane] * lanes + lane_sum(card, layout, filled[lane], upper[lane]) - low


def find_pool_values(
    tables: Tables,
    layout: Layout,
    pools: Pools,
    filled: NDArray[np.int64],
    upper: NDArray[np.int64],
    fifty: NDArray[np.bool_],
    pool: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Finds where the values of cards stand within their layers.

    Args:
        tables: the compiled ruleset.
        layout: its layout.
        pools: its layers.
        filled: (n,) bits of the filled boxes.
        upper: (n,) upper sums, counted on beyond the threshold.
        fifty: (n,) whether the yatzy box is known to hold points.
        pool: (n,) saved throws.

    Returns:
        (n,) int64 places, -1 for cards that cannot be reached.
    """
    out = np.empty(len(filled), np.int64)
    _find_values(tables.card, layout, pools, filled, upper, fifty, pool, out)
    return out
