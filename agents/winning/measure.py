"""The share of games won against a player that plays for points, on common dice with seats changed.

Games 2g and 2g + 1 of a seed are a pair: dice for two players. The other player's two games are played once; ours are
played with the same dice, each against the other's game of the other number, first to move in one and second in the
other. Were we the other player ourselves, the two results of a pair would add up to one win. So half their sum has
mean one half under equal play, and whatever the pair's dice favour cancels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.winning.agent import WinningAgent
from agents.winning.games import CardValues, play_against, play_alone
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.matches import game_keys
from yatzy_env.evaluation.statistics import Difference, estimate, paired

BATCH = 2000
"""Games played together. No result depends on it."""


class Duel(NamedTuple):
    """How games against another player ended. n games, even numbers first to move."""

    score: NDArray[np.int64]  # (n,) ours
    own_dice: NDArray[np.int64]  # (n,) what the other player makes of our dice
    opponent: NDArray[np.int64]  # (n,) the opponent's

    @property
    def results(self) -> NDArray[np.float64]:
        """(n,) 1 for a win, 0.5 for a draw, 0 for a loss."""
        return (1 + np.sign(self.score - self.opponent)) / 2

    @property
    def pairs(self) -> NDArray[np.float64]:
        """(n / 2,) share of a pair's two games won; exactly 0.5 for the other player itself."""
        return self.results.reshape(-1, 2).mean(axis=1)

    @property
    def lead(self) -> Difference:
        """Our points minus those of the other player, on the same dice."""
        return paired(self.score, self.own_dice)

    def fields(self) -> dict[str, Any]:
        """The figures as a JSON object."""
        share = estimate(self.pairs)
        results, lead = self.results, self.lead
        return {
            "games": len(results),
            "win_share": share.mean,
            "win_share_se": share.error,
            "win_share_interval": list(share.interval()),
            "win_rate": float((results == 1).mean()),
            "draw_rate": float((results == 0.5).mean()),
            "loss_rate": float((results == 0).mean()),
            "win_share_moving_first": float(results[::2].mean()),
            "win_share_moving_second": float(results[1::2].mean()),
            "mean_score": float(self.score.mean()),
            "opponent_mean_score": float(self.opponent.mean()),
            "score_difference": lead.mean,
            "score_difference_se": lead.error,
        }


def measure(
    agent: WinningAgent,
    opponent: CardValues,
    games: int,
    seed: int,
    on_progress: Callable[[int], None] | None = None,
) -> Duel:
    """Plays games against another player.

    Args:
        agent: who is measured.
        opponent: what cards are worth to the other player, which plans its turns for points by it.
        games: how many, an even number.
        seed: of the dice: game g is played with those of `dice.key("evaluate", seed, g)`.
        on_progress: called with the number of games finished since the last call.

    Returns:
        The results.

    Raises:
        YatzyError: for an odd number of games.
    """
    if games < 2 or games % 2:
        raise YatzyError(f"games = {games}; allowed: an even number, 2 or more, as games come in pairs")
    duel = Duel(*(np.empty(games, np.int64) for _ in range(3)))
    for first in range(0, games, BATCH):
        numbers = np.arange(first, min(first + BATCH, games))
        keys, places = game_keys(seed, first, int(numbers[-1]) + 1), numbers - first
        path = play_alone(agent.network.values.rules, opponent, keys)
        duel.score[numbers] = play_against(agent, path, places ^ 1, keys, numbers % 2 == 0).total
        duel.own_dice[numbers] = path.total[-1]
        duel.opponent[numbers] = path.total[-1][places ^ 1]
        if on_progress is not None:
            on_progress(len(numbers))
    return duel
