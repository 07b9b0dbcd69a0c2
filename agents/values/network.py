"""A value network: from a score card between two turns to the points still to come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.errors import ModelError
from agents.training.networks import Layers, read_networks, run, write_networks
from agents.values.cards import card_inputs, merge_cards, write_inputs
from yatzy_env.errors import RulesetError
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.tables import compile_tables
from yatzy_env.turn import Cards, Ends

FILE = "values.npz"
"""The file of a value network in a run's checkpoint or a folder of `models/`."""

SCALE = 100.0
"""Points that the network's output counts in."""

_FORMAT = 1
_ROWS = 1024  # rows that go through the network at once: so few that its layers stay in the processor's cache
_UNIT = 64  # always multiplied so many at a time, zeros added: then a row's answer does not depend on the others


@dataclass(frozen=True, eq=False)
class ValueNetwork:
    """What score cards are worth by the judgement of a network.

    Attributes:
        rules: the ruleset it was trained for.
        layers: rectified layers over the inputs of a card (`agents.values.cards`); one output, in units of `SCALE`.
    """

    rules: Ruleset
    layers: Layers

    def __post_init__(self) -> None:
        """Checks that the layers fit the inputs of the ruleset's cards.

        Raises:
            ModelError: if they do not.
        """
        if not self.layers:
            raise ModelError(f"the value network of {self.rules.name!r} has no layers")
        wanted, found = card_inputs(self.rules).size, self.layers[0][0].shape[1]
        if (found, len(self.layers[-1][1])) != (wanted, 1):
            raise ModelError(
                f"a value network of {self.rules.name!r} reads {wanted} inputs and has one output, not {found}"
            )

    @property
    def weights(self) -> int:
        """How many weights and biases it has."""
        return sum(weight.size + bias.size for weight, bias in self.layers)

    def card_values(self, cards: Cards) -> NDArray[np.float64]:
        """(n,) float64 expected points still to come of n cards; 0 for a full one. Alike in any company."""
        different, place = merge_cards(self.rules, cards)
        (values,) = run_on_cards(self.rules, (self.layers,), different)
        return values[place, 0]

    def end_values(self, ends: Ends) -> NDArray[np.float64]:
        """(rows,) float64 what the ends of turns are worth: the points gained and those still to come."""
        return ends.gain + self.card_values(ends.after)


def run_on_cards(rules: Ruleset, networks: Sequence[Layers], cards: Cards) -> list[NDArray[np.float64]]:
    """What networks that read the inputs of cards answer.

    Args:
        rules: the ruleset.
        networks: rectified layers each, outputs in units of `SCALE`.
        cards: n cards.

    Returns:
        Of each network (n, outputs) float64 in points, 0 for full cards.
    """
    size = len(cards.filled)
    answers = [np.empty((size, len(layers[-1][1]))) for layers in networks]
    for start in range(0, size, _ROWS):
        inputs = write_inputs(rules, cards.take(slice(start, start + _ROWS)))
        rows = len(inputs)
        inputs = np.concatenate([inputs, np.zeros((-rows % _UNIT, inputs.shape[1]), np.float32)])
        inputs = inputs.reshape(-1, _UNIT, inputs.shape[1])
        for layers, answer in zip(networks, answers, strict=True):
            answer[start : start + rows] = run(layers, inputs).reshape(-1, answer.shape[1])[:rows]
    is_full = cards.filled == compile_tables(rules).card.all_boxes
    for answer in answers:
        answer *= SCALE
        answer[is_full] = 0
    return answers


def save_values(network: ValueNetwork, path: Path, rounds: int) -> None:
    """Writes a value network.

    Args:
        network: the network.
        path: the file.
        rounds: rounds of training behind it, for the record.
    """
    about = {
        "kind": "values",
        "format": _FORMAT,
        "ruleset": network.rules.model_dump(mode="json"),
        "ruleset_digest": network.rules.digest,
        "rounds": rounds,
    }
    write_networks(path, about, {"values": network.layers})


def read_values(path: Path) -> ValueNetwork:
    """Reads a value network, which knows its rules.

    Raises:
        ModelError: if the file is missing, damaged, of another kind, or of rules that are read differently today.
    """
    about, networks = read_networks(path, ("values",), (_FORMAT,), kind="values")
    return ValueNetwork(rules_of(about, path), networks["values"])


def rules_of(about: Mapping[str, Any], path: Path) -> Ruleset:
    """The rules that a file of networks says it was trained for.

    Raises:
        ModelError: if it does not say, or they are read differently today.
    """
    try:
        rules = ruleset(about["ruleset"])
    except (KeyError, RulesetError) as error:
        raise ModelError(f"{path}: damaged, it does not say which rules it was trained for ({error})") from error
    if rules.digest != about.get("ruleset_digest"):
        raise ModelError(f"{path}: damaged, its rules are not those it names")
    return rules
