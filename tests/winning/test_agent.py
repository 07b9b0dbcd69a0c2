"""What the agent counts and chooses."""

from __future__ import annotations

import numpy as np
import pytest

from agents.winning.agent import Positions, WinningAgent, win_chances
from agents.winning.rests import SLICES
from tests.winning.helpers import SMALL, agent_of, random_network
from tests.winning.test_rests import CHANCE, FULL, TABLES, best_sums, cards
from yatzy_env.errors import YatzyError
from yatzy_env.games import is_legal, new_games
from yatzy_env.rules import ruleset
from yatzy_env.situation import Situations, empty_situations

AGENT = agent_of(SMALL)


def test_chances_are_those_of_all_pairs_of_slices() -> None:
    rng = np.random.default_rng(1)
    rests, others = (np.sort(rng.gamma(9, 12, (size, SLICES)), axis=1) for size in (40, 4))
    turn, lead = np.sort(rng.integers(0, 4, 40)), rng.integers(-60, 60, 40)
    found = win_chances(lead, rests, others, turn)
    plain = (lead[:, None, None] + rests[:, :, None] > others[turn][:, None, :]).mean(axis=(1, 2))
    assert found == pytest.approx(plain, abs=0.02)
    assert ((found >= 0) & (found <= 1)).all()
    assert win_chances(np.array([400, -400]), rests[:2], others[:1], np.zeros(2, np.int64)).tolist() == [1, 0]


def test_chances_add_up_to_one_with_those_of_the_opponent() -> None:
    rng = np.random.default_rng(2)
    rests, others = (np.sort(rng.gamma(9, 12, (30, SLICES)), axis=1) for _ in range(2))
    lead, every = rng.integers(-60, 60, 30), np.arange(30)
    both = win_chances(lead, rests, others, every) + win_chances(-lead, others, rests, every)
    assert both == pytest.approx(np.ones(30), abs=0.01)


def test_a_finished_game_is_counted() -> None:
    done = np.zeros((1, SLICES))
    lead = np.array([-3, -1, 0, 1, 50])
    chances = win_chances(lead, done.repeat(5, axis=0), done, np.zeros(5, np.int64))
    assert chances.tolist() == [0, 0, 0.5, 1, 1]


def test_the_last_turn_of_an_opponent_is_counted_to_a_slice() -> None:
    """Chance is all that is open there: three throws for the highest sum of three dice."""
    sums, lead = best_sums(), np.arange(2, 19)
    wanted = [sums[:points].sum() + sums[points] / 2 for points in lead]
    _, others = AGENT.network.card_rests(cards((CHANCE, 0)))
    found = win_chances(lead, np.zeros((17, SLICES)), others, np.zeros(17, np.int64))
    assert found == pytest.approx(wanted, abs=1 / SLICES)


def test_behind_it_takes_a_risk_that_it_refuses_ahead() -> None:
    """One box is open, the opponent is done: with 6 6 2 on the table chance is worth 14 now."""
    roll = next(r for r in range(TABLES.rolls) if tuple(TABLES.counts[TABLES.keeps + r]) == (0, 1, 0, 0, 0, 2))
    now = empty_situations(TABLES, 2)
    now.filled[:], now.roll[:], now.throws_left[:] = CHANCE, roll, 1
    done = empty_situations(TABLES, 2)
    done.filled[:] = FULL
    certain = WinningAgent(SMALL, AGENT.network, point=0.0)
    ahead, behind = certain.act(now, done, np.array([-13, -16]))
    assert ahead == TABLES.keeps + 3
    assert tuple(TABLES.counts[behind]) == (0, 0, 0, 0, 0, 2)


def test_a_game_that_is_won_or_lost_is_played_for_points() -> None:
    some = cards((0, 0), (1, 3), (6, 6), (8, 0), (CHANCE, 6))
    means, _ = AGENT.network.planned_rests(some)
    for lead in (-900, 900):
        plans = AGENT.plan(Positions(some, cards(*[(1, 0)] * 5), np.full(5, lead)))
        assert plans.mean == pytest.approx(AGENT.point * means + (lead > 0), abs=1e-9)


def test_actions_are_legal_and_do_not_depend_on_company() -> None:
    games = new_games(TABLES, np.arange(200, dtype=np.uint64))
    others = empty_situations(TABLES, 200)
    lead = np.arange(200) - 100
    actions = AGENT.act(games.now, others, lead)
    assert all(is_legal(TABLES, games.now, env, action) for env, action in enumerate(actions))
    alone = [
        AGENT.act(*(Situations(*(v[env : env + 1] for v in some)) for some in (games.now, others)), lead[env : env + 1])
        for env in range(0, 200, 20)
    ]
    assert actions[::20].tolist() == [action for (action,) in alone]


@pytest.mark.parametrize("name", ["triple", "maxi-alga"])
def test_rules_with_several_columns_or_saved_throws_are_refused(name: str) -> None:
    with pytest.raises(YatzyError, match=f"{name}.*one column without saved throws"):
        WinningAgent(ruleset(name), random_network(SMALL))
