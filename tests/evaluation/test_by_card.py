"""Scores card by card equal those by situations, for ratings without sense as for plans."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.evaluation.helpers import TINY
from yatzy_env.agent import best_actions
from yatzy_env.card import is_joker
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.by_card import plays_by_card, score_by_card
from yatzy_env.evaluation.exact import check_agent, exact_score
from yatzy_env.games import action_masks
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.situation import Situations
from yatzy_env.solver import solve
from yatzy_env.solver.layout import lay_out
from yatzy_env.tables import compile_tables
from yatzy_env.turn import Cards, end_kinds, rate_actions

FIVE = ruleset("yatzy").replace(boxes=("ones", "sixes", "full_house", "yatzy"), bonus_threshold=18)
GAMES = {
    "bonus": TINY,
    "no bonus": TINY.replace(bonus_points=0),
    "one throw": TINY.replace(throws=1),
    "four throws": TINY.replace(throws=4, boxes=("ones", "sixes", "chance")),
    "a column that counts twice": TINY.replace(columns=(2,)),
    "yatzy first": TINY.replace(order="top-down", yatzy_first=True),
    "upper in order": TINY.replace(order="upper-in-order"),
    "free joker": TINY.replace(joker="free", extra_yatzy_bonus=20, order="upper-first", yatzy_first=True),
    "five dice": FIVE,
    "five dice, forced joker": FIVE.replace(joker="forced", extra_yatzy_bonus=100),
    "six dice": FIVE.replace(dice=6, boxes=("ones", "sixes", "yatzy"), order="upper-first"),
}
games = pytest.mark.parametrize("rules", GAMES.values(), ids=GAMES.keys())


class Whimsical:
    """Rates cards in no sensible way, with many ratings equal; `act` reads the ratings situation by situation."""

    name = "whimsical"
    deterministic = True
    merges_upper = True

    def __init__(self, rules: Ruleset) -> None:
        self.tables = compile_tables(rules)
        self.kinds = end_kinds(self.tables)

    def ratings(self, cards: Cards, throws_left: int) -> NDArray[np.float32]:
        seeds = zip(cards.filled, cards.upper[:, 0], cards.yatzy_scored, strict=True)
        size = self.tables.keeps + len(self.kinds.box)
        rows = [np.random.default_rng([*map(int, seed), throws_left]).integers(-9, 9, size) for seed in seeds]
        return np.array(rows, np.float32)

    def act(self, situations: Situations, noise: NDArray[np.float64]) -> NDArray[np.int64]:
        tables, actions = self.tables, []
        for row, mask in enumerate(action_masks(tables, situations)):
            one = situations.take(slice(row, row + 1))
            card = Cards(one.filled, one.upper, one.yatzy_scored, np.zeros(1, np.int64))
            rated = self.ratings(card, int(one.throws_left[0]))[0]
            joker = is_joker(tables.card, one.filled[0], tables.alike[one.roll[0]])
            of_box = self.kinds.of[int(one.yatzy_scored[0]), int(joker), :, one.roll[0]]
            values = np.concatenate([rated[: tables.keeps], rated[tables.keeps + of_box]])
            actions.append(int(np.argmax(np.where(mask == 1, values, -np.inf))))
        return np.array(actions, np.int64)


class Believer:
    """Plans by values without sense, many of them equal."""

    name = "believer"
    deterministic = True
    merges_upper = True

    def __init__(self, rules: Ruleset) -> None:
        self.tables = compile_tables(rules)

    def card_values(self, cards: Cards) -> NDArray[np.float64]:
        seeds = zip(cards.filled, self._capped(cards), cards.yatzy_scored, strict=True)
        values = np.array([np.random.default_rng([*map(int, seed)]).integers(40) for seed in seeds], np.float64)
        return np.where(cards.filled == self.tables.card.all_boxes, 0.0, values)

    def _capped(self, cards: Cards) -> NDArray[np.int64]:
        layout = lay_out(self.tables).layout
        filled = cards.filled & self.tables.card.upper_boxes
        return np.clip(cards.upper[:, 0], layout.low[filled], layout.high[filled])

    def act(self, situations: Situations, noise: NDArray[np.float64]) -> NDArray[np.int64]:
        return best_actions(
            rate_actions(self.tables, situations, lambda ends: ends.gain + self.card_values(ends.after))
        )


class Asked:
    """An agent that hides what it knows of cards, so that it is asked situation by situation."""

    deterministic = True
    merges_upper = True

    def __init__(self, agent: Whimsical | Believer) -> None:
        self.name, self.act = agent.name, agent.act


@games
@pytest.mark.parametrize("kind", [Whimsical, Believer])
def test_is_the_score_by_situations(rules: Ruleset, kind: type[Whimsical] | type[Believer]) -> None:
    agent = kind(rules)
    found = exact_score(agent, rules)
    expected = exact_score(Asked(agent), rules, cache=False)
    assert found.situations == 0 < expected.situations
    for figure in ("expected_score", "standard_deviation", "bonus_rate", "yatzy_rate"):
        assert getattr(found, figure) == pytest.approx(getattr(expected, figure), abs=1e-9), figure


@games
def test_with_the_exact_values_it_is_the_optimum(rules: Ruleset) -> None:
    solution = solve(rules, cache=False, progress=False)

    class Best(Believer):
        def card_values(self, cards: Cards) -> NDArray[np.float64]:
            return solution.card_values(cards.filled, cards.upper[:, 0], cards.yatzy_scored)

    assert score_by_card(Best(rules), rules).expected_score == pytest.approx(solution.expected_score, abs=1e-9)


def test_neither_threads_nor_progress_change_it() -> None:
    told: list[int] = []
    rules = FIVE.replace(boxes=("ones", "twos", "threes", "fours", "sixes", "one_pair", "full_house", "chance"))
    one = score_by_card(Believer(rules), rules, threads=1)
    assert score_by_card(Believer(rules), rules, threads=2, on_progress=told.append)[:-1] == one[:-1]
    assert sum(told) == lay_out(compile_tables(rules)).open_states


def test_who_is_asked_card_by_card() -> None:
    agent = Whimsical(TINY)
    assert plays_by_card(agent, TINY)
    assert not plays_by_card(Asked(agent), TINY)
    assert not plays_by_card(agent, TINY.replace(columns=(1, 2)))
    assert not plays_by_card(agent, ruleset("maxi-alga"))
    agent.merges_upper = False
    assert not plays_by_card(agent, TINY)
    maxi = ruleset("maxi-tactic")
    check_agent(Whimsical(maxi), maxi, "whimsical")
    with pytest.raises(YatzyError, match="too large"):
        check_agent(Asked(agent), maxi, "whimsical")
    for name in ("triple", "maxi-alga"):
        with pytest.raises(YatzyError, match=name):
            score_by_card(Believer(ruleset(name)), ruleset(name))


@pytest.mark.parametrize("wrong", ["shape", "type", "nan"])
def test_ratings_of_another_form_are_refused(wrong: str) -> None:
    class Wrong(Whimsical):
        def ratings(self, cards: Cards, throws_left: int) -> NDArray[np.float32]:
            found = super().ratings(cards, throws_left)
            if wrong == "shape":
                return found[:, 1:]
            found[-1, -1] = np.nan if wrong == "nan" else 0
            return found.astype(np.float64) if wrong == "type" else found

    with pytest.raises(YatzyError, match="allowed: shape"):
        score_by_card(Wrong(TINY), TINY)
