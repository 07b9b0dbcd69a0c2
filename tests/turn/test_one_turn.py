"""The turn on its own, under every ruleset: against full transition matrices and hand-worked turns."""

from __future__ import annotations

import numpy as np
import pytest

from tests.solver.helpers import same_values, sampled
from tests.turn.helpers import chances
from yatzy_env.games import action_masks, gains
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.situation import Situation, Situations, batch
from yatzy_env.tables import Tables, action_names, compile_tables
from yatzy_env.turn import rate_actions


def one_turn(tables: Tables, now: Situations) -> np.ndarray:
    """Action values of a game that ends with this turn."""
    return rate_actions(tables, now, lambda ends: ends.gain)


def plain_values(tables: Tables, now: Situations) -> np.ndarray:
    """The same by a matrix of the chances of each roll after each keep."""
    chance = chances(tables.dice)
    keeps, rolls = tables.keeps, tables.rolls
    out = np.full((len(now.roll), tables.actions), np.nan)
    for lane, roll in enumerate(now.roll.tolist()):
        if roll < 0:
            continue
        card = now.take(np.full(rolls, lane))
        stop = gains(tables, card._replace(roll=np.arange(rolls))).max(axis=1).astype(float)
        best = stop
        values = np.zeros(keeps)
        for _ in range(int(now.throws_left[lane])):
            values = chance @ best
            best = np.maximum(stop, np.where(tables.within == 1, values, -np.inf).max(axis=1))
        gained = gains(tables, now.take(np.array([lane])))[0].astype(float)
        everything = np.concatenate([values, gained])
        legal = action_masks(tables, now.take(np.array([lane])))[0] == 1
        out[lane, legal] = everything[legal]
    return out


def test_every_ruleset_agrees_with_matrices(each_ruleset: Ruleset) -> None:
    tables = compile_tables(each_ruleset)
    now = sampled(each_ruleset, 40)
    assert same_values(one_turn(tables, now), plain_values(tables, now))


def test_forty_saved_throws() -> None:
    rules = ruleset("maxi-alga")
    tables = compile_tables(rules)
    assert tables.most_throws_left == 40
    card = Situation(filled=tables.card.all_boxes - 1, upper=(60,), roll=(2, 3, 3, 4, 5, 6))
    now = batch(rules, [card] * 5)._replace(throws_left=np.array([0, 1, 7, 39, 40]))
    values = one_turn(tables, now)
    assert same_values(values, plain_values(tables, now))
    # Only ones are open: with forty throws for six dice that is nearly six of them.
    assert values[4, 0] == pytest.approx(6, abs=0.01)
    assert (np.diff(values[1:, 0]) > 0).all()


@pytest.mark.parametrize(("upper", "expected"), [(45, 68.0), (44, 18.0), (63, 18.0)])
def test_the_bonus_counts_when_it_falls(upper: int, expected: float) -> None:
    rules = ruleset("yatzy")
    tables = compile_tables(rules)
    filled = tables.card.all_boxes & ~(1 << rules.boxes.index("sixes"))
    now = batch(rules, [Situation(filled, (upper,), (1, 2, 6, 6, 6), throws_left=0)])
    values = one_turn(tables, now)[0]
    assert np.flatnonzero(~np.isnan(values)).tolist() == [tables.keeps + rules.boxes.index("sixes")]
    assert np.nanmax(values) == expected


def test_one_die_to_throw_by_hand() -> None:
    rules = ruleset("yatzy")
    tables = compile_tables(rules)
    filled = tables.card.all_boxes & ~(1 << rules.boxes.index("yatzy"))
    values = one_turn(tables, batch(rules, [Situation(filled, (0,), (4, 4, 4, 4, 6), throws_left=1)]))[0]
    named = dict(zip(action_names(rules), values, strict=True))
    assert named["keep 4 4 4 4"] == pytest.approx(50 / 6)
    assert named["keep 6"] == pytest.approx(50 / 6**4)
    assert named["keep nothing"] == pytest.approx(50 / 6**4)
    assert named["score yatzy"] == 0
    assert np.isnan(named["keep 5"])


def test_full_cards_have_no_actions() -> None:
    rules = ruleset("triple")
    tables = compile_tables(rules)
    full = Situation(tables.card.all_boxes, (63, 63, 63), (), 0)
    fresh = Situation(0, (0, 0, 0), (1, 2, 3, 4, 5), 2)
    values = one_turn(tables, batch(rules, [full, fresh, full]))
    assert np.isnan(values[[0, 2]]).all()
    assert same_values(values[1:2], one_turn(tables, batch(rules, [fresh])))


def test_batches_of_any_size_and_order_give_the_same() -> None:
    rules = ruleset("yahtzee")
    tables = compile_tables(rules)
    now = sampled(rules, 1500)
    values = one_turn(tables, now)
    order = np.random.default_rng(3).permutation(len(now.roll))
    assert np.array_equal(one_turn(tables, now.take(order)), values[order], equal_nan=True)
    one = np.concatenate([one_turn(tables, now.take(np.array([lane]))) for lane in range(20)])
    assert np.array_equal(one, values[:20], equal_nan=True)


def test_no_situations() -> None:
    tables = compile_tables(ruleset("yatzy"))
    assert one_turn(tables, batch(ruleset("yatzy"), [])).shape == (0, tables.actions)
