"""Agents at the table: most see their own score card alone, one that plays for the win the other card too."""

from __future__ import annotations

import numpy as np

from agents.play.session import Session
from agents.play.steps import GameError, Step
from agents.winning.agent import WinningAgent
from yatzy_env.agent import Agent

Player = Agent | WinningAgent


def check_cards(player: Player, cards: int) -> None:
    """Checks that an agent can play a game of so many score cards.

    Raises:
        GameError: if it cannot.
    """
    if isinstance(player, WinningAgent) and cards != 2:
        raise GameError(
            "unavailable_agent", f"agent {player.name!r} plays for the win: games of two score cards, not {cards}"
        )


def choose(player: Player, session: Session) -> Step:
    """The step that an agent takes in a game that waits for its decision.

    Raises:
        GameError: if the step is not legal.
    """
    now = session.lane()
    if isinstance(player, WinningAgent):
        other = 1 - session.card
        lead = session.totals[session.card] - session.totals[other]
        actions = player.act(now, session.games.now.take(np.array([other])), np.array([lead]))
    else:
        actions = np.asarray(player.act(now, session.noise()))
    return session.action_step(int(actions[0]))
