"""One model for several rulesets: which one, what it reads, and what is refused."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from agents.errors import ModelError
from agents.models.digest import record_digests
from agents.models.load import load_agent, shipped_model
from agents.models.reuse import TABLE, adapt, check_reusable, nearest_model, reused_names, shipped_names
from agents.ppo.agent import PPOAgent
from agents.ppo.weights import PolicyWeights, save_weights
from yatzy_env.envs.observation import observation_blocks, observation_size, observe
from yatzy_env.evaluation.matches import play_match
from yatzy_env.rules import CATALOGUE, Ruleset, ruleset
from yatzy_env.situation import Situations, empty_situations
from yatzy_env.tables import compile_tables


def network(rules: Ruleset, seed: int = 1) -> PolicyWeights:
    """A random policy and value network for a ruleset."""
    tables, rng = compile_tables(rules), np.random.default_rng(seed)

    def layers(*sizes: int) -> tuple:
        return tuple(
            (rng.normal(size=(size, before)).astype(np.float32), rng.normal(size=size).astype(np.float32))
            for before, size in pairwise(sizes)
        )

    inputs = observation_size(tables)
    return PolicyWeights(layers(inputs, 8, tables.actions), "tanh", rules.name, rules.digest, 1, layers(inputs, 4, 1))


def some_situations(rules: Ruleset) -> Situations:
    """Cards on which nothing is filled, with all rolls and numbers of throws left."""
    tables = compile_tables(rules)
    rolls, throws = np.divmod(np.arange(3 * tables.rolls), 3)
    now = empty_situations(tables, 3 * tables.rolls)
    now.roll[:], now.throws_left[:] = rolls, throws
    return now


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A folder of models with random networks for three rulesets."""
    for name in ("yatzy", "yahtzee", "maxi-danish"):
        (tmp_path / name).mkdir()
        save_weights(network(ruleset(name)), tmp_path / name / "weights.npz")
    record_digests(sorted(tmp_path.glob("*/weights.npz")), tmp_path)
    (tmp_path / TABLE).write_text(json.dumps(reused_names()))
    return tmp_path


def test_the_table_names_rulesets_without_a_model_of_their_own() -> None:
    table = reused_names()
    assert set(table) == {"yahtzee-free-joker", "yahtzee-no-joker", "yahtzee-no-bonus"}
    assert not set(table) & set(shipped_names())
    for name, model in table.items():
        check_reusable(CATALOGUE[model], CATALOGUE[name])


def test_the_nearest_model(models: Path) -> None:
    assert shipped_names(models) == ["yatzy", "yahtzee", "maxi-danish"]
    assert nearest_model(ruleset("yatzy"), models) == "yatzy"
    for name in reused_names():
        assert shipped_model(ruleset(name), models) == models / "yahtzee"
    assert nearest_model(ruleset("yatzy").replace(five_alike_is_full_house=True), models) == "yatzy"
    assert nearest_model(ruleset("maxi-tactic").replace(bonus_threshold=84), models) == "maxi-danish"
    with pytest.raises(ModelError, match="no trained model for ruleset 'triple' is shipped; there are: yatzy, yahtzee"):
        nearest_model(ruleset("triple"), models)
    (models / "yahtzee" / "weights.npz").unlink()
    with pytest.raises(ModelError, match=r"'yahtzee-no-joker' is shipped \(it reuses the one for 'yahtzee'\)"):
        nearest_model(ruleset("yahtzee-no-joker"), models)


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("yatzy", {"throws": 4}, "the model for 'yatzy' cannot play throws = 4; it was trained with 3"),
        ("yatzy", {"boxes": ("ones", "chance"), "bonus_points": 0}, r'cannot play boxes = \["ones", "chance"\]'),
        ("yatzy", {"columns": (1, 2)}, "columns"),
        ("maxi-danish", {"saved_throws": True}, "saved_throws = true; it was trained with false"),
    ],
)
def test_what_does_not_fit_is_one_clear_line(models: Path, name: str, changes: dict, message: str) -> None:
    with pytest.raises(ModelError, match=message) as error:
        shipped_model(ruleset(name).replace(**changes), models)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("content", ["{", "[]", '{"a": 1}'])
def test_a_damaged_table_is_one_clear_line(models: Path, content: str) -> None:
    (models / TABLE).write_text(content)
    with pytest.raises(ModelError, match=r"reuse\.json: damaged"):
        nearest_model(ruleset("yahtzee-no-joker"), models)


