"""Planned turns, against a plain twin, against exact solutions, and against play."""

from __future__ import annotations

import numpy as np
import pytest

from tests.solver.helpers import same_values, sampled, solved
from tests.turn.helpers import SMALL, PlainTurn, end_rows, plain_turn
from yatzy_env.agent import best_actions
from yatzy_env.errors import YatzyError
from yatzy_env.games import gains, new_games, play
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.situation import Situations
from yatzy_env.tables import Tables, compile_tables
from yatzy_env.turn import Cards, Ends, TurnPlans, cards_of, end_chances, list_ends, plan_turns, rate_actions

TWINS = {
    **{name: SMALL[name] for name in ("six dice", "saved throws", "joker", "extra bonus", "order")},
    "columns": ruleset("triple").replace(boxes=("ones", "sixes", "yatzy"), bonus_threshold=18),
    "triple": ruleset("triple"),
}


def drawn(rules: Ruleset, count: int, seed: int = 1) -> tuple[Tables, Situations, Ends, np.ndarray, np.ndarray]:
    """Situations, the ends of the rest of their turns, random values of these, and two other quantities."""
    tables, now = compile_tables(rules), sampled(rules, count, seed)
    ends = list_ends(tables, cards_of(tables, now), now.throws_left)
    rng = np.random.default_rng(seed)
    # Values on a grid, so that some are equal and the lowest action has to be found.
    return tables, now, ends, rng.integers(0, 20, len(ends.gain)) / 4, rng.random((len(ends.gain), 2))


@pytest.mark.parametrize("name", TWINS)
def test_plans_agree_with_the_plain_twin(name: str) -> None:
    tables, now, ends, values, others = drawn(TWINS[name], 12)
    plans = plan_turns(tables, ends, values, others)
    rated, chosen = plans.action_values(now), plans.choose(now)
    for turn in range(len(now.roll)):
        part = slice(ends.start[turn], ends.start[turn + 1])
        if now.roll[turn] < 0:
            assert part.start == part.stop
            assert plans.mean[turn] == plans.other[turn].sum() == 0
            assert np.isnan(rated[turn]).all()
            continue
        left, roll = now.throws_left[turn], now.roll[turn]
        twin: PlainTurn = plain_turn(tables, now.take(np.array([turn])), ends, turn, values)
        assert same_values(rated[turn], twin.values[left, roll])
        assert chosen[turn] == twin.best[left, roll]
        every = np.arange(tables.rolls)
        mean = tables.probability @ twin.values[left, every, twin.best[left]]
        chance = tables.probability @ twin.chance[left, every, twin.best[left]]
        assert plans.mean[turn] == pytest.approx(mean, abs=1e-9)
        assert plans.chance[part] @ values[part] == pytest.approx(mean, abs=1e-7)
        assert same_values(plans.other[turn], plans.chance[part] @ others[part])
        if left <= 3:  # after more throws values differ by less than ties do, and actions as good may be taken
            assert same_values(plans.chance[part], chance)


@pytest.mark.parametrize("name", ["saved throws", "joker", "columns"])
def test_ends_after_a_keep_agree_with_the_plain_twin(name: str) -> None:
    tables, now, _, _, _ = drawn(TWINS[name], 40)
    now = now.take(now.throws_left > 0).take(np.arange(12))
    keeps = best_actions(np.where(tables.within[now.roll] == 1, np.random.default_rng(3).random(tables.keeps), np.nan))
    whole = list_ends(tables, cards_of(tables, now), now.throws_left)
    values = np.random.default_rng(4).random(len(whole.gain))
    ends = list_ends(tables, cards_of(tables, now), now.throws_left - 1)
    known = np.flatnonzero(whole.after.pool <= now.throws_left[whole.turn] - 1)
    found = end_chances(tables, ends, values[known], keeps)
    for turn in range(len(keeps)):
        twin = plain_turn(tables, now.take(np.array([turn])), whole, turn, values)
        expected = np.zeros(len(whole.gain))
        expected[whole.start[turn] : whole.start[turn + 1]] = twin.chance[
            now.throws_left[turn], now.roll[turn], keeps[turn]
        ]
        assert same_values(found[ends.turn == turn], expected[known][ends.turn == turn])


