"""The share of games won against another player, on common dice with seats changed.

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
from agents.winning.env import Path, Turn, play_against
from agents.winning.features import Positions, input_size
from yatzy_env.agent import Agent
from yatzy_env.errors import YatzyError, unknown
from yatzy_env.evaluation.matches import Match, game_keys, play_match
from yatzy_env.evaluation.statistics import Difference, estimate, paired
from yatzy_env.rules import Ruleset
from yatzy_env.tables import compile_tables
from yatzy_env.turn import TurnPlans

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


VARIANTS = ("win", "margin", "points")
"""What of the agent is in use: all of it; the chance of a normal margin, without the win network; points alone, without
the other card."""


class ForPoints(WinningAgent):
    """Plays for points, as the opponent in training does."""

    def plan(self, positions: Positions) -> TurnPlans:
        """Plans turns for points, whatever the other card."""
        return self.points.plan(positions.filled, positions.upper)


def variant(agent: WinningAgent, name: str) -> WinningAgent:
    """The agent with less of it in use, by a name of `VARIANTS`.

    Raises:
        YatzyError: if there is no such variant.
    """
    if name == "win":
        return agent
    if name == "margin":
        no_correction = ((np.zeros((1, input_size(agent.rules)), np.float32), np.zeros(1, np.float32)),)
        return WinningAgent(agent.rules, agent.table, no_correction, name)
    if name == "points":
        return ForPoints(agent.rules, agent.table, agent.network, name)
    raise YatzyError(unknown("variant", name, VARIANTS))


def path_of(match: Match) -> Path:
    """The games of a match turn by turn."""
    card = compile_tables(match.rules).card
    games, turns = match.order.shape
    face = card.face[match.order]
    written = np.take_along_axis(match.written, match.order, axis=1)
    zero = np.zeros((games, 1), np.int64)
    filled = np.concatenate([zero, np.cumsum(np.int64(1) << match.order, axis=1)], axis=1)
    upper = np.concatenate([zero, np.cumsum(written * (face > 0), axis=1)], axis=1)
    bonus = card.bonus_points * ((upper >= card.bonus_threshold) & (card.bonus_threshold > 0))
    total = np.concatenate([zero, np.cumsum(written, axis=1)], axis=1) + bonus
    return Path(filled.T.copy(), upper.T.copy(), total.T.copy(), np.zeros((turns, games)))


def measure(
    agent: WinningAgent,
    opponent: Agent,
    rules: Ruleset,
    games: int,
    seed: int,
    on_progress: Callable[[int], None] | None = None,
) -> Duel:
    """Plays games against another player.

    Args:
        agent: who is measured.
        opponent: a player that sees its own card alone.
        rules: the ruleset.
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
    match = play_match(opponent, rules, games, seed)
    every = path_of(match)
    if not np.array_equal(every.total[-1], match.score):
        raise YatzyError(f"the games of agent {opponent.name!r} do not add up to their scores")
    for first in range(0, games, BATCH):
        numbers = np.arange(first, min(first + BATCH, games))
        path = every.take(numbers ^ 1)
        for played in play_against(agent, path, game_keys(seed, first, int(numbers[-1]) + 1), numbers % 2 == 0):
            if not isinstance(played, Turn):
                duel.score[numbers] = played.total
        duel.own_dice[numbers] = match.score[numbers]
        duel.opponent[numbers] = path.total[-1]
        if on_progress is not None:
            on_progress(len(numbers))
    return duel
