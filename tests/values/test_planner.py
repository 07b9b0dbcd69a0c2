"""The planner: alike in any company, at its best with the best values, and its exact score."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from agents.errors import ModelError
from agents.registry import make_agent
from agents.values.cards import card_inputs
from agents.values.config import ValuesSettings
from agents.values.learner import ValueLearner
from agents.values.network import ValueNetwork
from agents.values.planner import Planner
from yatzy_env.agent import best_actions
from yatzy_env.evaluation.by_card import score_by_card
from yatzy_env.evaluation.matches import play_match
from yatzy_env.rules import CATALOGUE, Ruleset, ruleset
from yatzy_env.situation import Situations
from yatzy_env.solver import solve
from yatzy_env.tables import Tables
from yatzy_env.turn import Ends, TurnPlans, plans

SMALL = {
    "name": "small",
    "boxes": ("ones", "sixes", "one_pair", "full_house", "yatzy"),
    "bonus_threshold": 18,
    "joker": "forced",
    "extra_yatzy_bonus": 20,
}


def small(**changes: object) -> Ruleset:
    return ruleset("yatzy").replace(**(SMALL | changes))


def random_network(rules: Ruleset, seed: int = 1) -> ValueNetwork:
    rng = np.random.default_rng(seed)
    sizes = [card_inputs(rules).size, 32, 16, 1]
    layers = [
        (rng.normal(size=(out, read)).astype(np.float32) / np.sqrt(read), rng.normal(size=out).astype(np.float32) / 9)
        for read, out in pairwise(sizes)
    ]
    return ValueNetwork(rules, tuple((weight.astype(np.float32), bias.astype(np.float32)) for weight, bias in layers))


@pytest.mark.parametrize("name", ["yatzy", "yahtzee", "maxi-alga", "triple", "half-force"])
def test_a_game_is_played_alike_in_any_company(name: str) -> None:
    rules = ruleset(name)
    planner = Planner(rules, random_network(rules))
    together = play_match(planner, rules, 24, seed=3)
    in_parts = play_match(planner, rules, 24, seed=3, batch=5)
    assert np.array_equal(together.score, in_parts.score)
    assert np.array_equal(together.order, in_parts.order)


class Recorder(Planner):
    """Notes what it is asked and what it answers."""

    asked: ClassVar[list[tuple[Situations, np.ndarray]]] = []

    def act(self, situations: Situations, noise: np.ndarray) -> np.ndarray:
        actions = super().act(situations, noise)
        self.asked.append((situations.copy(), actions))
        return actions


@pytest.mark.parametrize("name", ["yatzy", "yahtzee", "maxi-alga", "triple"])
def test_what_it_has_planned_before_changes_no_bit(name: str) -> None:
    rules = ruleset(name)
    network = random_network(rules)
    Recorder.asked = []
    play_match(Recorder(rules, network), rules, 6, seed=8)
    planner, rng = Planner(rules, network), np.random.default_rng(2)
    for number in rng.permutation(len(Recorder.asked))[:40]:
        situations, actions = Recorder.asked[number]
        some = rng.permutation(len(actions))[: rng.integers(1, 7)]
        assert np.array_equal(planner.act(situations.take(some), np.zeros(len(some))), actions[some])
        alone = Planner(rules, network).action_values(situations.take(some[:1]))
        assert np.array_equal(planner.action_values(situations)[some[:1]], alone, equal_nan=True)
        assert np.array_equal(actions, best_actions(planner.action_values(situations)))


def test_a_turn_is_planned_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rules, planned = ruleset("yatzy"), []
    plan = plans.plan_turns

    def counted(tables: Tables, ends: Ends, values: np.ndarray) -> TurnPlans:
        planned.extend(zip(ends.before.filled.tolist(), ends.before.upper[:, 0].tolist(), strict=True))
        return plan(tables, ends, values)

    monkeypatch.setattr(plans, "plan_turns", counted)
    play_match(Planner(rules, random_network(rules)), rules, 1, seed=1)
    assert len(planned) == len(set(planned)) == 15


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_planner_plays_every_ruleset(name: str) -> None:
    rules = ruleset(name)
    match = play_match(Planner(rules, random_network(rules)), rules, 2, seed=4)
    assert (match.score > 0).all()


@pytest.mark.parametrize("td_lambda", [0.0, 0.5])
def test_training_reaches_the_optimum_of_a_small_game(td_lambda: float) -> None:
    rules = small()
    fields = {"hidden": (32, 32), "rounds": 24, "games": 60, "cards": 600, "minibatch": 128, "td_lambda": td_lambda}
    settings = ValuesSettings.model_validate({**fields, "learning_rate": {"start": 5e-3, "end": 0}})
    learner = ValueLearner([rules], settings, seed=1)
    while not learner.fitter.done:
        learner.work()
    (network,) = ValueNetwork.of_each([rules], learner.fitter.layers)
    optimum = solve(rules, cache=False, progress=False).expected_score
    assert score_by_card(Planner(rules, network), rules).expected_score >= 0.998 * optimum


def test_one_network_learns_several_games(tmp_path: Path) -> None:
    rulesets = [small(), small(name="other", boxes=("twos", "sixes", "two_pairs", "yatzy"), extra_yatzy_bonus=0)]
    fields = {"hidden": (48, 48), "rounds": 40, "games": 120, "cards": 1200, "minibatch": 128}
    settings = ValuesSettings.model_validate({**fields, "learning_rate": {"start": 5e-3, "end": 0}})
    learner = ValueLearner(rulesets, settings, seed=1)
    while not learner.fitter.done:
        learner.work()
    ValueNetwork.save(tmp_path / "values.npz", rulesets, learner.fitter.layers, 40)
    for rules in rulesets:
        network = ValueNetwork.read(tmp_path / "values.npz", rules)
        optimum = solve(rules, cache=False, progress=False).expected_score
        assert score_by_card(Planner(rules, network), rules).expected_score >= 0.995 * optimum


def test_where_no_value_network_is_shipped_the_error_says_so() -> None:
    with pytest.raises(ModelError, match="no value network for ruleset 'small'"):
        make_agent("planner", small(), lambda: pytest.fail("solved"))  # type: ignore[arg-type]


def test_a_network_of_other_rules_is_refused(tmp_path: Path) -> None:
    network = random_network(small())
    with pytest.raises(ModelError, match="small"):
        Planner(ruleset("yatzy"), network)
    with pytest.raises(ModelError, match="inputs"):
        ValueNetwork(ruleset("yahtzee"), network.layers)
    path = tmp_path / "values.npz"
    ValueNetwork.save(path, [small()], network.layers, 3)
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(ModelError, match=r"values\.npz"):
        ValueNetwork.read(path)
