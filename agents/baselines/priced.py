# mypy: disallow-untyped-defs=False
r"""One turn played exactly, minus a price for the box that is used up.

The agent maximises, over keeps and boxes, the expected value of

    points of the box  -  price of the box  +  bonus * chance of the bonus afterwards  +  what is saved for later,

computed backwards over all rolls of the turn. The price of a box is what an open box is worth to the rest of the game,
so the agent leaves a good box alone where a poor one will do. Prices come from play alone, no solution is read:

- Games are played in rounds, each with fresh dice, under the mean of the prices that the later half of the rounds so
  far has found; the first round has none.
- At the start of every turn the points still to come, bonuses left out, are compared with what is open: least squares
  of $\sum_{b\ \mathrm{open}} w_b$ against them. The weight $w_b$ is the price of box b. Where throws are saved, a saved
  throw has a weight too, and where further yatzies earn extra, so has every turn left while the yatzy box holds points.
- The chance of a bonus takes what the open upper boxes bring as normal: with the mean $m_b$ and the variance $v_b$ that
  box b brought in those games, the chance that they bring the missing points is
  $\Phi\left((\sum m_b - \mathrm{missing} + 1/2) / \sqrt{\sum v_b}\right)$; 1 once the bonus is safe, 0 once it is
  out of reach.

Prices of the catalogue are stored beside this module (`prices.json`, written by `scripts/maintain/prices.py`); for any
other ruleset they are found when an agent is made, in seconds.
"""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy_env import dice
from yatzy_env.agent import best_actions
from yatzy_env.card import open_upper_points
from yatzy_env.files import read_json_object
from yatzy_env.games import new_games, play, turns_done
from yatzy_env.kernel import kernel
from yatzy_env.native import borrow
from yatzy_env.rules import Ruleset
from yatzy_env.situation import Situations
from yatzy_env.tables import Tables, compile_tables
from yatzy_env.turn import Ends, end_kinds, rate_actions

STORE = Path(__file__).with_name("prices.json")
"""The prices of the catalogue, by the digest of the ruleset."""

ROUNDS, GAMES = 12, 500
"""Rounds of play, and games in each."""


class Prices(NamedTuple):
    """What things are worth to the rest of a game, in points. B boxes of the whole card."""

    box: NDArray[np.float64]  # (B,) an open box, without what it means for the bonus
    mean: NDArray[np.float64]  # (B,) what an upper box brings to the upper sum of its column; 0 below
    variance: NDArray[np.float64]  # (B,) its variance
    throw: float  # a saved throw
    fifty: float  # every turn left while the yatzy box holds points


class PricedAgent:
    """Maximises the points of this turn minus the price of the box it uses up."""

    name = "priced"
    deterministic = True
    merges_upper = True

    def __init__(self, rules: Ruleset, prices: Prices | None = None) -> None:
        """Plays by these prices, or looks them up or finds them by play."""
        self._tables = compile_tables(rules)
        self.prices = prices if prices is not None else prices_of(rules)

    def act(self, situations: Situations, noise: NDArray[np.float64]) -> NDArray[np.int64]:
        """Chooses by the exact expectation of the turn's points less prices."""
        return best_actions(self._turn_values(situations))

    def action_values(self, situations: Situations) -> NDArray[np.float64]:
        """What the agent takes every action to be worth: an estimate of the points still to come, not the truth.

        Returns:
            (n, actions) float64, nan where the action is illegal: what it chooses by, plus what it thinks of the card.
        """
        prices, card = self.prices, self._tables.card
        worth = _features(self._tables, situations) @ np.array([*prices.box, 0.0, prices.fifty])
        for column in range(card.columns):
            bonus = card.bonus_points * card.multiplier[column]
            for row, (filled, upper) in enumerate(zip(situations.filled, situations.upper[:, column], strict=True)):
                if upper < card.bonus_threshold:
                    worth[row] += bonus * _bonus_chance(card, prices.mean, prices.variance, filled, column, upper)
        return worth[:, None] + self._turn_values(situations)

    def _turn_values(self, situations: Situations) -> NDArray[np.float64]:
        """(n, actions) the turn's points less prices, nan where the action is illegal."""
        return rate_actions(self._tables, situations, self._value)

    def _value(self, ends: Ends) -> NDArray[np.float64]:
        """(rows,) what ends of turns are worth: points less prices."""
        values = np.empty(len(ends.turn))
        _price_ends(self._tables, end_kinds(self._tables), self.prices, ends, values)
        return values


@lru_cache(maxsize=64)
def prices_of(rules: Ruleset) -> Prices:
    """The stored prices of a ruleset, or those found by play."""
    stored = read_json_object(STORE).get(rules.digest) if STORE.exists() else None
    if stored is None:
        return find_prices(rules)
    box, mean, variance = (np.array(stored[name], np.float64) for name in ("box", "mean", "variance"))
    return Prices(box, mean, variance, stored["throw"], stored["fifty"])


