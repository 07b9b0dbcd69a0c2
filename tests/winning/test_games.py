"""Games for two: the opponent's path, our games beside it, and how they are counted."""

from __future__ import annotations

import numpy as np
import pytest

from agents.optimal import OptimalAgent
from agents.winning.cards import PointsPlayer
from agents.winning.env import Turn, play_against, play_alone
from agents.winning.measure import Duel, measure, path_of, variant
from tests.winning.helpers import SMALL, agent_of, exact_table
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.matches import game_keys, play_match
from yatzy_env.solver import solve

TABLE = exact_table(SMALL)
PLAYER = PointsPlayer(SMALL, TABLE)
OPTIMAL = OptimalAgent(solve(SMALL, cache=False, progress=False))


def test_a_path_adds_up() -> None:
    path = play_alone(PLAYER, np.arange(300, dtype=np.uint64))
    card = PLAYER.tables.card
    assert (np.bitwise_count(path.filled) == np.arange(card.boxes + 1)[:, None]).all()
    assert (path.filled[-1] == card.all_boxes).all()
    assert (np.diff(path.total, axis=0) >= 0).all()
    assert (np.diff(path.upper, axis=0) >= 0).all()


def test_luck_sums_up_to_what_a_game_made_beyond_its_expectation() -> None:
    path = play_alone(PLAYER, np.arange(4000, dtype=np.uint64))
    expected = TABLE.mean[0]
    assert path.total[-1] - expected == pytest.approx(path.luck.sum(axis=0), abs=1e-9)
    luck = path.luck.sum(axis=0)
    assert abs(luck.mean()) < 4 * luck.std() / np.sqrt(len(luck))


def test_the_luck_of_a_wrong_evaluation_has_mean_zero_too() -> None:
    rng = np.random.default_rng(5)
    wrong = TABLE._replace(mean=TABLE.mean + rng.normal(0, 2, TABLE.mean.shape))
    luck = play_alone(PointsPlayer(SMALL, wrong), np.arange(4000, dtype=np.uint64)).luck
    assert (np.abs(luck.mean(axis=1)) < 4 * luck.std(axis=1) / np.sqrt(luck.shape[1])).all()


def test_the_path_of_a_match_is_that_of_its_games() -> None:
    match = play_match(OPTIMAL, SMALL, 200, 3)
    path = path_of(match)
    assert (path.total[-1] == match.score).all()
    assert (path.filled[-1] == PLAYER.tables.card.all_boxes).all()
    played = play_alone(PLAYER, game_keys(3, 0, 200))
    same = (path.filled == played.filled).all(axis=0)  # where no tie was broken another way
    assert same.mean() > 0.9
    assert (path.upper[:, same] == played.upper[:, same]).all()
    assert (path.total[:, same] == played.total[:, same]).all()


@pytest.mark.parametrize("goes_first", [True, False])
def test_the_second_player_sees_one_more_turn_of_its_opponent(goes_first: bool) -> None:
    size = 50
    path = play_alone(PLAYER, np.arange(size, dtype=np.uint64))
    agent = agent_of(SMALL)
    turns = []
    for played in play_against(agent, path, np.arange(size, dtype=np.uint64) + 1000, np.full(size, goes_first)):
        if isinstance(played, Turn):
            turns.append(played)
        else:
            assert (played.now.filled == agent.tables.card.all_boxes).all()
    for number, turn in enumerate(turns):
        done = number + (not goes_first)
        assert (turn.positions.other_filled == path.filled[done]).all()
        assert (np.bitwise_count(turn.positions.filled) == number).all()
        if done:
            assert (turn.before.other_filled == path.filled[done - 1]).all()
            gained = path.total[done] - path.total[done - 1]
            assert (turn.before.lead - turn.positions.lead == gained).all()
    assert len(turns) == agent.tables.card.boxes


def test_games_do_not_depend_on_company() -> None:
    keys = np.arange(60, dtype=np.uint64)
    path = play_alone(PLAYER, keys)
    agent = agent_of(SMALL)
    first = np.arange(60) % 2 == 0
    *_, together = play_against(agent, path, keys + 7, first)
    *_, alone = play_against(agent, path.take(slice(20, 23)), keys[20:23] + 7, first[20:23])
    assert not isinstance(together, Turn)
    assert not isinstance(alone, Turn)
    assert (together.total[20:23] == alone.total).all()


def test_a_player_against_itself_wins_half_of_every_pair() -> None:
    twin = variant(agent_of(SMALL), "points")
    duel = measure(twin, OPTIMAL, SMALL, 400, 2)
    assert (duel.score == duel.own_dice).mean() > 0.95  # ties may be broken another way
    same = Duel(duel.own_dice, duel.own_dice, duel.opponent)
    assert (same.pairs == 0.5).all()
    assert same.fields()["win_share"] == 0.5


def test_playing_for_the_win_wins_more_than_half() -> None:
    """Even uncorrected: in the small game the chance of a normal margin is a fair guide."""
    fields = measure(agent_of(SMALL), OPTIMAL, SMALL, 10_000, 4).fields()
    low, _ = fields["win_share_interval"]
    assert low > 0.5
    assert fields["score_difference"] < 0
    assert fields["win_rate"] + fields["draw_rate"] + fields["loss_rate"] == pytest.approx(1)


def test_variants_use_less_of_the_agent() -> None:
    agent = agent_of(SMALL)
    assert variant(agent, "win") is agent
    # The helper's agent has no correction, so it is its own variant.
    assert (
        measure(variant(agent, "margin"), OPTIMAL, SMALL, 100, 6).score == measure(agent, OPTIMAL, SMALL, 100, 6).score
    ).all()
    with pytest.raises(YatzyError, match="variant 'point'"):
        variant(agent, "point")


@pytest.mark.parametrize("games", [0, 1, 7])
def test_games_come_in_pairs(games: int) -> None:
    with pytest.raises(YatzyError, match="an even number"):
        measure(agent_of(SMALL), OPTIMAL, SMALL, games, 1)
