"""Mistakes: the decisions of a match with a regret, kept with their situations to be looked at afterwards.

Of a long match not all are kept. Two lots are: every mistake of the first games, as many whole games as fit, from which
shares and rates are taken without bias; and the costliest mistakes of all games.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from yatzy_env.situation import Situations

MOST = 1000
"""Mistakes of the first games that are kept; the first game is kept whole however many it has."""

WORST = 20
"""Costliest mistakes that are kept."""


@dataclass(frozen=True, eq=False)
class Mistakes:
    """n decisions with a regret.

    Attributes:
        game: (n,) int64 number of the game.
        turn: (n,) int64 turn, from 0.
        kind: (n,) int64 kind of decision, see `matches.decision_kinds`.
        situations: n situations, what the agent saw.
        action: (n,) int64 what it did.
        best: (n,) int64 what was best, the lowest index among equals.
        regret: (n,) float64, in points.
    """

    game: NDArray[np.int64]
    turn: NDArray[np.int64]
    kind: NDArray[np.int64]
    situations: Situations
    action: NDArray[np.int64]
    best: NDArray[np.int64]
    regret: NDArray[np.float64]

    def take(self, index: NDArray[np.intp] | NDArray[np.bool_]) -> Mistakes:
        """The mistakes at some positions."""
        numbers = (self.game[index], self.turn[index], self.kind[index])
        actions = (self.action[index], self.best[index])
        return Mistakes(*numbers, self.situations.take(index), *actions, self.regret[index])

    def __len__(self) -> int:
        """How many mistakes there are."""
        return len(self.game)


_NONE = np.zeros(0, np.intp)


class MistakeLog:
    """Collects the mistakes of a match, batch by batch in the order of the games."""

    def __init__(self, columns: int) -> None:
        none = np.zeros(0, np.int64)
        nowhere = Situations(none, np.zeros((0, columns), np.int64), np.zeros(0, np.bool_), none, none)
        nothing = Mistakes(none, none, none, nowhere, none, none, np.zeros(0))
        self.games = 0
        """How many games `first` holds all mistakes of."""
        self.first = nothing
        self.worst = nothing
        self._full = False

    def add(self, games: range, steps: list[Mistakes]) -> None:
        """Takes the mistakes of a batch.

        Args:
            games: the numbers of its games.
            steps: its mistakes, step by step; within a game in the order of its decisions.
        """
        found = join([self.first.take(_NONE), *steps])
        found = found.take(np.argsort(found.game, kind="stable"))
        pool = join([self.worst, found])
        order = np.lexsort((np.arange(len(pool)), pool.game, -pool.regret))
        self.worst = pool.take(order[:WORST])
        if self._full:
            return
        counts = len(self.first) + np.cumsum(np.bincount(found.game - games.start, minlength=len(games)))
        whole = int(np.searchsorted(counts, MOST, side="right"))
        self._full = whole < len(games)
        whole = max(whole, 1) if not self.games else whole
        self.first = join([self.first, found.take(found.game < games.start + whole)])
        self.games += whole


def join(parts: list[Mistakes]) -> Mistakes:
    """Lots of mistakes one after the other; at least one lot."""
    columns = [np.concatenate(values) for values in zip(*(part.situations for part in parts), strict=True)]
    names = [field.name for field in fields(Mistakes) if field.name != "situations"]
    others = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
    return Mistakes(situations=Situations(*columns), **others)
