"""Multisets and tables: numbering, transitions and probabilities against brute force over ordered dice."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest

from tests.rules.helpers import all_rolls
from yatzy_env import reference
from yatzy_env.multisets import counts_of, dice_of, multisets, probability
from yatzy_env.reference import all_alike
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.tables import Tables, action_names, compile_tables, roll_index


def game(dice: int) -> Ruleset:
    """A sheet that fits any number of dice."""
    boxes = ("ones", "sixes", "one_pair", "chance", "yatzy")
    return ruleset({"name": "plain", "dice": dice, "boxes": boxes, "bonus_threshold": 7})


NUMBERS = pytest.mark.parametrize("dice", [2, 3, 4, 5, 6])


def listed(dice: int) -> list[tuple[int, ...]]:
    """Every multiset of up to `dice` dice: by count, then lexicographic by ascending dice."""
    found = {tuple(sorted(faces)) for size in range(dice + 1) for faces in product(range(1, 7), repeat=size)}
    return sorted(found, key=lambda faces: (len(faces), faces))


# Multisets.


def test_counts_and_dice():
    assert counts_of([6, 2, 2, 5]) == (0, 2, 0, 0, 1, 1)
    assert counts_of([]) == (0,) * 6
    assert dice_of((0, 2, 0, 0, 1, 1)) == (2, 2, 5, 6)
    assert counts_of(np.array([3, 3, 1])) == (1, 0, 2, 0, 0, 0)


@pytest.mark.parametrize("face", [0, 7, -1, 1.5, "3", None, False, True])
def test_counts_refuse_what_is_no_face(face):
    with pytest.raises(ValueError, match=rf"die {face!r} is not a face; .*1 to 6"):
        counts_of([1, face])


@NUMBERS
def test_multisets_are_lexicographic(dice):
    assert [dice_of(counts) for counts in multisets(dice)] == all_rolls(dice)


def test_how_many_multisets():
    assert [len(multisets(size)) for size in range(7)] == [1, 6, 21, 56, 126, 252, 462]


@pytest.mark.parametrize("size", range(7))
def test_probability_is_the_share_of_ordered_throws(size):
    throws = Counter(tuple(sorted(faces)) for faces in product(range(1, 7), repeat=size))
    for faces, number in throws.items():
        assert probability(counts_of(faces)) == pytest.approx(number / 6**size, rel=1e-14)


# Tables.


@NUMBERS
def test_numbering_of_keeps_and_rolls(dice):
    tables = compile_tables(game(dice))
    expected = listed(dice)
    assert [dice_of(counts) for counts in tables.counts.tolist()] == expected
    assert tables.size.tolist() == [len(faces) for faces in expected]
    assert tables.keeps == sum(len(faces) < dice for faces in expected)
    assert tables.rolls == sum(len(faces) == dice for faces in expected)
    assert expected[0] == ()
    for number, faces in enumerate(all_rolls(dice)):
        assert roll_index(tables, faces) == number
        assert dice_of(tables.counts[tables.keeps + number].tolist()) == faces


def test_sizes_of_five_and_six_dice():
    five, six = compile_tables(ruleset("yatzy")), compile_tables(ruleset("maxi-danish"))
    assert (five.dice, five.keeps, five.rolls, five.actions) == (5, 210, 252, 225)
    assert (six.dice, six.keeps, six.rolls, six.actions) == (6, 462, 462, 482)
    assert compile_tables(ruleset("triple")).actions == 210 + 45


@NUMBERS
def test_add_and_drop(dice):
    tables = compile_tables(game(dice))
    sets = listed(dice)
    number = {faces: index for index, faces in enumerate(sets)}
    for index, faces in enumerate(sets):
        for face in range(1, 7):
            if len(faces) < dice:
                assert tables.add[index, face - 1] == number[tuple(sorted((*faces, face)))]
            fewer = list(faces)
            if face in faces:
                fewer.remove(face)
                assert tables.drop[index, face - 1] == number[tuple(fewer)]
            else:
                assert tables.drop[index, face - 1] == -1
    assert tables.add.shape == (tables.keeps, 6)
    assert tables.drop.shape == (len(sets), 6)


@NUMBERS
def test_within(dice):
    tables = compile_tables(game(dice))
    keeps = [Counter(faces) for faces in listed(dice) if len(faces) < dice]
    for roll, faces in enumerate(all_rolls(dice)):
        thrown = Counter(faces)
        assert tables.within[roll].tolist() == [int(keep <= thrown) for keep in keeps]


@NUMBERS
def test_probability_and_alike(dice):
    tables = compile_tables(game(dice))
    throws = Counter(tuple(sorted(faces)) for faces in product(range(1, 7), repeat=dice))
    expected = [throws[faces] / 6**dice for faces in all_rolls(dice)]
    np.testing.assert_allclose(tables.probability, expected, rtol=1e-14)
    assert tables.probability.sum() == pytest.approx(1, abs=1e-14)
    assert tables.alike.tolist() == [faces[0] if all_alike(faces) else 0 for faces in all_rolls(dice)]


def test_throwing_again_leads_to_the_multinomial_law():
    # Adding one die at a time to a keep reaches each roll as often as throwing the missing dice at once.
    tables = compile_tables(ruleset("yatzy"))
    chance = np.zeros(len(tables.counts))
    start = listed(5).index((2, 2))
    chance[start] = 1
    for size in range(2, 5):
        for index in np.flatnonzero(tables.size == size):
            np.add.at(chance, tables.add[index], chance[index] / 6)
    for number, faces in enumerate(all_rolls(5)):
        rest = Counter(faces) - Counter((2, 2))
        expected = probability(counts_of(list(rest.elements()))) if rest.total() == 3 else 0
        assert chance[tables.keeps + number] == pytest.approx(expected, abs=1e-15)


def test_tables_are_read_only(each_tables: Tables):
    arrays = {name: value for name, value in each_tables._asdict().items() if isinstance(value, np.ndarray)}
    arrays |= {name: value for name, value in each_tables.card._asdict().items() if isinstance(value, np.ndarray)}
    assert set(arrays) >= {"counts", "add", "drop", "within", "points", "most", "order", "multiplier", "upper_box"}
    for array in arrays.values():
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_tables_follow_the_ruleset(each_ruleset: Ruleset, each_tables: Tables):
    boxes = len(reference.boxes_of(each_ruleset))
    assert each_tables.dice == each_tables.card.dice == each_ruleset.dice
    assert each_tables.throws == 3
    assert each_tables.actions == each_tables.keeps + boxes
    assert each_tables.points.shape == (2, boxes, each_tables.rolls)
    assert each_tables.saved_throws == (each_ruleset.name == "maxi-alga")
    # Twenty turns of one throw save forty; the last turn's own two are counted with the nineteen before.
    assert each_tables.most_throws_left == (2 * 20 if each_ruleset.saved_throws else 2)


def test_share_is_points_over_the_most_of_one_column(each_ruleset: Ruleset, each_tables: Tables):
    plain_most = each_tables.most // np.repeat(each_ruleset.columns, len(each_ruleset.boxes))
    assert each_tables.share.shape == (2, each_tables.rolls, each_tables.card.boxes)
    for joker in (0, 1):
        expected = each_tables.points[joker].T / plain_most
        np.testing.assert_allclose(each_tables.share[joker], expected, rtol=1e-6)
    assert (each_tables.share[0].max(axis=0) <= 1).all()


def test_tables_of_another_number_of_throws():
    assert compile_tables(game(3).replace(throws=5)).most_throws_left == 4
    assert compile_tables(game(3).replace(throws=1)).most_throws_left == 0
    assert compile_tables(game(6).replace(throws=2, saved_throws=True)).most_throws_left == 5


def test_tables_are_compiled_once():
    assert compile_tables(ruleset("yatzy")) is compile_tables(ruleset(ruleset("yatzy").model_dump()))


def test_a_roll_that_is_none_has_no_number():
    with pytest.raises(KeyError):
        roll_index(compile_tables(ruleset("yatzy")), (1, 2, 3, 4))


# Names of actions.


def test_action_names_of_the_design():
    rules = ruleset("yatzy")
    names = action_names(rules)
    assert names[0] == "keep nothing"
    assert names[listed(5).index((5, 5, 6))] == "keep 5 5 6"
    assert names[210 + rules.boxes.index("full_house")] == "score full_house"
    assert names[1:8] == ["keep 1", "keep 2", "keep 3", "keep 4", "keep 5", "keep 6", "keep 1 1"]
    assert names[209] == "keep 6 6 6 6"
    assert action_names(ruleset("triple"))[-1] == "score yatzy@3"


def test_action_names_are_in_order_and_differ(each_ruleset: Ruleset, each_tables: Tables):
    names = action_names(each_ruleset)
    keeps = [" ".join(map(str, dice_of(counts))) for counts in each_tables.counts[: each_tables.keeps].tolist()]
    assert names[: each_tables.keeps] == [f"keep {keep or 'nothing'}" for keep in keeps]
    assert names[each_tables.keeps :] == [f"score {box}" for box in reference.boxes_of(each_ruleset)]
    assert len(set(names)) == len(names) == each_tables.actions
