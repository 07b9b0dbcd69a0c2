"""The rules of a ruleset as sentences: message keys with values, generated from its fields, in the order of reading.

The page puts them into words in each language; see `schemas.rulesets.RulesItem` for the keys.
"""

from __future__ import annotations

from agents.play.schemas import rulesets as contract
from yatzy_env.multisets import counts_of, dice_of, multisets
from yatzy_env.rules import Ruleset
from yatzy_env.rules.boxes import UPPER, face_of
from yatzy_env.rules.scoring import points

Values = dict[str, int | float | str]

_EXAMPLES: dict[str, tuple[int, ...]] = {
    "one_pair": (3, 3, 3, 5, 5, 6),
    "two_pairs": (2, 2, 4, 4, 6, 6),
    "three_pairs": (1, 1, 3, 3, 5, 5),
    "three_of_a_kind": (4, 4, 4, 1, 6, 6),
    "four_of_a_kind": (5, 5, 5, 5, 2, 3),
    "five_of_a_kind": (3, 3, 3, 3, 3, 6),
    "small_straight": (1, 2, 3, 4, 5, 5),
    "large_straight": (2, 3, 4, 5, 6, 6),
    "full_straight": (1, 2, 3, 4, 5, 6),
    "full_house": (2, 2, 2, 5, 5, 6),
    "castle": (3, 3, 3, 5, 5, 5),
    "tower": (4, 4, 4, 4, 2, 2),
    "chance": (1, 3, 4, 6, 6, 6),
}
"""Rolls of six dice that tell a box from its neighbours; five dice are the first five."""

_YACHT_WORDS = ("small_straight", "large_straight", "chance", "yatzy")


def label_key(rules: Ruleset, box: str) -> str:
    """The message key of a box's name, see docs/play.md.

    Args:
        rules: the ruleset.
        box: a box, with or without its column.
    """
    plain = box.partition("@")[0]
    if rules.straights == "runs" and plain == "yatzy":
        return "box.yatzy.yahtzee"
    if _is_yacht(rules) and plain in _YACHT_WORDS:
        return f"box.{plain}.yacht"
    if rules.dice == 6 and plain in ("yatzy", "full_house"):
        return f"box.{plain}.maxi"
    return f"box.{plain}"


def _is_yacht(rules: Ruleset) -> bool:
    """Whether a sheet has the words of Yacht: fixed straights, and neither pairs nor a bonus."""
    return rules.straights == "fixed" and not rules.bonus_points and not {"one_pair", "two_pairs"} & {*rules.boxes}


def rules_page(rules: Ruleset, optimum: float | None) -> contract.RulesPage:
    """The rules of a ruleset.

    Args:
        rules: the ruleset.
        optimum: its expected score under best play, None where it is not known.

    Returns:
        The page; sections without sentences are left out.
    """
    sections = [
        contract.RulesSection(key="turn", items=_turn(rules)),
        contract.RulesSection(key="upper", items=_upper(rules)),
        contract.RulesSection(key="lower", items=[_box(rules, box) for box in rules.boxes if box not in UPPER]),
        contract.RulesSection(key="special", items=_special(rules)),
        contract.RulesSection(key="end", items=_end(rules, optimum)),
    ]
    return contract.RulesPage(ruleset=rules.name, sections=[section for section in sections if section.items])


def _item(key: str, **values: float | str) -> contract.RulesItem:
    return contract.RulesItem(key=key, values=values, box=None, label_key=None, example=None)


def _turn(rules: Ruleset) -> list[contract.RulesItem]:
    items = [_item("turn.throws", dice=rules.dice, throws=rules.throws), _item("turn.keep"), _item("turn.box")]
    items.append(_item("turn.zero"))
    if rules.saved_throws:
        items.append(_item("turn.saved"))
    items.append(_item(f"order.{rules.order}"))
    if rules.yatzy_first:
        items.append(_item("order.yatzy-first"))
    if len(rules.columns) > 1:
        factors = ", ".join(f"×{factor}" for factor in rules.columns)
        items.append(_item("columns", columns=len(rules.columns), factors=factors))
    return items


