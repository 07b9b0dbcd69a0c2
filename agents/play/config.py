"""How a play server behaves."""

from __future__ import annotations

from dataclasses import dataclass

from agents.play.middleware import Pace

_PACE = Pace(burst=300, per_second=50)  # a page that lets agents play asks about ten times a second
_NEW_GAMES = Pace(burst=30, per_second=0.5)


@dataclass(frozen=True)
class Config:
    """How a server behaves.

    Attributes:
        ruleset: what the page suggests to play.
        opponents: whom it suggests to play against.
        hosts: the names the server may be called by; None for any.
        solving: whether it may be asked to solve a ruleset.
        most_open: how many unfinished games there may be.
        pace: how often a client may ask.
        new_games: how often it may start a game.
        warm_up: compile and load at the start what the first game needs.
    """

    ruleset: str = "yatzy"
    opponents: tuple[str, ...] = ("ppo",)
    hosts: frozenset[str] | None = frozenset({"127.0.0.1", "localhost", "::1"})
    solving: bool = True
    most_open: int = 2000
    pace: Pace = _PACE
    new_games: Pace = _NEW_GAMES
    warm_up: bool = True
