"""The named rulesets. Each row says only how it differs from the row it builds on."""

from __future__ import annotations

from typing import Any

from yatzy_env.errors import RulesetError, unknown
from yatzy_env.rules.boxes import UPPER
from yatzy_env.rules.ruleset import Ruleset, ruleset_from

_KINDS = ("three_of_a_kind", "four_of_a_kind")
_STRAIGHTS = ("small_straight", "large_straight")
YATZY_BOXES = (*UPPER, "one_pair", "two_pairs", *_KINDS, *_STRAIGHTS, "full_house", "chance", "yatzy")
YAHTZEE_BOXES = (*UPPER, *_KINDS, "full_house", *_STRAIGHTS, "yatzy", "chance")
_MAXI_PAIRS = ("one_pair", "two_pairs", "three_pairs")
_MAXI_KINDS = (*_KINDS, "five_of_a_kind")
_MAXI_STRAIGHTS = (*_STRAIGHTS, "full_straight")
_MAXI_HOUSES = ("full_house", "castle", "tower")
MAXI_BOXES = (*UPPER, *_MAXI_PAIRS, *_MAXI_KINDS, *_MAXI_STRAIGHTS, *_MAXI_HOUSES, "chance", "yatzy")
YACHT_BOXES = (*UPPER, "full_house", "four_of_a_kind", *_STRAIGHTS, "chance", "yatzy")

_ROWS: list[tuple[str, str | None, dict[str, Any]]] = [
    ("yatzy", None, {"boxes": YATZY_BOXES}),
    (
        "yahtzee",
        "yatzy",
        {
            "boxes": YAHTZEE_BOXES,
            "bonus_points": 35,
            "of_a_kind_sums": "all",
            "full_house_points": 25,
            "straights": "runs",
            "small_straight_points": 30,
            "large_straight_points": 40,
            "joker": "forced",
            "extra_yatzy_bonus": 100,
        },
    ),
    ("yahtzee-free-joker", "yahtzee", {"joker": "free"}),
    ("yahtzee-no-joker", "yahtzee", {"joker": "none"}),
    ("yahtzee-no-bonus", "yahtzee", {"joker": "none", "extra_yatzy_bonus": 0}),
    ("maxi-tactic", "yatzy", {"dice": 6, "boxes": MAXI_BOXES, "bonus_threshold": 75, "yatzy_points": 100}),
    ("maxi-alga", "maxi-tactic", {"bonus_threshold": 84, "bonus_points": 100, "saved_throws": True}),
    ("maxi-danish", "maxi-tactic", {"bonus_threshold": 84}),
    ("forced", "yatzy", {"bonus_threshold": 42, "order": "top-down"}),
    ("forced-yatzy-first", "forced", {"yatzy_first": True}),
    ("full-force", "yatzy", {"order": "upper-in-order"}),
    ("half-force", "yatzy", {"order": "upper-first"}),
    ("maxi-full-force", "maxi-danish", {"order": "upper-in-order"}),
    ("maxi-half-force", "maxi-danish", {"order": "upper-first"}),
    ("maxi-forced", "maxi-danish", {"order": "top-down"}),
    ("triple", "yatzy", {"columns": (1, 2, 3)}),
    (
        "yacht",
        "yatzy",
        {
            "boxes": YACHT_BOXES,
            "bonus_threshold": 0,
            "bonus_points": 0,
            "small_straight_points": 30,
            "large_straight_points": 30,
        },
    ),
]


def _build() -> dict[str, Ruleset]:
    built: dict[str, Ruleset] = {}
    for name, base, changes in _ROWS:
        fields = built[base].model_dump() if base else {}
        built[name] = ruleset_from(fields | {"name": name} | changes)
    return built


CATALOGUE = _build()


def rulesets() -> tuple[str, ...]:
    """The names of the catalogue."""
    return tuple(CATALOGUE)


def ruleset(rules: str | dict[str, Any] | Ruleset = "yatzy") -> Ruleset:
    """The ruleset of a name, or of a JSON-like dict with at least `boxes`; a ruleset is returned as it is.

    Raises:
        RulesetError: for an unknown name (near matches are named) or fields that do not fit.
    """
    if isinstance(rules, Ruleset):
        return rules
    if isinstance(rules, str):
        if rules not in CATALOGUE:
            raise RulesetError(unknown("ruleset", rules, CATALOGUE))
        return CATALOGUE[rules]
    return ruleset_from(rules)


def options(rules: Ruleset) -> dict[str, Any]:
    """What a ruleset changes in the catalogue row of its name, as JSON values; all fields if there is no such row."""
    fields = rules.model_dump(mode="json", exclude={"name"})
    if rules.name not in CATALOGUE:
        return fields
    listed = CATALOGUE[rules.name].model_dump(mode="json")
    return {key: value for key, value in fields.items() if value != listed[key]}
