"""A policy network: rates every keep and every end of a turn by the score card and the throws left.

The roll only selects. What a keep is worth depends on card, throws left and keep, not on the roll it was made from; a
box on card, throws left, box, points and the extra bonus paid. So the network reads the card and the throws left and
answers once for each of the K keeps and U kinds of ends (`yatzy_env.turn.EndKinds`); a roll says which are legal, and
which kind each box is. One pass serves every roll.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.training.ruled import RuledNetwork
from agents.training.shared import Keys
from agents.values.cards import input_keys, merge_cards, write_inputs
from yatzy_env.multisets import multisets
from yatzy_env.rules import Ruleset
from yatzy_env.tables import compile_tables
from yatzy_env.turn import Cards, end_kinds

FILE = "policy.npz"
"""The file of a policy network in a run's checkpoint or a folder of `models/`."""


def write_policy_inputs(rules: Ruleset, cards: Cards, throws_left: NDArray[np.int64]) -> NDArray[np.float32]:
    """What a policy network reads.

    Args:
        rules: the ruleset.
        cards: n cards of turns; their pool does not matter.
        throws_left: (n,) throws left in them.

    Returns:
        (n, inputs) float32: the card's inputs, where throws are saved with all throws left for a pool, then the throws
        left one-hot up to a turn's own.
    """
    shown = cards._replace(pool=throws_left if rules.saved_throws else np.zeros_like(throws_left))
    left = np.arange(rules.throws) == np.minimum(throws_left, rules.throws - 1)[:, None]
    return np.concatenate([write_inputs(rules, shown), left.astype(np.float32)], axis=1)


class PolicyNetwork(RuledNetwork):
    """How keeps and ends are rated, as logits: points divided by the temperature they were trained to."""

    KIND = "policy"

    @staticmethod
    def input_keys(rules: Ruleset) -> Keys:
        """The inputs of a card, and the throws left."""
        return [*input_keys(rules), *(("left", f"{left}") for left in range(rules.throws))]

    @staticmethod
    def output_keys(rules: Ruleset) -> Keys:
        """K keeps by their dice, then U kinds of ends by box, points and extra bonus."""
        kinds = end_kinds(compile_tables(rules))
        ends = zip(kinds.box.tolist(), kinds.points.tolist(), kinds.extra.tolist(), strict=True)
        return [
            *(("keep", *counts) for size in range(rules.dice) for counts in multisets(size)),
            *(("end", rules.box_names[box], points, extra) for box, points, extra in ends),
        ]

    def ratings(self, cards: Cards, throws_left: NDArray[np.int64]) -> NDArray[np.float32]:
        """(n, K + U) float32 logits of n cards with so many throws left; alike in any company."""
        different, place = merge_cards(self.rules, cards._replace(pool=throws_left))
        return self._answers(write_policy_inputs(self.rules, different, different.pool))[place]
