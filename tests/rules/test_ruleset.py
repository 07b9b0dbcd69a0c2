"""Rulesets as data: the catalogue, JSON, equality, digest, and what is refused in which words."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yatzy_env.errors import RulesetError, YatzyError
from yatzy_env.rules import BOXES, Ruleset, options, ruleset, rulesets

UPPER = "ones twos threes fours fives sixes"
SHEETS = {
    "yatzy": f"{UPPER} one_pair two_pairs three_of_a_kind four_of_a_kind small_straight large_straight full_house "
    "chance yatzy",
    "yahtzee": f"{UPPER} three_of_a_kind four_of_a_kind full_house small_straight large_straight yatzy chance",
    "maxi": f"{UPPER} one_pair two_pairs three_pairs three_of_a_kind four_of_a_kind five_of_a_kind small_straight "
    "large_straight full_straight full_house castle tower chance yatzy",
    "yacht": f"{UPPER} full_house four_of_a_kind small_straight large_straight chance yatzy",
}
# name: dice, sheet, bonus, threshold, order, and what else differs from Scandinavian Yatzy
YAHTZEE = {
    "of_a_kind_sums": "all",
    "full_house_points": 25,
    "straights": "runs",
    "small_straight_points": 30,
    "large_straight_points": 40,
}
MAXI = {"yatzy_points": 100}
CATALOGUE = {
    "yatzy": (5, "yatzy", 50, 63, "free", {}),
    "yahtzee": (5, "yahtzee", 35, 63, "free", YAHTZEE | {"joker": "forced", "extra_yatzy_bonus": 100}),
    "yahtzee-free-joker": (5, "yahtzee", 35, 63, "free", YAHTZEE | {"joker": "free", "extra_yatzy_bonus": 100}),
    "yahtzee-no-joker": (5, "yahtzee", 35, 63, "free", YAHTZEE | {"extra_yatzy_bonus": 100}),
    "yahtzee-no-bonus": (5, "yahtzee", 35, 63, "free", YAHTZEE),
    "maxi-tactic": (6, "maxi", 50, 75, "free", MAXI),
    "maxi-alga": (6, "maxi", 100, 84, "free", MAXI | {"saved_throws": True}),
    "maxi-danish": (6, "maxi", 50, 84, "free", MAXI),
    "forced": (5, "yatzy", 50, 42, "top-down", {}),
    "forced-yatzy-first": (5, "yatzy", 50, 42, "top-down", {"yatzy_first": True}),
    "full-force": (5, "yatzy", 50, 63, "upper-in-order", {}),
    "half-force": (5, "yatzy", 50, 63, "upper-first", {}),
    "maxi-full-force": (6, "maxi", 50, 84, "upper-in-order", MAXI),
    "maxi-half-force": (6, "maxi", 50, 84, "upper-first", MAXI),
    "maxi-forced": (6, "maxi", 50, 84, "top-down", MAXI),
    "triple": (5, "yatzy", 50, 63, "free", {"columns": (1, 2, 3)}),
    "yacht": (5, "yacht", 0, None, "free", {"small_straight_points": 30, "large_straight_points": 30}),
}
DEFAULTS = {
    "throws": 3,
    "columns": (1,),
    "yatzy_points": 50,
    "yatzy_adds_pips": False,
    "five_alike_is_full_house": False,
    "four_alike_is_two_pairs": False,
    "of_a_kind_sums": "matching",
    "full_house_points": 0,
    "straights": "fixed",
    "small_straight_points": 15,
    "large_straight_points": 20,
    "full_straight_points": 21,
    "yatzy_first": False,
    "joker": "none",
    "extra_yatzy_bonus": 0,
    "saved_throws": False,
}

# For every field a value that yatzy, or the ruleset named, can take instead of its own.
OTHER_VALUES = {
    "dice": ("maxi-danish", {"dice": 6, "boxes": ("ones", "chance")}, {"dice": 5, "boxes": ("ones", "chance")}),
    "throws": ("yatzy", {}, {"throws": 2}),
    "boxes": ("yatzy", {}, {"boxes": (*SHEETS["yatzy"].split()[:-2], "yatzy", "chance")}),
    "columns": ("yatzy", {}, {"columns": (1, 1)}),
    "bonus_threshold": ("yatzy", {}, {"bonus_threshold": 64}),
    "bonus_points": ("yatzy", {}, {"bonus_points": 51}),
    "yatzy_points": ("yatzy", {}, {"yatzy_points": 51}),
    "yatzy_adds_pips": ("yatzy", {}, {"yatzy_adds_pips": True}),
    "five_alike_is_full_house": ("yatzy", {}, {"five_alike_is_full_house": True}),
    "four_alike_is_two_pairs": ("yatzy", {}, {"four_alike_is_two_pairs": True}),
    "of_a_kind_sums": ("yatzy", {}, {"of_a_kind_sums": "all"}),
    "full_house_points": ("yatzy", {}, {"full_house_points": 25}),
    "straights": ("yatzy", {}, {"straights": "runs"}),
    "small_straight_points": ("yatzy", {}, {"small_straight_points": 16}),
    "large_straight_points": ("yatzy", {}, {"large_straight_points": 21}),
    "full_straight_points": ("yatzy", {}, {"full_straight_points": 22}),
    "order": ("yatzy", {}, {"order": "top-down"}),
    "yatzy_first": ("forced", {}, {"yatzy_first": True}),
    "joker": ("yatzy", {}, {"joker": "free"}),
    "extra_yatzy_bonus": ("yatzy", {}, {"extra_yatzy_bonus": 1}),
    "saved_throws": ("maxi-danish", {}, {"saved_throws": True}),
}


# The catalogue.


def test_names_of_the_catalogue():
    assert rulesets() == tuple(CATALOGUE)


@pytest.mark.parametrize("name", CATALOGUE)
def test_row_of_the_catalogue(name):
    dice, sheet, bonus, threshold, order, rest = CATALOGUE[name]
    rules = ruleset(name)
    fields = rules.model_dump()
    if threshold is None:
        assert fields.pop("bonus_points") == 0
        fields.pop("bonus_threshold")
        expected = {}
    else:
        expected = {"bonus_points": bonus, "bonus_threshold": threshold}
    expected |= {"name": name, "dice": dice, "boxes": tuple(SHEETS[sheet].split()), "order": order}
    assert fields == DEFAULTS | expected | rest


def test_box_ids():
    assert set(BOXES) == set(SHEETS["maxi"].split())
    assert len(BOXES) == 20


def test_yatzy_is_the_default():
    assert ruleset() is ruleset("yatzy")


def test_a_ruleset_is_returned_as_it_is(each_ruleset: Ruleset):
    assert ruleset(each_ruleset) is each_ruleset
    assert ruleset(each_ruleset.name) is each_ruleset


def test_a_dict_needs_only_boxes_and_the_rest_is_scandinavian_yatzy():
    rules = ruleset({"boxes": SHEETS["yatzy"].split()})
    assert rules.name == "custom"
    assert rules.replace(name="yatzy") == ruleset("yatzy")


# JSON, equality, digest.


def test_json_round_trip(each_ruleset: Ruleset):
    text = each_ruleset.to_json()
    assert Ruleset.from_json(text) == each_ruleset
    assert ruleset(json.loads(text)) == each_ruleset
    assert json.loads(text)["boxes"] == list(each_ruleset.boxes)


CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "name": st.from_regex(r"[a-z0-9][a-z0-9-]{0,20}", fullmatch=True),
        "throws": st.integers(1, 5),
        "columns": st.lists(st.integers(1, 10), min_size=1, max_size=3),
        "bonus_threshold": st.integers(1, 105),
        "bonus_points": st.integers(0, 1000),
        "yatzy_points": st.integers(1, 1000),
        "yatzy_adds_pips": st.booleans(),
        "five_alike_is_full_house": st.booleans(),
        "four_alike_is_two_pairs": st.booleans(),
        "of_a_kind_sums": st.sampled_from(["matching", "all"]),
        "full_house_points": st.integers(0, 1000),
        "straights": st.sampled_from(["fixed", "runs"]),
        "small_straight_points": st.integers(1, 1000),
        "large_straight_points": st.integers(1, 1000),
        "full_straight_points": st.integers(1, 1000),
        "order": st.sampled_from(["free", "upper-first", "upper-in-order", "top-down"]),
        "yatzy_first": st.booleans(),
        "joker": st.sampled_from(["none", "forced", "free"]),
        "extra_yatzy_bonus": st.integers(0, 1000),
        "saved_throws": st.booleans(),
    },
)


def refused(name: str, changes: dict) -> bool:
    """Whether the changes contradict each other on this sheet, said without the library."""
    dice = CATALOGUE[name][0]
    return (
        (changes.get("four_alike_is_two_pairs", False) and dice == 6)
        or (changes.get("saved_throws", False) and dice == 5)
        or (changes.get("saved_throws", ruleset(name).saved_throws) and changes.get("throws") == 1)
        or (
            len(changes.get("columns", DEFAULTS["columns"] if name != "triple" else (1, 2, 3))) > 1
            and (
                changes.get("joker", ruleset(name).joker) != "none"
                or changes.get("extra_yatzy_bonus", ruleset(name).extra_yatzy_bonus) > 0
            )
        )
        or (name == "yacht" and changes.get("bonus_points", 0) > 0 and "bonus_threshold" not in changes)
    )


@given(name=st.sampled_from(sorted(CATALOGUE)), changes=CHANGES)
@settings(max_examples=25, deadline=None, derandomize=True)
def test_random_changes_are_refused_in_one_line_or_survive_json(name, changes):
    base = ruleset(name)
    if refused(name, changes):
        with pytest.raises(RulesetError) as caught:
            base.replace(**changes)
        assert_one_line(caught.value)
        return
    rules = base.replace(**changes)
    for field, value in changes.items():
        assert getattr(rules, field) == (tuple(value) if isinstance(value, list) else value)
    again = Ruleset.from_json(rules.to_json())
    assert again == rules
    assert hash(again) == hash(rules)
    assert again.digest == rules.digest
    assert ruleset(base.model_dump(mode="json") | options(rules) | {"name": rules.name}) == rules
    assert again.replace(name="another").digest == rules.digest


def test_equal_rules_are_equal_and_hash_alike_whatever_was_computed(each_ruleset: Ruleset):
    again = Ruleset.from_json(each_ruleset.to_json())
    assert each_ruleset.max_score > 0  # stored inside the object from here on
    assert again == each_ruleset
    assert hash(again) == hash(each_ruleset)
    assert {again: 1}[each_ruleset] == 1
    assert again.to_json() == each_ruleset.to_json()


def test_the_catalogue_has_no_twins(all_rulesets):
    assert len(set(all_rulesets)) == len(all_rulesets)
    assert len({rules.digest for rules in all_rulesets}) == len(all_rulesets)


def test_digest_ignores_the_name(each_ruleset: Ruleset):
    other = each_ruleset.replace(name="my-own")
    assert other != each_ruleset
    assert other.digest == each_ruleset.digest


def test_digest_of_yatzy_stays():
    # Stored solutions are found by it. If this fails because a field was added, raise it knowingly.
    assert re.fullmatch("[0-9a-f]{64}", ruleset("yatzy").digest)
    assert ruleset({"boxes": SHEETS["yatzy"].split()}).digest == ruleset("yatzy").digest


def test_other_values_cover_every_field():
    assert set(OTHER_VALUES) == set(Ruleset.model_fields) - {"name"}


@pytest.mark.parametrize("field", OTHER_VALUES)
def test_digest_equality_and_options_see_every_rule(field):
    name, before, after = OTHER_VALUES[field]
    if before:  # a sheet both values fit
        before = before | {"bonus_points": 0}
        after = after | {"bonus_points": 0}
    base = ruleset(name).replace(**before)
    changed = ruleset(name).replace(**after)
    assert changed != base
    assert changed.digest != base.digest
    assert getattr(changed, field) == after[field]
    if not before:
        value = list(after[field]) if isinstance(after[field], tuple) else after[field]
        assert options(changed) == {field: value}


def test_options_of_the_catalogue_are_empty(each_ruleset: Ruleset):
    assert options(each_ruleset) == {}


def test_options_of_a_ruleset_of_your_own_are_all_fields():
    rules = ruleset("yatzy").replace(name="my-own")
    assert options(rules) == {key: value for key, value in json.loads(rules.to_json()).items() if key != "name"}


def test_replace_leaves_the_original_alone():
    rules = ruleset("yatzy")
    forced = rules.replace(bonus_threshold=42)
    assert (rules.bonus_threshold, forced.bonus_threshold) == (63, 42)
    assert forced.name == "yatzy"
    assert forced.replace(bonus_threshold=63) == rules


def test_a_ruleset_is_immutable():
    with pytest.raises(ValueError, match="frozen"):
        ruleset("yatzy").dice = 6


def test_lists_are_taken_for_boxes_and_columns():
    rules = ruleset({"boxes": ["ones", "chance"], "columns": [1, 2], "bonus_threshold": 3})
    assert rules.boxes == ("ones", "chance")
    assert rules.columns == (1, 2)
    assert hash(rules) == hash(rules.replace())


def test_house_rules_can_be_combined():
    rules = ruleset("yatzy").replace(joker="free", order="upper-first", bonus_threshold=50, bonus_points=7)
    assert (rules.joker, rules.order, rules.bonus_threshold, rules.bonus_points) == ("free", "upper-first", 50, 7)


# What is refused.


def nested(depth: int) -> list:
    found: list = []
    for _ in range(depth):
        found = [found]
    return found


def assert_one_line(error: YatzyError, *words: str) -> None:
    text = str(error)
    assert len(text.splitlines()) == 1, text
    for word in words:
        assert word in text, (word, text)


YATZY = SHEETS["yatzy"].split()
BAD_CHANGES = {
    "unknown key": ("yatzy", {"bonus_treshold": 42}, ["'bonus_treshold'", "did you mean bonus_threshold"]),
    "unknown key without a near match": ("yatzy", {"zzz": 1}, ["'zzz'", "known: name, dice"]),
    "too few dice": ("yatzy", {"dice": 1}, ["dice = 1", "greater than or equal to 2"]),
    "too many dice": ("yatzy", {"dice": 7}, ["dice = 7", "less than or equal to 6"]),
    "text for a number": ("yatzy", {"dice": "5"}, ["dice = '5'", "valid integer"]),
    "fraction": ("yatzy", {"bonus_threshold": 62.5}, ["bonus_threshold = 62.5", "valid integer"]),
    "whole fraction": ("yatzy", {"bonus_threshold": 63.0}, ["bonus_threshold = 63.0", "valid integer"]),
    "bool for int": ("yatzy", {"bonus_points": True}, ["bonus_points = True", "valid integer"]),
    "int for bool": ("yatzy", {"yatzy_first": 1}, ["yatzy_first = 1", "valid boolean"]),
    "text for bool": ("yatzy", {"saved_throws": "yes"}, ["saved_throws = 'yes'", "valid boolean"]),
    "nothing": ("yatzy", {"joker": None}, ["joker = None", "'none', 'forced' or 'free'"]),
    "unknown joker": ("yatzy", {"joker": "maybe"}, ["joker = 'maybe'", "'none', 'forced' or 'free'"]),
    "unknown order": ("yatzy", {"order": "down"}, ["order = 'down'", "'upper-in-order' or 'top-down'"]),
    "unknown straights": ("yatzy", {"straights": "x"}, ["straights = 'x'", "'fixed' or 'runs'"]),
    "unknown sums": ("yatzy", {"of_a_kind_sums": "x"}, ["of_a_kind_sums = 'x'", "'matching' or 'all'"]),
    "no throws": ("yatzy", {"throws": 0}, ["throws = 0", "greater than or equal to 1"]),
    "many throws": ("yatzy", {"throws": 6}, ["throws = 6", "less than or equal to 5"]),
    "negative bonus": ("yatzy", {"bonus_points": -1}, ["bonus_points = -1", "greater than or equal to 0"]),
    "huge bonus": ("yatzy", {"bonus_points": 1001}, ["bonus_points = 1001", "less than or equal to 1000"]),
    "negative threshold": ("yatzy", {"bonus_threshold": -1}, ["bonus_threshold = -1", "greater than or equal to 0"]),
    "worthless yatzy": ("yatzy", {"yatzy_points": 0}, ["yatzy_points = 0", "greater than or equal to 1"]),
    "worthless straight": ("yatzy", {"large_straight_points": 0}, ["large_straight_points = 0", "equal to 1"]),
    "capital name": ("yatzy", {"name": "My Rules"}, ["name = 'My Rules'", "pattern"]),
    "name of two lines": ("yatzy", {"name": "a\nb"}, [r"name = 'a\nb'", "pattern"]),
    "name ending a line": ("yatzy", {"name": "ab\n"}, [r"name = 'ab\n'", "pattern"]),
    "nothing to save": ("maxi-alga", {"throws": 1}, ["saved_throws has nothing to save", "throws = 1"]),
    "no boxes": ("yatzy", {"boxes": []}, ["boxes = ()", "at least 1"]),
    "text for boxes": ("yatzy", {"boxes": "ones"}, ["boxes = 'ones'", "valid tuple"]),
    "number for a box": ("yatzy", {"boxes": [5]}, ["boxes.0 = 5", "valid string"]),
    "unknown box": (
        "yatzy",
        {"boxes": ["ones", "ful_house"]},
        ["'ful_house'", "did you mean full_house", "known: ones"],
    ),
    "repeated box": ("yatzy", {"boxes": [*YATZY, "chance"]}, ["'chance', 'yatzy', 'chance'", "repeats a box"]),
    "upper box below": ("yatzy", {"boxes": ["chance", "sixes"]}, ["['chance', 'sixes']", "upper section first"]),
    "upper boxes shuffled": ("yatzy", {"boxes": ["twos", "ones"]}, ["['twos', 'ones']", "ones to sixes"]),
    "box that never pays": ("yatzy", {"boxes": [*YATZY, "tower"]}, ["['tower']", "never pay with 5 dice"]),
    "boxes that never pay": ("yatzy", {"dice": 4}, ["'small_straight', 'large_straight', 'full_house'", "with 4 dice"]),
    "no column": ("yatzy", {"columns": []}, ["columns = ()", "at least 1"]),
    "four columns": ("yatzy", {"columns": [1, 2, 3, 4]}, ["columns = (1, 2, 3, 4)", "at most 3"]),
    "column of nothing": ("yatzy", {"columns": [0]}, ["columns (0,)", "1..10"]),
    "column too dear": ("yatzy", {"columns": (1, 11)}, ["columns (1, 11)", "1..10"]),
    "threshold out of reach": ("yatzy", {"bonus_threshold": 106}, ["bonus_threshold = 106", "1 to 105"]),
    "threshold out of reach of six dice": ("maxi-danish", {"bonus_threshold": 127}, ["= 127", "1 to 126"]),
    "bonus for nothing": ("yatzy", {"bonus_threshold": 0}, ["bonus_threshold = 0", "1 to 105"]),
    "bonus without upper boxes": ("yatzy", {"boxes": ["chance"]}, ["bonus_threshold = 63", "bonus_points = 0"]),
    "four alike of six": ("maxi-danish", {"four_alike_is_two_pairs": True}, ["four_alike_is_two_pairs", "dice = 6"]),
    "five dice save": ("yatzy", {"saved_throws": True}, ["saved_throws", "six-dice", "dice = 5"]),
    "joker of three columns": ("triple", {"joker": "free"}, ["joker", "one column"]),
    "extra bonus of three columns": ("triple", {"extra_yatzy_bonus": 1}, ["extra_yatzy_bonus", "one column"]),
    "joker without yatzy": ("yahtzee", {"boxes": YATZY[:-1]}, ["joker", "extra_yatzy_bonus", "needs the box yatzy"]),
    "yatzy first without yatzy": ("yatzy", {"boxes": YATZY[:-1], "yatzy_first": True}, ["yatzy_first needs the box"]),
    "two mistakes": ("yatzy", {"dice": 9, "throws": 9}, ["dice = 9", "; throws = 9"]),
}


@pytest.mark.parametrize(("name", "changes", "words"), BAD_CHANGES.values(), ids=BAD_CHANGES.keys())
def test_a_bad_change_is_named_in_one_line(name, changes, words):
    with pytest.raises(RulesetError) as caught:
        ruleset(name).replace(**changes)
    assert_one_line(caught.value, *words)
    with pytest.raises(RulesetError) as caught:
        ruleset(ruleset(name).model_dump() | changes)
    assert_one_line(caught.value, *words)


LIMITS = [
    ("yatzy", {"bonus_threshold": 105}),
    ("yatzy", {"bonus_threshold": 1}),
    ("maxi-danish", {"bonus_threshold": 126}),
    ("yatzy", {"bonus_threshold": 999, "bonus_points": 0}),
    ("yatzy", {"bonus_threshold": 0, "bonus_points": 0}),
    ("yatzy", {"columns": (10, 1, 10)}),
    ("yatzy", {"throws": 5}),
    ("yatzy", {"name": "a" * 60}),
    ("yatzy", {"boxes": ("chance",), "bonus_points": 0, "dice": 2}),
]


@pytest.mark.parametrize(("name", "changes"), LIMITS)
def test_what_is_just_allowed(name, changes):
    rules = ruleset(name).replace(**changes)
    assert {key: getattr(rules, key) for key in changes} == changes


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("yatzi", ["unknown ruleset 'yatzi'", "did you mean yatzy", "known: yatzy, yahtzee"]),
        ("maxi-alge", ["'maxi-alge'", "did you mean maxi-alga"]),
        ("Yatzy", ["'Yatzy'", "did you mean yatzy"]),
        ("", ["unknown ruleset ''", "known: yatzy"]),
        ("poker\ndice", [r"'poker\ndice'", "known: yatzy"]),
    ],
)
def test_an_unknown_name(name, words):
    with pytest.raises(RulesetError) as caught:
        ruleset(name)
    assert_one_line(caught.value, *words)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, ["boxes is missing"]),
        ({"dice": 5}, ["boxes is missing"]),
        ({1: 2, "boxes": ["chance"]}, ["1"]),
        ({"boxes": nested(5000)}, ["boxes.0 = [[", "..."]),
        (nested(5000), ["JSON object of fields", "..."]),
        (b"yatzy", ["JSON object of fields", "b'yatzy'"]),
        (5, ["JSON object of fields", "5"]),
        (None, ["JSON object of fields", "None"]),
        (["yatzy"], ["JSON object of fields", "['yatzy']"]),
    ],
)
def test_what_is_no_ruleset(fields, words):
    with pytest.raises(RulesetError) as caught:
        ruleset(fields)
    assert_one_line(caught.value, *words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", ["not a JSON ruleset"]),
        ("", ["not a JSON ruleset"]),
        ("[1, 2]", ["JSON object of fields", "[1, 2]"]),
        ('"yatzy"', ["JSON object of fields", "'yatzy'"]),
        ('{"boxes": ["chance"], "bonus_points": 0, "dise": 5}', ["'dise'", "did you mean dice"]),
        ('{"boxes": ["chance"], "bonus_points": 0, "dice": 5.0}', ["dice = 5.0", "valid integer"]),
        ("[" * 100_000, ["not a JSON ruleset", "nested too deeply"]),
        ('{"boxes": ' + "[" * 900 + "]" * 900 + "}", ["boxes.0 = [[", "..."]),
        (b"\xff\xfe", ["not a JSON ruleset", "utf-8"]),
        ('{"boxes": ["chance"],\n "bonus_points": 0,\n "dice": [\n]}', ["dice = []", "valid integer"]),
    ],
)
def test_bad_json(text, words):
    with pytest.raises(RulesetError) as caught:
        Ruleset.from_json(text)
    assert_one_line(caught.value, *words)


def test_bytes_are_json_too():
    assert Ruleset.from_json(ruleset("yatzy").to_json().encode()) == ruleset("yatzy")


@pytest.mark.parametrize(("name", "changes", "words"), BAD_CHANGES.values(), ids=BAD_CHANGES.keys())
def test_a_bad_field_of_a_new_ruleset_is_named_in_one_line(name, changes, words):
    with pytest.raises(RulesetError) as caught:
        Ruleset(**(ruleset(name).model_dump() | changes))
    assert_one_line(caught.value, *words)


def test_errors_are_value_errors():
    assert issubclass(RulesetError, YatzyError)
    assert issubclass(YatzyError, ValueError)
