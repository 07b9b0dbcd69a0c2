"""What networks read beside the observation: equal to a plain computation from the card, in training and in play."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

import yatzy_env
from agents.models.load import load_agent
from agents.models.reuse import adapt
from agents.ppo.algorithm import YatzyPPO
from agents.ppo.config import Config
from agents.ppo.features import Features, add_features, input_blocks, input_size
from agents.ppo.vec_env import TaskEnvs
from agents.ppo.weights import PolicyWeights
from agents.training.config import CONFIGS
from tests.ppo.helpers import envs_under_way, tiny_config, trained, vec_env
from yatzy_env.envs.observation import observe
from yatzy_env.situation import Situation, batch
from yatzy_env.tables import compile_tables


def plain_bonus(env: TaskEnvs, lane: int) -> np.ndarray:
    """The block `bonus` of a lane, from the card and the dice."""
    rules, tables = env.rules, compile_tables(env.rules)
    now = env.situations
    dice = tables.counts[tables.keeps + now.roll[lane]]
    columns = []
    for column in range(tables.card.columns):
        missing = max(rules.bonus_threshold - int(now.upper[lane, column]), 0)
        bits = [int(tables.card.upper_box[column, face]) for face in range(1, 7)]
        is_open = [bool(bit and not bit & int(now.filled[lane])) for bit in bits]
        reach = sum(face * rules.dice for face, free in zip(range(1, 7), is_open, strict=True) if free)
        missing_entries, secures, loses = np.zeros(32), np.zeros(6), np.zeros(6)
        if missing <= reach:
            missing_entries[min(missing, 31)] = 1
            for face in range(1, 7):
                if is_open[face - 1] and missing:
                    still = missing - face * int(dice[face - 1])
                    secures[face - 1] = still <= 0
                    loses[face - 1] = still > reach - face * rules.dice
        columns.append(np.concatenate([missing_entries, secures, loses]))
    return np.concatenate(columns)


@pytest.mark.parametrize("name", ["yatzy", "yahtzee", "forced", "full-force", "maxi-tactic", "maxi-alga", "triple"])
def test_the_edge_of_the_bonus_is_that_of_the_card(name: str) -> None:
    said = np.zeros(12)
    for steps in (0, 5, 12, 20, 28, 36):
        env = envs_under_way(name, 40, steps)
        shown = observe(compile_tables(env.rules), env.situations)
        wide = add_features(env.rules, "bonus", shown)
        np.testing.assert_array_equal(wide[:, : shown.shape[1]], shown)
        for lane in range(40):
            expected = plain_bonus(env, lane)
            np.testing.assert_array_equal(wide[lane, shown.shape[1] :], expected)
            said += expected.reshape(-1, 44)[:, 32:].sum(axis=0)
    assert said[6:].any()  # random play puts the bonus out of reach


def test_the_edges_of_a_card_that_needs_eighteen() -> None:
    """Fives and sixes are open: which dice secure the bonus, which lose it, and what is decided already."""
    rules = yatzy_env.ruleset("yatzy")
    names = list(rules.boxes)
    filled = sum(1 << names.index(name) for name in ("ones", "twos", "threes", "fours"))

    def bonus(roll: tuple[int, ...], filled: int, upper: int) -> np.ndarray:
        now = batch(rules, [Situation(filled, (upper,), roll, throws_left=0)])
        return add_features(rules, "bonus", observe(compile_tables(rules), now))[0, 75:]

    seen = bonus((1, 6, 6, 6, 6), filled, 45)
    assert np.flatnonzero(seen).tolist() == [18, 32 + 5]  # one-hot of 18; sixes secure it; fives, empty, keep it alive
    seen = bonus((1, 1, 2, 6, 6), filled | 1 << names.index("fives"), 45)
    assert np.flatnonzero(seen).tolist() == [18, 38 + 5]  # the last box, with twelve points: lost
    seen = bonus((1, 1, 5, 6, 6), filled, 10)
    assert np.flatnonzero(seen).tolist() == [31, 38 + 4, 38 + 5]  # 53 of 55 missing: either box loses it
    assert not bonus((1, 1, 5, 6, 6), filled, 5).any()  # out of reach before
    assert np.flatnonzero(bonus((1, 1, 5, 6, 6), filled | 1 << names.index("fives"), 63)).tolist() == [0]  # had before


@pytest.mark.parametrize(("name", "features", "more"), [
    ("yatzy", "bonus", 44),
    ("yatzy", "observation", 0),
    ("triple", "bonus", 132),
    ("yacht", "bonus", 0),
])  # fmt: skip
def test_inputs_have_the_size_they_say(name: str, features: Features, more: int) -> None:
    env = envs_under_way(name, 40, 3)
    shown = observe(compile_tables(env.rules), env.situations)
    assert input_size(env.rules, features) == shown.shape[1] + more
    assert add_features(env.rules, features, shown).shape == (40, shown.shape[1] + more)
    blocks = input_blocks(env.rules, features)
    assert [block.start for block in blocks[1:]] == [block.start + block.size for block in blocks[:-1]]


@pytest.mark.parametrize("features", ["observation", "bonus"])
def test_a_trained_network_plays_by_the_inputs_it_was_trained_with(tmp_path: Path, features: Features) -> None:
    rules = {"name": "tiny", "dice": 3, "boxes": ["ones", "sixes", "one_pair"], "bonus_threshold": 9}
    config = tiny_config(total_steps=4096, features=features).model_copy(update={"ruleset": rules})
    run, model = trained(tmp_path / "runs", config)
    agent = load_agent(run.folder, config.rules)
    assert agent.policy.features == features
    assert agent.policy.layers[0][0].shape[1] == input_size(config.rules, features)
    for weights, average in zip(model.policy.parameters(), model.averages, strict=True):
        weights.data[:] = average
    shown = torch.from_numpy(model._last_obs)
    with torch.no_grad():
        logits, values = model.policy.logits_and_values(shown)
    np.testing.assert_allclose(agent.logits(model.env.parts[0].situations), logits.numpy(), atol=1e-4)
    np.testing.assert_allclose(agent.policy.values(model._last_obs) * config.reward_scale, values.numpy(), atol=1e-4)


def test_a_reused_network_reads_a_bonus_that_is_not_there_as_secured() -> None:
    yahtzee = yatzy_env.ruleset("yahtzee")
    without = yahtzee.replace(bonus_points=0, bonus_threshold=0)
    rng = np.random.default_rng(1)
    size, actions = input_size(yahtzee, "bonus"), compile_tables(yahtzee).actions
    layers = ((rng.normal(size=(actions, size)).astype(np.float32), np.zeros(actions, np.float32)),)
    weights = PolicyWeights(layers, "relu", yahtzee.name, yahtzee.digest, 1, features="bonus")
    env = vec_env(without, 8, seed=1)
    shown = env.reset()
    place = {block.name: slice(block.start, block.start + block.size) for block in input_blocks(yahtzee, "bonus")}
    wide = np.zeros((8, size), np.float32)
    for block in input_blocks(without, "bonus"):
        wide[:, place[block.name]] = shown[:, block.start : block.start + block.size]
    wide[:, place["upper"].start + 2] = 1
    wide[:, place["bonus"].start] = 1
    adapted = adapt(weights, without)
    np.testing.assert_allclose(adapted.logits(shown), weights.logits(wide), rtol=1e-4, atol=1e-4)


def test_a_configuration_says_what_the_networks_read() -> None:
    config = Config.read(CONFIGS / "yatzy.yaml")
    assert config.features == "bonus"
    assert YatzyPPO(config.model_copy(update={"features": "observation"})).policy.features_dim == 75
    assert YatzyPPO(config).policy.features_dim == 75 + 44