def _upper(rules: Ruleset) -> list[contract.RulesItem]:
    boxes = [box for box in rules.boxes if box in UPPER]
    items = [_box(rules, box) for box in boxes]
    if not boxes:
        return []
    if not rules.bonus_points:
        return [*items, _item("upper.no-bonus")]
    suffix = ".columns" if len(rules.columns) > 1 else ""
    items.append(_item(f"upper.bonus{suffix}", threshold=rules.bonus_threshold, points=rules.bonus_points))
    count, rest = divmod(rules.bonus_threshold, sum(face_of(box) for box in boxes))
    if not rest:
        items.append(_item("upper.par", count=count))
    return items


def _special(rules: Ruleset) -> list[contract.RulesItem]:
    items = []
    if rules.joker != "none":
        fixed: Values = {
            "full_house": rules.full_house_points,
            "small_straight": rules.small_straight_points,
            "large_straight": rules.large_straight_points,
        }
        items.append(_item(f"special.joker-{rules.joker}", **fixed))
    if rules.extra_yatzy_bonus:
        items.append(_item("special.extra-yatzy", points=rules.extra_yatzy_bonus))
    if rules.five_alike_is_full_house:
        items.append(_item("special.five-alike-full-house"))
    if rules.four_alike_is_two_pairs:
        items.append(_item("special.four-alike-two-pairs"))
    return items


def _end(rules: Ruleset, optimum: float | None) -> list[contract.RulesItem]:
    items = [
        _item("end.turns", turns=len(rules.box_names)),
        _item("end.winner"),
        _item("end.max", points=rules.max_score),
    ]
    if optimum is not None:
        items.append(_item("end.optimum", points=round(optimum, 2)))
    return items


def _box(rules: Ruleset, box: str) -> contract.RulesItem:
    key, values = _box_rule(rules, box)
    return contract.RulesItem(
        key=key, values=values, box=box, label_key=label_key(rules, box), example=_example(rules, box)
    )


def _box_rule(rules: Ruleset, box: str) -> tuple[str, Values]:
    """The message key and values of what a box pays."""
    kinds = {"three_of_a_kind": 3, "four_of_a_kind": 4, "five_of_a_kind": 5}
    straights = {
        "small_straight": (1, 5, 4, rules.small_straight_points),
        "large_straight": (2, 6, 5, rules.large_straight_points),
        "full_straight": (1, 6, 6, rules.full_straight_points),
    }
    if box in UPPER:
        return "upper.box", {"face": face_of(box)}
    if box in kinds:
        return f"box.kind.{rules.of_a_kind_sums}", {"n": kinds[box]}
    if box in straights:
        low, high, length, paid = straights[box]
        if rules.straights == "runs":
            return "box.straight.runs", {"length": length, "points": paid}
        return "box.straight.fixed", {"low": low, "high": high, "points": paid}
    if box == "full_house":
        return ("box.full_house.fixed", {"points": rules.full_house_points}) if rules.full_house_points else (
            "box.full_house.sum", {}
        )  # fmt: skip
    if box == "yatzy":
        return ("box.yatzy.pips", {}) if rules.yatzy_adds_pips else ("box.yatzy", {"points": rules.yatzy_points})
    if box == "two_pairs" and rules.dice == 6:
        return "box.two_pairs.best", {}
    return f"box.{box}", {}


def _example(rules: Ruleset, box: str) -> contract.RulesExample:
    """Dice that show what a box pays: a telling roll where it pays, else the middle one of those that do."""
    face = face_of(box)
    telling = (face, face, face, 1 + face % 6, 1 + (face + 2) % 6, 1 + face % 6) if face else _EXAMPLES.get(box, ())
    dice = tuple(sorted(telling[: rules.dice]))
    if len(dice) != rules.dice or not points(rules, box, counts_of(dice)):
        paying = [counts for counts in multisets(rules.dice) if points(rules, box, counts)]
        dice = dice_of(paying[len(paying) // 2])
    return contract.RulesExample(dice=list(dice), points=points(rules, box, counts_of(dice)))
