r"""The first stage of training: what a card is worth in points, learnt from games that the network plays itself.

With $V$ the network's value of cards and the turn planned by it, the mean of the plan is a target for the card that
the turn began with: one step of temporal differences, but with the expectation over the turn's dice worked out, so that
targets carry no luck. Late cards are learnt first, one more box open in every round, so that values of early ones
rest on sound ones. The spread of the points still to come is learnt beside it from the same plans,
$\sigma^2(c) = E[(g + V(c'))^2 + \sigma^2(c')] - V(c)^2$.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from agents.training.fitting import Fitter
from agents.winning.cards import MEAN_SCALE, SPREAD_SCALE, CardTable, PointsPlayer, card_inputs, evaluate_cards
from agents.winning.config import PointsStage
from yatzy_env.dice import key
from yatzy_env.games import new_games
from yatzy_env.rules import Ruleset
from yatzy_env.tables import compile_tables

_BATCH = 1024
_COUNTS = np.array([0.04, 0.1, 0.2, 0.36, 0.22, 0.08])  # dice in a filled upper box of a card drawn at random


def sample_cards(
    rules: Ruleset, size: int, least: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draws cards: a number of filled boxes, at least `least`, which ones, and a likely sum in the upper ones.

    Returns:
        (n,) bits of the filled boxes, (n,) upper sums.
    """
    card = compile_tables(rules).card
    wanted = rng.integers(least, card.boxes, size)
    ranks = rng.random((size, card.boxes)).argsort(axis=1).argsort(axis=1)
    is_filled = ranks < wanted[:, None]
    spread = np.interp(np.linspace(0, 1, card.dice + 1), np.linspace(0, 1, len(_COUNTS)), _COUNTS)
    counts = rng.choice(card.dice + 1, (size, card.boxes), p=spread / spread.sum())
    upper = (is_filled * counts * card.face).sum(axis=1)
    return is_filled @ (np.int64(1) << np.arange(card.boxes)), upper


def play_cards(player: PointsPlayer, keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The cards that a player's games go through, full ones left out.

    Returns:
        (n,) bits of the filled boxes, (n,) upper sums.
    """
    games = new_games(player.tables, keys)
    cards = []
    for _ in range(player.tables.card.boxes):
        filled, upper = games.now.filled.copy(), games.now.upper[:, 0].copy()
        cards.append((filled, upper))
        player.plan(filled, upper).play(games)
    filled, upper = (np.concatenate(parts) for parts in zip(*cards, strict=True))
    return filled, upper


def evaluate_by_turn(
    player: PointsPlayer, filled: NDArray[np.int64], upper: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and spread of the points still to come, by planning one turn from each card.

    Returns:
        (n,) and (n,) float64.
    """
    mean, spread = np.empty(len(filled)), np.empty(len(filled))
    for start in range(0, len(filled), _BATCH):
        part = slice(start, start + _BATCH)
        plans = player.plan(filled[part], upper[part], squares=True)
        mean[part] = plans.mean
        spread[part] = np.sqrt(np.maximum(plans.other - plans.mean**2, 0))
    return mean, spread


def points_loss(outputs: Tensor, targets: list[Tensor]) -> Tensor:
    """Squared error of the mean and, with less weight, of the spread."""
    mean, spread = targets
    return (outputs[:, 0] - mean).square().mean() + 0.05 * (outputs[:, 1] - spread).square().mean()


def points_round(rules: Ruleset, stage: PointsStage, fitter: Fitter, seed: int) -> tuple[CardTable, float]:
    """One round: evaluate all cards, play, learn.

    Returns:
        The table that the round was played with, the root of the mean loss in points.
    """
    player = PointsPlayer(rules, evaluate_cards(rules, fitter.layers))
    rng = np.random.default_rng([seed, fitter.round])
    first = fitter.round * stage.games
    keys = np.array([key("train", seed, "points", game) for game in range(first, first + stage.games)], np.uint64)
    least = max(player.tables.card.boxes - 1 - fitter.round, 0)
    played, drawn = play_cards(player, keys), sample_cards(rules, stage.cards, least, rng)
    is_late = np.bitwise_count(played[0]) >= least
    filled, upper = (np.concatenate([some[is_late], others]) for some, others in zip(played, drawn, strict=True))
    mean, spread = evaluate_by_turn(player, filled, upper)
    samples = {
        "inputs": card_inputs(rules, filled, upper),
        "mean": (mean / MEAN_SCALE).astype(np.float32),
        "spread": (spread / SPREAD_SCALE).astype(np.float32),
    }
    fitter.learn(samples, lambda some: list(some.values()), points_loss, rng)
    return player.table, MEAN_SCALE * float(np.sqrt(fitter.loss))
