"""A second, plain reading of the rules, for tests only: slow, obvious, and written without looking at the library.

Everything here follows the rule text and reads nothing of a ruleset but its plain fields. Points are found by trying
every choice of dice from the table; nothing is counted per face, compiled or shared with `yatzy_env`. Where library
and this module disagree, one of them misread the rules.

Boxes are named as on the card: `full_house`, or `full_house@2` where there are several columns. `filled` is the set of
the names of the filled boxes.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache
from itertools import combinations, pairwise
from typing import Any

FACE_OF = {"ones": 1, "twos": 2, "threes": 3, "fours": 4, "fives": 5, "sixes": 6}
NAME_OF = {face: box for box, face in FACE_OF.items()}


# The card.


def plain_boxes(rules: Any) -> list[str]:
    """The names of all boxes of the card, column by column."""
    if len(rules.columns) == 1:
        return list(rules.boxes)
    return [f"{box}@{number}" for number, _ in enumerate(rules.columns, start=1) for box in rules.boxes]


@cache
def split(box: str) -> tuple[str, int]:
    """A box on the card as its plain name and its column, counted from 0."""
    plain, _, column = box.partition("@")
    return plain, int(column or 1) - 1


def bits_of(rules: Any, filled: Iterable[str]) -> int:
    """A set of boxes as a bitmask in the order of the card."""
    names = plain_boxes(rules)
    return sum(2 ** names.index(box) for box in set(filled))


def names_of(rules: Any, bits: int) -> set[str]:
    """The boxes of a bitmask."""
    return {box for place, box in enumerate(plain_boxes(rules)) if bits // 2**place % 2 == 1}


# Points.


def all_alike(dice: Collection[int]) -> bool:
    return len(set(dice)) == 1


def best_choice(dice: Sequence[int], size: int, fits: Callable[[tuple[int, ...]], bool]) -> int:
    """The largest sum of `size` of the dice that fit, 0 if none do. The choice is handed to `fits` in order."""
    return max((sum(choice) for choice in combinations(sorted(dice), size) if fits(choice)), default=0)


def is_groups(*sizes: int) -> Callable[[tuple[int, ...]], bool]:
    """Tells whether dice fall into groups of these sizes, each of one number and no number twice."""

    def fits(choice: tuple[int, ...]) -> bool:
        numbers = sorted(set(choice))
        return sorted(choice.count(number) for number in numbers) == sorted(sizes)

    return fits


def is_run(choice: tuple[int, ...]) -> bool:
    return all(later == earlier + 1 for earlier, later in pairwise(choice))


def plain_score(rules: Any, box: str, dice: Sequence[int], joker: bool = False) -> int:
    """The points of some dice in a box, written as on a card of one column.

    Args:
        rules: a ruleset.
        box: the box without its column.
        dice: the dice on the table.
        joker: whether the dice, all alike, are played as a joker.
    """
    if joker and box == "full_house":
        # Flat where the sheet says so, else what a full house always is: the sum of five dice.
        return rules.full_house_points if rules.full_house_points > 0 else best_choice(dice, 5, lambda _: True)
    if joker and box == "small_straight":
        return rules.small_straight_points
    if joker and box == "large_straight":
        return rules.large_straight_points

    if box in FACE_OF:
        return sum(die for die in dice if die == FACE_OF[box])
    if box == "one_pair":
        return best_choice(dice, 2, is_groups(2))
    if box == "two_pairs":
        pairs = best_choice(dice, 4, is_groups(2, 2))
        four = best_choice(dice, 4, is_groups(4)) if rules.four_alike_is_two_pairs else 0
        return max(pairs, four)
    if box == "three_pairs":
        return best_choice(dice, 6, is_groups(2, 2, 2))
    if box in ("three_of_a_kind", "four_of_a_kind", "five_of_a_kind"):
        number = {"three_of_a_kind": 3, "four_of_a_kind": 4, "five_of_a_kind": 5}[box]
        matching = best_choice(dice, number, is_groups(number))
        return sum(dice) if matching > 0 and rules.of_a_kind_sums == "all" else matching
    if box in ("small_straight", "large_straight", "full_straight"):
        return plain_straight(rules, box, dice)
    if box == "full_house":
        house = best_choice(dice, 5, is_groups(3, 2))
        if rules.five_alike_is_full_house:
            house = max(house, best_choice(dice, 5, is_groups(5)))
        return rules.full_house_points if house > 0 and rules.full_house_points > 0 else house
    if box == "castle":
        return best_choice(dice, 6, is_groups(3, 3))
    if box == "tower":
        return best_choice(dice, 6, is_groups(4, 2))
    if box == "chance":
        return sum(dice)
    if box == "yatzy":
        if not all_alike(dice):
            return 0
        return 50 + sum(dice) if rules.yatzy_adds_pips else rules.yatzy_points
    raise ValueError(f"no such box: {box}")


def plain_straight(rules: Any, box: str, dice: Sequence[int]) -> int:
    if rules.straights == "runs":
        length = {"small_straight": 4, "large_straight": 5, "full_straight": 6}[box]
        found = best_choice(dice, length, is_run) > 0
    else:
        wanted = {"small_straight": {1, 2, 3, 4, 5}, "large_straight": {2, 3, 4, 5, 6}}.get(box, {1, 2, 3, 4, 5, 6})
        found = wanted <= set(dice)
    if not found:
        return 0
    return {
        "small_straight": rules.small_straight_points,
        "large_straight": rules.large_straight_points,
        "full_straight": rules.full_straight_points,
    }[box]


# What may be filled.


def plain_in_order(rules: Any, filled: Collection[str]) -> set[str]:
    """The open boxes whose turn it is, whatever was thrown: each column keeps its own order."""
    allowed: set[str] = set()
    for number in range(len(rules.columns)):
        column = [box for box in plain_boxes(rules) if split(box)[1] == number]
        waiting = [box for box in column if box not in filled]
        waiting_above = [box for box in waiting if split(box)[0] in FACE_OF]
        if rules.order == "top-down":
            allowed.update(waiting[:1])
        elif rules.order == "upper-in-order" and waiting_above:
            allowed.update(waiting_above[:1])
        elif rules.order == "upper-first" and waiting_above:
            allowed.update(waiting_above)
        else:
            allowed.update(waiting)
    return allowed


def plain_legal(rules: Any, filled: Collection[str], dice: Sequence[int]) -> set[str]:
    """The boxes that may be filled with these dice; none only when the card is full."""
    allowed = plain_in_order(rules, filled)
    if not all_alike(dice):
        return allowed
    yatzy_boxes = {box for box in plain_boxes(rules) if split(box)[0] == "yatzy"}
    if rules.yatzy_first:
        allowed |= {box for box in yatzy_boxes if box not in filled}
    if rules.joker == "forced" and all(box in filled for box in yatzy_boxes):
        matching = {box for box in allowed if split(box)[0] == NAME_OF[dice[0]]}
        below = {box for box in allowed if split(box)[0] not in FACE_OF}
        return matching or below or allowed
    return allowed


def plain_joker(rules: Any, filled: Collection[str], dice: Sequence[int]) -> bool:
    """Whether full house and straights pay in full for these dice: the yatzy box and the upper box are closed."""
    if rules.joker == "none" or not all_alike(dice):
        return False
    still_open = [split(box)[0] for box in plain_boxes(rules) if box not in filled]
    return "yatzy" not in still_open and NAME_OF[dice[0]] not in still_open


# A game.


class PlainCard:
    """One player's card, filled box by box.

    Attributes:
        rules: the ruleset.
        fills: what was filled with which dice, in order.
        filled: names of the filled boxes.
        upper: upper sum of each column, counted on beyond the threshold.
        bonus_paid: per column whether the bonus has been paid.
        yatzy_holds_points: whether the yatzy box (one column only) holds points.
        pool: saved throws, between turns.
        total: the score so far.
    """

    def __init__(self, rules: Any) -> None:
        self.rules = rules
        self.fills: list[tuple[str, tuple[int, ...]]] = []
        self.filled: set[str] = set()
        self.upper = [0 for _ in rules.columns]
        self.bonus_paid = [False for _ in rules.columns]
        self.yatzy_holds_points = False
        self.pool = 0
        self.total = 0

    @property
    def full(self) -> bool:
        return len(self.filled) == len(plain_boxes(self.rules))

    @property
    def throws_of_turn(self) -> int:
        """The most throws the next turn may take, the first included."""
        return self.rules.throws + self.pool

    def legal(self, dice: Sequence[int]) -> set[str]:
        return plain_legal(self.rules, self.filled, dice)

    def joker(self, dice: Sequence[int]) -> bool:
        return plain_joker(self.rules, self.filled, dice)

    def fill(self, box: str, dice: Sequence[int], throws: int | None = None) -> int:
        """Ends a turn.

        Args:
            box: the box to fill.
            dice: the dice on the table.
            throws: how many throws the turn took; the player's own if not said.

        Returns:
            The points gained: the box and, if they fall now, the bonus and the extra yatzy bonus.
        """
        throws = self.rules.throws if throws is None else throws
        if not 1 <= throws <= self.throws_of_turn:
            raise ValueError(f"a turn of {throws} throws; there are {self.throws_of_turn}")
        if box not in self.legal(dice):
            raise ValueError(f"{box} may not be filled with {dice}; legal: {sorted(self.legal(dice))}")
        plain, column = split(box)
        points = plain_score(self.rules, plain, dice, self.joker(dice))
        gained = points * self.rules.columns[column]
        if plain in FACE_OF:
            self.upper[column] += points
            bonus = self.rules.bonus_points
            if bonus > 0 and not self.bonus_paid[column] and self.upper[column] >= self.rules.bonus_threshold:
                self.bonus_paid[column] = True
                gained += bonus * self.rules.columns[column]
        if all_alike(dice) and self.yatzy_holds_points:
            gained += self.rules.extra_yatzy_bonus
        if plain == "yatzy" and points > 0:
            self.yatzy_holds_points = True
        if self.rules.saved_throws:
            self.pool += max(0, self.rules.throws - throws) - max(0, throws - self.rules.throws)
        self.filled.add(box)
        self.fills.append((box, tuple(dice)))
        self.total += gained
        return gained


def plain_total(rules: Any, fills: Sequence[tuple[str, Sequence[int]]]) -> int:
    """Adds up a game from its end, as players do with a pencil: boxes, then bonuses, then extra yatzies.

    Args:
        rules: a ruleset.
        fills: (box, dice) in the order of play.
    """
    sheet: dict[str, int] = {}
    for turn, (box, dice) in enumerate(fills):
        before = {earlier for earlier, _ in fills[:turn]}
        sheet[box] = plain_score(rules, split(box)[0], dice, plain_joker(rules, before, dice))
    total = 0
    for column, multiplier in enumerate(rules.columns):
        here = {split(box)[0]: points for box, points in sheet.items() if split(box)[1] == column}
        above = sum(points for box, points in here.items() if box in FACE_OF)
        bonus = rules.bonus_points if rules.bonus_points and above >= rules.bonus_threshold else 0
        total += multiplier * (sum(here.values()) + bonus)
    if sheet.get("yatzy", 0) > 0:
        after = fills[[box for box, _ in fills].index("yatzy") + 1 :]
        total += rules.extra_yatzy_bonus * sum(all_alike(dice) for _, dice in after)
    return total
