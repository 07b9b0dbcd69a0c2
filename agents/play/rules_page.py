"""The rules of a ruleset as sentences: message keys with values, generated from its fields, in the order of reading.

The page puts them into words in each language; see `RulesItem` for the keys.
"""

from __future__ import annotations

from agents.play.schemas.rulesets import RulesExample, RulesItem, RulesPage, RulesSection
from yatzy_env.multisets import counts_of, dice_of, multisets
from yatzy_env.rules import Ruleset
from yatzy_env.rules.boxes import JOKER_BOXES, KINDS, STRAIGHTS, UPPER, face_of, points, price
from yatzy_env.rules.names import box_key

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


def rules_page(rules: Ruleset, optimum: float | None) -> RulesPage:
    """The rules of a ruleset.

    Args:
        rules: the ruleset.
        optimum: its expected score under best play, None where it is not known.

    Returns:
        The page; sections without sentences are left out.
    """
    sections = [
        RulesSection(key="turn", items=_turn(rules)),
        RulesSection(key="upper", items=_upper(rules)),
        RulesSection(key="lower", items=[_box(rules, box) for box in rules.boxes if box not in UPPER]),
        RulesSection(key="special", items=_special(rules)),
        RulesSection(key="end", items=_end(rules, optimum)),
    ]
    return RulesPage(ruleset=rules.name, sections=[section for section in sections if section.items])


def _item(key: str, **values: int | float | str) -> RulesItem:
    return RulesItem(key=key, values=values, box=None, label_key=None, example=None)


def _turn(rules: Ruleset) -> list[RulesItem]:
    items = [_item("turn.throws", dice=rules.dice, throws=rules.throws), _item("turn.keep"), _item("turn.box")]
    items.append(_item("turn.zero"))
    if rules.saved_throws:
        items.append(_item("turn.saved"))
    items.append(_item(f"order.{rules.order}"))
    if rules.yatzy_first:
        items.append(_item("order.yatzy-first"))
    factors = ", ".join(f"×{factor}" for factor in rules.columns)
    if len(rules.columns) > 1:
        items.append(_item("columns", columns=len(rules.columns), factors=factors))
    elif rules.columns != (1,):
        items.append(_item("column", factor=factors))
    return items


def _upper(rules: Ruleset) -> list[RulesItem]:
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


def _special(rules: Ruleset) -> list[RulesItem]:
    items = _joker(rules)
    if rules.extra_yatzy_bonus:
        items.append(_item("special.extra-yatzy", points=rules.extra_yatzy_bonus))
    if rules.five_alike_is_full_house:
        items.append(_item("special.five-alike-full-house"))
    if rules.four_alike_is_two_pairs:
        items.append(_item("special.four-alike-two-pairs"))
    return items


def _joker(rules: Ruleset) -> list[RulesItem]:
    """What a joker may do and pays: one sentence where the sheet has all its boxes at fixed prices, else box by box."""
    if rules.joker == "none":
        return []
    prices: Values = {box: price(rules, box) for box in JOKER_BOXES if box in rules.boxes}
    if len(prices) == len(JOKER_BOXES) and all(prices.values()):
        return [_item(f"special.joker-{rules.joker}", **prices)]
    items = [_item(f"special.joker-{rules.joker}.plain")]
    alike = (5,) * rules.dice
    for box, paid in prices.items():
        key, values = ("special.joker-pays", {"points": paid}) if paid else ("special.joker-pays.sum", Values())
        example = RulesExample(dice=list(alike), points=points(rules, box, counts_of(alike), joker=True))
        items.append(_about(rules, box, key, values, example))
    return items


def _end(rules: Ruleset, optimum: float | None) -> list[RulesItem]:
    items = [
        _item("end.turns", turns=len(rules.box_names)),
        _item("end.winner"),
        _item("end.max", points=rules.max_score),
    ]
    if optimum is not None:
        items.append(_item("end.optimum", points=round(optimum, 2)))
    return items


def _box(rules: Ruleset, box: str) -> RulesItem:
    return _about(rules, box, *_box_rule(rules, box), _example(rules, box))


def _about(rules: Ruleset, box: str, key: str, values: Values, example: RulesExample) -> RulesItem:
    return RulesItem(key=key, values=values, box=box, label_key=box_key(rules, box), example=example)


def _box_rule(rules: Ruleset, box: str) -> tuple[str, Values]:
    """The message key and values of what a box pays."""
    if box in UPPER:
        return "upper.box", {"face": face_of(box)}
    if box in KINDS:
        return f"box.kind.{rules.of_a_kind_sums}", {"n": KINDS[box]}
    if box in STRAIGHTS:
        low, high, length = STRAIGHTS[box]
        faces: Values = {"length": length} if rules.straights == "runs" else {"low": low, "high": high}
        return f"box.straight.{rules.straights}", faces | {"points": price(rules, box)}
    if box == "full_house":
        paid = price(rules, box)
        return ("box.full_house.fixed", {"points": paid}) if paid else ("box.full_house.sum", {})
    if box == "yatzy":
        return ("box.yatzy.pips", {}) if rules.yatzy_adds_pips else ("box.yatzy", {"points": rules.yatzy_points})
    if box == "two_pairs" and rules.dice == 6:
        return "box.two_pairs.best", {}
    return f"box.{box}", {}


def _example(rules: Ruleset, box: str) -> RulesExample:
    """Dice that show what a box pays: a telling roll where it pays, else the middle one of those that do."""
    face = face_of(box)
    telling = (face, face, face, 1 + face % 6, 1 + (face + 2) % 6, 1 + face % 6) if face else _EXAMPLES.get(box, ())
    dice = tuple(sorted(telling[: rules.dice]))
    if len(dice) != rules.dice or not points(rules, box, counts_of(dice)):
        paying = [counts for counts in multisets(rules.dice) if points(rules, box, counts)]
        dice = dice_of(paying[len(paying) // 2])
    return RulesExample(dice=list(dice), points=points(rules, box, counts_of(dice)))
