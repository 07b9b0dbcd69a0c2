"""The sweep: the same bytes on any number of threads, and values that satisfy what they are defined by."""

from __future__ import annotations

from threading import get_ident

import numpy as np
import pytest

from tests.solver.helpers import sampled, solved
from yatzy_env.rules import ruleset
from yatzy_env.solver.chunks import in_chunks
from yatzy_env.solver.layout import lay_out
from yatzy_env.solver.sweep import sweep
from yatzy_env.tables import compile_tables

RULES = ("yatzy", "yahtzee", "forced-yatzy-first", "half-force", "yacht")


@pytest.mark.parametrize("name", ["yahtzee-no-bonus", "forced"])
def test_values_do_not_depend_on_the_number_of_threads(name: str) -> None:
    tables = compile_tables(ruleset(name))
    cards = lay_out(tables)
    alone = sweep(tables, cards, threads=1)
    assert sweep(tables, cards, threads=2).tobytes() == alone.tobytes()
    assert sweep(tables, cards, threads=5).tobytes() == alone.tobytes()


def test_progress_counts_every_state_once() -> None:
    tables = compile_tables(ruleset("half-force"))
    cards = lay_out(tables)
    counted: list[int] = []
    sweep(tables, cards, threads=2, done=counted.append)
    full = int(cards.turns[1])
    assert sum(counted) == len(cards.states) - full
    assert len(counted) > 1


def test_chunks_cover_everything_once_and_report_in_the_calling_thread() -> None:
    marks = np.zeros(1003, np.int64)
    threads = []

    def work(start: int, stop: int) -> None:
        marks[start:stop] += 1

    in_chunks(work, 1003, 10, threads=3, done=lambda count: threads.append(get_ident()))
    assert (marks == 1).all()
    assert set(threads) == {get_ident()}
    in_chunks(work, 0, 10)


def test_an_error_in_a_thread_is_raised() -> None:
    def work(start: int, stop: int) -> None:
        raise RuntimeError(f"chunk {start}")

    with pytest.raises(RuntimeError, match="chunk"):
        in_chunks(work, 100, 10, threads=2)


@pytest.mark.parametrize("name", RULES)
def test_a_card_is_worth_the_mean_over_its_first_roll(name: str) -> None:
    rules = ruleset(name)
    tables, solution = compile_tables(rules), solved(rules)
    cards = sampled(rules, 25, seed=7)
    for lane in range(len(cards.roll)):
        card = cards.take(np.full(tables.rolls, lane))
        rolls = card._replace(roll=np.arange(tables.rolls), throws_left=np.full(tables.rolls, tables.throws - 1))
        mean = tables.probability @ np.nanmax(solution.batch_action_values(rolls), axis=1)
        value = solution.card_values(card.filled[:1], card.upper[:1, 0], card.yatzy_scored[:1])[0]
        assert mean == pytest.approx(value, abs=1e-10, rel=0)


@pytest.mark.parametrize("name", RULES)
def test_a_keep_is_worth_the_mean_over_its_next_roll(name: str) -> None:
    rules = ruleset(name)
    tables, solution = compile_tables(rules), solved(rules)
    now = sampled(rules, 200, seed=8)
    now = now.take(now.throws_left > 0)
    values = solution.batch_action_values(now)
    # Keeping four dice leaves six rolls to come.
    fours = np.flatnonzero(tables.size[: tables.keeps] == rules.dice - 1)
    for lane in range(0, len(now.roll), 10):
        for keep in fours[tables.within[now.roll[lane], fours] == 1]:
            after = now.take(np.full(6, lane))
            after = after._replace(
                roll=tables.add[keep].astype(np.int64) - tables.keeps, throws_left=after.throws_left - 1
            )
            mean = np.nanmax(solution.batch_action_values(after), axis=1).mean()
            assert values[lane, keep] == pytest.approx(mean, abs=1e-10, rel=0)


@pytest.mark.parametrize("name", RULES)
def test_more_throws_and_a_higher_upper_sum_never_hurt(name: str) -> None:
    rules = ruleset(name)
    tables, solution = compile_tables(rules), solved(rules)
    now = sampled(rules, 300, seed=9)
    best = [
        np.nanmax(solution.batch_action_values(now._replace(throws_left=np.full(len(now.roll), throws))), axis=1)
        for throws in range(tables.throws)
    ]
    assert (np.diff(best, axis=0) >= -1e-12).all()
    upper = np.arange(rules.bonus_threshold + 10)
    for lane in range(0, 300, 10):
        values = solution.card_values(
            np.full(len(upper), now.filled[lane]), upper, np.full(len(upper), now.yatzy_scored[lane])
        )
        unpaid = values + np.where(upper >= rules.bonus_threshold, rules.bonus_points, 0)
        assert (np.diff(unpaid) >= -1e-12).all()


def test_holding_points_in_the_yatzy_box_never_hurts() -> None:
    rules = ruleset("yahtzee")
    solution = solved(rules)
    box = 1 << rules.boxes.index("yatzy")
    cards = sampled(rules, 300, seed=10)
    filled = cards.filled[cards.filled & box > 0]
    upper = cards.upper[cards.filled & box > 0, 0]
    without, holding = (
        solution.card_values(filled, upper, np.full(len(filled), yatzy_scored)) for yatzy_scored in (False, True)
    )
    still_open = filled != compile_tables(rules).card.all_boxes
    assert (holding[still_open] > without[still_open]).all()
