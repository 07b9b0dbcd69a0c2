"""A quick look at an agent while it trains: a few games on seeds that no final result uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from yatzy_env.agent import Agent
from yatzy_env.evaluation.matches import play_match
from yatzy_env.evaluation.results import summarise
from yatzy_env.evaluation.seeds import check_training_seed
from yatzy_env.rules import Ruleset

if TYPE_CHECKING:
    from yatzy_env.solver import Solution

SCORE = "eval/mean_score"
EXPECTED = "eval/expected_score"
PERCENT = "eval/percent_of_optimum"
REGRET = "eval/regret_per_game"


def quick_evaluation(
    agent: Agent, rules: Ruleset, solution: Solution | None, games: int, seed: int
) -> dict[str, float]:
    """Measures an agent by a few games, for the log of its training.

    Nothing here may choose a checkpoint, a start or a reward where figures of the solution are to stay out of training.

    Args:
        agent: the agent as it plays now.
        rules: the ruleset.
        solution: its exact solution; None where there is none or none is wanted.
        games: how many games; with a solution 200 tell the regret of a good agent to a few tenths of a point.
        seed: seed of the dice, below `yatzy_env.evaluation.seeds.FINAL`.

    Returns:
        `eval/mean_score`, and with a solution `eval/expected_score`, `eval/percent_of_optimum` and
        `eval/regret_per_game`.

    Raises:
        YatzyError: for a number out of range, a final seed, or a solution of another ruleset.
        IllegalActionError: if the agent plays an illegal action.
    """
    check_training_seed(seed)
    result = summarise(play_match(agent, rules, games, seed, solution))
    figures = {
        SCORE: result.mean_score,
        EXPECTED: result.expected_score,
        PERCENT: result.percent_of_optimum,
        REGRET: result.regret_per_game,
    }
    return {name: value for name, value in figures.items() if value is not None}
