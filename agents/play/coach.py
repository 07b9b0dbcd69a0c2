"""The coach: what every choice is worth, by the stored solution; where there is none, an agent's own view instead."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.play.ledger import shown_regret
from agents.play.marks import NEGLIGIBLE, Marks
from agents.play.schemas.coach import Chance, Option
from agents.play.session import Session
from yatzy_env.agent import Agent
from yatzy_env.rules import Ruleset
from yatzy_env.solver import Solution

_BOXES = ("small_straight", "large_straight", "full_straight", "yatzy")


def kinds(rules: Ruleset) -> tuple[str, ...]:
    """What chances are shown of: "bonus" where the rules have one, then the straights and yatzy of the sheet."""
    bonus = ("bonus",) if rules.bonus_points else ()
    return (*bonus, *(box for box in _BOXES if box in rules.boxes))


def advise(session: Session, solution: Solution, with_chances: bool, marks: Marks | None = None) -> list[Option]:
    """Ranks what the seat on turn may do, by the exact expected final score.

    Args:
        session: a game that waits for a decision.
        solution: the solution of its ruleset.
        with_chances: whether to tell the chances behind the values, which have to be ready.
        marks: limits of the marks, None where they were not measured.

    Returns:
        The options, best first.
    """
    values = solution.batch_action_values(session.lane())[0]
    return _ranked(session, values, marks, chances_of(session, solution) if with_chances else None)


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
    session: Session, values: NDArray[np.float64], marks: Marks | None, likely: NDArray[np.float64] | None
) -> list[Option]:
    """The legal actions by their values, best first, ties by the lowest index."""
    legal = np.flatnonzero(~np.isnan(values))
    top, total = values[legal].max(), session.totals[session.card]
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
                chances=Chance.of(kinds(session.rules), likely[action]) if likely is not None else [],
            )
        )
    return options


def chances_of(session: Session, solution: Solution) -> NDArray[np.float64]:
    """(actions, kinds) the chances after each action, what the card has earned already included."""
    found, boxes = solution.chances(session.situation), session.rules.boxes
    out = found[:, [boxes.index(kind) if kind in boxes else len(boxes) for kind in kinds(session.rules)]]
    for number, kind in enumerate(kinds(session.rules)):
        if kind != "bonus" and (written := session.games.written[session.card, boxes.index(kind)]) >= 0:
            out[~np.isnan(out[:, number]), number] = float(written > 0)
    return out
