"""A small game, its exact values of cards, and agents made of it."""

from __future__ import annotations

import numpy as np

from agents.ppo.weights import Layers
from agents.winning.agent import WinningAgent
from agents.winning.cards import CardTable, reachable_cards
from agents.winning.config import PointsStage, WinConfig, WinStage
from agents.winning.features import input_size
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.solver import solve
from yatzy_env.tables import compile_tables

SMALL = ruleset({
    "name": "small",
    "dice": 3,
    "boxes": ["ones", "sixes", "one_pair", "chance"],
    "bonus_threshold": 13,
    "bonus_points": 10,
})  # fmt: skip


def exact_table(rules: Ruleset) -> CardTable:
    """The values of the exact solution, with a spread of 10 points for all cards that are not full."""
    card = compile_tables(rules).card
    filled, upper, _ = reachable_cards(rules)
    size = (card.all_boxes + 1) * (card.bonus_threshold + 1)
    table = CardTable(card.bonus_threshold, np.full(size, np.nan), np.full(size, np.nan))
    place = table.place(filled, upper)
    table.mean[place] = solve(rules, cache=False, progress=False).card_values(filled, upper)
    table.spread[place] = np.where(filled == card.all_boxes, 0.0, 10.0)
    return table


def untrained(rules: Ruleset) -> Layers:
    """A win network that corrects nothing."""
    return ((np.zeros((1, input_size(rules)), np.float32), np.zeros(1, np.float32)),)


def agent_of(rules: Ruleset) -> WinningAgent:
    return WinningAgent(rules, exact_table(rules), untrained(rules))


def small_config(rounds: int = 2) -> WinConfig:
    common = {"hidden": (16,), "memory": 2, "passes": 1, "minibatch": 64, "ema": 0.05}
    rate = {"start": 5e-3, "end": 0.0}
    return WinConfig(
        ruleset=SMALL.model_dump(mode="json"),
        seed=3,
        points=PointsStage(**common, learning_rate=rate, rounds=rounds, games=64, cards=64),
        win=WinStage(**common, learning_rate=rate, rounds=rounds, games=64, exploration_noise=0.01),
    )
