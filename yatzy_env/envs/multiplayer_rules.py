"""What several players add to the rules: who shares a card, and who wins."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from yatzy_env.errors import YatzyError, shown, unknown
from yatzy_env.inputs import whole_number

Teams = Sequence[Sequence[int]]
"""The players of each card by number, in the order of play."""

MOST_PLAYERS = 100
"""Each player sees all cards, so what all of them see grows with the square of their number."""

REWARDS = ("points", "win")
"""What the rewards of a game with several cards can be."""


def checked_teams(players: object, teams: object = None) -> tuple[tuple[int, ...], ...]:
    """The players of each card as tuples; a card each without teams.

    Raises:
        YatzyError: if there are too few players, or teams do not name each of them once.
    """
    players = whole_number("players", players, 2, MOST_PLAYERS)
    if teams is None:
        return tuple((player,) for player in range(players))
    wrong = f"teams = {shown(teams)}"
    try:
        named = tuple(tuple(team) for team in teams)  # type: ignore[attr-defined]
    except TypeError as error:
        raise YatzyError(f"{wrong}; allowed: a sequence of sequences of players, such as ((0, 2), (1, 3))") from error
    everybody = [player for team in named for player in team]
    for player in everybody:
        if isinstance(player, bool) or not isinstance(player, int | np.integer) or not 0 <= player < players:
            raise YatzyError(f"{wrong} names player {shown(player)}; allowed: 0 to {players - 1}")
    twice = sorted({player for player in everybody if everybody.count(player) > 1})
    missing = sorted(set(range(players)) - set(everybody))
    if twice:
        raise YatzyError(f"{wrong} names player {twice[0]} twice; allowed: each player in one team")
    if missing:
        raise YatzyError(f"{wrong} leaves out player {missing[0]}; allowed: each player in one team")
    if not all(named):
        raise YatzyError(f"{wrong} has a team without players")
    return tuple(tuple(int(player) for player in team) for team in named)


def checked_reward(reward: object, teams: Teams) -> str:
    """The reward of a game of these teams.

    Raises:
        YatzyError: for an unknown one, or "win" for a single card.
    """
    if reward not in REWARDS:
        raise YatzyError(unknown("reward", reward, REWARDS))
    if reward == "win" and len(teams) < 2:
        raise YatzyError(f"teams = {shown(teams)}: reward = 'win' needs at least two cards")
    return str(reward)


def win_rewards(totals: Sequence[int] | NDArray[np.int64]) -> list[float]:
    """What each card earns for a finished game: 1 for the highest total, 0 where several share it, -1 below."""
    best = max(totals)
    won = 1.0 if list(totals).count(best) == 1 else 0.0
    return [won if total == best else -1.0 for total in totals]
