"""Policy networks: alike in any company, legal in play, and of the shape that the rules ask for."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from agents.errors import ModelError
from agents.ppo.agent import PPOAgent
from agents.ppo.policy import PolicyNetwork, write_policy_inputs
from agents.values.draw import draw_cards
from yatzy_env.envs.batch import YatzyVectorEnv
from yatzy_env.evaluation.exact import exact_score
from yatzy_env.evaluation.matches import play_match
from yatzy_env.evaluation.results import summarise
from yatzy_env.rules import CATALOGUE, Ruleset, ruleset
from yatzy_env.solver import solve
from yatzy_env.tables import compile_tables
from yatzy_env.turn import Cards, end_kinds


def random_network(rules: Ruleset, seed: int = 1, hidden: int = 48) -> PolicyNetwork:
    rng = np.random.default_rng(seed)
    sizes = [len(PolicyNetwork.input_keys(rules)), hidden, len(PolicyNetwork.output_keys(rules))]
    layers = [
        (rng.normal(0, 1, (wide, narrow)).astype(np.float32), rng.normal(0, 1, wide).astype(np.float32))
        for narrow, wide in pairwise(sizes)
    ]
    return PolicyNetwork(rules, tuple(layers))


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_output_has_a_key_of_its_own(name: str) -> None:
    rules = ruleset(name)
    tables = compile_tables(rules)
    outputs = PolicyNetwork.output_keys(rules)
    assert len(set(outputs)) == len(outputs) == tables.keeps + len(end_kinds(tables).box)
    inputs = PolicyNetwork.input_keys(rules)
    cards = draw_cards(rules, np.arange(20) % tables.card.boxes, np.random.default_rng(1))
    shown = write_policy_inputs(rules, cards, np.arange(20) % rules.throws)
    assert shown.shape == (20, len(inputs)) == (20, len(set(inputs)))


@pytest.mark.parametrize("name", ["yatzy", "yahtzee", "forced", "maxi-alga", "triple"])
def test_it_plays_legal_actions_whatever_the_batch(name: str) -> None:
    rules = ruleset(name)
    agent = PPOAgent(rules, random_network(rules))
    env = YatzyVectorEnv(300, rules)
    env.reset(seed=1)
    for _ in range(40):
        situations = env.situations
        actions = agent.act(situations, np.zeros(300))
        assert env.action_masks()[np.arange(300), actions].all()
        few = np.arange(0, 300, 43)
        assert np.array_equal(agent.act(situations.take(few), np.zeros(len(few))), actions[few])
        env.step(actions)


def test_it_plays_the_best_rated_legal_action() -> None:
    rules = ruleset("yahtzee")
    tables, kinds = compile_tables(rules), end_kinds(compile_tables(rules))
    network = random_network(rules)
    env = YatzyVectorEnv(200, rules)
    env.reset(seed=4)
    for _ in range(25):
        now = env.situations
        ratings = network.ratings(Cards(now.filled, now.upper, now.yatzy_scored, now.throws_left), now.throws_left)
        wide = np.full((200, tables.actions), -np.inf)
        wide[:, : tables.keeps] = ratings[:, : tables.keeps]
        for box in range(tables.card.boxes):  # no joker, no extra bonus: those have a test of their own
            kind = kinds.of[0, 0, box][now.roll]
            wide[:, tables.keeps + box] = ratings[np.arange(200), tables.keeps + kind]
        wide[env.action_masks() == 0] = -np.inf
        actions = PPOAgent(rules, network).act(now, np.zeros(200))
        plain = (tables.alike[now.roll] == 0) | ~(now.filled & tables.card.yatzy_boxes).astype(bool)
        assert np.array_equal(actions[plain], wide.argmax(axis=1)[plain])
        env.step(actions)


def test_a_network_of_other_rules_is_refused() -> None:
    rules = ruleset("yatzy")
    with pytest.raises(ModelError, match="trained for 'yatzy' and does not fit 'yahtzee'"):
        PPOAgent(ruleset("yahtzee"), random_network(rules))
    with pytest.raises(ModelError, match=r"inputs and .* outputs for ruleset 'yahtzee'"):
        PolicyNetwork(ruleset("yahtzee"), random_network(rules).layers)


def test_a_file_gives_back_the_network(tmp_path: Path) -> None:
    rules = ruleset("yatzy")
    network = random_network(rules)
    PolicyNetwork.save(tmp_path / "policy.npz", [rules], network.layers, 7)
    again = PolicyNetwork.read(tmp_path / "policy.npz")
    assert again.rules == rules
    assert again.digest == network.digest != random_network(rules, 2).digest


def test_a_shared_network_plays_each_of_its_rulesets_as_the_network_that_is_left_of_it(tmp_path: Path) -> None:
    rulesets = [ruleset(name) for name in ("yahtzee", "forced", "maxi-tactic")]
    shared = PolicyNetwork.shared(rulesets)
    rng = np.random.default_rng(1)
    layers = tuple(
        (rng.normal(0, 1, (wide, narrow)).astype(np.float32), rng.normal(0, 1, wide).astype(np.float32))
        for narrow, wide in ((shared.inputs, 40), (40, shared.outputs))
    )
    PolicyNetwork.save(tmp_path / "policy.npz", rulesets, layers, 1)
    for task, rules in enumerate(rulesets):
        cards = draw_cards(rules, np.arange(50) % compile_tables(rules).card.boxes, rng)
        left = np.arange(50) % rules.throws
        inputs = shared.widen(task, write_policy_inputs(rules, cards, left))
        hidden = np.maximum(inputs @ layers[0][0].T + layers[0][1], 0)
        wanted = shared.own_outputs(task, hidden @ layers[1][0].T + layers[1][1])
        network = PolicyNetwork.read(tmp_path / "policy.npz", rules)
        np.testing.assert_allclose(network.ratings(cards, left), wanted, rtol=1e-4, atol=1e-3)
        assert np.array_equal(shared.own_outputs(task, shared.all_outputs(task, wanted)), wanted)
    for rules, said in ((None, "say which is played: yahtzee, forced, maxi-tactic"), (ruleset("yatzy"), "not play")):
        with pytest.raises(ModelError, match=said):
            PolicyNetwork.read(tmp_path / "policy.npz", rules)


def test_a_policy_loses_what_its_exact_score_says() -> None:
    rules = ruleset("yatzy").replace(name="small", boxes=("ones", "sixes", "chance"), bonus_threshold=18)
    agent = PPOAgent(rules, random_network(rules))
    solution = solve(rules, progress=False)
    fields = summarise(play_match(agent, rules, 4000, 3, solution)).fields()
    exact = solution.expected_score - exact_score(agent, rules).expected_score
    assert fields["regret_per_game"] == pytest.approx(exact, abs=4 * fields["regret_se"])
