# mypy: disallow-untyped-defs=False
r"""How the points still to come are distributed, by the judgement of two networks.

The value network of the ruleset says how many points a card will still bring on the mean if it is played for points. A
second network says how they are spread around it: the means of 32 slices of equal chance, worst to best. It is fitted
to what the planner's own play makes of it, one turn at a time: an end of the turn with chance $p$ and $g$ points brings
the slices of the card after, $g$ higher, with weight $p$.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.errors import ModelError
from agents.training.networks import Layers, read_networks, write_networks
from agents.values.cards import merge_cards
from agents.values.network import ValueNetwork, rules_of, run_on_cards
from yatzy_env.kernel import kernel
from yatzy_env.tables import compile_tables
from yatzy_env.turn import Cards, list_ends, plan_turns

FILE = "networks.npz"
"""The file of a model that plays for the win; not `values.npz`, which holds a value network alone."""

SLICES = 32
"""Slices of equal chance that a distribution is told by."""

_FORMAT = 2  # 1 held a network for the chance of winning

Rests = tuple[NDArray[np.float64], NDArray[np.float64]]
"""The points still to come of n cards: (n,) their means, (n, SLICES) the means of their slices, worst first."""


@dataclass(frozen=True, eq=False)
class RestNetwork:
    """What cards still bring.

    Attributes:
        values: the mean.
        layers: how the slices lie around it; reads what the value network reads.
    """

    values: ValueNetwork
    layers: Layers

    def card_rests(self, cards: Cards) -> Rests:
        """The rests of n cards, alike in any company: 0 of a full one, worked out where one box is open."""
        rules = self.values.rules
        card = compile_tables(rules).card
        different, place = merge_cards(rules, cards)
        values, around = run_on_cards(rules, (self.values.layers, self.layers), different)
        means = values[:, 0]
        rests = np.maximum(means[:, None] + around, 0)
        last = np.bitwise_count(different.filled) == card.boxes - 1
        if last.any():
            means[last], rests[last] = self.planned_rests(different.take(last))
        return means[place], rests[place]

    def planned_rests(self, cards: Cards) -> Rests:
        """The rests of n cards by one turn, planned for points, and the rests after it."""
        rules = self.values.rules
        tables = compile_tables(rules)
        ends = list_ends(tables, cards)
        means, after = self.card_rests(ends.after)
        values = ends.gain + means
        plans = plan_turns(tables, ends, values, values)
        rests = np.empty((len(cards.filled), SLICES))
        _mix(ends.start, plans.chance, ends.gain, after, np.zeros(rules.max_score + 2), rests)
        return plans.mean, rests


@kernel
def _mix(start, chance, gain, after, histogram, rests):
    """Writes the slices of the mixture of each turn's ends; a point between two whole ones counts to both."""
    slices = rests.shape[1]
    most = histogram.shape[0] - 2
    for turn in range(rests.shape[0]):
        top = 0
        for row in range(start[turn], start[turn + 1]):
            share = chance[row] / slices
            for index in range(slices if share > 0 else 0):
                points = min(gain[row] + after[row, index], most)
                whole = int(points)
                histogram[whole] += share * (whole + 1 - points)
                histogram[whole + 1] += share * (points - whole)
                top = max(top, whole + 1)
        index, room, total = 0, 1.0 / slices, 0.0
        for points in range(top + 1):
            left = histogram[points]
            histogram[points] = 0
            while index < slices and (left >= room or points == top):
                total += room * points
                left -= room
                rests[turn, index] = total * slices
                index, room, total = index + 1, 1.0 / slices, 0.0
            room -= left
            total += left * points


def save_model(network: RestNetwork, path: Path) -> None:
    """Writes a model to an `.npz` file."""
    rules = network.values.rules
    about = {"kind": "win", "format": _FORMAT, "ruleset": rules.model_dump(mode="json"), "ruleset_digest": rules.digest}
    write_networks(path, about, {"values": network.values.layers, "rests": network.layers})


def read_model(path: Path) -> RestNetwork:
    """Reads a model, which knows its rules.

    Raises:
        ModelError: if the file is missing, damaged or of another kind.
    """
    about, networks = read_networks(path, ("values", "rests"), (_FORMAT,), kind="win")
    values = ValueNetwork(rules_of(about, path), networks["values"])
    rests = networks["rests"]
    if not rests or (rests[0][0].shape[1], len(rests[-1][1])) != (values.layers[0][0].shape[1], SLICES):
        raise ModelError(f"{path}: damaged, its networks do not fit together")
    return RestNetwork(values, rests)
