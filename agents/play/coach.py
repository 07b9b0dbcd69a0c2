"""The coach: what every choice is worth, what was given away, and how much was luck.

The figures are those of `yatzy_env.evaluation.matches`. With V the expected points still to come under best play and
the score so far added, a throw changes the expected final score of its card by its luck, a decision by minus its loss,
and so for every finished card, exactly,

    score = optimum + luck - loss.

A `Ledger` keeps these figures for the log of one game and only ever works on what is new. `advise` ranks the choices of
a situation. Both ask the stored solution; where there is none, `estimate` shows an agent's own view instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from agents.play.chances import Chances
from agents.play.marks import TIE
from agents.play.session import Session
from agents.play.steps import Entry, names_of
from yatzy_env.agent import Agent, best_actions
from yatzy_env.rules import Ruleset
from yatzy_env.situation import Situation, batch
from yatzy_env.solver import Solution
from yatzy_env.tables import compile_tables


@dataclass(frozen=True)
class Figure:
    """The figures of a log entry.

    Attributes:
        luck: what a throw changed the expected final score by; 0 for decisions.
        loss: what a decision gave away; 0 for throws.
        best: a best action of a decision; None for throws.
        expected: the expected final score of the card after the entry.
    """

    luck: float
    loss: float
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
        loss: sum of the losses of its decisions.
        decisions: how many decisions.
        losses: the losses of the real ones, those with more than one choice.
    """

    luck: float
    loss: float
    decisions: int
    losses: tuple[float, ...]

    @property
    def mean_loss(self) -> float | None:
        """Points given away per real decision; None without any."""
        return self.loss / len(self.losses) if self.losses else None


def balance(entries: Sequence[Entry], figures: Sequence[Figure], who: Literal["card", "seat"], number: int) -> Balance:
    """Sums up the figures of one card or one seat."""
    own = [(entry, figure) for entry, figure in zip(entries, figures, strict=True) if getattr(entry, who) == number]
    decided = [(entry, figure) for entry, figure in own if entry.action is not None]
    return Balance(
        luck=sum(figure.luck for _, figure in own),
        loss=sum(figure.loss for _, figure in own),
        decisions=len(decided),
        losses=tuple(figure.loss for entry, figure in decided if entry.choices > 1),
    )


@dataclass(frozen=True)
class Choice:
    """Something that may be done.

    Attributes:
        action: its index in the action space.
        name: "keep 5 5" or "score chance".
        gain: points at once, None for keeps.
        expected: expected final score; None where that is not known.
        loss: points below the best; None where that is not known.
        weight: how strongly an agent prefers it; None where that is not known.
        is_best: whether it is as good as the best.
        chances: (kinds,) chance of each kind in the end, None where not known.
    """

    action: int
    name: str
    gain: int | None
    expected: float | None
    loss: float | None
    weight: float | None
    is_best: bool
    chances: NDArray[np.float64] | None = None


def advise(session: Session, solution: Solution, chances: Chances | None) -> list[Choice]:
    """Ranks what the seat on turn may do, by the exact expected final score.

    Args:
        session: a game that waits for a decision.
        solution: the solution of its ruleset.
        chances: the chances of its ruleset, None if they are not there.

    Returns:
        The choices, best first.
    """
    values = solution.batch_action_values(session.lane())[0]
    total = int(session.games.total[session.card])
    likely = chances_of(session, chances) if chances is not None else None
    return _ranked(session, values, total, likely)


def estimate(session: Session, agent: Agent) -> list[Choice]:
    """Ranks what the seat on turn may do as an agent sees it.

    Args:
        session: a game that waits for a decision.
        agent: one with `action_values(situations)`, expected points still to come, or `logits(situations)`.

    Returns:
        The choices, best first; with weights alone where the agent has only preferences.
    """
    now: Any = session.lane()
    if hasattr(agent, "action_values"):
        return _ranked(session, agent.action_values(now)[0], int(session.games.total[session.card]), None)
    logits = np.asarray(agent.logits(now)[0], np.float64)  # type: ignore[attr-defined]
    legal = legal_actions(session)
    weights = np.exp(logits[legal] - logits[legal].max())
    weights /= weights.sum()
    names, gained, keeps = names_of(session.rules), session.gains(), session.tables.keeps
    return [
        Choice(
            action=int(legal[place]),
            name=names[legal[place]],
            gain=int(gained[legal[place] - keeps]) if legal[place] >= keeps else None,
            expected=None,
            loss=None,
            weight=float(weights[place]),
            is_best=rank == 0,
        )
        for rank, place in enumerate(np.argsort(-weights, kind="stable"))
    ]


def legal_actions(session: Session) -> NDArray[np.int64]:
    """The actions that are legal now; none unless a decision is awaited."""
    if session.phase != "decide":
        return np.zeros(0, np.int64)
    keeps = np.zeros(session.tables.keeps, np.bool_)
    if session.situation.throws_left:
        keeps = session.tables.within[session.games.now.roll[session.card]] == 1
    return np.flatnonzero(np.concatenate([keeps, session.gains() >= 0]))


def chances_of(session: Session, chances: Chances) -> NDArray[np.float64]:
    """(actions, kinds) the chances after each action, what the card has earned already included."""
    out = chances.of_actions(session.situation)
    for number, kind in enumerate(chances.kinds):
        if kind != "bonus":
            written = session.games.written[session.card, session.rules.boxes.index(kind)]
            if written >= 0:
                out[:, number] = np.where(np.isnan(out[:, number]), np.nan, float(written > 0))
    return out


def _ranked(
    session: Session, values: NDArray[np.float64], total: int, likely: NDArray[np.float64] | None
) -> list[Choice]:
    """The legal actions by their values, best first, ties by the lowest index."""
    legal = np.flatnonzero(~np.isnan(values))
    top = values[legal].max()
    names, gained, keeps = names_of(session.rules), session.gains(), session.tables.keeps
    choices = []
    for action in legal[np.argsort(-values[legal], kind="stable")].tolist():
        loss = float(top - values[action])
        choices.append(
            Choice(
                action=action,
                name=names[action],
                gain=int(gained[action - keeps]) if action >= keeps else None,
                expected=float(total + values[action]),
                loss=0.0 if loss <= TIE else loss,
                weight=None,
                is_best=loss <= TIE,
                chances=likely[action] if likely is not None else None,
            )
        )
    return choices


def shown_loss(loss: float) -> float:
    """A loss as it is shown: 0 within `TIE`."""
    return 0.0 if loss <= TIE else loss


def loss_of(solution: Solution, situation: Situation, action: int) -> float:
    """What an action gives away, 0 if it is as good as the best; nan if it is not legal."""
    return shown_loss(solution.regret(situation, action))


def keep_faces(rules: Ruleset, action: int) -> list[int] | None:
    """The faces a keep holds; None for a box."""
    tables = compile_tables(rules)
    if action >= tables.keeps:
        return None
    return [face for face in range(1, 7) for _ in range(int(tables.counts[action][face - 1]))]
