"""The table of names: complete in every language, chosen by fields, and the same whatever a ruleset is called."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.rules.helpers import random_rules
from yatzy_env.envs.render import SheetView, sheet_text
from yatzy_env.errors import RulesetError, YatzyError
from yatzy_env.rules import BOXES, CATALOGUE, Ruleset, names, ruleset
from yatzy_env.rules.names import LANGUAGES, box_key, box_label, hint_key, ruleset_label, words
from yatzy_env.situation import Situation

RULES = [*CATALOGUE.values(), *map(random_rules, range(60))]


def sheet_labels(rules: Ruleset) -> list[str]:
    """The first cell of every row of a sheet."""
    start = Situation(0, (0,) * len(rules.columns), (1,) * rules.dice, rules.throws - 1)
    text = sheet_text(SheetView(rules, start, (None,) * len(rules.box_names), 0))
    return [line.split("|")[1].strip() for line in text.splitlines() if line.count("|") > 2]


def test_every_row_of_the_table_has_every_language_and_the_same_values() -> None:
    table = json.loads(Path(names.__file__).with_name("names.json").read_text(encoding="utf-8"))
    for key, texts in table.items():
        assert tuple(texts) == LANGUAGES, key
        assert len({tuple(sorted(re.findall(r"\{\w+\}", text))) for text in texts.values()}) == 1, key
        assert all(text == text.strip() != "" for text in texts.values()), key


def test_every_box_ruleset_and_option_is_in_the_table() -> None:
    keys = {f"box.{box}" for box in BOXES} | {f"ruleset.{name}" for name in CATALOGUE}
    keys |= {f"option.{field}" for field in Ruleset.model_fields if field != "name"}
    assert keys <= set(words())
    assert all(words()[f"box.{box}"].isascii() for box in BOXES)


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)
def test_a_renamed_ruleset_keeps_its_words(rules: Ruleset) -> None:
    for name in ("my-house", "yacht", "yahtzee"):
        renamed = rules.replace(name=name)
        assert [box_key(renamed, box) for box in rules.box_names] == [box_key(rules, box) for box in rules.box_names]
        assert [hint_key(renamed, box) for box in rules.boxes] == [hint_key(rules, box) for box in rules.boxes]
        assert sheet_labels(renamed) == sheet_labels(rules)


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)
def test_labels_of_a_sheet_differ_in_every_language(rules: Ruleset) -> None:
    for language in LANGUAGES:
        assert len({box_label(rules, box, language) for box in rules.boxes}) == len(rules.boxes)
    labels = [box_label(rules, box) for box in rules.boxes]
    assert [label for label in sheet_labels(rules) if label in labels] == labels


@pytest.mark.parametrize(
    ("name", "box", "label"),
    [
        ("yatzy", "three_of_a_kind", "Three of a kind"),
        ("yatzy", "full_house", "Full house"),
        ("yatzy", "yatzy", "Yatzy"),
        ("triple", "two_pairs@3", "Two pairs"),
        ("yahtzee-no-joker", "yatzy", "Yahtzee"),
        ("maxi-forced", "yatzy", "Maxi Yatzy"),
        ("yacht", "yatzy", "Yacht"),
        ("yacht", "chance", "Choice"),
        ("yacht", "small_straight", "Little straight"),
        ("yacht", "large_straight", "Big straight"),
        ("yacht", "four_of_a_kind", "Four of a kind"),
    ],
)
def test_box_labels(name: str, box: str, label: str) -> None:
    assert box_label(ruleset(name), box) == label


def test_hints_follow_the_kind_of_straights() -> None:
    runs = ruleset("yatzy").replace(straights="runs", boxes=("small_straight", "full_house"), bonus_points=0)
    assert words("no")[hint_key(runs, "small_straight") or ""] == "4 på rad"
    assert words()[hint_key(ruleset("yatzy"), "small_straight") or ""] == "1–5"
    assert words()[hint_key(runs, "full_house") or ""] == "3 + 2"
    assert hint_key(ruleset("yatzy"), "chance") is None


def test_names_of_rulesets() -> None:
    assert ruleset_label("maxi-alga") == "Maxi Yatzy (Alga)"
    assert ruleset_label("full-force", "sv") == "Yatzy med fullt tvång"
    assert ruleset_label("my-house", "da") == "My House"


def test_what_there_is_no_name_for() -> None:
    with pytest.raises(RulesetError, match="castle"):
        box_label(ruleset("yatzy"), "castle")
    with pytest.raises(YatzyError, match=r"'de'.*en"):
        box_label(ruleset("yatzy"), "yatzy", "de")
