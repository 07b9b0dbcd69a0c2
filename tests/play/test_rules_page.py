"""The page of rules against the engine: every sentence that holds a number, and every name, for any ruleset."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from random import Random
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from agents.play.library import Library, RulesetService
from agents.play.rules_page import rules_page
from agents.play.schemas.rulesets import RulesItem
from agents.play.server import create_app
from agents.play.store import Store
from tests.play.conftest import free_config
from tests.play.test_messages import TEXTS
from tests.rules.helpers import all_rolls, play, random_rules
from tests.rules.test_names import sheet_labels
from yatzy_env.card import bonus_step, extra_step, is_joker
from yatzy_env.games import gains, new_games
from yatzy_env.rules import CATALOGUE, Ruleset, ruleset
from yatzy_env.rules.names import LANGUAGES, box_label
from yatzy_env.situation import Situation, batch
from yatzy_env.tables import compile_tables

RULES = [*CATALOGUE.values(), ruleset("yatzy").replace(name="own", joker="forced"), *map(random_rules, range(80))]
Dice = Sequence[int]


def best(dice: Dice, *sizes: int) -> int:
    """The largest sum of groups of different numbers, so many dice each."""
    count = Counter(dice)
    sums = [
        sum(size * face for size, face in zip(sizes, order, strict=True))
        for faces in combinations(count, len(sizes))
        for order in {faces, faces[::-1]}
        if all(count[face] >= size for size, face in zip(sizes, order, strict=True))
    ]
    return max(sums, default=0)


def in_a_row(dice: Dice, length: int) -> bool:
    return any(set(range(low, low + length)) <= set(dice) for low in range(1, 8 - length))


# How a reader takes the sentence about a box: the points of some dice, from the values in the sentence alone.
READ: dict[str, Callable[[dict[str, Any], Dice], int]] = {
    "upper.box": lambda said, dice: sum(die for die in dice if die == said["face"]),
    "box.one_pair": lambda said, dice: best(dice, 2),
    "box.two_pairs": lambda said, dice: best(dice, 2, 2),
    "box.two_pairs.best": lambda said, dice: best(dice, 2, 2),
    "box.three_pairs": lambda said, dice: best(dice, 2, 2, 2) and sum(dice),
    "box.kind.matching": lambda said, dice: best(dice, said["n"]),
    "box.kind.all": lambda said, dice: best(dice, said["n"]) and sum(dice),
    "box.straight.fixed": lambda said, dice: said["points"] * (set(range(said["low"], said["high"] + 1)) <= set(dice)),
    "box.straight.runs": lambda said, dice: said["points"] * in_a_row(dice, said["length"]),
    "box.full_house.sum": lambda said, dice: best(dice, 3, 2),
    "box.full_house.fixed": lambda said, dice: said["points"] * (best(dice, 3, 2) > 0),
    "box.castle": lambda said, dice: best(dice, 3, 3) and sum(dice),
    "box.tower": lambda said, dice: best(dice, 4, 2) and sum(dice),
    "box.chance": lambda said, dice: sum(dice),
    "box.yatzy": lambda said, dice: said["points"] * (len(set(dice)) == 1),
    "box.yatzy.pips": lambda said, dice: (50 + sum(dice)) * (len(set(dice)) == 1),
}
OTHER = {
    *("turn.throws", "turn.zero", "order.top-down", "columns", "column", "upper.bonus", "upper.bonus.columns"),
    *("upper.par", "special.joker-forced", "special.joker-free", "special.joker-forced.plain", "special.joker-pays"),
    *("special.joker-pays.sum", "special.extra-yatzy", "special.five-alike-full-house"),
    *("special.four-alike-two-pairs", "end.turns", "end.max", "end.optimum"),
}  # the other sentences with numbers, each compared below


def items_of(rules: Ruleset) -> list[RulesItem]:
    return [item for section in rules_page(rules, 123.456).sections for item in section.items]


def values_of(rules: Ruleset) -> dict[str, dict[str, Any]]:
    """The values of each sentence that is about no single box."""
    return {item.key: dict(item.values) for item in items_of(rules) if item.box is None}


each = pytest.mark.parametrize("rules", RULES, ids=lambda rules: rules.name)


@each
def test_sentences_about_boxes_pay_what_the_engine_pays(rules: Ruleset) -> None:
    keys = {item.key for item in items_of(rules)}
    for item in items_of(rules):
        if item.key not in READ:
            continue
        assert item.box is not None
        for dice in all_rolls(rules.dice):
            points = READ[item.key](dict(item.values), dice)
            if item.box == "full_house" and "special.five-alike-full-house" in keys:
                five = best(dice, 5)
                points = max(points, item.values.get("points", five) if five else 0)
            if item.box == "two_pairs" and "special.four-alike-two-pairs" in keys:
                points = max(points, best(dice, 4))
            assert points == rules.score(item.box, dice), (item, dice)


@each
def test_examples_are_paid(rules: Ruleset) -> None:
    tables = compile_tables(rules)
    rolls = {dice: roll for roll, dice in enumerate(all_rolls(rules.dice))}
    for item in items_of(rules):
        if item.box is not None:
            assert item.example is not None
            roll = rolls[tuple(sorted(item.example.dice))]
            joker = int(item.key.startswith("special.joker"))
            assert item.example.points == tables.points[joker, rules.boxes.index(item.box), roll] > 0


@each
def test_sentences_about_the_turn_and_the_columns(rules: Ruleset) -> None:
    said, tables = values_of(rules), compile_tables(rules)
    now = new_games(tables, np.array([7], np.uint64)).now
    dice = int(tables.counts[tables.keeps + now.roll[0]].sum())
    assert said["turn.throws"] == {"dice": dice, "throws": now.throws_left[0] + 1}
    factors = [int(factor) for factor in re.findall(r"×(\d+)", str(said.get("columns", said.get("column"))))] or [1]
    if "columns" in said:
        assert said["columns"]["columns"] == len(factors) > 1
    boxes = len(rules.boxes)
    first = now.take(np.zeros(tables.rolls, np.int64))._replace(roll=np.arange(tables.rolls))
    for roll, paid in enumerate(gains(tables, first).tolist()):
        for number, gain in enumerate(paid):
            plain = int(tables.points[0, number % boxes, roll])
            bonus = int(bonus_step(tables.card, number, plain, 0))
            assert gain in (-1, factors[number // boxes] * plain + bonus)


@each
def test_sentences_about_the_bonus(rules: Ruleset) -> None:
    said, card = values_of(rules), compile_tables(rules).card
    bonus = said.get("upper.bonus", said.get("upper.bonus.columns"))
    uppers = [box for box in range(card.boxes) if card.face[box]]
    assert (bonus is None) == (not uppers or "upper.no-bonus" in said)
    for box in uppers:
        for upper in range(max(0, rules.bonus_threshold - 40), rules.bonus_threshold + 3):
            for points in range(0, int(card.face[box]) * rules.dice + 1, int(card.face[box])):
                reached = bonus is not None and upper < bonus["threshold"] <= upper + points
                paid = bonus["points"] * rules.columns[card.column[box]] if bonus is not None and reached else 0
                assert bonus_step(card, box, points, upper) == paid
    if "upper.par" in said:
        assert bonus is not None
        faces = [int(card.face[box]) for box in uppers if card.column[box] == 0]
        assert said["upper.par"]["count"] * sum(faces) == bonus["threshold"]


@each
def test_sentences_about_jokers_and_further_yatzys(rules: Ruleset) -> None:
    said, tables = values_of(rules), compile_tables(rules)
    card, rolls = tables.card, {dice: roll for roll, dice in enumerate(all_rolls(rules.dice))}
    prices = said.get(f"special.joker-{rules.joker}", {})
    by_box = {item.box: item for item in items_of(rules) if item.key.startswith("special.joker-pays")}
    spoken = {key for key in said if key.startswith("special.joker")}
    assert len(spoken) == (rules.joker != "none")
    for face in range(1, 7):
        roll = rolls[(face,) * rules.dice]
        filled = card.yatzy_boxes | int(card.upper_box[0, face])
        assert bool(spoken) == is_joker(card, filled, face)
        assert extra_step(card, True, face) == said.get("special.extra-yatzy", {"points": 0})["points"]
        for number, box in enumerate(rules.boxes if spoken else ()):
            plain, paid = (int(tables.points[joker, number, roll]) for joker in (0, 1))
            if box in by_box:
                assert paid == by_box[box].values.get("points", 5 * face)
            else:
                assert paid == prices.get(box, plain)
            if card.face[number] and card.face[number] != face:
                assert paid == 0  # "an upper box takes 0"


@each
def test_sentences_about_the_end(rules: Ruleset) -> None:
    said, rng = values_of(rules), Random(3)
    assert said["end.optimum"] == {"points": 123.46}
    for _ in range(3):
        cards = [card for card, *_ in play(rules, rng, alike_share=0.7)]
        assert len(cards) == said["end.turns"]["turns"]
        assert cards[-1].total <= said["end.max"]["points"] == rules.max_score


def test_no_sentence_with_a_number_escapes_and_languages_agree_on_numbers() -> None:
    for rules in RULES:
        for item in items_of(rules):
            texts = [TEXTS[language][f"rules.{item.key}"] for language in LANGUAGES]
            if item.values or any(re.search(r"\d", text) for text in texts):
                assert item.key in READ or item.key in OTHER, item.key
            numbers = {tuple(re.findall(r"\d+", text)) for text in texts}
            assert len(numbers - {()}) <= 1, item.key  # a language may write a zero as a word
    assert {item.key for rules in RULES for item in items_of(rules)} >= OTHER | set(READ)


def test_a_joker_is_paid_what_the_page_says_where_a_full_house_is_summed() -> None:
    rules = ruleset("yatzy").replace(joker="forced")
    tables = compile_tables(rules)
    filled = sum(1 << rules.boxes.index(box) for box in ("fives", "yatzy"))
    fives = batch(rules, [Situation(filled, (25,), (5, 5, 5, 5, 5), 0)])
    paid = dict(zip(rules.boxes, gains(tables, fives)[0].tolist(), strict=True))
    assert (paid["full_house"], paid["small_straight"], paid["large_straight"]) == (25, 15, 20)
    items = [item for item in items_of(rules) if item.key.startswith("special.")]
    assert [(item.box, item.key) for item in items] == [
        (None, "special.joker-forced.plain"),
        ("full_house", "special.joker-pays.sum"),
        ("small_straight", "special.joker-pays"),
        ("large_straight", "special.joker-pays"),
    ]
    assert all(item.values.get("points") != 0 for item in items)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Any:
    renamed = [(rules.replace(name=f"my-{name}"), name) for name, rules in CATALOGUE.items()]
    own = [(random_rules(seed), "yatzy") for seed in range(20)]
    store = Store(tmp_path_factory.mktemp("games") / "games.sqlite")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RulesetService, "availability", lambda _: [])  # loading the agents of all these takes a minute
        with TestClient(create_app(store, Library([*renamed, *own]), free_config())) as client:
            yield client


def test_sheet_page_and_api_use_the_same_words(client: TestClient) -> None:
    texts = {language: client.get(f"/static/messages/{language}.json").json() for language in LANGUAGES}
    names = [one["name"] for one in client.get("/api/rulesets").json()["rulesets"]]
    assert len(names) > 50
    for name in names:
        info = client.get(f"/api/rulesets/{name}").json()
        items = [
            item for section in rules_page_of(client, name) for item in section["items"] if item["box"] is not None
        ]
        of_page = {item["box"]: item["label_key"] for item in items}
        rules = ruleset(name) if name in CATALOGUE else KNOWN[name]
        for box in info["boxes"]:
            assert of_page[box["box"]] == box["label_key"]
            for language, words in texts.items():
                assert words[box["label_key"]] == box_label(rules, box["id"], language)
                assert box["hint_key"] is None or words[box["hint_key"]]
        labels = [texts["en"][box["label_key"]] for box in info["boxes"] if box["column"] == 0]
        assert [label for label in sheet_labels(rules) if label in labels] == labels
        for words in texts.values():
            assert words[f"ruleset.{name}"]
            assert all(words[f"option.{key}"] for key in info["options"])


def rules_page_of(client: TestClient, name: str) -> list[dict[str, Any]]:
    return client.get(f"/api/rulesets/{name}/rules").json()["sections"]


KNOWN = {f"my-{name}": rules for name, rules in CATALOGUE.items()} | {
    f"random-{seed}": random_rules(seed) for seed in range(20)
}


def test_a_ruleset_renamed_reads_alike_everywhere(client: TestClient) -> None:
    for name in CATALOGUE:
        renamed, listed = (client.get(f"/api/rulesets/{one}").json() for one in (f"my-{name}", name))
        assert renamed["boxes"] == listed["boxes"]
        assert rules_page_of(client, f"my-{name}") == rules_page_of(client, name)


def test_a_language_there_is_not(client: TestClient) -> None:
    assert client.get("/static/messages/de.json").status_code == 404
