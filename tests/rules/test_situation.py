"""Situations: every one that play reaches is accepted and survives a batch, every impossible one is refused."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from random import Random

import numpy as np
import pytest

from tests.plain_games import PlainCard
from tests.rules.helpers import all_rolls, play
from yatzy_env import reference
from yatzy_env.errors import SituationError
from yatzy_env.reference import bits_of
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.situation import Situation, batch, check_situation, empty_situations, single
from yatzy_env.tables import compile_tables


def situations_of(rules: Ruleset, rng: Random):
    """Every situation of a random game, its end included."""
    shadow = PlainCard(rules)
    for _, box, dice, throws in play(rules, rng):
        start = shadow.throws_of_turn
        for throw in range(1, throws + 1):
            thrown = dice if throw == throws else tuple(rng.choices(range(1, 7), k=rules.dice))
            yield Situation(
                filled=bits_of(rules, shadow.filled),
                upper=tuple(shadow.upper),
                roll=tuple(sorted(thrown)),
                throws_left=start - throw,
                yatzy_fifty=shadow.card.yatzy_scored,
            )
        shadow.fill(box, dice, throws)
    yield Situation(
        filled=2 ** len(reference.boxes_of(rules)) - 1,
        upper=tuple(shadow.upper),
        throws_left=0,
        yatzy_fifty=shadow.card.yatzy_scored,
    )


def test_every_situation_of_random_games_is_accepted_and_survives_a_batch(each_ruleset: Ruleset, rng: Random):
    tables = compile_tables(each_ruleset)
    met = [situation for _ in range(4) for situation in situations_of(each_ruleset, rng)]
    for situation in met:
        assert check_situation(each_ruleset, situation) == situation
    arrays = batch(each_ruleset, met)
    assert [single(tables, arrays, lane) for lane in range(len(met))] == met
    assert {situation.throws_left for situation in met} >= {0, 1, 2}


def test_dice_are_sorted_and_numbers_made_plain():
    given = Situation(filled=np.int64(1), upper=[np.int64(3)], roll=np.array([5, 1, 3, 1, 2]), throws_left=np.int64(1))
    found = check_situation(ruleset("yatzy"), given)
    assert found == Situation(1, (3,), (1, 1, 2, 3, 5), 1)
    assert [type(value) for value in (found.filled, found.upper[0], found.roll[0], found.throws_left)] == [int] * 4


START = Situation(roll=(1, 2, 3, 4, 5))
YAHTZEE_FULL = 2**13 - 1
BAD = {
    "filled too large": ("yatzy", {"filled": 2**15}, ["filled = 32768", "0 to 32767"]),
    "filled negative": ("yatzy", {"filled": -1}, ["filled = -1", "0 to 32767"]),
    "filled is a bool": ("yatzy", {"filled": True}, ["filled = True"]),
    "filled is a fraction": ("yatzy", {"filled": 1.0}, ["filled = 1.0"]),
    "filled is text": ("yatzy", {"filled": "1"}, ["filled = '1'"]),
    "against top-down": ("forced", {"filled": 2}, ["filled = 2", "'top-down'"]),
    "against upper-first": ("half-force", {"filled": 2**6}, ["filled = 64", "'upper-first'"]),
    "against upper-in-order": ("full-force", {"filled": 2}, ["filled = 2", "'upper-in-order'"]),
    "yatzy first without the option": ("forced", {"filled": 2**14}, ["filled = 16384", "'top-down'"]),
    "upper of an empty card": ("yatzy", {"upper": (1,)}, ["upper[0] = 1", "[0]"]),
    "upper not a multiple": ("yatzy", {"filled": 2, "upper": (3,)}, ["upper[0] = 3", "[0, 2, 4, 6, 8, 10]"]),
    "upper too large": ("yatzy", {"filled": 1, "upper": (6,)}, ["upper[0] = 6", "[0, 1, 2, 3, 4, 5]"]),
    "upper negative": ("yatzy", {"upper": (-1,)}, ["upper[0] = -1"]),
    "upper is a bool": ("yatzy", {"filled": 1, "upper": (True,)}, ["upper[0] = True"]),
    "upper is a number": ("yatzy", {"upper": 0}, ["upper = 0", "tuple of 1"]),
    "upper of two columns": ("yatzy", {"upper": (0, 0)}, ["upper = (0, 0)", "tuple of 1"]),
    "upper of one column": ("triple", {"upper": (0,)}, ["upper = (0,)", "tuple of 3"]),
    "upper of no column": ("yatzy", {"upper": ()}, ["upper = ()", "tuple of 1"]),
    "upper of another column": ("triple", {"filled": 1, "upper": (0, 1, 0)}, ["upper[1] = 1", "[0]"]),
    "upper of a list": ("yatzy", {"upper": ([0],)}, ["upper[0] = [0]"]),
    "yatzy_scored in a ruleset without extra": (
        "yatzy",
        {"filled": 2**14, "yatzy_fifty": True},
        ["yatzy_fifty = True"],
    ),
    "yatzy_scored with the box open": ("yahtzee", {"yatzy_fifty": True}, ["yatzy_fifty = True", "filled yatzy box"]),
    "yatzy_scored is a number": ("yahtzee", {"filled": 2**11, "yatzy_fifty": 50}, ["yatzy_fifty = 50"]),
    "yatzy_scored is nothing": ("yahtzee", {"yatzy_fifty": None}, ["yatzy_fifty = None"]),
    "four dice": ("yatzy", {"roll": (1, 2, 3, 4)}, ["roll = (1, 2, 3, 4)", "4 dice", "allowed: 5"]),
    "six dice": ("yatzy", {"roll": (1,) * 6}, ["6 dice", "allowed: 5"]),
    "five dice of six": ("maxi-danish", {"roll": (1,) * 5}, ["5 dice", "allowed: 6"]),
    "no dice": ("yatzy", {"roll": ()}, ["roll = ()", "0 dice"]),
    "face 0": ("yatzy", {"roll": (0, 1, 1, 1, 1)}, ["die 0", "1 to 6"]),
    "face 7": ("yatzy", {"roll": (1, 1, 1, 1, 7)}, ["die 7", "1 to 6"]),
    "face of text": ("yatzy", {"roll": "11111"}, ["die '1'", "1 to 6"]),
    "three throws left": ("yatzy", {"throws_left": 3}, ["throws_left = 3", "0 to 2"]),
    "negative throws left": ("yatzy", {"throws_left": -1}, ["throws_left = -1", "0 to 2"]),
    "throws left of a bool": ("yatzy", {"throws_left": True}, ["throws_left = True"]),
    "saved throws of nobody": ("maxi-danish", {"filled": 3, "throws_left": 3, "roll": (1,) * 6}, ["0 to 2"]),
    "saved throws before any turn": ("maxi-alga", {"throws_left": 3, "roll": (1,) * 6}, ["throws_left = 3", "0 to 2"]),
    "full card with dice": ("yahtzee", {"filled": YAHTZEE_FULL, "throws_left": 0}, ["full", "()"]),
    "full card with throws": ("yahtzee", {"filled": YAHTZEE_FULL, "roll": (), "throws_left": 1}, ["full", "0"]),
}


@pytest.mark.parametrize(("name", "changes", "words"), BAD.values(), ids=BAD.keys())
def test_an_impossible_situation_is_named_in_one_line(name, changes, words):
    rules = ruleset(name)
    good = replace(START, upper=(0,) * len(rules.columns))
    if rules.dice == 5:
        check_situation(rules, good)
    situation = replace(good, **changes)
    with pytest.raises(SituationError) as caught:
        check_situation(rules, situation)
    text = str(caught.value)
    assert len(text.splitlines()) == 1
    for word in words:
        assert word in text
    with pytest.raises(SituationError):
        batch(rules, [good] * (rules.dice == 5) + [situation])


GOOD = {
    "yatzy first": ("forced-yatzy-first", {"filled": 2**14}),
    "upper first": ("half-force", {"filled": 2**5}),
    "zero in the yahtzee box": ("yahtzee", {"filled": 2**11}),
    "yatzy_scored in the yahtzee box": ("yahtzee", {"filled": 2**11, "yatzy_fifty": True}),
    "upper beyond the threshold": ("yatzy", {"filled": 2**6 - 1, "upper": (105,)}),
    "full card": ("yahtzee", {"filled": YAHTZEE_FULL, "roll": (), "throws_left": 0, "upper": (63,)}),
}


@pytest.mark.parametrize(("name", "changes"), GOOD.values(), ids=GOOD.keys())
def test_a_possible_situation_is_accepted(name, changes):
    situation = replace(START, **changes)
    assert check_situation(ruleset(name), situation) == situation


@pytest.mark.parametrize("filled", range(20))
def test_saved_throws_have_no_cap_but_what_can_have_been_saved(filled):
    rules = ruleset("maxi-alga")
    card = PlainCard(rules)
    for box in rules.boxes[:filled]:
        card.fill(box, (1, 2, 3, 4, 5, 6), 1)
    most = card.throws_of_turn - 1
    situation = Situation(bits_of(rules, card.filled), tuple(card.upper), (6,) * 6, most)
    assert check_situation(rules, situation) == situation
    assert most <= compile_tables(rules).most_throws_left
    with pytest.raises(SituationError, match=f"throws_left = {most + 1}; allowed: a whole number from 0 to {most}"):
        check_situation(rules, replace(situation, throws_left=most + 1))


def test_the_last_turn_can_hold_the_most_throws_of_the_tables():
    rules = ruleset("maxi-alga")
    tables = compile_tables(rules)
    situation = Situation(tables.card.all_boxes & ~1, (0,), (6,) * 6, tables.most_throws_left)
    assert check_situation(rules, situation) == situation


SMALL = {
    "free": {"extra_yatzy_bonus": 5},
    "upper first": {"order": "upper-first", "extra_yatzy_bonus": 5},
    "upper in order": {"order": "upper-in-order"},
    "top down": {"order": "top-down", "extra_yatzy_bonus": 5},
    "top down, yatzy first": {"order": "top-down", "yatzy_first": True},
    "forced joker": {"joker": "forced", "extra_yatzy_bonus": 5},
    "forced joker, top down, yatzy first": {"joker": "forced", "order": "top-down", "yatzy_first": True},
    "two columns": {"columns": (1, 2), "order": "upper-first", "boxes": ("ones", "sixes", "yatzy")},
    "top down, yatzy first, extra": {"order": "top-down", "yatzy_first": True, "extra_yatzy_bonus": 5},
}


@pytest.mark.parametrize("changes", SMALL.values(), ids=SMALL.keys())
def test_accepted_cards_are_exactly_those_that_play_reaches(changes):
    boxes = ("ones", "sixes", "yatzy", "one_pair")
    rules = ruleset({"name": "small", "dice": 2, "boxes": boxes, "bonus_threshold": 7} | changes)
    rolls = all_rolls(2)
    start = reference.empty_card(rules)
    reached, waiting = {start}, [start]
    while waiting:
        card = waiting.pop()
        for dice in rolls:
            for box in reference.legal(rules, card.filled, dice):
                after = reference.fill(rules, card, box, dice)[1]
                if after not in reached:
                    reached.add(after)
                    waiting.append(after)
    expected = {(bits_of(rules, card.filled), card.upper, card.yatzy_scored) for card in reached}
    full = 2 ** len(reference.boxes_of(rules)) - 1
    accepted = set()
    for filled, upper, yatzy_scored in product(
        range(full + 1), product(range(15), repeat=len(rules.columns)), (False, True)
    ):
        end = filled == full
        try:
            check_situation(rules, Situation(filled, upper, () if end else (1, 2), 0, yatzy_scored))
        except SituationError:
            continue
        accepted.add((filled, upper, yatzy_scored))
    assert accepted == expected


# Batches.


def test_a_batch_of_nothing():
    arrays = batch(ruleset("triple"), [])
    assert [values.shape for values in arrays] == [(0,), (0, 3), (0,), (0,), (0,)]


def test_empty_situations():
    tables = compile_tables(ruleset("triple"))
    arrays = empty_situations(tables, 4)
    assert [values.shape for values in arrays] == [(4,), (4, 3), (4,), (4,), (4,)]
    assert [values.dtype for values in arrays] == [np.int64, np.int64, np.bool_, np.int64, np.int64]
    assert single(tables, arrays, 3) == Situation(0, (0, 0, 0), (), 0, False)


def test_take_and_copy_share_no_memory():
    rules = ruleset("yahtzee")
    tables = compile_tables(rules)
    first = Situation(filled=1, upper=(3,), roll=(1, 1, 2, 5, 6), throws_left=1)
    second = Situation(filled=2**11, roll=(6, 6, 6, 6, 6), throws_left=0, yatzy_fifty=True)
    arrays = batch(rules, [first, second])
    taken = [arrays.take(np.array([1, 0])), arrays.take(np.array([True, False])), arrays.copy()]
    for values in arrays:
        values[...] = 0
    assert [single(tables, taken[0], lane) for lane in (0, 1)] == [second, first]
    assert len(taken[1].filled) == 1
    assert single(tables, taken[1], 0) == first
    assert [single(tables, taken[2], lane) for lane in (0, 1)] == [first, second]


def test_rolls_of_a_batch_are_numbered_as_in_the_tables():
    rules = ruleset("yatzy")
    rolls = all_rolls(5)
    arrays = batch(rules, [Situation(roll=roll) for roll in rolls])
    assert arrays.roll.tolist() == list(range(252))
