from __future__ import annotations

import pytest

from agents.baselines import GreedyAgent
from tests.evaluation.helpers import TINY, tiny_solution
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation import seeds
from yatzy_env.evaluation.matches import play_match
from yatzy_env.evaluation.results import quick_evaluation, summarise


def test_the_figures_are_those_of_the_match() -> None:
    found = quick_evaluation(GreedyAgent(TINY), TINY, tiny_solution(), 50, seeds.TRAINING)
    result = summarise(play_match(GreedyAgent(TINY), TINY, 50, seeds.TRAINING, tiny_solution()))
    assert found == {
        "eval/mean_score": result.mean_score,
        "eval/expected_score": result.expected_score,
        "eval/percent_of_optimum": result.percent_of_optimum,
        "eval/regret_per_game": result.regret_per_game,
    }


def test_without_a_solution_there_is_a_mean_score() -> None:
    assert list(quick_evaluation(GreedyAgent(TINY), TINY, None, 5, 1)) == ["eval/mean_score"]


def test_final_seeds_are_kept_from_training() -> None:
    assert not seeds.is_final(seeds.TRAINING)
    quick_evaluation(GreedyAgent(TINY), TINY, None, 1, seeds.FINAL - 1)
    with pytest.raises(YatzyError, match=r"seed = 1001; allowed before training has ended: below 1001"):
        quick_evaluation(GreedyAgent(TINY), TINY, None, 1, seeds.FINAL)
