"""A model's own estimate of its actions: exact when its value network is."""

from __future__ import annotations

import numpy as np
import pytest

import yatzy_env
from agents.errors import ModelError
from agents.ppo.agent import PPOAgent
from agents.ppo.weights import PolicyWeights
from yatzy_env.envs.observation import observation_blocks, observation_size
from yatzy_env.situation import Situation, batch
from yatzy_env.tables import action_names, compile_tables

RULES = yatzy_env.ruleset("yatzy")


def model(weight: np.ndarray) -> PPOAgent:
    tables = compile_tables(RULES)
    size = observation_size(tables)
    layers = ((np.zeros((tables.actions, size), np.float32), np.zeros(tables.actions, np.float32)),)
    values = ((weight.astype(np.float32), np.zeros(1, np.float32)),) if weight.size else ()
    return PPOAgent(RULES, PolicyWeights(layers, "relu", RULES.name, RULES.digest, 0, values))


def counter_of_sixes() -> np.ndarray:
    """A value network that says how many sixes lie on the table."""
    size = observation_size(compile_tables(RULES))
    dice = next(block for block in observation_blocks(RULES) if block.name == "dice")
    weight = np.zeros((1, size))
    weight[0, dice.start + 30 : dice.start + 36] = np.arange(6)
    return weight


def test_a_keep_is_worth_the_mean_over_its_throws() -> None:
    agent = model(counter_of_sixes())
    values = agent.action_values(batch(RULES, [Situation(filled=0, upper=(0,), roll=(1, 2, 5, 6, 6), throws_left=1)]))[
        0
    ]
    names = action_names(RULES)
    assert values[names.index("keep 6 6")] == pytest.approx(2 + 3 / 6, abs=1e-6)
    assert values[names.index("keep nothing")] == pytest.approx(5 / 6, abs=1e-6)
    assert values[names.index("score sixes")] == pytest.approx(12 + 5 / 6, abs=1e-6)
    assert np.isnan(values[names.index("keep 3")])


def test_nothing_comes_after_the_last_box() -> None:
    agent = model(counter_of_sixes())
    last = Situation(filled=(1 << 15) - 1 - 1, upper=(60,), roll=(1, 1, 1, 1, 6), throws_left=0)
    values = agent.action_values(batch(RULES, [last]))[0]
    assert np.nansum(values) == 4 + 50


def test_a_model_without_a_value_network_says_so() -> None:
    start = Situation(filled=0, upper=(0,), roll=(1, 2, 5, 6, 6), throws_left=1)
    with pytest.raises(ModelError, match="no value network"):
        model(np.zeros(0)).action_values(batch(RULES, [start]))
