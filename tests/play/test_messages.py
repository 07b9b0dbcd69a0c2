"""The texts of the page: the same keys in every language, none missing or idle, and the right words on the sheets."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from agents.play.rules_page import rules_page
from agents.play.server import WEB
from agents.registry import NAMES
from yatzy_env.rules import CATALOGUE, Ruleset, ruleset
from yatzy_env.rules.names import LANGUAGES, box_label, words

OWN = {name: json.loads((WEB / "messages" / f"{name}.json").read_text(encoding="utf-8")) for name in LANGUAGES}
TEXTS = {name: own | words(name) for name, own in OWN.items()}  # what the server hands out
SCRIPTS = "\n".join(path.read_text(encoding="utf-8") for path in sorted(WEB.glob("*.js")))
HOUSE_RULES = [
    ruleset("yatzy").replace(five_alike_is_full_house=True, four_alike_is_two_pairs=True, yatzy_adds_pips=True),
    ruleset("yahtzee").replace(order="top-down", yatzy_first=True),
]
ALIKE = {
    "action.score_gain",
    "box.full_straight",
    "sheet.extra",
}  # two words or more that are right in several languages


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


def labels(rules: Ruleset, language: str) -> dict[str, str]:
    """What the boxes of a sheet are called."""
    return {box: box_label(rules, box, language) for box in rules.boxes}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_keys_and_values_to_fill_in(language: str) -> None:
    assert sorted(TEXTS[language]) == sorted(TEXTS["en"])
    assert not set(OWN[language]) & set(words(language)), "a name outside the table"
    for key, text in TEXTS[language].items():
        assert text.strip() == text != "", key
        assert placeholders(text) == placeholders(TEXTS["en"][key]), key


@pytest.mark.parametrize("language", ["da", "no", "sv"])
def test_no_text_was_left_in_english(language: str) -> None:
    same = {key for key, text in TEXTS[language].items() if text == TEXTS["en"][key] and len(text.split()) > 1}
    assert not {key for key in same if not key.startswith(("hint.", "ruleset."))} - ALIKE


def test_a_house_is_what_each_language_means_by_it() -> None:
    five, six = ruleset("yatzy"), ruleset("maxi-tactic")
    assert {language: labels(five, language)["full_house"] for language in LANGUAGES} == {
        "en": "Full house",
        "da": "Hus",
        "no": "Hus",
        "sv": "Kåk",
    }
    norwegian = labels(six, "no")
    assert (norwegian["castle"], norwegian["full_house"], norwegian["tower"]) == ("Hus", "Hytte", "Tårn")
    assert labels(six, "da")["full_house"] == "Hus"
    assert labels(six, "sv")["full_house"] == "Kåk"
    assert TEXTS["no"]["hint.castle"] == "3 + 3"
    assert TEXTS["no"]["hint.full_house"] == "3 + 2"


def test_games_have_their_own_word_for_all_dice_alike() -> None:
    words = {
        name: labels(ruleset(name), "en")["yatzy"] for name in ("yatzy", "yahtzee", "maxi-alga", "yacht", "triple")
    }
    assert words == {
        "yatzy": "Yatzy",
        "yahtzee": "Yahtzee",
        "maxi-alga": "Maxi Yatzy",
        "yacht": "Yacht",
        "triple": "Yatzy",
    }


@pytest.mark.parametrize("rules", [*CATALOGUE.values(), *HOUSE_RULES], ids=lambda rules: rules.name)
def test_every_sentence_of_the_rules_has_a_text_for_its_values(rules: Ruleset) -> None:
    page = rules_page(rules, 123.45)
    items = [item for section in page.sections for item in section.items]
    for texts in TEXTS.values():
        assert {f"rules.section.{section.key}" for section in page.sections} <= set(texts)
        for item in items:
            assert placeholders(texts[f"rules.{item.key}"]) == set(item.values), item
    shown = {item.box: item for item in items if item.box is not None}
    assert list(shown) == list(rules.boxes)
    for box, item in shown.items():
        assert item.example is not None
        assert item.example.points == rules.score(box, item.example.dice) > 0


def test_the_rules_say_what_is_special_about_a_ruleset() -> None:
    def keys(rules: Ruleset) -> set[str]:
        return {item.key for section in rules_page(rules, None).sections for item in section.items}

    plain = keys(ruleset("yatzy"))
    assert keys(ruleset("maxi-alga")) - keys(ruleset("maxi-tactic")) == {"turn.saved", "upper.par"}
    assert keys(ruleset("triple")) - plain == {"columns", "upper.bonus.columns"}
    assert keys(ruleset("forced")) - plain == {"order.top-down"}
    assert keys(ruleset("forced-yatzy-first")) - plain == {"order.top-down", "order.yatzy-first"}
    assert {"special.joker-forced", "special.extra-yatzy"} <= keys(ruleset("yahtzee"))
    assert "special.joker-free" in keys(ruleset("yahtzee-free-joker"))
    assert not any(key.startswith("special.") for key in keys(ruleset("yahtzee-no-bonus")))
    assert {"special.five-alike-full-house", "special.four-alike-two-pairs", "box.yatzy.pips"} <= keys(HOUSE_RULES[0])


def test_agents_have_names_and_descriptions() -> None:
    for name in NAMES:
        assert {f"agent.{name}", f"agent.{name}.about"} <= set(TEXTS["en"])


def used_keys() -> tuple[set[str], list[re.Pattern[str]]]:
    """Keys that stand in the scripts, and patterns of those that are put together there."""
    literals = set(re.findall(r'"([a-z][\w.-]*)"', SCRIPTS))
    put_together = re.findall(r"`([a-z][\w-]*\.[^`\s]*)`", SCRIPTS)
    patterns = [re.compile(".+".join(map(re.escape, re.split(r"\$\{[^}]*\}", text)))) for text in put_together]
    return literals, patterns


def test_no_text_is_idle() -> None:
    literals, patterns = used_keys()
    from_server = re.compile(r"box\.|hint\.|rules\.")  # their keys come with the answers of the server
    plain = {key.removesuffix(".one").removesuffix(".other") for key in TEXTS["en"]}
    idle = {
        key
        for key in plain
        if key not in literals and not from_server.match(key) and not any(one.fullmatch(key) for one in patterns)
    }
    assert not idle


def test_every_text_the_scripts_ask_for_exists() -> None:
    asked = set(re.findall(r'\bt\("([\w.-]+)"', SCRIPTS))
    assert len(asked) > 150
    known: dict[str, Any] = TEXTS["en"]
    assert not {key for key in asked if key not in known and f"{key}.other" not in known}


def test_the_scripts_put_nothing_of_their_own_into_words() -> None:
    # Texts reach the page through t(...); a literal sentence in a `text:` would be one language's alone.
    literal = re.findall(r'\btext: "([^"]*)"', SCRIPTS)
    assert not [text for text in literal if re.search(r"[A-Za-z]{2}", text)]


def test_the_page_loads_nothing_from_elsewhere() -> None:
    for path in (*WEB.glob("*.*"), *WEB.glob("icons/*.svg")):
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "http:" not in text
        assert "https:" not in text
        assert "//cdn" not in text
    page = (WEB / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<style|<script(?![^>]*\bsrc=)|\bstyle=|\bon\w+=", page)
    assert "innerHTML" not in SCRIPTS
