from __future__ import annotations

import json

import numpy as np
import pytest

from agents.baselines import GreedyAgent, RandomAgent
from tests.evaluation.helpers import TINY, tiny_evaluation, tiny_solution
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.head_to_head import duel, duels
from yatzy_env.evaluation.matches import play_match


def test_rates_count_games_on_the_same_dice() -> None:
    first, second = tiny_evaluation().matches[:2]
    found = duel(first, second)
    scores = zip(first.score.tolist(), second.score.tolist(), strict=True)
    outcomes = [(one > other) - (one < other) for one, other in scores]
    assert found.win.value == outcomes.count(1) / 200
    assert found.draw.value == outcomes.count(0) / 200
    assert found.loss.value == outcomes.count(-1) / 200
    assert 0 < found.draw.value < found.win.value < found.loss.value
    for share in (found.win, found.draw, found.loss):
        assert share.low < share.value < share.high
    assert found.scores.mean == pytest.approx(np.mean(first.score - second.score))
    assert found.by_regret.mean == pytest.approx(np.mean(second.game_regret - first.game_regret))
    assert found.by_regret.error < found.scores.error


def test_from_the_other_side_wins_are_losses() -> None:
    first, second = tiny_evaluation().matches[:2]
    there, back = duel(first, second), duel(second, first)
    turned = there.turned()
    assert (turned.first, turned.second) == (back.first, back.second)
    assert (turned.win, turned.draw, turned.loss) == (back.win, back.draw, back.loss)
    assert turned.scores == pytest.approx(back.scores)


def test_an_agent_draws_against_itself() -> None:
    match = play_match(GreedyAgent(TINY), TINY, 30, 1)
    found = duel(match, match)
    assert (found.win.value, found.draw.value, found.loss.value) == (0, 1, 0)
    assert found.by_regret is None


def test_every_pair_meets_once_and_is_plain_json() -> None:
    found = duels(tiny_evaluation().matches)
    assert [(one.first, one.second) for one in found] == [
        ("random", "greedy"),
        ("random", "optimal"),
        ("greedy", "optimal"),
    ]
    for fields in json.loads(json.dumps([one.fields() for one in found], allow_nan=False)):
        assert fields["win_rate"] + fields["draw_rate"] + fields["loss_rate"] == pytest.approx(1)
        low, high = fields["win_interval"]
        assert low <= fields["win_rate"] <= high


def test_other_dice_are_no_duel() -> None:
    matches = [
        play_match(RandomAgent(TINY), TINY, games, seed, tiny_solution()) for games, seed in ((8, 1), (8, 2), (9, 1))
    ]
    for other in matches[1:]:
        with pytest.raises(YatzyError, match="did not play the same games"):
            duel(matches[0], other)
