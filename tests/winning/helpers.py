"""A small game, networks that answer at random, and agents made of them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from agents.training.networks import Layers
from agents.values.cards import card_inputs
from agents.values.network import ValueNetwork
from agents.winning.agent import WinningAgent
from agents.winning.config import WinConfig
from agents.winning.rests import SLICES, RestNetwork
from yatzy_env.rules import Ruleset, ruleset

SMALL = ruleset({
    "name": "small",
    "dice": 3,
    "boxes": ["ones", "sixes", "one_pair", "chance"],
    "bonus_threshold": 13,
    "bonus_points": 10,
})  # fmt: skip


def random_layers(rules: Ruleset, outputs: int, seed: int) -> Layers:
    rng = np.random.default_rng(seed)
    return tuple(
        (rng.normal(0, read**-0.5, (out, read)).astype(np.float32), rng.normal(0, 0.1, out).astype(np.float32))
        for read, out in pairwise([card_inputs(rules).size, 16, outputs])
    )


def random_network(rules: Ruleset, seed: int = 1) -> RestNetwork:
    """A network whose slices are in order."""
    *hidden, (weight, bias) = random_layers(rules, SLICES, seed + 1)
    in_order = (0 * weight, np.sort(bias))
    return RestNetwork(rules, (*hidden, in_order), ValueNetwork(rules, random_layers(rules, 1, seed)))


def agent_of(rules: Ruleset) -> WinningAgent:
    return WinningAgent(rules, random_network(rules))


def small_config(**changes: object) -> WinConfig:
    fields = {
        "ruleset": SMALL.model_dump(mode="json"),
        "seed": 3,
        "hidden": (32,),
        "rounds": 12,
        "memory": 2,
        "minibatch": 64,
        "learning_rate": {"start": 1e-2, "end": 0.0},
        "ema": 0.05,
        "games": 64,
        "cards": 400,
    }
    return WinConfig.model_validate(fields | changes)
