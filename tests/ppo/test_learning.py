"""PPO learns a small game in seconds, and does not where it cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from agents.baselines import RandomAgent
from agents.models.load import load_agent
from tests.evaluation.helpers import PlainSolution
from tests.ppo.helpers import mean_score, tiny_config, trained


def learnt_score(root: Path, **changes: object) -> float:
    config = tiny_config(**changes)
    run, _ = trained(root, config)
    return mean_score(load_agent(run.folder, config.rules), config.rules)


@pytest.fixture(scope="module")
def optimum() -> float:
    return PlainSolution(tiny_config().rules).expected_score


def test_it_learns(tmp_path: Path, optimum: float) -> None:
    assert learnt_score(tmp_path) > 0.95 * optimum


def test_it_does_not_learn_without_a_learning_rate(tmp_path: Path, optimum: float) -> None:
    assert learnt_score(tmp_path, learning_rate=0) < 0.6 * optimum


def test_random_play_is_far_from_the_optimum(optimum: float) -> None:
    rules = tiny_config().rules
    assert mean_score(RandomAgent(rules), rules) < 0.4 * optimum
