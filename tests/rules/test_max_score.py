"""The highest total: published values, and an exhaustive search of small games with the plain card."""

from __future__ import annotations

from random import Random

import pytest

from tests.plain_games import PlainCard
from tests.rules.helpers import all_rolls, play
from yatzy_env import reference
from yatzy_env.reference import FACE_OF, Card, all_alike
from yatzy_env.rules import Ruleset, ruleset

PUBLISHED = [
    ("yatzy", {}, 374),
    ("yatzy", {"yatzy_adds_pips": True}, 404),
    ("yahtzee", {}, 1575),
    ("yahtzee-free-joker", {}, 1575),
    ("maxi-tactic", {}, 599),
    ("maxi-alga", {}, 649),
    ("maxi-danish", {}, 599),
    ("triple", {}, 374 * 6),
    ("yacht", {}, 297),
    # Thirteen yahtzees: where full house and straights take one for 0, its 100 is more than they pay.
    ("yahtzee-no-joker", {}, 105 + 35 + 30 + 30 + 0 + 0 + 0 + 50 + 30 + 12 * 100),
    ("yahtzee-no-bonus", {}, 375),
    ("forced", {}, 374),
    ("maxi-danish", {"yatzy_adds_pips": True}, 599 - 100 + 86),
    ("yatzy", {"bonus_points": 0}, 324),
]


@pytest.mark.parametrize(
    ("name", "changes", "points"), PUBLISHED, ids=["-".join([name, *changes]) for name, changes, _ in PUBLISHED]
)
def test_highest_total(name, changes, points):
    assert ruleset(name).replace(**changes).max_score == points


def test_random_games_stay_below_the_highest_total(each_ruleset: Ruleset, rng: Random):
    for _ in range(5):
        card = PlainCard(each_ruleset)
        for _, box, dice, _ in play(each_ruleset, rng, alike_share=0.8):
            card.fill(box, dice)
        assert 0 < card.total <= each_ruleset.max_score


def best_total(rules: Ruleset) -> int:
    """The highest total by trying every roll in every box at every turn, positions met twice being tried once."""
    same: dict[tuple, tuple[int, ...]] = {}
    for dice in all_rolls(rules.dice):
        points = tuple(reference.score(rules, box, dice) for box in rules.boxes)
        same.setdefault((points, dice[0] if all_alike(dice) else 0), dice)
    rolls = list(same.values())
    known: dict[Card, int] = {}

    def merged(card: Card) -> Card:
        """A card of the same future: a bonus paid, or none, makes the sum irrelevant."""
        capped = tuple(min(points, rules.bonus_threshold) for points in card.upper)
        return card._replace(upper=capped if rules.bonus_points else (0,) * len(capped))

    def search(card: Card) -> int:
        if len(card.filled) == len(reference.boxes_of(rules)):
            return 0
        if card not in known:
            best: dict[Card, int] = {}
            for dice in rolls:
                for box in reference.legal(rules, card.filled, dice):
                    gained, after = reference.fill(rules, card, box, dice)
                    best[merged(after)] = max(gained, best.get(merged(after), 0))
            known[card] = max(gained + search(after) for after, gained in best.items())
        return known[card]

    return search(reference.empty_card(rules))


