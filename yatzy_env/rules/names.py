"""What a box, a ruleset and an option is called, in every language: the one table that sheet, page and docs read.

The words stand in `names.json`, by key, beside the sentences that explain boxes and rules. Which key fits a box is
decided here by the fields of the ruleset and never by its name, so that a ruleset renamed keeps its words.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from yatzy_env.errors import YatzyError, unknown
from yatzy_env.files import read_json_object
from yatzy_env.rules.fields import Fields
from yatzy_env.rules.ruleset import Ruleset

LANGUAGES = ("en", "da", "no", "sv")
_PAIRS = {"one_pair", "two_pairs"}
_OWN_WORDS = {
    "yahtzee": {"yatzy"},
    "yacht": {"small_straight", "large_straight", "chance", "yatzy"},
    "maxi": {"yatzy", "full_house"},
}
"""The boxes that a family of games has words of its own for."""


@cache
def words(language: str = "en") -> dict[str, str]:
    """Everything in the table by its key, in one of `LANGUAGES`.

    Raises:
        YatzyError: for another language.
    """
    if language not in LANGUAGES:
        raise YatzyError(unknown("language", language, LANGUAGES))
    table = read_json_object(Path(__file__).with_name("names.json"))
    return {key: texts[language] for key, texts in table.items()}


def box_key(rules: Fields, box: str) -> str:
    """The key of a box's name; the box may be given with `@` and the column."""
    plain = box.partition("@")[0]
    is_yacht = rules.straights == "fixed" and not rules.bonus_points and not _PAIRS & {*rules.boxes}
    families = {"yahtzee": rules.straights == "runs", "yacht": is_yacht, "maxi": rules.dice == 6}
    own = next((family for family, fits in families.items() if fits and plain in _OWN_WORDS[family]), "")
    return f"box.{plain}.{own}" if own else f"box.{plain}"


def hint_key(rules: Fields, box: str) -> str | None:
    """The key of what a box asks for in a few signs, such as "3 + 2"; None where its name says it."""
    plain = box.partition("@")[0]
    keys = (f"hint.{rules.straights}.{plain}", f"hint.{plain}")
    return next((key for key in keys if key in words()), None)


def box_label(rules: Ruleset, box: str, language: str = "en") -> str:
    """What a box is called on the sheet of a ruleset, such as "Three of a kind"; the English labels are ASCII.

    Args:
        rules: the ruleset.
        box: a box id of its sheet, with or without `@` and the column.
        language: one of `LANGUAGES`.

    Raises:
        RulesetError: if the sheet has no such box.
        YatzyError: for another language.
    """
    return words(language)[box_key(rules, rules.boxes[rules.box_index(box) % len(rules.boxes)])]


def title(name: str) -> str:
    """The name of a ruleset as a heading: "Maxi Alga"."""
    return name.replace("-", " ").title()


def ruleset_label(name: str, language: str = "en") -> str:
    """What the ruleset of a name is called: "Maxi Yatzy (Alga)"; a name of one's own stays as it is, as a heading.

    Raises:
        YatzyError: for a language that is none of `LANGUAGES`.
    """
    return words(language).get(f"ruleset.{name}", title(name))
