"""A value network: from a score card between two turns to the points still to come."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.training.ruled import RuledNetwork
from agents.training.shared import Keys
from agents.values.cards import input_keys, merge_cards, write_inputs
from yatzy_env.rules import Ruleset
from yatzy_env.tables import compile_tables
from yatzy_env.turn import Cards, Ends

FILE = "values.npz"
"""The file of a value network in a run's checkpoint or a folder of `models/`."""

SCALE = 100.0
"""Points that the network's output counts in."""


class ValueNetwork(RuledNetwork):
    """What score cards are worth by the judgement of a network: one output, in units of `SCALE`."""

    KIND = "values"

    @staticmethod
    def input_keys(rules: Ruleset) -> Keys:
        """The inputs of a card (`agents.values.cards`)."""
        return input_keys(rules)

    @staticmethod
    def output_keys(rules: Ruleset) -> Keys:
        """The points still to come."""
        return ["points"]

    def card_values(self, cards: Cards) -> NDArray[np.float64]:
        """(n,) float64 expected points still to come of n cards; 0 for a full one. Alike in any company."""
        different, place = merge_cards(self.rules, cards)
        values = self._answers(write_inputs(self.rules, different))[:, 0].astype(np.float64)
        values *= SCALE
        values[different.filled == compile_tables(self.rules).card.all_boxes] = 0
        return values[place]

    def end_values(self, ends: Ends) -> NDArray[np.float64]:
        """(rows,) float64 what the ends of turns are worth: the points gained and those still to come."""
        return ends.gain + self.card_values(ends.after)
