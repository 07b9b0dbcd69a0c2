"""The planner: alike in any company, at its best with the best values, and its exact score."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from agents.errors import ModelError
from agents.registry import make_agent
from agents.training.runs import start_run
from agents.values.cards import card_inputs
from agents.values.config import ValuesConfig
from agents.values.network import ValueNetwork, read_values, save_values
from agents.values.planner import Planner
from agents.values.training import train_values
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


def config(**changes: object) -> ValuesConfig:
    fields = {"hidden": (32, 32), "rounds": 14, "games": 60, "cards": 600, "minibatch": 128, "td_lambda": 0.5}
    rules = small().model_dump(mode="json")
    return ValuesConfig.model_validate(
        {"ruleset": rules, **fields, "learning_rate": {"start": 5e-3, "end": 0}, **changes}
    )


def test_training_reaches_the_optimum_of_a_small_game_without_a_solution(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = small()
    optimum = solve(rules, cache=False, progress=False).expected_score

    def forbidden(*args: object, **kwargs: object) -> None:
        raise AssertionError("training asked for a solution")

    with monkeypatch.context() as patch:
        patch.setattr("yatzy_env.solver.solution.solve", forbidden)
        patch.setattr("yatzy_env.solver.solve", forbidden)
        patch.setattr("yatzy_env.solver.solution.Solution.load", forbidden)
        patch.setattr("yatzy_env.solver.solution.Solution.__init__", forbidden)
        run = start_run(tmp_path / "run", config(rounds=24), [rules], "test")
        network = train_values(run, lambda line: None)
    assert score_by_card(network, rules).expected_score >= 0.998 * optimum
    assert isinstance(make_agent(str(run.folder), rules, lambda: pytest.fail("solved")), Planner)  # type: ignore[arg-type]
    checkpoint = run.checked_checkpoint() / "values.npz"
    assert isinstance(make_agent(str(checkpoint), rules, lambda: pytest.fail("solved")), Planner)  # type: ignore[arg-type]
    again = read_values(checkpoint)
    assert again.rules == rules
    for (weight, bias), (other_weight, other_bias) in zip(network.layers, again.layers, strict=True):
        assert np.array_equal(weight, other_weight)
        assert np.array_equal(bias, other_bias)


def test_training_that_was_stopped_goes_on_as_if_it_had_not(tmp_path: Path) -> None:
    def stop(after: int) -> object:
        def on_round(done: int) -> None:
            if done == after:
                raise KeyboardInterrupt

        return on_round

    settings = config(checkpoint_minutes=1e-9)
    whole = train_values(start_run(tmp_path / "whole", settings, [small()], "test"), lambda line: None)
    run = start_run(tmp_path / "parts", settings, [small()], "test")
    for after in (3, 9):
        with pytest.raises(KeyboardInterrupt):
            train_values(run, lambda line: None, stop(after))  # type: ignore[arg-type]
    parts = train_values(run, lambda line: None)
    for (weight, bias), (other_weight, other_bias) in zip(whole.layers, parts.layers, strict=True):
        assert np.array_equal(weight, other_weight)
        assert np.array_equal(bias, other_bias)


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
    save_values(network, path, 3)
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(ModelError, match=r"values\.npz"):
        read_values(path)
