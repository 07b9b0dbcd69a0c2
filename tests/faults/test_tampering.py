"""An agent runs in the process of the harness: what it changes there does not pass for a score."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from agents.baselines import GreedyAgent, RandomAgent
from yatzy_env.evaluation.matches import MeasurementError, play_match
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.situation import Situations

COLUMNS = ruleset("triple")


class Tamperer(GreedyAgent):
    """Plays greedily and changes what it finds in the frames that called it."""

    def __init__(self, rules: Ruleset, change: Callable[[dict[str, Any]], object]) -> None:
        super().__init__(rules)
        self._change = change

    def act(self, situations: Situations, noise: np.ndarray) -> np.ndarray:
        self._change(sys._getframe(1).f_locals)
        return super().act(situations, noise)


def raise_score(harness: dict[str, Any]) -> None:
    harness["match"].score[:] += 1


def lower_written(harness: dict[str, Any]) -> None:
    written = harness["games"].written
    written[written > 0] -= 1


def swap_written(harness: dict[str, Any]) -> None:
    """The sum stays, the bonus goes."""
    written = harness["games"].written
    written[:, 15:21][written[:, 15:21] > 0] += 1
    written[:, 0:6][written[:, 0:6] > 0] -= 1


@pytest.mark.parametrize("rules", [COLUMNS, ruleset("yahtzee"), ruleset("maxi-alga")], ids=lambda r: r.name)
def test_honest_scores_stand_in_the_boxes(rules: Ruleset) -> None:
    for agent in (GreedyAgent(rules), RandomAgent(rules)):
        match = play_match(agent, rules, 200, 3)
        assert (match.score >= match.written.sum(axis=1)).all()


@pytest.mark.parametrize("change", [raise_score, lower_written, swap_written], ids=lambda change: change.__name__)
def test_a_game_without_a_solution_is_checked_too(change: Callable[[dict[str, Any]], object]) -> None:
    with pytest.raises(MeasurementError, match="points that stand in the boxes"):
        play_match(Tamperer(COLUMNS, change), COLUMNS, 50, 1)
