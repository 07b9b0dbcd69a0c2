"""Where the value of each card stands: every state that can be reached, and the sums of the upper section within it.

A state is the filled boxes and, under an extra yatzy bonus, one more bit that says whether the yatzy box holds points.
Each reachable state owns consecutive numbers of one flat array, a lane per upper sum from `low` to `high`. All sums
that have reached the bonus threshold are one lane, the highest; all sums from which it is out of reach are one, the
lowest. Both depend on the filled upper boxes alone. Fewer filled boxes come later in the array, so that the backward
sweep writes it from front to back.

Under saved throws a card between turns also has a pool, 0 to (throws - 1) x filled boxes. A state then owns its lanes
once for each pool, from 0 on: the values of a card after for one throw more are the next lanes in memory. Cards with
equally many filled boxes, a layer of the array, are then a file of their own.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy_env.card import bonus_step, legal_boxes, open_upper_points, possible_sums, scored_after
from yatzy_env.games import turns_done
from yatzy_env.kernel import kernel
from yatzy_env.tables import Tables


class Layout(NamedTuple):
    """The layout as kernels read it. U = subsets of the upper boxes, T = bonus threshold."""

    scored_bit: int  # the bit of a state that says the yatzy box holds points; 0 where the rules do not ask
    spare: int  # throws a turn can save of its own
    first: NDArray[np.int64]  # (states,) where the state's numbers begin, -1 where it cannot be reached
    low: NDArray[np.int64]  # (U,) upper sum of the first lane
    high: NDArray[np.int64]  # (U,) upper sum of the last lane
    earned: NDArray[np.float64]  # (T + 1,) the bonus that has been earned with an upper sum
    size: int  # numbers in all


class Cards(NamedTuple):
    """All cards of a ruleset."""

    layout: Layout
    states: NDArray[np.int64]  # the reachable states, fullest first
    turns: NDArray[np.int64]  # (B + 2,) states with b open boxes are states[turns[b] : turns[b + 1]]
    reachable: int  # reachable cards: state, pool, and upper sum capped at the threshold; any pool goes with any sum

    @property
    def layers(self) -> list[NDArray[np.int64]]:
        """The states by open boxes, 0 to B."""
        return [self.states[begin:end] for begin, end in pairwise(self.turns.tolist())]

    @property
    def open_states(self) -> int:
        """How many states have an open box: the work of a sweep."""
        return len(self.states) - int(self.turns[1])

    @property
    def starts(self) -> NDArray[np.int64]:
        """(B + 2,) numbers of cards with b open boxes are starts[b] to starts[b + 1]."""
        return np.append(self.layout.first[self.states[self.turns[:-1]]], self.layout.size)

    @property
    def numbers(self) -> list[int]:
        """How many numbers each layer has, by filled boxes, 0 to B."""
        return [int(number) for number in np.diff(self.starts)[::-1]]

    @property
    def full_bonus(self) -> NDArray[np.float64]:
        """(n,) the bonus that each full card has earned, in the order of the layout, without saved throws."""
        low, high, earned = self.layout.low, self.layout.high, self.layout.earned
        filled = self.layers[0] & (len(low) - 1)
        return np.concatenate([earned[low[boxes] : high[boxes] + 1] for boxes in filled])


@kernel
def split_state(card, layout, state):
    """The filled boxes of a state, and whether its yatzy box is known to hold points."""
    return state & card.all_boxes, (state & layout.scored_bit) != 0


@kernel
def state_of(layout, filled, yatzy_scored):
    """The state of a card."""
    return filled | layout.scored_bit if yatzy_scored else filled


@kernel
def lane_sum(card, layout, filled, upper):
    """The upper sum of the lane that stands for `upper`."""
    upper_filled = filled & card.upper_boxes
    return min(max(upper, layout.low[upper_filled]), layout.high[upper_filled])


@kernel
def _find_states(card, scored_bit, most, reached):
    """Marks every state that can be reached; filling a box only ever leads to a larger number."""
    reached[0] = True
    for state in range(reached.shape[0]):
        if not reached[state]:
            continue
        filled = state & card.all_boxes
        yatzy_scored = (state & scored_bit) != 0
        seen = np.int64(0)  # boxes that lead to one state whatever the dice
        for alike in range(7):
            legal = legal_boxes(card, filled, alike) & ~seen
            seen |= legal & ~card.yatzy_boxes
            for box in range(card.boxes if legal != 0 else 0):
                if (legal >> box) & 1:
                    after = filled | (1 << box)
                    if scored_after(card, yatzy_scored, box, most[alike, box]):
                        after |= scored_bit
                    reached[after] = True


@kernel
def _find_sums(card, low, high, earned):
    """Sets the sums that matter for each set of filled upper boxes, and the bonus each sum has earned."""
    top = open_upper_points(card, 0, 0)
    for filled in range(low.shape[0]):
        still = open_upper_points(card, filled, 0)
        high[filled] = min(card.bonus_threshold, top - still)
        low[filled] = max(0, card.bonus_threshold - still - 1)
    for upper in range(earned.shape[0]):
        # The bonus of any first upper box that pays so much; sheets without a bonus need no upper box.
        earned[upper] = bonus_step(card, 0, upper, 0) if card.bonus_threshold > 0 else 0


def lay_out(tables: Tables) -> Cards:
    """Finds all cards of a ruleset of one column and gives each its place.

    Args:
        tables: the compiled ruleset.

    Returns:
        The cards.
    """
    card = tables.card
    follows_scored = card.extra_yatzy_bonus > 0
    scored_bit = 1 << card.boxes if follows_scored else 0
    reached = np.zeros(1 << (card.boxes + follows_scored), np.bool_)
    # Only yatzy boxes lead to different states with and without points, and they pay for dice all alike and no others.
    most = np.array([tables.points[0][:, tables.alike == alike].max(axis=1) for alike in range(7)])
    _find_states(card, scored_bit, most, reached)

    low = np.zeros(card.upper_boxes + 1, np.int64)
    high = np.zeros_like(low)
    earned = np.zeros(card.bonus_threshold + 1)
    _find_sums(card, low, high, earned)

    states = np.flatnonzero(reached)
    still_open = card.boxes - np.bitwise_count(states & card.all_boxes).astype(np.int64)
    order = np.argsort(still_open, kind="stable")
    states, still_open = states[order], still_open[order]
    spare = tables.throws - 1 if tables.saved_throws else 0
    pools = spare * (card.boxes - still_open) + 1
    lanes = (high - low + 1)[states & card.upper_boxes] * pools
    first = np.full(len(reached), -1, np.int64)
    first[states] = np.cumsum(lanes) - lanes
    sums = np.array(
        [
            len({min(total, card.bonus_threshold) for total in possible_sums(card, filled, 0)})
            for filled in range(len(low))
        ]
    )
    layout = Layout(scored_bit, spare, first, low, high, earned, int(lanes.sum()))
    for array in layout:
        if isinstance(array, np.ndarray):
            array.flags.writeable = False
    turns = np.searchsorted(still_open, np.arange(card.boxes + 2))
    return Cards(layout, states, turns, int((sums[states & card.upper_boxes] * pools).sum()))


@kernel(nogil=True)
def _find_values(card, layout, filled, upper, yatzy_scored, pool, out):
    """The kernel of `find_values`."""
    for at in range(out.shape[0]):
        out[at] = -1
        if 0 <= filled[at] <= card.all_boxes and not (yatzy_scored[at] and layout.scored_bit == 0):
            first = layout.first[state_of(layout, filled[at], yatzy_scored[at])]
            if first >= 0 and 0 <= pool[at] <= layout.spare * turns_done(filled[at]):
                upper_filled = filled[at] & card.upper_boxes
                lanes = layout.high[upper_filled] - layout.low[upper_filled] + 1
                lane = lane_sum(card, layout, filled[at], upper[at]) - layout.low[upper_filled]
                out[at] = first + pool[at] * lanes + lane


def find_values(
    tables: Tables,
    layout: Layout,
    filled: NDArray[np.int64],
    upper: NDArray[np.int64],
    yatzy_scored: NDArray[np.bool_],
    pool: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """Finds where the values of cards stand.

    Args:
        tables: the compiled ruleset.
        layout: its layout.
        filled: (n,) bits of the filled boxes.
        upper: (n,) upper sums, counted on beyond the threshold.
        yatzy_scored: (n,) whether the yatzy box is known to hold points.
        pool: (n,) saved throws, none if not given.

    Returns:
        (n,) int64 places, -1 for cards that cannot be reached.
    """
    out = np.empty(len(filled), np.int64)
    pool = np.zeros(len(filled), np.int64) if pool is None else pool
    _find_values(tables.card, layout, filled, np.ascontiguousarray(upper), yatzy_scored, pool, out)
    return out