THREE = {"dice": 3, "bonus_threshold": 12, "bonus_points": 20}
FOUR = {"dice": 4, "straights": "runs", "bonus_threshold": 20, "bonus_points": 7}
EXTRA = {"extra_yatzy_bonus": 30}
SMALL = {
    "free": THREE | {"boxes": ("ones", "sixes", "one_pair", "yatzy")},
    "bonus just in reach": THREE | {"boxes": ("ones", "sixes", "chance"), "bonus_threshold": 21},
    "no bonus": {"dice": 3, "boxes": ("sixes", "three_of_a_kind", "chance"), "bonus_points": 0},
    "extra": THREE | EXTRA | {"boxes": ("ones", "sixes", "one_pair", "yatzy")},
    "extra, upper first": THREE | EXTRA | {"boxes": ("sixes", "one_pair", "yatzy", "chance"), "order": "upper-first"},
    "extra, upper first, yatzy first": THREE
    | EXTRA
    | {"boxes": ("sixes", "one_pair", "yatzy", "chance"), "order": "upper-first", "yatzy_first": True},
    "extra, upper in order": THREE | EXTRA | {"boxes": ("twos", "sixes", "yatzy", "chance"), "order": "upper-in-order"},
    "extra, top down": THREE | EXTRA | {"boxes": ("sixes", "one_pair", "yatzy", "chance"), "order": "top-down"},
    "extra, top down, yatzy first": THREE
    | EXTRA
    | {"boxes": ("sixes", "one_pair", "yatzy", "chance"), "order": "top-down", "yatzy_first": True},
    "extra, a column that counts three times": THREE
    | EXTRA
    | {"boxes": ("ones", "sixes", "one_pair", "yatzy"), "columns": (3,)},
    "forced joker": FOUR | {"boxes": ("sixes", "small_straight", "yatzy"), "joker": "forced"},
    "forced joker, extra": FOUR | EXTRA | {"boxes": ("sixes", "small_straight", "yatzy", "chance"), "joker": "forced"},
    "free joker, extra": FOUR | EXTRA | {"boxes": ("sixes", "small_straight", "yatzy", "chance"), "joker": "free"},
    "forced joker, top down": FOUR
    | EXTRA
    | {"boxes": ("sixes", "small_straight", "yatzy", "chance"), "joker": "forced", "order": "top-down"},
    "forced joker, top down, yatzy first": FOUR
    | EXTRA
    | {
        "boxes": ("sixes", "small_straight", "yatzy", "chance"),
        "joker": "forced",
        "order": "top-down",
        "yatzy_first": True,
    },
    "summed full house, free joker": {
        "boxes": ("full_house", "yatzy"),
        "bonus_points": 0,
        "joker": "free",
        "yatzy_points": 1,
    },
    "summed full house after the yatzy box": {
        "boxes": ("yatzy", "full_house"),
        "bonus_points": 0,
        "joker": "forced",
        "order": "top-down",
    },
    "summed full house before the yatzy box": {
        "boxes": ("full_house", "yatzy"),
        "bonus_points": 0,
        "joker": "forced",
        "order": "top-down",
    },
    "two columns": {"dice": 2, "boxes": ("sixes", "yatzy"), "columns": (1, 3), "bonus_threshold": 12},
    "pips": {"dice": 3, "boxes": ("yatzy", "chance"), "bonus_points": 0, "yatzy_adds_pips": True} | EXTRA,
}


@pytest.mark.parametrize("fields", SMALL.values(), ids=SMALL.keys())
def test_highest_total_by_search(fields):
    rules = ruleset({"name": "small"} | fields)
    assert rules.max_score == best_total(rules)


def random_small(rng: Random) -> dict:
    lower = ["one_pair", "three_of_a_kind", "chance", "small_straight", "four_of_a_kind"]
    boxes = [*sorted(rng.sample(["ones", "fives"], rng.randint(0, 1)), key=FACE_OF.get)]
    rest = [*rng.sample(lower, 2), "yatzy"]
    rng.shuffle(rest)
    return {
        "name": "random",
        "dice": 4,
        "boxes": boxes + rest,
        "straights": "runs",
        "order": rng.choice(["free", "upper-first", "upper-in-order", "top-down"]),
        "yatzy_first": rng.random() < 0.5,
        "joker": rng.choice(["none", "forced", "free"]),
        "extra_yatzy_bonus": rng.choice([0, 25]),
        "bonus_points": rng.choice([0, 10]) if boxes else 0,
        "bonus_threshold": 4,
        "of_a_kind_sums": rng.choice(["all", "matching"]),
        "yatzy_points": rng.choice([1, 50]),
    }


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(150))
def test_highest_total_of_random_sheets_by_search(seed):
    rules = ruleset(random_small(Random(seed)))
    assert rules.max_score == best_total(rules)
