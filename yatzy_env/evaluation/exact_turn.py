# mypy: disallow-untyped-defs=False
"""One turn of a deterministic agent, from many cards at once: which situations arise, what it does, how the turn ends.

Chances flow forward. The first roll of a card has the card's chance times that of the roll; from a roll they go where
the agent's action sends them: to a keep, and from there, one die at a time, a sixth to each multiset with one die more,
or to the kind of end that the filled box makes. Only situations with a positive chance are shown to the agent.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy_env.agent import Agent, checked_actions, illegal_action
from yatzy_env.card import bonus_step, is_joker, scored_after
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.exact_cards import Places
from yatzy_env.games import is_legal
from yatzy_env.kernel import kernel
from yatzy_env.native import borrow
from yatzy_env.rules import Ruleset
from yatzy_env.simd import LANES
from yatzy_env.situation import Situations, single
from yatzy_env.solver.layout import lane_sum, state_of
from yatzy_env.tables import Tables
from yatzy_env.turn import EndKinds, flow_throw, plan_turn


@kernel(nogil=True)
def _settle(tables, kinds, now, cell, actions, chance, following, out):
    """Sends the chance of every situation where its action leads; returns the first with an illegal action, or -1."""
    tables, kinds, now = borrow(tables), borrow(kinds), borrow(now)
    keeps = tables.keeps
    for index in range(actions.shape[0]):
        action, row, roll = actions[index], cell[index], now.roll[index]
        if action < 0 or action >= tables.actions or not is_legal(tables, now, index, action):
            return index
        block, lane = row // LANES, row % LANES
        mass = chance[block, keeps + roll, lane]
        if action < keeps:
            following[block, action, lane] += mass
        else:
            joker = 1 if is_joker(tables.card, now.filled[index], tables.alike[roll]) else 0
            scored = 1 if now.yatzy_scored[index] else 0
            out[row, kinds.of[scored, joker, action - keeps, roll]] += mass
    return -1


@kernel
def pass_on(card, layout, kinds, start, places, out, here, there):
    """Sends the chances of how turns end to the cards of the next layer.

    Args:
        card: the score card of the ruleset.
        layout: where its cards stand.
        kinds: the ends it knows.
        start: where in the layout the next layer begins.
        places: (C,) cards.
        out: (C, pools, U) chance of each kind of end, by the pool that is left.
        here: the layer of the cards.
        there: the next layer, which is added to.

    Returns:
        The points these turns bring and the chance that they write points in the yatzy box, each times the cards'
        chances.
    """
    card, layout, kinds, places = borrow(card), borrow(layout), borrow(kinds), borrow(places)
    here, there = borrow(here), borrow(there)
    expected, yatzy = 0.0, 0.0
    for row in range(out.shape[0]):
        lane, filled, yatzy_scored, upper = (
            places.lane[row],
            places.filled[row],
            places.yatzy_scored[row],
            places.upper[row],
        )
        whole = here.chance[lane].sum()
        for pool in range(out.shape[1]):
            for kind in range(out.shape[2]):
                mass = out[row, pool, kind]
                if mass == 0:
                    continue
                box, points = kinds.box[kind], kinds.points[kind]
                gained = points * card.multiplier[0] + bonus_step(card, box, points, upper) + kinds.extra[kind]
                filled_after = filled | (np.int64(1) << box)
                upper_after = upper + (points if card.face[box] != 0 else 0)
                upper_after = lane_sum(card, layout, filled_after, upper_after)
                state = state_of(layout, filled_after, scored_after(card, yatzy_scored, box, points))
                low = layout.low[filled_after & card.upper_boxes]
                to = layout.first[state] - start + upper_after - low
                there.chance[to, pool] += mass
                expected += mass * gained
                if (card.yatzy_boxes >> box) & 1 == 1 and points > 0:
                    yatzy += mass
                if here.rows.shape[0] > 0:
                    share = mass / whole
                    begin, end = here.span[lane, 0], here.span[lane, 1]
                    for score in range(begin, end):
                        there.rows[to, score + gained] += share * here.rows[lane, score]
                    there.span[to, 0] = min(there.span[to, 0], begin + gained)
                    there.span[to, 1] = max(there.span[to, 1], end + gained)
    return expected, yatzy


class Played(NamedTuple):
    """How turns from C cards end. U kinds of ends."""

    out: NDArray[np.float64]  # (C, pools after, U) chance of each kind, by the pool that is left
    situations: int  # how many situations the agent was asked about
    seconds: float  # how long it took to choose


@dataclass(frozen=True)
class Player:
    """A deterministic agent that plays turns.

    Attributes:
        agent: the agent.
        name: what it is called in errors.
        rules: the ruleset.
        tables: its tables.
        kinds: the ends it knows.
    """

    agent: Agent
    name: str
    rules: Ruleset
    tables: Tables
    kinds: EndKinds

    def play(self, places: Places, chance: NDArray[np.float64]) -> Played:
        """Plays the turns that begin with some cards.

        Args:
            places: (C,) cards of one layer.
            chance: (C, pools) chance of each card, by the pool of saved throws it comes with.

        Returns:
            How they end.

        Raises:
            IllegalActionError: if the agent plays an illegal action; it names agent, action and situation.
        """
        tables = self.tables
        most = tables.throws - 1 + chance.shape[1] - 1
        add, count = plan_turn(tables).add, len(places.lane)
        out = np.zeros((count, most + 1 if tables.saved_throws else 1, len(self.kinds.box)))
        now = np.zeros((-(-count // LANES), len(tables.size), LANES))
        situations, seconds = 0, 0.0
        for left in range(most, -1, -1):
            if left >= tables.throws - 1:  # turns with so many throws begin here
                begins = np.zeros((len(now), LANES))
                begins.ravel()[:count] = chance[:, left - tables.throws + 1]
                now[:, tables.keeps :] += begins[:, None] * tables.probability[:, None]
            following = np.zeros_like(now)
            cell, roll = np.nonzero(now[:, tables.keeps :].transpose(0, 2, 1).reshape(-1, tables.rolls))
            if len(cell):
                seen = _situations(places, cell, roll, left)
                start = time.perf_counter()
                actions = self.ask(seen.copy())
                seconds += time.perf_counter() - start
                situations += len(cell)
                into = out[:, left if tables.saved_throws else 0]
                wrong = _settle(tables, self.kinds, seen, cell, actions, now, following, into)
                if wrong >= 0:
                    raise illegal_action(self.rules, self.name, int(actions[wrong]), single(tables, seen, wrong))
                for block in following:
                    flow_throw(add, block.ravel())
            now = following
        return Played(out, situations, seconds)

    def ask(self, situations: Situations, noise: float = 0.0) -> NDArray[np.int64]:
        """The agent's actions (n,), checked for everything but legality; it may change the situations it is given."""
        size = len(situations.roll)
        return checked_actions(self.agent.act(situations, np.full(size, noise)), self.name, size)

    def check_noise(self, places: Places) -> None:
        """Shows the agent the first rolls of some cards under two noises.

        Raises:
            YatzyError: if its actions differ, though it declares that noise does not matter.
        """
        cell = np.repeat(np.arange(len(places.lane)), self.tables.rolls)
        roll = np.tile(np.arange(self.tables.rolls), len(places.lane))
        one, other = (
            self.ask(_situations(places, cell, roll, self.tables.throws - 1), noise) for noise in (0.0, 0.999)
        )
        if not np.array_equal(one, other):
            raise YatzyError(f"agent {self.name!r} declares itself deterministic, but its actions depend on the noise")


def _situations(places: Places, cell: NDArray[np.intp], roll: NDArray[np.intp], left: int) -> Situations:
    """Situations on some cards, sharing no memory with them."""
    return Situations(
        filled=places.filled[cell],
        upper=places.upper[cell][:, None],
        yatzy_scored=places.yatzy_scored[cell],
        roll=roll.astype(np.int64),
        throws_left=np.full(len(cell), left, np.int64),
    )
