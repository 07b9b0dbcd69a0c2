"""Compiles and loads what the first game needs, so that its first answers come as fast as the later ones."""

from __future__ import annotations

import numpy as np

from agents.play.library import Shelf
from agents.play.open_game import OpenGame
from agents.play.session import Session
from agents.play.steps import GameError, SeatPlan, Step, make_setup


def warm_up(shelf: Shelf) -> None:
    """Plays a turn by itself with everything a game uses: kernels, solution, chances and agents of a ruleset.

    Args:
        shelf: the ruleset.
    """
    session = Session(make_setup(shelf.rules, [SeatPlan("warm-up")], None, "", "warm-up"))
    game = OpenGame("", "", session, shelf, "full")
    session.apply(Step("throw"))
    for one in shelf.availability():
        if one.available:
            try:
                shelf.agent(one.name).act(session.lane(), np.zeros(1))
            except GameError:
                continue  # it says so again to whoever chooses it
    while session.phase == "decide":
        game.advice()
        session.apply(session.action_step(int(session.legal_actions()[0])))
    game.state()
