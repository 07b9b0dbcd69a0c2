from __future__ import annotations

import numpy as np
import pytest

from agents.baselines import GreedyAgent, RandomAgent
from tests.evaluation.helpers import TINY, Optimal, tiny_solution
from yatzy_env.evaluation import mistakes
from yatzy_env.evaluation.matches import Match, play_match

GAMES = 60


def play(batch: int = 2048) -> Match:
    return play_match(RandomAgent(TINY), TINY, GAMES, 1, tiny_solution(), batch)


def test_every_mistake_of_the_first_games_is_kept_and_costs_what_the_regret_says() -> None:
    match = play()
    log = match.mistakes
    assert log.games == GAMES
    assert (np.diff(log.first.game) >= 0).all()
    for game in range(GAMES):
        assert log.first.regret[log.first.game == game].sum() == pytest.approx(match.game_regret[game])
    again = tiny_solution().batch_action_values(log.first.situations)
    rows = np.arange(len(log.first))
    regret = again[rows, log.first.best] - again[rows, log.first.action]
    np.testing.assert_allclose(regret, log.first.regret, atol=1e-12)
    assert (log.first.regret > 0).all()


@pytest.mark.parametrize("batch", [2048, 7, 1])
def test_long_matches_keep_whole_games_and_the_worst_of_all(monkeypatch: pytest.MonkeyPatch, batch: int) -> None:
    everything = play().mistakes.first
    monkeypatch.setattr(mistakes, "MOST", 100)
    log = play(batch).mistakes
    assert 1 <= log.games < GAMES
    assert len(log.first) <= 100
    assert len(log.first) == (everything.game < log.games).sum()
    assert (everything.game < log.games + 1).sum() > 100, "another game would still fit"
    costliest = np.sort(everything.regret)[::-1][: mistakes.WORST]
    np.testing.assert_array_equal(log.worst.regret, costliest)


def test_a_single_game_is_kept_however_many_mistakes_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mistakes, "MOST", 1)
    log = play(batch=9).mistakes
    assert log.games == 1
    assert len(log.first) > 1


def test_optimal_play_makes_none() -> None:
    match = play_match(Optimal(tiny_solution()), TINY, 40, 1, tiny_solution())
    assert len(match.mistakes.first) == len(match.mistakes.worst) == 0
    assert match.mistakes.games == 40


def test_without_a_solution_there_is_no_log() -> None:
    assert play_match(GreedyAgent(TINY), TINY, 5, 1).mistakes is None
