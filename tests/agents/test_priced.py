"""One turn less prices: the arithmetic against a plain enumeration, the prices themselves, and what they are worth."""

from __future__ import annotations

import json
import math
from functools import cache

import numpy as np
import pytest

from agents.baselines import OneTurnAgent, PricedAgent
from agents.baselines.priced import STORE, Prices, fields_of, find_prices, prices_of
from tests.evaluation.helpers import TINY
from yatzy_env.agent import best_actions
from yatzy_env.card import extra_step, is_joker, legal_boxes
from yatzy_env.evaluation.matches import play_match
from yatzy_env.games import action_masks, decision_noise, new_games, noise_keys, play
from yatzy_env.rules import Ruleset, ruleset, rulesets
from yatzy_env.situation import Situations
from yatzy_env.tables import Tables, compile_tables


def some_prices(tables: Tables, seed: int = 3) -> Prices:
    rng = np.random.default_rng(seed)
    upper = tables.card.face > 0
    boxes = tables.card.boxes
    return Prices(rng.random(boxes) * 20, upper * tables.card.face * 2.1, upper * rng.random(boxes) * 9, 1.5, 2.5)


def situations_of(rules: Ruleset, games: int, steps: int) -> Situations:
    """Where games of a one-turn player stand after some decisions."""
    tables = compile_tables(rules)
    running = new_games(tables, np.arange(games, dtype=np.uint64))
    agent = OneTurnAgent(rules)
    for _ in range(steps):
        play(tables, running, agent.act(running.now.copy(), decision_noise(running, noise_keys(running.key))))
    return running.now


class PlainTurn:
    """The values of one turn by plain recursion, from the formula in the module."""

    def __init__(self, tables: Tables, prices: Prices, now: Situations, lane: int) -> None:
        self.tables, self.prices = tables, prices
        self.filled, self.upper, self.yatzy_scored = (
            int(now.filled[lane]),
            now.upper[lane].tolist(),
            bool(now.yatzy_scored[lane]),
        )
        self.keep_value = cache(self.keep_value)  # type: ignore[method-assign]

    def bonus_worth(self, filled: int, column: int, upper: int) -> float:
        card = self.tables.card
        missing = card.bonus_threshold - upper
        left = [b for b in range(card.boxes) if not filled >> b & 1 and card.column[b] == column and card.face[b]]
        if missing > sum(int(card.face[b]) * card.dice for b in left):
            return 0.0
        worth = float(card.bonus_points * card.multiplier[column])
        if missing <= 0:
            return worth
        expected = sum(self.prices.mean[b] for b in left)
        spread = math.sqrt(max(sum(self.prices.variance[b] for b in left), 1e-9))
        return worth * 0.5 * (1 + math.erf((expected - missing + 0.5) / spread / math.sqrt(2)))

    def box_value(self, box: int, roll: int, left: int) -> float:
        card, alike = self.tables.card, int(self.tables.alike[roll])
        if not legal_boxes(card, self.filled, alike) >> box & 1:
            return math.nan
        points = int(self.tables.points[int(is_joker(card, self.filled, alike)), box, roll])
        column = int(card.column[box])
        value = points * card.multiplier[column] + extra_step(card, self.yatzy_scored, alike) - self.prices.box[box]
        after = self.filled | 1 << box
        if card.face[box] and self.upper[column] < card.bonus_threshold:
            value += self.bonus_worth(after, column, self.upper[column] + points)
            value -= self.bonus_worth(self.filled, column, self.upper[column])
        turns_after = card.boxes - after.bit_count()
        if card.extra_yatzy_bonus and not self.yatzy_scored and card.yatzy_boxes >> box & 1 and points:
            value += self.prices.fifty * turns_after
        if self.tables.saved_throws and turns_after:
            value += self.prices.throw * left
        return float(value)

    def keep_value(self, held: int, left: int) -> float:
        """What holding a multiset is worth with `left` throws after this one."""
        if held >= self.tables.keeps:
            return float(np.nanmax(self.actions(held - self.tables.keeps, left)))
        return sum(self.keep_value(int(more), left) for more in self.tables.add[held]) / 6

    def actions(self, roll: int, left: int) -> list[float]:
        keeps = [
            self.keep_value(keep, left - 1) if left and self.tables.within[roll, keep] else math.nan
            for keep in range(self.tables.keeps)
        ]
        return keeps + [self.box_value(box, roll, left) for box in range(self.tables.card.boxes)]


