"""Every situation and action of small games, against a solver in plain Python that shares no code with the library."""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np
import pytest

from tests.solver.helpers import same_values, solved
from yatzy_env.errors import RulesetError
from yatzy_env.reference import Solver, bits_of
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.situation import Situation, batch
from yatzy_env.tables import action_names

_JOKER = {"extra_yatzy_bonus": 100, "bonus_points": 35, "straights": "runs", "full_house_points": 25}
_SMALL = {"dice": 3, "boxes": ["ones", "twos", "one_pair", "chance", "yatzy"], "bonus_threshold": 5}

GAMES = {
    "forced joker, five dice": {
        "boxes": ["twos", "full_house", "yatzy"],
        "joker": "forced",
        "bonus_threshold": 6,
        **_JOKER,
    },
    "forced joker, four dice": {
        "dice": 4,
        "boxes": ["twos", "sixes", "small_straight", "yatzy"],
        "joker": "forced",
        "bonus_threshold": 16,
        "throws": 2,
        **_JOKER,
    },
    "free joker, four dice": {
        "dice": 4,
        "boxes": ["threes", "small_straight", "yatzy", "chance"],
        "joker": "free",
        "bonus_threshold": 9,
        "throws": 2,
        **_JOKER,
    },
    "extra bonus, no joker": {**_SMALL, "extra_yatzy_bonus": 30},
    "forced joker in order": {**_SMALL, "order": "upper-in-order", "joker": "forced", "extra_yatzy_bonus": 30},
    "yatzy first with extra bonus": {
        **_SMALL,
        "order": "top-down",
        "yatzy_first": True,
        "joker": "forced",
        "extra_yatzy_bonus": 30,
    },
    "six dice": {"dice": 6, "boxes": ["sixes", "castle"], "bonus_threshold": 18, "yatzy_points": 100, "throws": 2},
    "bonus at once": {**_SMALL, "bonus_threshold": 1},
    "bonus for a perfect upper section": {**_SMALL, "bonus_threshold": 9},
    "no bonus": {**_SMALL, "bonus_points": 0, "bonus_threshold": 0},
    "no upper section": {"dice": 3, "boxes": ["one_pair", "chance", "yatzy"], "bonus_points": 0},
    "one box": {"dice": 5, "boxes": ["yatzy"], "bonus_points": 0, "yatzy_adds_pips": True},
    "one throw": {**_SMALL, "throws": 1},
    "five throws": {**_SMALL, "throws": 5},
    "a column that counts twice": {**_SMALL, "columns": [2]},
    **{
        f"{order}, yatzy first: {first}": {**_SMALL, "dice": 2, "order": order, "yatzy_first": first}
        for order, first in product(("free", "upper-first", "upper-in-order", "top-down"), (False, True))
    },
}


def compare(rules: Ruleset) -> None:
    """Compares all actions in all situations, the values of all cards and their number."""
    plain, solution = Solver(rules), solved(rules)
    number = {name: action for action, name in enumerate(action_names(rules))}
    situations, expected, cards = [], [], set()
    for card in plain.cards():
        filled = bits_of(rules, card.filled)
        cards.add((filled, min(card.upper[0], rules.bonus_threshold if rules.bonus_points else 0), card.yatzy_scored))
        value = solution.card_values([filled], [card.upper[0]], [card.yatzy_scored])[0]
        assert value == pytest.approx(plain.card_value(card), abs=1e-9, rel=0)
        if len(card.filled) == len(rules.boxes):
            continue
        for dice in plain.rolls:
            for throws_left in range(rules.throws):
                situations.append(Situation(filled, card.upper, dice, throws_left, card.yatzy_scored))
                row = np.full(len(number), np.nan)
                for name, value in plain.action_values(card, dice, throws_left).items():
                    row[number[name]] = value
                expected.append(row)
    found = solution.batch_action_values(batch(rules, situations))
    assert same_values(found, np.array(expected))
    assert solution.cards == len(cards)


@pytest.mark.parametrize("game", GAMES)
def test_every_situation_of_a_small_game(game: str) -> None:
    compare(ruleset(GAMES[game]))


def random_rules(seed: int, dice: tuple[int, ...]) -> Ruleset:
    """A small ruleset with switches at random."""
    rng = Random(seed)
    while True:
        number = rng.choice(dice)
        upper = sorted(rng.sample(range(6), rng.choice((0, 1, 2))))
        faces = ("ones", "twos", "threes", "fours", "fives", "sixes")
        lower = ("one_pair", "two_pairs", "three_of_a_kind", "small_straight", "chance")
        boxes = [*(faces[face] for face in upper), *rng.sample(lower, rng.choice((1, 2))), "yatzy"]
        top = sum(number * (face + 1) for face in upper)
        fields = {
            "dice": number,
            "throws": rng.choice((1, 2, 3, 3, 4)),
            "boxes": boxes,
            "bonus_threshold": rng.randint(1, top) if top else 0,
            "bonus_points": rng.choice((0, 7, 35)) if top else 0,
            "joker": rng.choice(("none", "forced", "free")),
            "extra_yatzy_bonus": rng.choice((0, 0, 40)),
            "order": rng.choice(("free", "upper-first", "upper-in-order", "top-down")),
            "yatzy_first": rng.random() < 0.5,
            "straights": "runs",
            "of_a_kind_sums": rng.choice(("matching", "all")),
            "yatzy_adds_pips": rng.random() < 0.3,
        }
        try:
            return ruleset(fields)
        except RulesetError:
            continue  # a box that these dice cannot pay


@pytest.mark.parametrize("seed", range(12))
def test_every_situation_of_random_rules(seed: int) -> None:
    compare(random_rules(seed, (2, 2, 3)))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 200))
def test_every_situation_of_more_random_rules(seed: int) -> None:
    compare(random_rules(seed, (2, 3, 4)))
