"""Batches of games for two in which the opponent plays for points and does not look at us.

Such an opponent goes its way whatever we do. So its games are played first, all turns at once, and then read turn by
turn while ours are played beside them. Of two players the first one moves when both cards hold equally many boxes; the
second one's opponent is always a box ahead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.winning.agent import Positions, WinningAgent
from yatzy_env.games import Games, new_games
from yatzy_env.rules import Ruleset
from yatzy_env.tables import compile_tables
from yatzy_env.turn import Cards, cards_of, list_ends, plan_turns

CardValues = Callable[[Cards], NDArray[np.float64]]
"""What score cards are worth: n cards to (n,) expected points still to come, 0 for a full one."""


class Path(NamedTuple):
    """The games of n players, turn by turn. B boxes; entry t is before turn t, entry B is the end."""

    cards: Cards  # its arrays have B + 1 rows of n
    total: NDArray[np.int64]  # (B + 1, n)

    def at(self, turns: NDArray[np.int64], players: NDArray[np.int64]) -> tuple[Cards, NDArray[np.int64]]:
        """Cards and totals of some players, each before a turn of its own."""
        return Cards._make(values[turns, players] for values in self.cards), self.total[turns, players]


def play_alone(rules: Ruleset, card_values: CardValues, keys: NDArray[np.uint64]) -> Path:
    """Plays games with the dice of (n,) keys; every turn is planned for points by values of cards."""
    tables = compile_tables(rules)
    games = new_games(tables, keys)
    cards, totals = [cards_of(tables, games.now)], [games.total.copy()]
    for _ in range(tables.card.boxes):
        ends = list_ends(tables, cards[-1])
        plan_turns(tables, ends, ends.gain + card_values(ends.after)).play(games)
        cards.append(cards_of(tables, games.now))
        totals.append(games.total.copy())
    return Path(Cards._make(map(np.stack, zip(*cards, strict=True))), np.stack(totals))


def play_against(
    agent: WinningAgent,
    path: Path,
    opponents: NDArray[np.int64],
    keys: NDArray[np.uint64],
    goes_first: NDArray[np.bool_],
) -> Games:
    """Plays games against opponents whose games are known.

    Args:
        agent: who plays.
        path: games of opponents.
        opponents: (n,) which of them each of our games is against.
        keys: (n,) keys of our dice.
        goes_first: (n,) whether we move first.

    Returns:
        Our games, finished.
    """
    games = new_games(agent.tables, keys)
    for number in range(agent.tables.card.boxes):
        other, total = path.at(np.where(goes_first, number, number + 1), opponents)
        agent.plan(Positions(cards_of(agent.tables, games.now), other, games.total - total)).play(games)
    return games
