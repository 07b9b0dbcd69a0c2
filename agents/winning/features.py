# mypy: disallow-untyped-defs=False
r"""What the win network sees, and the chance of winning it makes of it.

A game for two stands with our card and our opponent's, the opponent to move, and a lead $d$ (our total minus theirs).
With $\mu, \sigma$ mean and spread of the points that either card still makes (`agents.winning.cards`), the margin is
expected to be $m = d + \mu_1 - \mu_2$ with spread $s = \sqrt{\sigma_1^2 + \sigma_2^2}$. Were points normally
distributed and both played for points, the chance would be $\Phi(m / s)$. The network sees both cards, the lead and
these figures, and corrects inside: the chance is $\Phi(m / s + f)$. Untrained, $f$ is 0.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.winning.cards import CardTable, card_input_size, card_inputs
from yatzy_env.kernel import kernel
from yatzy_env.rules import Ruleset

_FIGURES = 7
_FARTHEST = 6.0  # margins of more spreads than this look alike


class Positions(NamedTuple):
    """n positions of games for two, the opponent to move."""

    filled: NDArray[np.int64]  # (n,) our boxes
    upper: NDArray[np.int64]  # (n,) our upper sum
    other_filled: NDArray[np.int64]  # (n,) the opponent's boxes
    other_upper: NDArray[np.int64]  # (n,) the opponent's upper sum
    lead: NDArray[np.int64]  # (n,) our total minus the opponent's

    def take(self, index: NDArray[np.intp] | NDArray[np.bool_]) -> Positions:
        """Some of the positions."""
        return Positions(*(values[index] for values in self))


def input_size(rules: Ruleset) -> int:
    """Entries that the network sees of a position."""
    return 2 * card_input_size(rules) + _FIGURES


def win_inputs(
    rules: Ruleset, table: CardTable, positions: Positions
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """What the network sees of n positions in which not both cards are full.

    Returns:
        (n, F) inputs: our card, theirs, seven figures; (n,) margins in spreads; (n,) spreads in points. float32.
    """
    own = table.place(positions.filled, positions.upper)
    other = table.place(positions.other_filled, positions.other_upper)
    width = card_input_size(rules)
    inputs = np.empty((len(own), 2 * width + _FIGURES), np.float32)
    inputs[:, :width] = card_inputs(rules, positions.filled, positions.upper)
    inputs[:, width : 2 * width] = card_inputs(rules, positions.other_filled, positions.other_upper)
    ratio, spread = np.empty(len(own), np.float32), np.empty(len(own), np.float32)
    figures = [part[place] for part in (table.mean, table.spread) for place in (own, other)]
    _write_figures(*figures, positions.lead, inputs[:, 2 * width :], ratio, spread)
    return inputs, ratio, spread


def chances(ratio: NDArray[np.float32], correction: NDArray[np.float32]) -> NDArray[np.float64]:
    """(n,) chances of winning, from margins in spreads and what the network answers."""
    out = np.empty(len(ratio))
    _chances(ratio, correction, out)
    return out


@kernel(inline="always")
def _normal(x):
    """The chance that a standard normal variable is below x."""
    return 0.5 * math.erfc(-x * math.sqrt(0.5))


@kernel
def _chances(ratio, correction, out):
    for row in range(out.shape[0]):
        out[row] = _normal(np.float64(ratio[row]) + np.float64(correction[row]))


@kernel
def _write_figures(mean, other_mean, own_spread, other_spread, lead, out, ratio, spread):
    for row in range(out.shape[0]):
        margin = lead[row] + mean[row] - other_mean[row]
        spread[row] = math.sqrt(own_spread[row] ** 2 + other_spread[row] ** 2)
        ratio[row] = min(max(margin / spread[row], -_FARTHEST), _FARTHEST)
        out[row, 0] = mean[row] / 100.0
        out[row, 1] = other_mean[row] / 100.0
        out[row, 2] = own_spread[row] / 30.0
        out[row, 3] = other_spread[row] / 30.0
        out[row, 4] = ratio[row] / 2.0
        out[row, 5] = min(max(margin / 50.0, -3.0), 3.0)
        out[row, 6] = 2.0 * _normal(ratio[row]) - 1.0
