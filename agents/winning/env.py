r"""Batches of games for two in which the opponent does not look at us.

An opponent that plays for points goes its way whatever we do. So its games are played first, all turns at once, and
then read turn by turn while ours are played beside them. Of two players the first one moves when both cards hold
equally many boxes; the second one's opponent is always a box ahead.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.winning.agent import WinningAgent
from agents.winning.cards import PointsPlayer
from agents.winning.features import Positions
from yatzy_env.games import Games, new_games
from yatzy_env.turn import TurnPlans


class Path(NamedTuple):
    """The games of n players, turn by turn. B boxes; entry t is before turn t, entry B is the end."""

    filled: NDArray[np.int64]  # (B + 1, n)
    upper: NDArray[np.int64]  # (B + 1, n)
    total: NDArray[np.int64]  # (B + 1, n)
    luck: NDArray[np.float64]  # (B, n) points by which turn t ended better than expected, 0 where nobody evaluated

    def take(self, index: NDArray[np.intp] | slice) -> Path:
        """Some of the players."""
        return Path._make(values[:, index] for values in self)


class Turn(NamedTuple):
    """Our turn in n games, before it is played."""

    number: int
    positions: Positions  # the opponent has just moved
    before: Positions  # the same before the opponent moved
    luck: NDArray[np.float64]  # (n,) luck of the opponent's move, in points
    plans: TurnPlans  # by the agent's evaluation, without exploration noise


def play_alone(player: PointsPlayer, keys: NDArray[np.uint64]) -> Path:
    """Plays games for points with the dice of (n,) keys; luck is by the player's own evaluation and has mean zero."""
    games = new_games(player.tables, keys)
    boxes, size = player.tables.card.boxes, len(keys)
    cards = [np.zeros((boxes + 1, size), np.int64) for _ in range(3)]
    path = Path(cards[0], cards[1], cards[2], np.zeros((boxes, size)))
    for turn in range(boxes):
        plans = player.plan(path.filled[turn], path.upper[turn])
        plans.play(games)
        path.filled[turn + 1], path.upper[turn + 1] = games.now.filled, games.now.upper[:, 0]
        path.total[turn + 1] = games.total
        gained = path.total[turn + 1] - path.total[turn]
        after = player.table.mean[player.table.place(path.filled[turn + 1], path.upper[turn + 1])]
        path.luck[turn] = gained + after - plans.mean
    return path


def play_against(
    agent: WinningAgent,
    path: Path,
    keys: NDArray[np.uint64],
    goes_first: NDArray[np.bool_],
    exploration_noise: float = 0.0,
    rng: np.random.Generator | None = None,
) -> Iterator[Turn | Games]:
    """Plays games against n opponents whose games are known.

    Args:
        agent: who plays.
        path: the opponents' games.
        keys: (n,) keys of our dice.
        goes_first: (n,) whether we move first.
        exploration_noise: standard deviation of what is added to the chances at random when a turn is played.
        rng: draws it.

    Yields:
        Every turn before it is played, then the finished games.
    """
    games = new_games(agent.tables, keys)
    every = np.arange(len(keys))

    def position(done: NDArray[np.int64]) -> Positions:
        lead = games.total - path.total[done, every]
        own = games.now.filled.copy(), games.now.upper[:, 0].copy()
        return Positions(*own, path.filled[done, every], path.upper[done, every], lead)

    for number in range(agent.tables.card.boxes):
        done = np.where(goes_first, number, number + 1)
        before = np.maximum(done - 1, 0)
        positions = position(done)
        plans = agent.plan(positions)
        luck = np.where(done > 0, path.luck[before, every], 0.0)
        yield Turn(number, positions, position(before), luck, plans)
        if exploration_noise and rng is not None:
            plans = agent.with_noise(plans, rng.normal(0, exploration_noise, (len(keys), agent.tables.card.boxes)))
        plans.play(games)
    yield games
