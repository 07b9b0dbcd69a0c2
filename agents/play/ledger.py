"""What a game's decisions gave away, and how much of its score was luck.

The figures are those of `yatzy_env.evaluation.matches`. With V the expected points still to come under best play and
the score so far added, a throw changes the expected final score of its card by its luck, a decision by minus its
regret, and so for every finished card, exactly,

    score = optimum + luck - regret.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from agents.play.marks import NEGLIGIBLE
from agents.play.steps import Entry
from yatzy_env.agent import best_actions
from yatzy_env.situation import batch
from yatzy_env.solver import Solution


@dataclass(frozen=True)
class Figure:
    """The figures of a log entry.

    Attributes:
        luck: what a throw changed the expected final score by; 0 for decisions.
        regret: what a decision gave away; 0 for throws.
        best: a best action of a decision; None for throws.
        expected: the expected final score of the card after the entry.
    """

    luck: float
    regret: float
    best: int | None
    expected: float


class Ledger:
    """The figures of a game's log under one solution, brought up to date by `update`."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        self.figures: list[Figure] = []
        self._entries: list[Entry] = []

    def update(self, entries: Sequence[Entry]) -> list[Figure]:
        """The figures of all entries; what was worked out before is kept as far as the log begins with the same.

        Args:
            entries: the log.

        Returns:
            A figure per entry.
        """
        same = 0
        while same < min(len(entries), len(self._entries)) and entries[same] is self._entries[same]:
            same += 1
        del self.figures[same:]
        self._entries = list(entries)
        new = entries[same:]
        if not new:
            return self.figures
        values = self.solution.batch_action_values(batch(self.solution.rules, [entry.situation for entry in new]))
        best = best_actions(values)
        for row, entry in enumerate(new):
            top = float(np.nanmax(values[row]))
            if entry.action is None:
                expected = entry.total + top
                self.figures.append(Figure(expected - self.expected(entry.card), 0.0, None, expected))
            else:
                chosen = float(values[row, entry.action])
                self.figures.append(Figure(0.0, top - chosen, int(best[row]), entry.total + chosen))
        return self.figures

    def expected(self, card: int) -> float:
        """The expected final score of a card after the entries worked out so far."""
        for entry, figure in zip(reversed(self._entries[: len(self.figures)]), reversed(self.figures), strict=True):
            if entry.card == card:
                return figure.expected
        return self.solution.expected_score


@dataclass(frozen=True)
class Balance:
    """What a card or a seat did with its decisions.

    Attributes:
        luck: sum of the luck of its throws.
        regret: sum of the regrets of its decisions.
        decisions: how many decisions.
        regrets: the regrets of the real ones, those with more than one choice.
    """

    luck: float
    regret: float
    decisions: int
    regrets: tuple[float, ...]

    @property
    def real_decisions(self) -> int:
        """How many decisions had more than one choice."""
        return len(self.regrets)

    @property
    def mean_regret(self) -> float | None:
        """Points given away per real decision; None without any."""
        return self.regret / len(self.regrets) if self.regrets else None


def stored_figures(balance: Balance | None) -> dict[str, float | None]:
    """The figures of a balance by their names in stored and replayed games; None where there is none."""
    names = {"luck": "luck", "loss": "regret", "mean_loss": "mean_regret"}
    return {stored: getattr(balance, name) if balance is not None else None for stored, name in names.items()}


def sum_up(entries: Sequence[Entry], figures: Sequence[Figure], who: Literal["card", "seat"], number: int) -> Balance:
    """Sums up the figures of one card or one seat."""
    own = [(entry, figure) for entry, figure in zip(entries, figures, strict=True) if getattr(entry, who) == number]
    decided = [(entry, figure) for entry, figure in own if entry.action is not None]
    return Balance(
        luck=sum(figure.luck for _, figure in own),
        regret=sum(figure.regret for _, figure in own),
        decisions=len(decided),
        regrets=tuple(figure.regret for entry, figure in decided if entry.choices > 1),
    )


def shown_regret(regret: float) -> float:
    """A regret as it is shown: 0 within `NEGLIGIBLE`."""
    return 0.0 if regret <= NEGLIGIBLE else regret
