"""The coach: what every choice is worth, by the stored solution; where there is none, an agent's own view instead."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.play.chances import Chances
from agents.play.ledger import shown_regret
from agents.play.marks import NEGLIGIBLE, Marks
from agents.play.schemas.coach import Chance, Option
from agents.play.session import Session
from yatzy_env.agent import Agent
from yatzy_env.solver import Solution


def advise(session: Session, solution: Solution, chances: Chances | None, marks: Marks | None = None) -> list[Option]:
    """Ranks what the seat on turn may do, by the exact expected final score.

    Args:
        session: a game that waits for a decision.
        solution: the solution of its ruleset.
        chances: the chances of its ruleset, None if they are not there.
        marks: limits of the marks, None where they were not measured.

    Returns:
        The options, best first.
    """
    values = solution.batch_action_values(session.lane())[0]
    return _ranked(session, values, marks, chances)


def estimate(session: Session, agent: Agent, marks: Marks | None = None) -> list[Option]:
    """Ranks what the seat on turn may do as an agent sees it.

    Args:
        session: a game that waits for a decision.
        agent: one with `action_values(situations)`, expected points still to come, or `logits(situations)`.
        marks: limits of the marks, None where they were not measured.

    Returns:
        The options, best first; with weights alone where the agent has only preferences.
    """
    now: Any = session.lane()
    if hasattr(agent, "action_values"):
        return _ranked(session, agent.action_values(now)[0], marks, None)
    logits = np.asarray(agent.logits(now)[0], np.float64)  # type: ignore[attr-defined]
    legal = session.legal_actions()
    weights = np.exp(logits[legal] - logits[legal].max())
    weights /= weights.sum()
    return [
        Option.of(session, int(legal[place]), is_best=rank == 0, weight=float(weights[place]))
        for rank, place in enumerate(np.argsort(-weights, kind="stable"))
    ]


def _ranked(
    session: Session, values: NDArray[np.float64], marks: Marks | None, chances: Chances | None
) -> list[Option]:
    """The legal actions by their values, best first, ties by the lowest index."""
    legal = np.flatnonzero(~np.isnan(values))
    top, total = values[legal].max(), session.totals[session.card]
    likely = chances_of(session, chances) if chances is not None else None
    options = []
    for action in legal[np.argsort(-values[legal], kind="stable")].tolist():
        regret = shown_regret(float(top - values[action]))
        options.append(
            Option.of(
                session,
                action,
                expected=float(total + values[action]),
                regret=regret,
                is_best=regret <= NEGLIGIBLE,
                mark=marks.mark(regret) if marks is not None else None,
                chances=Chance.of(chances.kinds, likely[action]) if chances is not None and likely is not None else [],
            )
        )
    return options


def chances_of(session: Session, chances: Chances) -> NDArray[np.float64]:
    """(actions, kinds) the chances after each action, what the card has earned already included."""
    out = chances.of_actions(session.situation)
    for number, kind in enumerate(chances.kinds):
        if kind != "bonus":
            written = session.games.written[session.card, session.rules.boxes.index(kind)]
            if written >= 0:
                out[:, number] = np.where(np.isnan(out[:, number]), np.nan, float(written > 0))
    return out
