"""Every ruleset that validates can be played in every environment, shown, and solved or refused by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.envs.play import random_legal
from tests.rules.helpers import random_rules
from yatzy_env import Ruleset, SolutionError, solve, solve_cost
from yatzy_env.envs import YatzyEnv
from yatzy_env.envs.batch import YatzyVectorEnv
from yatzy_env.envs.multiplayer import raw_env
from yatzy_env.rules import BOXES

_FEW = {"boxes": ("ones", "yatzy"), "bonus_points": 0}
EDGES: dict[str, dict[str, Any]] = {
    "one box": {"boxes": ("chance",), "bonus_points": 0, "throws": 1},
    "one throw": _FEW | {"dice": 6, "throws": 1},
    "all boxes in three columns": {"dice": 6, "boxes": BOXES, "columns": (10, 1, 10)},
    "many saved throws": _FEW | {"dice": 6, "throws": 5, "saved_throws": True},
    "two saved throws": _FEW | {"dice": 6, "throws": 2, "saved_throws": True},
    "two dice": _FEW | {"dice": 2, "joker": "forced", "extra_yatzy_bonus": 1000},
    "no upper box": {"boxes": ("yatzy", "chance"), "bonus_points": 0, "order": "upper-in-order", "yatzy_first": True},
    "upper boxes alone": {"boxes": ("sixes",), "bonus_threshold": 1, "joker": "none"},
    "no bonus, high threshold": {"boxes": ("ones", "sixes"), "bonus_points": 0, "bonus_threshold": 10**30},
    "bonus for nothing": {"boxes": ("ones", "sixes"), "bonus_points": 5, "bonus_threshold": 1},
}


def check(rules: Ruleset) -> None:
    rng = np.random.default_rng(1)
    env, batch, game = YatzyEnv(rules, "ansi", strict=True), YatzyVectorEnv(2, rules), raw_env(rules, strict=True)
    observation, info = env.reset(seed=1)
    observations, infos = batch.reset(seed=1)
    terminated, total = False, 0.0
    while not terminated:
        assert env.observation_space.contains(observation)
        np.testing.assert_array_equal(observation, observations[0])
        np.testing.assert_array_equal(info["action_mask"], infos["action_mask"][0])
        action = random_legal(rng, info["action_mask"])
        observation, reward, terminated, _, info = env.step(action)
        observations, rewards, _, _, infos = batch.step([action, random_legal(rng, infos["action_mask"][1])])
        assert reward == rewards[0]
        total += reward
    assert total == info["score"] <= rules.max_score
    assert env.observation_space.contains(observation)
    assert "Total" in env.render()
    game.reset(seed=1)
    while game.agents:
        seen = game.observe(game.agent_selection)
        assert game.observation_space(game.agent_selection).contains(seen)
        over = game.terminations[game.agent_selection]
        game.step(None if over else random_legal(rng, seen["action_mask"]))
    if len(rules.columns) > 1:
        with pytest.raises(SolutionError, match=rules.name):
            solve_cost(rules)
    elif solve_cost(rules).seconds < 0.2:
        assert 0 <= solve(rules, cache=False).expected_score <= rules.max_score


@pytest.mark.parametrize("name", EDGES)
def test_a_ruleset_at_the_edge_of_what_is_allowed(name: str) -> None:
    check(Ruleset(**EDGES[name]))


@pytest.mark.parametrize("seed", range(12))
def test_random_rulesets(seed: int) -> None:
    check(random_rules(seed))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12, 300))
def test_more_random_rulesets(seed: int) -> None:
    check(random_rules(seed))
