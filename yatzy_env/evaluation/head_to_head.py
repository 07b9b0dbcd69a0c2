"""Agents against each other: how often one scores more than the other when both meet the same dice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.matches import Match
from yatzy_env.evaluation.statistics import Difference, Interval, paired, rate


@dataclass(frozen=True)
class Duel:
    """Two agents in the same games. The intervals are Wilson's, at 95 %.

    Attributes:
        first: an agent.
        second: the other.
        games: how many games.
        win: share of games in which `first` scored more, with its interval.
        draw: share of equal scores.
        loss: share in which `second` scored more.
        scores: the mean difference of the scores, first minus second, tested in pairs.
        by_regret: the same by minus the regret, which is sharper; None where the ruleset was not solved.
    """

    first: str
    second: str
    games: int
    win: Interval
    draw: Interval
    loss: Interval
    scores: Difference
    by_regret: Difference | None

    def turned(self) -> Duel:
        """The same seen from the other side."""
        other = None if self.by_regret is None else self.by_regret.turned()
        return Duel(self.second, self.first, self.games, self.loss, self.draw, self.win, self.scores.turned(), other)

    def fields(self) -> dict[str, Any]:
        """The rates with the ends of their intervals, as a JSON object."""
        rates = {"win": self.win, "draw": self.draw, "loss": self.loss}
        fields: dict[str, Any] = {"first": self.first, "second": self.second, "games": self.games}
        for name, share in rates.items():
            fields |= {f"{name}_rate": share.value, f"{name}_interval": [share.low, share.high]}
        return fields


def duel(first: Match, second: Match) -> Duel:
    """Compares two agents game by game.

    Raises:
        YatzyError: if they did not play the same games of the same ruleset.
    """
    if (first.rules.digest, first.seed, first.games) != (second.rules.digest, second.seed, second.games):
        raise YatzyError(
            f"agents {first.agent!r} and {second.agent!r} did not play the same games: {first.games} of seed "
            f"{first.seed} and {second.games} of seed {second.seed}; a duel needs the same dice and ruleset"
        )
    ahead = np.sign(first.score - second.score)
    win, draw, loss = (rate(int((ahead == sign).sum()), first.games) for sign in (1, 0, -1))
    solved = first.regret is not None and second.regret is not None
    return Duel(
        first=first.agent,
        second=second.agent,
        games=first.games,
        win=win,
        draw=draw,
        loss=loss,
        scores=paired(first.score, second.score),
        by_regret=paired(-first.game_regret, -second.game_regret) if solved else None,
    )


def duels(matches: Sequence[Match]) -> list[Duel]:
    """Every agent against every other once, in the order of the matches."""
    return [duel(first, second) for first, second in combinations(matches, 2)]
