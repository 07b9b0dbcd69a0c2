"""The agent that plays for the win: it sees both cards and the lead. Needs numpy and numba alone."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from agents.training.networks import Layers, run_in_parts
from agents.winning.cards import CardTable, PointsPlayer, evaluate_cards
from agents.winning.features import Positions, chances, win_inputs
from agents.winning.network import Networks
from yatzy_env.rules import Ruleset
from yatzy_env.situation import Situations
from yatzy_env.turn import Ends, TurnPlans, plan_turns

_BATCH = 64  # turns whose ends are evaluated at once: so few that what they look like stays in the processor's cache


class WinningAgent:
    """Plans every turn so that the chance of winning against one opponent is largest.

    The opponent is taken to play for points. Cards that a turn can end with are evaluated by the win network; once our
    card is full, the rest is counted: a finished game exactly, an opponent's last turn by the chances of dice.
    """

    def __init__(self, rules: Ruleset, table: CardTable, network: Layers, name: str = "win") -> None:
        """Puts the agent together from the evaluation of cards in points and the win network.

        Raises:
            YatzyError: if it does not know cards of such rules.
        """
        self.name = name
        self.network = network
        self.points = PointsPlayer(rules, table)
        self.rules, self.table = rules, table
        self.tables = self.points.tables

    def act(self, situations: Situations, others: Situations, lead: NDArray[np.int64]) -> NDArray[np.int64]:
        """Chooses a legal action for every situation.

        Args:
            situations: n situations, dice on the table.
            others: the n cards of the opponents, who move next; their dice are not looked at.
            lead: (n,) own total minus the opponent's, before this turn.

        Returns:
            (n,) int64 action indices.
        """
        positions = Positions(situations.filled, situations.upper[:, 0], others.filled, others.upper[:, 0], lead)
        return self.plan(positions).choose(situations)

    def plan(self, positions: Positions) -> TurnPlans:
        """Plans n turns of ours, our card not full; the values are chances of winning, half a draw included."""
        ends = self.points.ends(positions.filled, positions.upper)
        after = self.positions_after(positions, ends)
        values = np.empty(len(ends.turn))
        for first, last in pairwise([*ends.start[:-1:_BATCH].tolist(), len(values)]):
            values[first:last] = self.values(after.take(np.arange(first, last)))
        return plan_turns(self.tables, ends, values, tie=0.0)  # where a game is as good as won, chances differ by less

    def with_noise(self, plans: TurnPlans, added: NDArray[np.float64]) -> TurnPlans:
        """Plans the same n turns with (n, B) numbers added to the chances by box."""
        box = plans.kinds.box[plans.ends.kind]
        return plan_turns(self.tables, plans.ends, plans.values + added[plans.ends.turn, box], tie=0.0)

    def positions_after(self, positions: Positions, ends: Ends) -> Positions:
        """The positions that the ends of turns lead to."""
        return Positions(
            ends.after.filled,
            ends.after.upper[:, 0],
            positions.other_filled[ends.turn],
            positions.other_upper[ends.turn],
            positions.lead[ends.turn] + ends.gain,
        )

    def values(self, positions: Positions) -> NDArray[np.float64]:
        """(n,) chances of winning, half a draw included, in positions in which the opponent is to move."""
        full = self.tables.card.all_boxes
        one_left = np.bitwise_count(full & ~positions.other_filled) == 1
        is_over = (positions.filled == full) & (positions.other_filled == full)
        is_last = (positions.filled == full) & one_left
        values = (1 + np.sign(positions.lead)) / 2
        evaluated = np.flatnonzero(~is_over & ~is_last)
        if len(evaluated):
            inputs, ratio, _ = win_inputs(self.rules, self.table, positions.take(evaluated))
            values[evaluated] = chances(ratio, run_in_parts(self.network, inputs)[:, 0])
        last = np.flatnonzero(is_last)
        if len(last):
            values[last] = self._last_turn(positions.take(last))
        return values

    def _last_turn(self, positions: Positions) -> NDArray[np.float64]:
        """The chances when the opponent plays one last turn for points."""
        ends = self.points.ends(positions.other_filled, positions.other_upper)
        results = (1 + np.sign(positions.lead[ends.turn] - ends.gain)) / 2
        return plan_turns(self.tables, ends, ends.gain, results, tie=0.0).other


def make_agent(rules: Ruleset, networks: Networks, name: str = "win") -> WinningAgent:
    """Makes an agent of a model.

    Raises:
        ModelError: if the model was trained for other rules.
    """
    networks.check(rules)
    return WinningAgent(rules, evaluate_cards(rules, networks.points), networks.win, name)
