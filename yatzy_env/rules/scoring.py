"""The points a ruleset pays for a roll in a box: the one place where box ids meet the scoring functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from yatzy_env.multisets import Counts
from yatzy_env.rules import boxes

if TYPE_CHECKING:
    from yatzy_env.rules.ruleset import Ruleset

Scorer = Callable[["Ruleset", Counts], int]


def _of_a_kind(number: int) -> Scorer:
    return lambda rules, counts: boxes.of_a_kind(counts, number, rules.of_a_kind_sums == "all")


def _straight(rules: Ruleset, counts: Counts, points: int, faces: tuple[int, int]) -> int:
    first, last = faces
    if rules.straights == "runs":
        fits = boxes.holds_run(counts, last - first + 1)
    else:
        fits = boxes.holds_faces(counts, first, last)
    return points if fits else 0


def _small_straight(rules: Ruleset, counts: Counts) -> int:
    # A "runs" sheet (Yahtzee) wants any four in a row, the others exactly 1 to 5.
    return _straight(rules, counts, rules.small_straight_points, (1, 4) if rules.straights == "runs" else (1, 5))


def _large_straight(rules: Ruleset, counts: Counts) -> int:
    return _straight(rules, counts, rules.large_straight_points, (2, 6))


def _full_straight(rules: Ruleset, counts: Counts) -> int:
    return _straight(rules, counts, rules.full_straight_points, (1, 6))


def _full_house(rules: Ruleset, counts: Counts) -> int:
    found = boxes.full_house(counts, rules.five_alike_is_full_house)
    return rules.full_house_points if found and rules.full_house_points else found


def _yatzy(rules: Ruleset, counts: Counts) -> int:
    if not boxes.alike(counts):
        return 0
    return 50 + boxes.total(counts) if rules.yatzy_adds_pips else rules.yatzy_points


def _upper(face: int) -> Scorer:
    return lambda rules, counts: boxes.single_face(counts, face)


SCORERS: dict[str, Scorer] = {
    **{box: _upper(boxes.face_of(box)) for box in boxes.UPPER},
    "one_pair": lambda rules, counts: boxes.pairs(counts, 1),
    "two_pairs": lambda rules, counts: boxes.pairs(counts, 2, rules.four_alike_is_two_pairs),
    "three_pairs": lambda rules, counts: boxes.pairs(counts, 3),
    "three_of_a_kind": _of_a_kind(3),
    "four_of_a_kind": _of_a_kind(4),
    "five_of_a_kind": _of_a_kind(5),
    "small_straight": _small_straight,
    "large_straight": _large_straight,
    "full_straight": _full_straight,
    "full_house": _full_house,
    "castle": lambda rules, counts: boxes.groups(counts, 3, 3),
    "tower": lambda rules, counts: boxes.groups(counts, 4, 2),
    "chance": lambda rules, counts: boxes.total(counts),
    "yatzy": _yatzy,
}


def points(rules: Ruleset, box: str, counts: Counts, joker: bool = False) -> int:
    """What a roll pays in a box, before the column's multiplier, the bonus and extra yatzy bonuses.

    Args:
        rules: the ruleset.
        box: a box id.
        counts: the six face counts of the roll.
        joker: whether the roll is played as a joker, so that full house and the straights pay in full.

    Returns:
        The points.
    """
    if joker and box in ("full_house", "small_straight", "large_straight"):
        fixed = {
            "full_house": rules.full_house_points,
            "small_straight": rules.small_straight_points,
            "large_straight": rules.large_straight_points,
        }
        # A full house that is paid as a sum (no fixed points) pays what it always counts: five of the dice.
        return fixed[box] or boxes.of_a_kind(counts, 5, all_dice=False)
    return SCORERS[box](rules, counts)
