"""The values of all score cards of a ruleset, asked of a network once and looked up from then on.

A policy is taught by millions of planned turns. Where there are few enough cards it is quicker to value all of them
beforehand than those of every turn.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.values.network import ValueNetwork
from yatzy_env.evaluation.exact_cards import lanes_by_turn, layer_start, places_of
from yatzy_env.solver.layout import find_values, lay_out
from yatzy_env.tables import compile_tables
from yatzy_env.turn import Cards, Ends

_CARDS = 1 << 16  # cards valued at once
_MOST = 64_000_000  # cards that a table is made for: 256 MB


def has_table(network: ValueNetwork) -> bool:
    """Whether the cards of the network's ruleset are few enough for a table: one column, no saved throws."""
    rules = network.rules
    if len(rules.columns) > 1 or rules.saved_throws:
        return False
    return lay_out(compile_tables(rules)).layout.size <= _MOST


class ValueTable:
    """A value network's answers for every card that can be reached."""

    def __init__(self, network: ValueNetwork) -> None:
        """Values all cards, which takes seconds for a million.

        Args:
            network: a network of a ruleset that `has_table` allows.
        """
        self._tables = compile_tables(network.rules)
        cards = lay_out(self._tables)
        self._layout = cards.layout
        self._values = np.zeros(cards.layout.size, np.float32)
        for turn, lanes in enumerate(lanes_by_turn(cards)[:-1]):
            start = layer_start(cards, turn)
            for lane in range(0, lanes, _CARDS):
                places = places_of(self._tables, cards, turn, np.arange(lane, min(lane + _CARDS, lanes)))
                some = Cards(places.filled, places.upper[:, None], places.yatzy_scored, np.zeros_like(places.lane))
                self._values[start + places.lane] = network.card_values(some)

    def end_values(self, ends: Ends) -> NDArray[np.float64]:
        """(rows,) float64 what the ends of turns are worth: the points gained and those still to come."""
        after = ends.after
        place = find_values(self._tables, self._layout, after.filled, after.upper[:, 0], after.yatzy_scored)
        values: NDArray[np.float64] = self._values[place].astype(np.float64)
        return values + ends.gain