def by_solution(rules: Ruleset, count: int) -> None:
    """Compares turns whose ends are worth what a solution says with that solution."""
    solution, tables, now = solved(rules), compile_tables(rules), sampled(rules, count)

    def exact(ends: Ends) -> np.ndarray:
        after: Cards = ends.after
        return ends.gain + solution.card_values(after.filled, after.upper[:, 0], after.yatzy_scored, after.pool)

    expected = solution.batch_action_values(now)
    assert same_values(rate_actions(tables, now, exact), expected)
    cards = cards_of(tables, now.take(now.throws_left >= tables.throws - 1))
    ends = list_ends(tables, cards)
    values = solution.card_values(cards.filled, cards.upper[:, 0], cards.yatzy_scored, cards.pool)
    assert same_values(plan_turns(tables, ends, exact(ends)).mean, values)


@pytest.mark.parametrize("name", SMALL)
def test_planned_with_exact_values_a_turn_is_worth_what_the_solution_says(name: str) -> None:
    by_solution(SMALL[name], 2000)


@pytest.mark.parametrize("name", ["yahtzee", "forced-yatzy-first", "full-force", "yacht"])
def test_the_same_for_rulesets_of_the_catalogue(name: str) -> None:
    by_solution(ruleset(name), 500)


@pytest.mark.slow
@pytest.mark.timeout(7200)
def test_the_same_for_every_ruleset_that_can_be_solved(each_ruleset: Ruleset) -> None:
    if len(each_ruleset.columns) > 1:
        pytest.skip("games of several columns are not solved")
    by_solution(each_ruleset, 5000)


def test_ends_are_those_that_rolls_lead_to(each_ruleset: Ruleset) -> None:
    """Every end that is listed but that no roll leads to asks for dice that the box or the order does not allow."""
    tables, now = compile_tables(each_ruleset), sampled(each_ruleset, 30)
    now = now.take(now.roll >= 0)
    ends = list_ends(tables, cards_of(tables, now), np.zeros(len(now.roll), np.int64))
    for turn in range(len(now.roll)):
        found = np.unique(end_rows(tables, now.take(np.array([turn])), ends, turn))
        assert (found >= 0).sum() <= ends.start[turn + 1] - ends.start[turn] <= (found >= 0).sum() + 12
        if tables.card.joker == 0 and not tables.card.extra_yatzy_bonus and not tables.card.yatzy_first:
            assert (found >= 0).sum() == ends.start[turn + 1] - ends.start[turn]


def test_as_many_ends_as_the_rules_have() -> None:
    for name, most in {"yatzy": 120, "maxi-danish": 176, "triple": 360}.items():
        tables = compile_tables(ruleset(name))
        cards = cards_of(tables, new_games(tables, np.zeros(1, np.uint64)).now)
        assert len(list_ends(tables, cards).gain) == most


def plans_of(rules: Ruleset, games: int) -> tuple[Tables, TurnPlans, np.ndarray]:
    """Plans of the first turn of games, for points alone."""
    tables, keys = compile_tables(rules), np.arange(games, dtype=np.uint64)
    ends = list_ends(tables, cards_of(tables, new_games(tables, keys).now))
    return tables, plan_turns(tables, ends, ends.gain.astype(float), (ends.gain >= 12).astype(float)), keys