def fields_of(prices: Prices) -> dict[str, Any]:
    """Prices as a JSON object."""
    return {
        name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in prices._asdict().items()
    }


def find_prices(rules: Ruleset, rounds: int = ROUNDS, games: int = GAMES, seed: int = 1) -> Prices:
    """Finds prices by rounds of play, of so many games each; the same for the same arguments.

    The dice of a seed are thrown by no evaluation and no training.
    """
    tables = compile_tables(rules)
    upper = tables.card.face.astype(np.float64)
    prices = Prices(
        box=np.zeros(tables.card.boxes),
        mean=upper * tables.dice / 2,
        variance=upper**2,
        throw=0.0,
        fifty=0.0,
    )
    found: list[Prices] = []
    for number in range(rounds):
        keys = [dice.key("prices", seed, number, game) for game in range(games)]
        found.append(_learn(tables, PricedAgent(rules, prices), np.array(keys, np.uint64)))
        late = zip(*found[len(found) // 2 :], strict=True)
        prices = Prices._make(np.mean(values, axis=0) for values in late)
    # In hundredths of a point, so that stored ones and found ones are the same on every machine.
    return Prices._make(np.round(values, 2) for values in prices)


def _learn(tables: Tables, agent: PricedAgent, keys: NDArray[np.uint64]) -> Prices:
    """Plays a game per key and fits prices to what happened."""
    card = tables.card
    games = new_games(tables, keys)
    place = np.arange(len(keys))
    features = np.zeros((card.boxes, len(keys), card.boxes + 2))
    gained = np.zeros((card.boxes, len(keys)))
    written = np.zeros((len(keys), card.boxes))
    while len(place):
        now = games.now
        turn = np.bitwise_count(now.filled).astype(np.int64)
        new = games.throw == 0
        features[turn[new], place[new]] = _features(tables, now.take(new))
        before = now.upper.copy()
        points = play(tables, games, agent.act(now, np.zeros(len(place))))
        fallen = (before < card.bonus_threshold) & (now.upper >= card.bonus_threshold)
        gained[turn, place] += points - card.bonus_points * (fallen @ card.multiplier)
        done = now.roll < 0
        written[place[done]] = games.written[done]
        games, place = games.take(~done), place[~done]
    to_come = np.cumsum(gained[::-1], axis=0)[::-1]
    weights = np.linalg.lstsq(features.reshape(-1, card.boxes + 2), to_come.ravel(), rcond=None)[0]
    plain = written / card.multiplier[card.column] * (card.face > 0)
    return Prices(
        box=weights[: card.boxes].astype(np.float64),
        mean=plain.mean(axis=0),
        variance=plain.var(axis=0),
        throw=max(float(weights[-2]), 0.0),
        fifty=max(float(weights[-1]), 0.0),
    )


def _features(tables: Tables, now: Situations) -> NDArray[np.float64]:
    """(n, B + 2) what points to come are fitted to: open boxes, saved throws, turns left with points in yatzy."""
    is_open = (~now.filled[:, None] >> np.arange(tables.card.boxes)) & 1
    saved = now.throws_left - (tables.throws - 1)
    return np.column_stack([is_open, saved, now.yatzy_scored * is_open.sum(axis=1)]).astype(np.float64)


@kernel
def _bonus_chance(card, mean, variance, filled, column, upper):
    """The chance that a column earns its bonus, see the module."""
    missing = card.bonus_threshold - upper
    if missing <= 0:
        return 1.0
    if missing > open_upper_points(card, filled, column):
        return 0.0
    expected, spread = 0.0, 0.0
    for box in range(card.boxes):
        if (filled >> box) & 1 == 0 and card.column[box] == column:
            expected += mean[box]
            spread += variance[box]
    return 0.5 * math.erfc((missing - 0.5 - expected) / math.sqrt(2.0 * max(spread, 1e-9)))


@kernel
def _price_ends(tables, kinds, prices, ends, values):
    """Writes what ends are worth to `values`, (rows,) float64."""
    tables, kinds, prices, ends = borrow(tables), borrow(kinds), borrow(prices), borrow(ends)
    card, before, after = tables.card, ends.before, ends.after
    for row in range(values.shape[0]):
        kind, turn, filled = ends.kind[row], ends.turn[row], after.filled[row]
        box = kinds.box[kind]
        column = card.column[box]
        turns_after = card.boxes - turns_done(filled)
        value = kinds.points[kind] * card.multiplier[column] + kinds.extra[kind] - prices.box[box]
        upper = before.upper[turn, column]
        if card.face[box] > 0 and upper < card.bonus_threshold:
            chance = _bonus_chance(card, prices.mean, prices.variance, before.filled[turn], column, upper)
            better = _bonus_chance(card, prices.mean, prices.variance, filled, column, after.upper[row, column])
            value += card.bonus_points * card.multiplier[column] * (better - chance)
        if after.yatzy_scored[row] and not before.yatzy_scored[turn]:
            value += prices.fifty * turns_after
        values[row] = value + (prices.throw * after.pool[row] if turns_after > 0 else 0.0)
