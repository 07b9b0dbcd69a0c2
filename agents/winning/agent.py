# mypy: disallow-untyped-defs=False
r"""The agent that plays for the win: it sees both cards and the lead. Needs numpy and numba alone.

A turn of ours ends with a lead $d$, our total minus theirs, and two cards that still bring $X$ and $Y$ points. If both
go on playing for points, the chance of winning is $P(d + X > Y)$, draws counted half. The agent plans its turn so that
this chance, with a little for points added, is largest: one step of policy improvement on play for points.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.errors import ModelError
from agents.winning.rests import RestNetwork
from yatzy_env.errors import YatzyError
from yatzy_env.kernel import kernel
from yatzy_env.rules import Ruleset
from yatzy_env.situation import Situations
from yatzy_env.tables import compile_tables
from yatzy_env.turn import Cards, TurnPlans, cards_of, list_ends, plan_turns

POINT = 1e-3
"""Chance of winning that a point is worth by itself: where a game is as good as decided, it is played for points."""


class Positions(NamedTuple):
    """n positions of games for two, our turn."""

    own: Cards  # our cards
    other: Cards  # the opponents' cards
    lead: NDArray[np.int64]  # (n,) our total minus the opponent's


class WinningAgent:
    """Plans every turn so that the chance of winning against one opponent who plays for points is largest."""

    def __init__(self, rules: Ruleset, network: RestNetwork, name: str = "win", point: float = POINT) -> None:
        """Checks that the network fits the rules.

        Args:
            rules: the ruleset to play.
            network: what cards still bring.
            name: what the agent is called.
            point: the chance of winning that a point is worth by itself.

        Raises:
            ModelError: if the network was trained for other rules.
            YatzyError: if the rules have several columns or saved throws.
        """
        check_rules(rules)
        own = network.values.rules
        if own.digest != rules.digest:
            raise ModelError(f"the model was trained for ruleset {own.name!r} and does not fit {rules.name!r}")
        self.name, self.network, self.point = name, network, point
        self.tables = compile_tables(rules)

    def act(self, situations: Situations, others: Situations, lead: NDArray[np.int64]) -> NDArray[np.int64]:
        """Chooses a legal action for every situation.

        Args:
            situations: n situations, dice on the table.
            others: the n cards of the opponents, who move next; their dice are not looked at.
            lead: (n,) own total minus the opponent's, before this turn.

        Returns:
            (n,) int64 action indices.
        """
        own, other = (cards_of(self.tables, some) for some in (situations, others))
        return self.plan(Positions(own, other, lead)).choose(situations)

    def plan(self, positions: Positions) -> TurnPlans:
        """Plans n turns, our cards not full."""
        ends = list_ends(self.tables, positions.own)
        means, rests = self.network.card_rests(ends.after)
        _, others = self.network.card_rests(positions.other)
        values = win_chances(positions.lead[ends.turn] + ends.gain, rests, others, ends.turn)
        values += self.point * (ends.gain + means)
        return plan_turns(self.tables, ends, values, tie=0.0)  # where a game is as good as won, chances differ by less


def check_rules(rules: Ruleset) -> None:
    """Checks that rules can be played for the win.

    Raises:
        YatzyError: if they have several columns or saved throws.
    """
    if len(rules.columns) > 1 or rules.saved_throws:
        raise YatzyError(f"ruleset {rules.name!r}: play for the win knows one column without saved throws alone")


def win_chances(
    lead: NDArray[np.int64], rests: NDArray[np.float64], others: NDArray[np.float64], turn: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The chances of winning, half a draw included.

    Args:
        lead: (rows,) our totals minus the opponents'.
        rests: (rows, SLICES) what our cards still bring, as slices of equal chance.
        others: (n, SLICES) what the opponents' cards still bring.
        turn: (rows,) which opponent each row is against, ascending.

    Returns:
        (rows,) float64.
    """
    chances = np.empty(len(lead))
    below = np.zeros(3 * int(others.max(initial=0)) // 2 + 3)  # the highest slice is spread upwards, by half at most
    _win_chances(lead, rests, others, turn, below, chances)
    return chances


@kernel
def _win_chances(lead, rests, others, turn, below, chances):
    """`below` is working memory: the chance that the opponent makes less than 0, 1, 2, ... points, half equality."""
    slices = rests.shape[1]
    last = -1
    for row in range(lead.shape[0]):
        if turn[row] != last:
            last = turn[row]
            _spread_slices(others[last], below)
        total = 0.0
        for index in range(slices):
            points = lead[row] + rests[row, index]
            if points >= below.shape[0] - 1:
                total += 1.0
            elif points >= 0:
                whole = int(points)
                total += below[whole] + (points - whole) * (below[whole + 1] - below[whole])
        chances[row] = total / slices


@kernel
def _spread_slices(points, below):
    """Spreads every slice evenly over the way to its neighbours' middle, half a point at least, and adds them up."""
    slices = points.shape[0]
    below[:] = 0.0
    for index in range(slices):
        first, end = max(index - 1, 0), min(index + 1, slices - 1)
        half = max((points[end] - points[first]) / (2 * (end - first)), 0.5)
        for whole in range(max(int(points[index] - half), 0), below.shape[0]):
            share = (whole - points[index] + half) / (2 * half)
            if share >= 1:
                below[whole:] += 1.0 / slices
                break
            below[whole] += max(share, 0.0) / slices
