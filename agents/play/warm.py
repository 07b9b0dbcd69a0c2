"""Compiles and loads what the first game needs, so that its first answers come as fast as the later ones."""

from __future__ import annotations

import numpy as np

from agents.play.coach import Ledger, advise, legal_actions
from agents.play.library import Shelf
from agents.play.session import Session
from agents.play.steps import GameError, SeatPlan, Step, make_setup
from agents.play.views import state_of


def warm(shelf: Shelf) -> None:
    """Plays a turn by itself with everything a game uses: kernels, solution, chances and agents of a ruleset.

    Args:
        shelf: the ruleset.
    """
    session = Session(make_setup(shelf.rules, [SeatPlan("warm")], None, "", "warm"))
    solution, chances = shelf.solution(), shelf.chances()
    session.apply(Step("throw"))
    for one in shelf.availability():
        if one.is_there:
            try:
                shelf.agent(one.name).act(session.lane(), np.zeros(1))
            except GameError:
                continue  # it says so again to whoever chooses it
    while session.phase == "decide":
        if solution is not None:
            advise(session, solution, chances)
        session.apply(session.action_step(int(legal_actions(session)[0])))
    figures = Ledger(solution).update(session.entries) if solution is not None else None
    state_of("", session, coach="full", hidden_totals=False, source="none", figures=figures, marks=shelf.marks)
