"""Compiles and loads what the first game needs, so that its first answers come as fast as the later ones."""

from __future__ import annotations

from agents.play.library import RulesetService
from agents.play.open_game import OpenGame
from agents.play.players import choose
from agents.play.session import Session
from agents.play.steps import GameError, SeatPlan, Step, make_setup


def warm_up(service: RulesetService) -> None:
    """Plays a turn by itself with everything a game uses: kernels, solution, chances and agents of a ruleset."""
    seats = [SeatPlan("warm-up"), SeatPlan("the other card")]
    session = Session(make_setup(service.rules, seats, None, "", "warm-up"))
    game = OpenGame("", "", session, service, "full")
    session.apply(Step("throw"))
    for one in service.availability():
        if one.available:
            try:
                choose(service.agent(one.name), session)
            except GameError:
                continue  # it says so again to whoever chooses it
    while session.phase == "decide":
        game.advice()
        session.apply(session.action_step(int(session.legal_actions()[0])))
    game.state()
