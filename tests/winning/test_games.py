"""Games for two: the opponent's path, our games beside it, and how they are counted."""

from __future__ import annotations

import numpy as np
import pytest

from agents.optimal import OptimalAgent
from agents.winning.games import play_against, play_alone
from agents.winning.measure import Duel, measure
from tests.winning.helpers import SMALL, agent_of
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.matches import game_keys, play_match
from yatzy_env.rules import ruleset
from yatzy_env.solver import solve
from yatzy_env.tables import compile_tables
from yatzy_env.turn import Cards

AGENT = agent_of(SMALL)
SOLUTION = solve(SMALL, cache=False, progress=False)
CARD = AGENT.tables.card


def optimal(cards: Cards) -> np.ndarray:
    return SOLUTION.card_values(cards.filled, cards.upper[:, 0])


def test_a_path_adds_up_and_is_that_of_the_optimal_player() -> None:
    path = play_alone(SMALL, optimal, game_keys(3, 0, 200))
    assert (np.bitwise_count(path.cards.filled) == np.arange(CARD.boxes + 1)[:, None]).all()
    assert (path.cards.filled[-1] == CARD.all_boxes).all()
    assert (np.diff(path.total, axis=0) >= 0).all()
    assert (np.diff(path.cards.upper[:, :, 0], axis=0) >= 0).all()
    match = play_match(OptimalAgent(SOLUTION), SMALL, 200, 3)
    assert (path.total[-1] == match.score).mean() > 0.95  # ties may be broken another way
    cards, totals = path.at(np.array([0, 2, 4]), np.array([7, 7, 9]))
    assert cards.filled.tolist() == [0, path.cards.filled[2, 7], CARD.all_boxes]
    assert totals.tolist() == [0, path.total[2, 7], path.total[4, 9]]


@pytest.mark.parametrize("goes_first", [True, False])
def test_the_second_player_sees_one_more_turn_of_its_opponent(
    goes_first: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = play_alone(SMALL, optimal, np.arange(50, dtype=np.uint64))
    agent = agent_of(SMALL)
    plan, seen = agent.plan, []
    monkeypatch.setattr(agent, "plan", lambda positions: seen.append(positions) or plan(positions))  # type: ignore[func-returns-value]
    opponents = np.arange(50)[::-1].copy()
    games = play_against(agent, path, opponents, np.arange(50, dtype=np.uint64) + 1000, np.full(50, goes_first))
    assert (games.now.filled == CARD.all_boxes).all()
    assert len(seen) == CARD.boxes
    for number, positions in enumerate(seen):
        done = number + (not goes_first)
        assert (positions.other.filled == path.cards.filled[done, opponents]).all()
        assert (np.bitwise_count(positions.own.filled) == number).all()
    assert (seen[0].lead == -path.total[int(not goes_first), opponents]).all()


def test_games_do_not_depend_on_company() -> None:
    keys = np.arange(60, dtype=np.uint64)
    path = play_alone(SMALL, optimal, keys)
    first = np.arange(60) % 2 == 0
    together = play_against(AGENT, path, np.arange(60), keys + 7, first)
    some = np.arange(20, 23)
    alone = play_against(AGENT, path, some, keys[some] + 7, first[some])
    assert (together.total[some] == alone.total).all()


def test_a_player_against_itself_wins_half_of_every_pair() -> None:
    duel = measure(AGENT, optimal, 400, 2)
    same = Duel(duel.own_dice, duel.own_dice, duel.opponent)
    assert (same.pairs == 0.5).all()
    assert same.fields()["win_share"] == 0.5


@pytest.mark.parametrize("name", ["yahtzee", "yacht", "maxi-tactic", "half-force", "forced-yatzy-first"])
def test_games_of_every_ruleset_of_one_column_are_played(name: str) -> None:
    rules = ruleset(name)
    agent = agent_of(rules)
    duel = measure(agent, agent.network.values.card_values, 4, 1)
    assert (duel.score > 0).all()
    assert duel.score.max() <= rules.max_score
    assert compile_tables(rules).card.boxes == len(rules.boxes)


@pytest.mark.parametrize("games", [0, 1, 7])
def test_games_come_in_pairs(games: int) -> None:
    with pytest.raises(YatzyError, match="an even number"):
        measure(AGENT, optimal, games, 1)
