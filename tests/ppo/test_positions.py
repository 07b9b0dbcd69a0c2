"""Keeps by their positions: the same games as with the usual actions, in training and in play."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

import yatzy_env
from agents.ppo.agent import load_agent
from agents.ppo.positions import positional_actions, to_keeps, to_positions
from agents.ppo.training import build
from agents.ppo.vec_env import BatchVecEnv, PositionalVecEnv
from tests.ppo.helpers import tiny_config, trained
from yatzy_env.multisets import dice_of
from yatzy_env.tables import compile_tables


@pytest.mark.parametrize("name", ["yatzy", "half-force", "maxi-alga"])
def test_lanes_play_the_same_games(name: str) -> None:
    rules = yatzy_env.ruleset(name)
    usual, positional = BatchVecEnv(rules, 16, seed=3), PositionalVecEnv(rules, 16, seed=3)
    tables, rng = compile_tables(rules), np.random.default_rng(1)
    np.testing.assert_array_equal(usual.reset(), positional.reset())
    for _ in range(120):
        masks = positional.action_masks()
        assert masks.shape == (16, positional_actions(rules)) == (16, positional.action_space.n)
        assert (masks.sum(axis=1) == usual.action_masks().sum(axis=1)).all()
        actions = np.argmax(masks * rng.random(masks.shape), axis=1)
        meant = actions - 2**rules.dice + tables.keeps
        for lane in np.flatnonzero(actions < 2**rules.dice):
            roll = dice_of(tables.counts[tables.keeps + usual.situations.roll[lane]])
            held = tuple(die for place, die in enumerate(roll) if actions[lane] >> place & 1)
            same = [keep for keep in range(tables.keeps) if tuple(dice_of(tables.counts[keep])) == held]
            meant[lane] = same[0]
        for ours, theirs in zip(positional.step(actions)[:3], usual.step(meant)[:3], strict=True):
            np.testing.assert_array_equal(ours, theirs)
        np.testing.assert_array_equal(positional.played, meant)


def test_values_go_from_keeps_to_positions_and_back() -> None:
    env = BatchVecEnv(yatzy_env.ruleset("yatzy"), 64, seed=3)
    env.reset()
    masks, rolls = env.action_masks(), env.situations.roll
    values = (masks * np.random.default_rng(1).random(masks.shape)).astype(np.float32)
    there = to_positions(env.rules, rolls, values)
    assert there.shape == (64, 32 + 15)
    np.testing.assert_array_equal(np.sort(there[there > 0]), np.sort(values[values > 0]))
    np.testing.assert_array_equal(to_keeps(env.rules, rolls, there), values)


def test_a_network_trained_on_positions_plays_what_it_rates_highest(tmp_path: Path) -> None:
    config = tiny_config(total_steps=8192, actions="positions", lesson_share=0.25)
    run, model = trained(tmp_path / "runs", config)
    assert isinstance(model.env, PositionalVecEnv)
    agent = load_agent(run.folder, config.rules)
    for weights, average in zip(model.policy.parameters(), model.averages, strict=True):
        weights.data[:] = average
    for _ in range(20):
        masks = model.env.action_masks()
        with torch.no_grad():
            actions, *_ = model.policy.choose(torch.from_numpy(model._last_obs), masks, deterministic=True)
        wanted = agent.act(model.env.situations, np.zeros(config.lanes))
        model._last_obs = model.env.step(actions)[0]
        np.testing.assert_array_equal(model.env.played, wanted)


def test_a_pattern_without_meaning_is_refused_by_its_number() -> None:
    env = PositionalVecEnv(yatzy_env.ruleset("yatzy"), 4, seed=3)
    env.reset()
    masks = env.action_masks()
    np.testing.assert_array_equal(env.env_method("action_masks"), masks)
    actions = masks.argmax(axis=1)
    actions[2] = 31  # keeps all dice
    with pytest.raises(yatzy_env.IllegalActionError, match="pattern 31 in lane 2"):
        env.step(actions)


def test_lessons_are_about_positions_too() -> None:
    config = tiny_config(actions="positions", lesson_share=0.25)
    model = build(config)
    model.learn(config.rollout)
    assert model.lessons is not None
    assert model.lessons.targets.shape[1] == positional_actions(config.rules)
    np.testing.assert_allclose(model.lessons.targets.sum(dim=1), 1, atol=1e-5)
    assert (model.lessons.targets[model.lessons.action_masks == 0] == 0).all()