@pytest.mark.parametrize("name", ["joker", "saved throws", "order"])
def test_a_turn_played_at_once_is_the_turn_played_by_choices(name: str) -> None:
    tables, plans, keys = plans_of(SMALL[name], 50)
    fast, slow = new_games(tables, keys), new_games(tables, keys)
    rows = plans.play(fast)
    ends = plans.ends
    for game in range(len(keys)):
        alone = type(slow)(slow.now.take(np.array([game])), *(values[game : game + 1] for values in slow[1:]))
        while alone.now.filled[0] == 0:
            play(tables, alone, plans.choose(alone.now, np.array([game])))
        assert alone.total[0] == fast.total[game] == ends.gain[rows[game]]
        assert alone.now.roll[0] == fast.now.roll[game]
        assert ends.after.filled[rows[game]] == fast.now.filled[game]
        assert (ends.after.upper[rows[game]] == fast.now.upper[game]).all()
        if tables.saved_throws:
            assert ends.after.pool[rows[game]] == fast.now.throws_left[game] - (tables.throws - 1)


def test_the_expectation_is_what_play_yields_on_average() -> None:
    tables, plans, keys = plans_of(ruleset("yatzy"), 20_000)
    games = new_games(tables, keys)
    plans.play(games)
    assert (games.total >= 12).mean() == pytest.approx(plans.other[0], abs=4 * np.sqrt(0.25 / len(keys)))
    assert games.total.mean() == pytest.approx(plans.mean[0], abs=4 * games.total.std() / np.sqrt(len(keys)))


@pytest.mark.parametrize("name", ["yatzy", "maxi-alga"])
def test_turns_are_the_same_in_any_company(name: str) -> None:
    tables, now, ends, values, others = drawn(ruleset(name), 40)
    plans = plan_turns(tables, ends, values, others)
    rated = plans.action_values(now)
    for turn in range(len(now.roll)):
        alone, part = now.take(np.array([turn])), slice(ends.start[turn], ends.start[turn + 1])
        own = list_ends(tables, cards_of(tables, alone), alone.throws_left)
        plan = plan_turns(tables, own, values[part], others[part])
        assert np.array_equal(plan.action_values(alone), rated[turn : turn + 1], equal_nan=True)
        assert plan.mean[0] == plans.mean[turn]
        assert np.array_equal(plan.other[0], plans.other[turn])
        assert plan_turns(tables, own, values[part]).mean[0] == plans.mean[turn]


def test_points_are_gains() -> None:
    tables, now, ends, _, _ = drawn(SMALL["joker"], 200)
    rated = plan_turns(tables, ends, ends.gain.astype(float)).action_values(now)[:, tables.keeps :]
    assert np.array_equal(np.nan_to_num(rated, nan=-1), gains(tables, now))


def test_what_does_not_fit_is_refused() -> None:
    tables, now, ends, values, others = drawn(ruleset("yatzy"), 5)
    with pytest.raises(YatzyError, match=f"values has 3 rows; allowed: one per end, {len(values)}"):
        plan_turns(tables, ends, values[:3])
    with pytest.raises(YatzyError, match="others has 3 rows"):
        plan_turns(tables, ends, values, others[:3])
    values[2] = np.nan
    with pytest.raises(YatzyError, match="the value of end 2 is nan"):
        plan_turns(tables, ends, values)
    plans = plan_turns(tables, ends, ends.gain)
    with pytest.raises(YatzyError, match="situation 0 is none of the turn 0"):
        plans.action_values(now._replace(filled=now.filled ^ 1))
    with pytest.raises(YatzyError, match="situation 0 is none of the turn 0"):
        plans.choose(now._replace(throws_left=now.throws_left + 1))
    with pytest.raises(YatzyError, match="do not belong to 5 planned turns"):
        plans.choose(now, np.full(5, 5))


def test_no_turns() -> None:
    tables, now, _, _, _ = drawn(ruleset("yatzy"), 0)
    ends = list_ends(tables, cards_of(tables, now))
    plans = plan_turns(tables, ends, ends.gain, ends.gain)
    assert plans.mean.shape == plans.other.shape == (0,)
    assert plans.action_values(now).shape == (0, tables.actions)
