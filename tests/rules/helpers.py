"""What several tests of the rules share: rulesets to try, random play, and the library's card behind plain names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import combinations_with_replacement
from random import Random

from tests.plain_games import PlainCard
from yatzy_env import reference
from yatzy_env.card import bonus_step, extra_step, is_joker, legal_boxes, scored_after
from yatzy_env.errors import RulesetError
from yatzy_env.reference import all_alike, bits_of, names_of, split
from yatzy_env.rules import Ruleset, ruleset, rulesets
from yatzy_env.tables import compile_tables

FIVE_DICE = ("yatzy", "yahtzee", "yacht")
SIX_DICE = ("maxi-danish",)

# Switches that change what a box pays, each tried on every sheet it makes sense on.
HOUSE_RULES: dict[str, tuple[tuple[str, ...], dict[str, object]]] = {
    "five-alike-full-house": (FIVE_DICE + SIX_DICE, {"five_alike_is_full_house": True}),
    "four-alike-two-pairs": (("yatzy",), {"four_alike_is_two_pairs": True}),
    "both-alikes": (("yatzy",), {"four_alike_is_two_pairs": True, "five_alike_is_full_house": True}),
    "pips": (FIVE_DICE + SIX_DICE, {"yatzy_adds_pips": True}),
    "yatzy-75": (FIVE_DICE + SIX_DICE, {"yatzy_points": 75}),
    "all-dice-of-a-kind": (("yatzy", *SIX_DICE), {"of_a_kind_sums": "all"}),
    "matching-of-a-kind": (("yahtzee",), {"of_a_kind_sums": "matching"}),
    "runs": (("yatzy", *SIX_DICE), {"straights": "runs"}),
    "fixed-straights": (("yahtzee",), {"straights": "fixed"}),
    "flat-full-house": (("yatzy", *SIX_DICE), {"full_house_points": 25}),
    "summed-full-house": (("yahtzee",), {"full_house_points": 0}),
    "flat-five-alike-full-house": (
        ("yatzy", *SIX_DICE),
        {"full_house_points": 28, "five_alike_is_full_house": True},
    ),
    "dear-straights": (
        SIX_DICE,
        {"small_straight_points": 31, "large_straight_points": 32, "full_straight_points": 33},
    ),
    "maxi-all-switches": (
        SIX_DICE,
        {"yatzy_adds_pips": True, "five_alike_is_full_house": True, "straights": "runs", "of_a_kind_sums": "all"},
    ),
}


def variants() -> dict[str, Ruleset]:
    """The catalogue, each house rule, and games of two, three and four dice."""
    found = {name: ruleset(name) for name in rulesets()}
    for label, (bases, changes) in HOUSE_RULES.items():
        found |= {f"{base}+{label}": ruleset(base).replace(**changes) for base in bases}
    few = ("ones", "sixes", "one_pair", "chance", "yatzy")
    plain = {"bonus_threshold": 7, "bonus_points": 5, "boxes": few}
    found["two-dice"] = ruleset({"name": "two-dice", "dice": 2} | plain)
    found["three-dice"] = ruleset({"name": "three-dice", "dice": 3} | plain | {"boxes": (*few, "three_of_a_kind")})
    found["four-dice"] = ruleset(
        {"name": "four-dice", "dice": 4, "straights": "runs", "four_alike_is_two_pairs": True}
        | plain
        | {"boxes": (*few, "two_pairs", "four_of_a_kind", "small_straight")}
    )
    return found


def random_rules(seed: int) -> Ruleset:
    """A row of the catalogue with fields changed at random, as far as they fit together."""
    rng = Random(seed)
    rules = ruleset(rng.choice(rulesets())).replace(name=f"random-{seed}", saved_throws=False)
    dice = rng.choice((2, 3, 4, 5, 6))
    payable = [box for box in rules.boxes if any(reference.score(rules, box, roll) for roll in all_rolls(dice))]
    rules = rules.replace(dice=dice, boxes=payable, bonus_threshold=10 * dice)
    few = [tuple(box for box in rules.boxes if rng.random() < 0.7) for _ in range(2)]
    wanted = {
        "throws": (1, 2, 3, 4, 5),
        "boxes": (rules.boxes, *few),
        "columns": ((1,), (2,), (1, 2, 3), (4, 1)),
        "bonus_points": (0, 35, 50),
        "bonus_threshold": range(1, 127),
        "yatzy_points": (50, 75),
        "full_house_points": (0, 25),
        "small_straight_points": (15, 30),
        "large_straight_points": (20, 40),
        "full_straight_points": (21, 60),
        "of_a_kind_sums": ("matching", "all"),
        "straights": ("fixed", "runs"),
        "order": ("free", "upper-first", "upper-in-order", "top-down"),
        "joker": ("none", "forced", "free"),
        "extra_yatzy_bonus": (0, 100),
        "yatzy_adds_pips": (False, True),
        "five_alike_is_full_house": (False, True),
        "four_alike_is_two_pairs": (False, True),
        "yatzy_first": (False, True),
        "saved_throws": (False, True),
    }
    for field in rng.sample(sorted(wanted), len(wanted)):
        if rng.random() < 0.7:
            with suppress(RulesetError):
                rules = rules.replace(**{field: rng.choice(wanted[field])})
    return rules


def all_rolls(number: int) -> list[tuple[int, ...]]:
    return list(combinations_with_replacement(range(1, 7), number))


def play(
    rules: Ruleset, rng: Random, alike_share: float = 0.3
) -> Iterator[tuple[PlainCard, str, tuple[int, ...], int]]:
    """Plays a random game that meets many yatzies: yields the card before each fill, box, dice and throws used."""
    card = PlainCard(rules)
    while not card.full:
        dice = tuple(rng.choices(range(1, 7), k=rules.dice))
        if rng.random() < alike_share:
            dice = dice[:1] * rules.dice
        legal = sorted(card.legal(dice))
        yatzies = [box for box in legal if split(box)[0] == "yatzy" and all_alike(dice)]
        box = rng.choice(yatzies if yatzies and rng.random() < 0.5 else legal)
        throws = rng.randint(1, card.throws_of_turn)
        yield card, box, dice, throws
        card.fill(box, dice, throws)


class LibraryCard:
    """The library's card and tables under the method names of `PlainCard`."""

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self.tables = compile_tables(rules)
        self.rolls = {dice: number for number, dice in enumerate(all_rolls(rules.dice))}
        self.bits = 0
        self.upper = [0 for _ in rules.columns]
        self.yatzy_scored = False
        self.total = 0

    @property
    def filled(self) -> set[str]:
        return names_of(self.rules, self.bits)

    @property
    def full(self) -> bool:
        return self.bits == self.tables.card.all_boxes

    def _alike(self, dice: Sequence[int]) -> int:
        return int(self.tables.alike[self.rolls[tuple(sorted(dice))]])

    def legal(self, dice: Sequence[int]) -> set[str]:
        return names_of(self.rules, int(legal_boxes(self.tables.card, self.bits, self._alike(dice))))

    def joker(self, dice: Sequence[int]) -> bool:
        return bool(is_joker(self.tables.card, self.bits, self._alike(dice)))

    def fill(self, box: str, dice: Sequence[int], throws: int | None = None) -> int:
        if box not in self.legal(dice):
            raise ValueError(f"{box} may not be filled with {dice}")
        card = self.tables.card
        place = reference.boxes_of(self.rules).index(box)
        column = int(card.column[place])
        alike = self._alike(dice)
        points = int(self.tables.points[int(self.joker(dice)), place, self.rolls[tuple(sorted(dice))]])
        gained = points * int(card.multiplier[column])
        gained += int(bonus_step(card, place, points, self.upper[column]))
        gained += int(extra_step(card, self.yatzy_scored, alike))
        self.yatzy_scored = bool(scored_after(card, self.yatzy_scored, place, points))
        if card.face[place]:
            self.upper[column] += points
        self.bits |= bits_of(self.rules, {box})
        self.total += gained
        return gained
