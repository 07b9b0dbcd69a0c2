"""What boxes pay: public cases, the examples of the rules, and every roll in every box against the plain reading."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.rules.helpers import all_rolls, random_rules, variants
from yatzy_env import reference
from yatzy_env.errors import RulesetError
from yatzy_env.reference import all_alike
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.tables import compile_tables

CASES = json.loads((Path(__file__).parents[1] / "cases" / "scoring.json").read_text(encoding="utf-8"))
VARIANTS = variants() | {f"random {seed}": random_rules(seed) for seed in range(12)}


PAYING = set(Ruleset.model_fields) - {
    *("name", "throws", "columns", "bonus_threshold", "bonus_points", "order"),
    *("yatzy_first", "joker", "extra_yatzy_bonus", "saved_throws"),
}
_tables: dict[tuple, list[list[int]]] = {}


def plain_table(rules: Ruleset) -> list[list[int]]:
    """Plain points of every roll in every box of one column, worked out once for rules that pay alike."""
    paying = tuple(getattr(rules, field) for field in sorted(PAYING))
    if paying not in _tables:
        _tables[paying] = [[reference.score(rules, box, dice) for dice in all_rolls(rules.dice)] for box in rules.boxes]
    return _tables[paying]


def test_all_public_cases_are_here():
    assert len(CASES) == 124


@pytest.mark.parametrize(
    "case", CASES, ids=lambda case: f"{case['ruleset']}-{case['category']}-{''.join(map(str, case['dice']))}"
)
def test_public_case(case):
    rules = ruleset(case["ruleset"])
    assert rules.score(case["category"], case["dice"]) == case["expected"]
    assert reference.score(rules, case["category"], case["dice"]) == case["expected"]


# (ruleset, changes, box, dice, points)
EXAMPLES = [
    # Boxes.
    ("yatzy", {}, "threes", "33345", 9),
    ("yatzy", {}, "threes", "11245", 0),
    ("yatzy", {}, "one_pair", "33355", 10),  # the highest pair, not the largest group
    ("yatzy", {}, "one_pair", "12346", 0),
    ("yatzy", {}, "two_pairs", "22355", 14),
    ("maxi-danish", {}, "one_pair", "333355", 10),
    ("maxi-danish", {}, "two_pairs", "112233", 10),  # the best two of three
    ("maxi-danish", {}, "three_pairs", "112233", 12),
    ("maxi-danish", {}, "three_pairs", "111144", 0),
    ("maxi-danish", {}, "three_of_a_kind", "222555", 15),
    ("maxi-danish", {}, "full_house", "222555", 19),
    ("yatzy", {}, "four_of_a_kind", "33336", 12),
    ("yahtzee", {}, "four_of_a_kind", "33336", 18),  # all five dice
    ("yahtzee", {}, "three_of_a_kind", "33316", 16),
    ("yacht", {}, "four_of_a_kind", "33336", 12),  # matching dice
    ("maxi-danish", {}, "five_of_a_kind", "444446", 20),
    ("yatzy", {}, "two_pairs", "44441", 0),
    ("yatzy", {}, "two_pairs", "55555", 0),
    ("yatzy", {}, "full_house", "55555", 0),
    ("yatzy", {}, "full_house", "14444", 0),
    ("yatzy", {}, "full_house", "22255", 16),
    ("yahtzee", {}, "full_house", "22255", 25),
    ("yahtzee", {}, "full_house", "55555", 0),
    ("yacht", {}, "full_house", "22255", 16),
    ("maxi-danish", {}, "castle", "222555", 21),
    ("maxi-danish", {}, "castle", "555555", 0),
    ("maxi-danish", {}, "tower", "222255", 18),
    ("maxi-danish", {}, "tower", "222222", 0),
    # Straights.
    ("yatzy", {}, "small_straight", "12345", 15),
    ("yatzy", {}, "large_straight", "23456", 20),
    ("yatzy", {}, "small_straight", "23456", 0),
    ("yatzy", {}, "large_straight", "12345", 0),
    ("yatzy", {}, "small_straight", "44456", 0),
    ("yatzy", {}, "large_straight", "44456", 0),
    ("maxi-danish", {}, "small_straight", "123456", 15),
    ("maxi-danish", {}, "large_straight", "123456", 20),
    ("maxi-danish", {}, "full_straight", "123456", 21),
    ("maxi-danish", {}, "small_straight", "112345", 15),  # the spare die is ignored
    ("maxi-danish", {}, "full_straight", "112345", 0),
    ("yahtzee", {}, "small_straight", "34566", 30),
    ("yahtzee", {}, "small_straight", "12356", 0),
    ("yahtzee", {}, "large_straight", "12345", 40),
    ("yahtzee", {}, "large_straight", "23456", 40),
    ("yacht", {}, "small_straight", "12345", 30),
    ("yacht", {}, "large_straight", "23456", 30),
    ("yacht", {}, "small_straight", "12346", 0),
    # Yatzy and chance.
    ("yatzy", {}, "yatzy", "11111", 50),
    ("yatzy", {}, "yatzy", "66665", 0),
    ("yahtzee", {}, "yatzy", "66666", 50),
    ("maxi-danish", {}, "yatzy", "222222", 100),
    ("maxi-danish", {}, "yatzy", "222223", 0),
    ("yatzy", {}, "chance", "12366", 18),
    # House rules.
    ("yatzy", {"five_alike_is_full_house": True}, "full_house", "55555", 25),
    ("yatzy", {"five_alike_is_full_house": True}, "two_pairs", "55555", 0),
    ("yahtzee", {"five_alike_is_full_house": True}, "full_house", "55555", 25),
    ("maxi-danish", {"five_alike_is_full_house": True}, "full_house", "555551", 25),
    ("maxi-danish", {"five_alike_is_full_house": True}, "full_house", "555555", 25),
    ("yatzy", {"four_alike_is_two_pairs": True}, "two_pairs", "44441", 16),
    ("yatzy", {"four_alike_is_two_pairs": True}, "two_pairs", "55555", 20),
    ("yatzy", {"four_alike_is_two_pairs": True}, "full_house", "44441", 0),
    ("yatzy", {"yatzy_adds_pips": True}, "yatzy", "66666", 80),
    ("yatzy", {"yatzy_adds_pips": True}, "yatzy", "11111", 55),
    ("maxi-danish", {"yatzy_adds_pips": True}, "yatzy", "666666", 86),
    ("maxi-danish", {"yatzy_adds_pips": True}, "yatzy", "666665", 0),
]


@pytest.mark.parametrize(
    ("name", "changes", "box", "dice", "points"),
    EXAMPLES,
    ids=["-".join([name, *changes, box, dice]) for name, changes, box, dice, _ in EXAMPLES],
)
def test_example_of_the_rules(name, changes, box, dice, points):
    rules = ruleset(name).replace(**changes)
    thrown = [int(die) for die in dice]
    assert rules.score(box, thrown) == points
    assert reference.score(rules, box, thrown) == points


@pytest.mark.parametrize("rules", VARIANTS.values(), ids=VARIANTS.keys())
def test_every_roll_in_every_box(rules: Ruleset):
    rolls = all_rolls(rules.dice)
    tables = compile_tables(rules)
    expected = plain_table(rules)
    assert [[rules.score(box, dice) for dice in rolls] for box in rules.boxes] == expected
    np.testing.assert_array_equal(tables.points[0], expected * len(rules.columns))


@pytest.mark.parametrize("rules", VARIANTS.values(), ids=VARIANTS.keys())
def test_every_joker_in_every_box(rules: Ruleset):
    if rules.joker == "none":
        rules = rules.replace(joker="forced", columns=(1,))
    rolls = all_rolls(rules.dice)
    tables = compile_tables(rules)
    alike = [number for number, dice in enumerate(rolls) if all_alike(dice)]
    boxes = [box for box in rules.boxes if rules.dice == 5 or box != "full_house"]  # six dice: see the next test
    places = [rules.boxes.index(box) for box in boxes]
    expected = [[reference.score(rules, box, rolls[number], joker=True) for number in alike] for box in boxes]
    np.testing.assert_array_equal(tables.points[1][np.ix_(places, alike)], expected)


def test_a_joker_in_a_summed_full_house_of_six_dice_pays_five_dice():
    # A full house is three of one number and two of another, "sum of those five dice".
    rules = ruleset("maxi-danish").replace(joker="forced")
    tables = compile_tables(rules)
    assert tables.points[1, rules.boxes.index("full_house"), -1] == 30
    assert reference.score(rules, "full_house", (6,) * 6, joker=True) == 30


@pytest.mark.parametrize(("box", "points"), [("full_house", 25), ("small_straight", 30), ("large_straight", 40)])
@pytest.mark.parametrize("name", ["yahtzee", "yahtzee-free-joker"])
def test_a_yahtzee_joker_pays_25_30_40(name, box, points):
    rules = ruleset(name)
    tables = compile_tables(rules)
    place = rules.boxes.index(box)
    for dice in (0, -1):  # five ones, five sixes
        assert tables.points[1, place, dice] == points
        assert tables.points[0, place, dice] == 0


@pytest.mark.parametrize("rules", VARIANTS.values(), ids=VARIANTS.keys())
def test_most_is_the_largest_payment_that_the_rules_allow(rules: Ruleset):
    expected = []
    for box, payments in zip(rules.boxes, plain_table(rules), strict=True):
        jokers = [reference.score(rules, box, (face,) * rules.dice, joker=True) for face in range(1, 7)]
        expected.append(max(payments + jokers) if rules.joker != "none" else max(payments))
    expected = [points * factor for factor in rules.columns for points in expected]
    assert compile_tables(rules).most.tolist() == expected


def test_dice_may_come_in_any_order():
    rules = ruleset("yatzy")
    assert rules.score("full_house", [5, 2, 5, 2, 2]) == 16
    assert rules.score("large_straight", [6, 4, 2, 3, 5]) == 20


def test_a_column_does_not_change_the_plain_score():
    rules = ruleset("triple")
    assert [rules.score(f"full_house@{column}", [2, 2, 2, 5, 5]) for column in (1, 2, 3)] == [16, 16, 16]
    assert rules.score("full_house", [2, 2, 2, 5, 5]) == 16


@pytest.mark.parametrize("dice", [[1, 2, 3, 4], [1, 2, 3, 4, 5, 6], []])
def test_a_wrong_number_of_dice_is_refused(dice):
    with pytest.raises(RulesetError, match=rf"holds {len(dice)} dice.*played with 5"):
        ruleset("yatzy").score("chance", dice)


@pytest.mark.parametrize("face", [0, 7, -1, True, "1", 2.5, None])
def test_a_wrong_face_is_refused(face):
    with pytest.raises(ValueError, match=rf"die {face!r} is not a face; .*from 1 to 6"):
        ruleset("yatzy").score("chance", [1, 1, 1, 1, face])


@pytest.mark.parametrize(
    ("name", "box"),
    [("yatzy", "tower"), ("yatzy", "full_house@1"), ("triple", "full_house@4"), ("triple", "full_house@0")],
)
def test_a_box_of_another_sheet_is_refused(name, box):
    rules = ruleset(name)
    with pytest.raises(RulesetError, match=f"unknown box '{box}'.*known: ones"):
        rules.score(box, [1] * rules.dice)
