"""A policy network: rates every keep and every end of a turn by the score card and the throws left.

The roll only selects. What a keep is worth depends on card, throws left and keep, not on the roll it was made from; a
box on card, throws left, box, points and the extra bonus paid. So the network reads the card and the throws left and
answers once for each of the K keeps and U kinds of ends (`yatzy_env.turn.EndKinds`); a roll says which are legal, and
which kind each box is. One pass serves every roll.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.errors import ModelError
from agents.training.networks import Layers, read_networks, run, write_networks
from agents.values.cards import card_inputs, merge_cards, write_inputs
from yatzy_env.errors import RulesetError
from yatzy_env.files import sha256
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.tables import compile_tables
from yatzy_env.turn import Cards, end_kinds

FILE = "policy.npz"
"""The file of a policy network in a run's checkpoint or a folder of `models/`."""

_FORMAT = 1
_ROWS = 512  # rows that go through the network at once: so few that its layers stay in the processor's cache
_UNIT = 64  # they are filled up to a multiple of this: then a row's answer does not depend on the others


def input_size(rules: Ruleset) -> int:
    """Entries that a policy network reads."""
    return card_inputs(rules).size + rules.throws


def output_size(rules: Ruleset) -> int:
    """Answers that a policy network gives: K keeps, then U kinds of ends."""
    tables = compile_tables(rules)
    return tables.keeps + len(end_kinds(tables).box)


def write_policy_inputs(rules: Ruleset, cards: Cards, throws_left: NDArray[np.int64]) -> NDArray[np.float32]:
    """What a policy network reads.

    Args:
        rules: the ruleset.
        cards: n cards of turns; their pool does not matter.
        throws_left: (n,) throws left in them.

    Returns:
        (n, input_size) float32: the card's inputs, saved throws among the throws left, and the throws left one by one.
    """
    shown = cards._replace(pool=throws_left if compile_tables(rules).saved_throws else np.zeros_like(throws_left))
    left = np.arange(rules.throws) == np.minimum(throws_left, rules.throws - 1)[:, None]
    return np.concatenate([write_inputs(rules, shown), left.astype(np.float32)], axis=1)


@dataclass(frozen=True, eq=False)
class PolicyNetwork:
    """What keeps and ends are rated, as logits: points divided by the temperature they were trained to.

    Attributes:
        rules: the ruleset it was trained for.
        layers: rectified layers from `write_policy_inputs` to K + U outputs.
    """

    rules: Ruleset
    layers: Layers

    def __post_init__(self) -> None:
        """Checks that the layers fit the ruleset.

        Raises:
            ModelError: if they do not.
        """
        wanted = input_size(self.rules), output_size(self.rules)
        found = self.layers[0][0].shape[1], len(self.layers[-1][1])
        if found != wanted:
            raise ModelError(
                f"a policy network of {self.rules.name!r} has {wanted[0]} inputs and {wanted[1]} outputs, not "
                f"{found[0]} and {found[1]}"
            )

    @property
    def weights(self) -> int:
        """How many weights and biases it has."""
        return sum(weight.size + bias.size for weight, bias in self.layers)

    @cached_property
    def digest(self) -> str:
        """A SHA-256 over the network."""
        arrays = [array for layer in self.layers for array in layer]
        pieces = [(f"{array.shape}".encode(), array.astype("<f4", copy=False).tobytes()) for array in arrays]
        return sha256(b"policy", *(part for piece in pieces for part in piece))

    def ratings(self, cards: Cards, throws_left: NDArray[np.int64]) -> NDArray[np.float32]:
        """(n, K + U) float32 logits of n cards with so many throws left; alike in any company."""
        tables = compile_tables(self.rules)
        alike = cards._replace(pool=throws_left)  # a card with other throws left is another one
        different, place = merge_cards(self.rules, alike)
        out = np.empty((len(different.filled), output_size(self.rules)), np.float32)
        for start in range(0, len(out), _ROWS):
            some = different.take(slice(start, start + _ROWS))
            inputs = write_policy_inputs(self.rules, some, some.pool)
            rows = len(inputs)
            inputs = np.concatenate([inputs, np.zeros((-rows % _UNIT, inputs.shape[1]), np.float32)])
            out[start : start + rows] = run(self.layers, inputs)[:rows]
        return out[place]


def save_policy(network: PolicyNetwork, path: Path, rounds: int) -> None:
    """Writes a policy network and how many rounds of training are behind it."""
    about = {
        "kind": "policy",
        "format": _FORMAT,
        "ruleset": network.rules.model_dump(mode="json"),
        "ruleset_digest": network.rules.digest,
        "rounds": rounds,
    }
    write_networks(path, about, {"policy": network.layers})
