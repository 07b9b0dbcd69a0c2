r"""The second stage of training: the chance of winning, learnt from games that the agent plays itself.

With $W$ the network's value of a position in which the opponent is to move, and $\bar W$ the mean of our next turn
planned by it, the target for a position is $\bar W$ after the opponent's move: temporal differences over one turn of
both, our dice worked out. What is left in it is the luck of the opponent's dice. Most of it is taken out: a move that
is $\ell$ points better for them than expected (the points network says so; the mean of $\ell$ is zero whatever it
says) moves our chance by about $-\ell\, \phi(\Phi^{-1}(W)) / s$, and that much is added back. As in
`agents.ppo.luck`, this changes the noise of a target and not its mean.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from agents.training.fitting import Fitter
from agents.training.networks import run_in_parts
from agents.winning.agent import WinningAgent
from agents.winning.cards import CardTable
from agents.winning.config import WinStage
from agents.winning.env import Turn, play_against, play_alone
from agents.winning.features import win_inputs
from yatzy_env.dice import key
from yatzy_env.rules import Ruleset


def win_loss(outputs: Tensor, targets: list[Tensor]) -> Tensor:
    """Squared error of the chance."""
    ratio, chance = targets
    return (torch.special.ndtr(ratio + outputs[:, 0]) - chance).square().mean()


def target(agent: WinningAgent, turn: Turn) -> list[NDArray[np.float32]]:
    """What a turn of ours, not the first, says about the positions before the opponent's move that led to it.

    Returns:
        (n, F) inputs, (n,) margins in spreads, (n,) chances.
    """
    inputs, ratio, spread = win_inputs(agent.rules, agent.table, turn.before)
    corrected = ratio + run_in_parts(agent.network, inputs)[:, 0]
    slope = np.exp(-(corrected.astype(np.float64) ** 2) / 2) / np.sqrt(2 * np.pi) / spread
    return [inputs, ratio, (turn.plans.mean + slope * turn.luck).astype(np.float32)]


def win_round(rules: Ruleset, table: CardTable, stage: WinStage, fitter: Fitter, seed: int) -> tuple[float, float]:
    """One round: play against opponents that play for points, learn.

    Returns:
        The share of games won in this round, half a draw included, with exploration noise; the root of the mean loss.
    """
    agent = WinningAgent(rules, table, fitter.layers)
    first = fitter.round * stage.games
    keys = np.array(
        [[key("train", seed, "win", game, seat) for seat in range(2)] for game in range(first, first + stage.games)],
        np.uint64,
    )
    path = play_alone(agent.points, keys[:, 1])
    goes_first = np.arange(stage.games) % 2 == 0
    rng = np.random.default_rng([seed, fitter.round])
    samples = []
    won = 0.0
    for turn in play_against(agent, path, keys[:, 0], goes_first, stage.exploration_noise, rng):
        if isinstance(turn, Turn):
            if turn.number:
                samples.append(target(agent, turn))
        else:
            won = float(((1 + np.sign(turn.total - path.total[-1])) / 2).mean())
    arrays = (np.concatenate(parts) for parts in zip(*samples, strict=True))
    named = dict(zip(("inputs", "ratio", "chance"), arrays, strict=True))
    fitter.learn(named, lambda some: list(some.values()), win_loss, rng)
    return won, float(np.sqrt(fitter.loss))
