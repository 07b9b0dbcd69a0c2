"""The network that learns from the optimum."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from agents.benchmark.execute import Evaluations
from agents.distilled import DistilledSettings, _softmax, distil
from agents.ppo.agent import PPOAgent
from agents.ppo.weights import PolicyWeights
from yatzy_env import solve
from yatzy_env.evaluation.matches import play_match
from yatzy_env.rules import ruleset

SMALL = ruleset({"name": "small", "dice": 3, "boxes": ["ones", "sixes", "one_pair", "chance"], "bonus_threshold": 9})


def test_targets_favour_what_is_worth_more_and_nothing_illegal() -> None:
    values = np.array([[np.nan, 10.0, 11.0, np.nan], [3.0, np.nan, 3.0, -1e6]])
    target = _softmax(values, temperature=0.5)
    np.testing.assert_allclose(target[0], [0, 1 / (1 + np.e**2), np.e**2 / (1 + np.e**2), 0], rtol=1e-6)
    np.testing.assert_array_equal(target[1], [0.5, 0, 0.5, 0])


def test_it_comes_close_to_the_optimum_on_a_small_game() -> None:
    before = torch.get_num_threads()
    solution = solve(SMALL, cache=False, progress=False)
    seen: list[PolicyWeights] = []
    settings = DistilledSettings(num_envs=64, rollout_steps=32, minibatch=256, hidden=(32,), learning_rate=0.01)

    def keep(policy: PolicyWeights) -> dict[str, float]:
        seen.append(policy)
        return {}

    last = distil(SMALL, solution, settings, 30_000, 1, Evaluations(keep, [2048, 30_000]))
    torch.set_num_threads(before)
    assert [policy.steps for policy in seen] == [2048, 30_720]
    first, final = (
        play_match(PPOAgent(SMALL, policy), SMALL, 500, 1, solution).game_regret.mean() for policy in (seen[0], last)
    )
    assert final < 0.02 * solution.expected_score
    assert final < first / 2


@pytest.mark.parametrize("key", ["own", "random"])
def test_shares_are_shares(key: str) -> None:
    with pytest.raises(ValueError, match="less than or equal to 1"):
        DistilledSettings(**{key: 1.5})