@pytest.mark.parametrize("name", ["tiny", "yahtzee", "triple", "maxi-alga", "forced-yatzy-first"])
def test_it_maximises_what_it_says(name: str) -> None:
    rules = TINY if name == "tiny" else ruleset(name)
    tables = compile_tables(rules)
    prices = some_prices(tables)
    agent = PricedAgent(rules, prices)
    for steps in (3, 9) if name != "tiny" else (1, 2, 3):
        now = situations_of(rules, 4, steps)
        now.throws_left[:] = np.minimum(now.throws_left, 1)  # a single throw keeps the plain recursion short
        actions = agent.act(now, np.zeros(4))
        for lane in range(4):
            values = np.array(
                [PlainTurn(tables, prices, now, lane).actions(int(now.roll[lane]), int(now.throws_left[lane]))]
            )
            assert (~np.isnan(values[0]) == action_masks(tables, now)[lane]).all()
            assert values[0, actions[lane]] == pytest.approx(values[0, best_actions(values)[0]], abs=1e-9)


def test_the_formula_of_a_whole_turn() -> None:
    tables = compile_tables(TINY)
    prices = some_prices(tables)
    now = situations_of(TINY, 40, 2)
    agent = PricedAgent(TINY, prices)
    rows = [
        PlainTurn(tables, prices, now, lane).actions(int(now.roll[lane]), int(now.throws_left[lane]))
        for lane in range(40)
    ]
    np.testing.assert_array_equal(agent.act(now, np.zeros(40)), best_actions(np.array(rows)))
    assert (now.throws_left == 2).any()


def test_without_prices_and_bonus_it_is_the_one_turn_player() -> None:
    rules = ruleset("yacht")
    boxes = compile_tables(rules).card.boxes
    free = Prices(np.zeros(boxes), np.zeros(boxes), np.zeros(boxes), 0.0, 0.0)
    now = situations_of(rules, 300, 8)
    noise = np.zeros(300)
    np.testing.assert_array_equal(PricedAgent(rules, free).act(now, noise), OneTurnAgent(rules).act(now, noise))


# Prices.


def test_the_whole_catalogue_is_stored() -> None:
    stored = json.loads(STORE.read_text())
    assert {fields["ruleset"] for fields in stored.values()} == set(rulesets())
    assert set(stored) == {ruleset(name).digest for name in rulesets()}
    for name in rulesets():
        prices = prices_of(ruleset(name))
        assert len(prices.box) == compile_tables(ruleset(name)).card.boxes


def test_prices_are_found_by_play_and_the_same_again() -> None:
    one, again, other = (find_prices(TINY, rounds=4, games=50, seed=seed) for seed in (1, 1, 2))
    assert fields_of(one) == fields_of(again)
    assert fields_of(one) != fields_of(other)
    assert prices_of(TINY) is prices_of(TINY)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["yatzy", "yahtzee", "forced"])
def test_stored_prices_are_those_that_play_finds(name: str) -> None:
    assert fields_of(find_prices(ruleset(name))) == fields_of(prices_of(ruleset(name)))


@pytest.mark.parametrize(("name", "least"), [("yatzy", 35), ("yahtzee", 20), ("maxi-danish", 30)])
def test_prices_are_worth_many_points_beyond_one_turn(name: str, least: float) -> None:
    rules = ruleset(name)
    priced, one_turn = (play_match(agent(rules), rules, 400, 1).score for agent in (PricedAgent, OneTurnAgent))
    assert (priced - one_turn).mean() > least