def test_only_who_asks_for_it_reuses_a_model(models: Path) -> None:
    rules = ruleset("yahtzee-no-joker")
    folder = shipped_model(rules, models)
    with pytest.raises(ModelError, match="trained for ruleset 'yahtzee' and does not fit 'yahtzee-no-joker'"):
        load_agent(folder, rules, trust=True)
    agent = load_agent(folder, rules, trust=True, reuse=True)
    assert agent.notice == "agent 'ppo': the model for 'yahtzee', trained for other rules, is reused"
    assert not load_agent(folder, ruleset("yahtzee"), trust=True, reuse=True).notice
    with pytest.raises(ModelError, match="'yatzy' and does not fit the same with other options"):
        PPOAgent(ruleset("yatzy").replace(yatzy_adds_pips=True), network(ruleset("yatzy")))


def test_rules_of_ones_own_cannot_be_reused() -> None:
    weights = network(ruleset("yatzy").replace(bonus_threshold=42))
    with pytest.raises(ModelError, match="rules called 'yatzy' that are not in the catalogue"):
        adapt(weights, ruleset("yatzy"))


def test_the_same_observations_are_read_alike() -> None:
    weights, rules = network(ruleset("yatzy")), ruleset("yatzy").replace(yatzy_adds_pips=True)
    adapted = adapt(weights, rules)
    observations = observe(compile_tables(rules), some_situations(rules))
    np.testing.assert_allclose(adapted.logits(observations), weights.logits(observations), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(adapted.values(observations), weights.values(observations), rtol=1e-5, atol=1e-5)
    assert adapt(weights, ruleset("yatzy")) is weights


@pytest.mark.parametrize(
    ("own", "rules", "block", "stands_for"),
    [
        ("yahtzee", ruleset("yahtzee-no-bonus"), "yatzy_fifty", [0]),
        ("yatzy", ruleset("yatzy").replace(bonus_points=0), "upper", [0, 0, 1, 0, 0]),
    ],
)
def test_a_missing_block_reads_as_a_constant(own: str, rules: Ruleset, block: str, stands_for: list[float]) -> None:
    weights = network(ruleset(own))
    there = {found.name: found for found in observation_blocks(ruleset(own))}[block]
    observations = observe(compile_tables(rules), some_situations(rules))
    assert block not in {found.name for found in observation_blocks(rules)}
    filled_in = np.insert(observations, [there.start] * there.size, stands_for, axis=1).astype(np.float32)
    adapted = adapt(weights, rules)
    np.testing.assert_allclose(adapted.logits(observations), weights.logits(filled_in), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(adapted.values(observations), weights.values(filled_in), rtol=1e-4, atol=1e-4)


def test_no_bonus_looks_like_one_that_is_secured() -> None:
    """The constant for a missing upper block is what the environment shows when nothing more is to be earned."""
    rules = ruleset("yatzy")
    now = empty_situations(compile_tables(rules), 1)
    now.filled[:], now.upper[:] = 0b111111, 63
    upper = {block.name: block for block in observation_blocks(rules)}["upper"]
    shown = observe(compile_tables(rules), now)[0, upper.start : upper.start + upper.size]
    np.testing.assert_array_equal(shown, [0, 0, 1, 0, 0])


def test_a_block_the_model_does_not_know_is_not_seen() -> None:
    weights, rules = network(ruleset("yatzy")), ruleset("yatzy").replace(extra_yatzy_bonus=100)
    at = {block.name: block for block in observation_blocks(rules)}["yatzy_fifty"].start
    observations = observe(compile_tables(rules), some_situations(rules))
    observations[::2, at] = 1
    logits = adapt(weights, rules).logits(observations)
    np.testing.assert_allclose(logits, weights.logits(np.delete(observations, at, axis=1)), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    "rules",
    [*(CATALOGUE[name] for name in reused_names()), CATALOGUE["yahtzee"].replace(five_alike_is_full_house=True)],
    ids=lambda rules: rules.name,
)
def test_a_reused_model_plays_legal_games(models: Path, rules: Ruleset) -> None:
    agent = load_agent(shipped_model(rules, models), rules, trust=True, reuse=True)
    assert play_match(agent, rules, 20, 1).games == 20


def test_every_shipped_model_plays_its_own_rules_with_a_switch() -> None:
    for name in shipped_names():
        rules = ruleset(name).replace(yatzy_adds_pips=True)
        agent = load_agent(shipped_model(rules), rules, reuse=True)
        assert agent.notice
        assert play_match(agent, rules, 1, 1).score[0] > 0
