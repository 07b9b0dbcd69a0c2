"""Looking one throw ahead with the value network of a trained agent."""

from __future__ import annotations

import numpy as np
import pytest

from agents.models.load import load_agent
from agents.ppo.ahead import AheadAgent
from agents.ppo.runs import config_of
from agents.registry import make_agent
from agents.training.runs import Run
from tests.ppo.helpers import vec_env
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.matches import play_match
from yatzy_env.rules import Ruleset
from yatzy_env.solver import Solution, solve


def never() -> Solution:
    raise AssertionError("no solution is needed")


@pytest.fixture(scope="module")
def rules(short_run: Run) -> Ruleset:
    return config_of(short_run).rules


def test_plays_what_its_value_network_expects_most_of(short_run: Run, rules: Ruleset) -> None:
    agent = make_agent(f"{short_run.folder}+ahead", rules, never)
    assert isinstance(agent, AheadAgent)
    assert agent.name.endswith("+ahead")
    match = play_match(agent, rules, 200, 5, solve(rules, progress=False))
    plain = play_match(load_agent(short_run.folder, rules), rules, 200, 5, solve(rules, progress=False))
    # Hardly trained, the value network knows more with the dice at once in view than the policy does.
    assert match.game_regret.mean() < plain.game_regret.mean()


def test_its_actions_are_the_best_by_its_values(short_run: Run, rules: Ruleset) -> None:
    agent = make_agent(f"{short_run.folder}+ahead", rules, never)
    env = vec_env(rules, 32, seed=1)
    env.reset()
    for _ in range(6):
        values = agent.action_values(env.parts[0].situations)  # type: ignore[attr-defined]
        actions = agent.act(env.parts[0].situations, np.zeros(32))
        np.testing.assert_array_equal(np.isnan(values), env.action_masks() == 0)
        assert (values[np.arange(32), actions] == np.nanmax(values, axis=1)).all()
        env.step(actions)
    assert len(agent.act(env.parts[0].situations.take(np.zeros(0, np.intp)), np.zeros(0))) == 0


@pytest.mark.parametrize("name", ["greedy+ahead", "optimal+ahead"])
def test_only_trained_agents_look_ahead(name: str, rules: Ruleset) -> None:
    with pytest.raises(YatzyError, match="only a trained agent"):
        make_agent(name, rules, lambda: solve(rules, progress=False))


def test_an_unknown_agent_is_named(rules: Ruleset) -> None:
    with pytest.raises(YatzyError, match="unknown agent 'nobody'"):
        make_agent("nobody+ahead", rules, never)
