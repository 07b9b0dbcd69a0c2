"""The boxes of a score card and what they pay: small pure functions of the face counts of a roll, and a row per box.

`counts` is always the six face counts of all dice on the table. A box counts the dice that serve it and ignores the
rest; where several choices serve, the best one is paid. Every function returns 0 where the roll does not fit.
`_SCORERS` is the one place where box ids meet these functions and the fields of a ruleset.
"""

from __future__ import annotations

from collections.abc import Callable

from yatzy_env.multisets import FACES, Counts
from yatzy_env.rules.fields import Fields

Scorer = Callable[[Fields, Counts], int]

UPPER = ("ones", "twos", "threes", "fours", "fives", "sixes")
KINDS = {"three_of_a_kind": 3, "four_of_a_kind": 4, "five_of_a_kind": 5}
STRAIGHTS = {"small_straight": (1, 5, 4), "large_straight": (2, 6, 5), "full_straight": (1, 6, 6)}
"""The faces a fixed straight wants, first to last, and how many in a row one of `runs` does."""
JOKER_BOXES = ("full_house", "small_straight", "large_straight")
"""The boxes in which a joker pays in full."""


def face_of(box: str) -> int:
    """The face an upper box counts, 1 to 6, and 0 for a box of the lower section."""
    return UPPER.index(box) + 1 if box in UPPER else 0


def total(counts: Counts) -> int:
    """The sum of all dice."""
    return sum(face * count for face, count in zip(FACES, counts, strict=True))


def single_face(counts: Counts, face: int) -> int:
    """The sum of the dice that show `face`."""
    return face * counts[face - 1]


def of_a_kind(counts: Counts, number: int, all_dice: bool) -> int:
    """`number` dice alike: their sum (the highest face that has as many), or the sum of all dice on the table."""
    for face in reversed(FACES):
        if counts[face - 1] >= number:
            return total(counts) if all_dice else number * face
    return 0


def pairs(counts: Counts, number: int, four_alike_counts: bool = False) -> int:
    """The sum of the best `number` pairs of different faces; four dice alike may count as two."""
    paired = [face for face in reversed(FACES) if counts[face - 1] >= 2]
    candidates = [2 * sum(paired[:number])] if len(paired) >= number else [0]
    if four_alike_counts and number == 2:
        candidates.append(of_a_kind(counts, 4, all_dice=False))
    return max(candidates)


def groups(counts: Counts, large: int, small: int) -> int:
    """The best sum of `large` dice of one face and `small` of another: 3 + 2, 3 + 3 or 4 + 2."""
    sums = [
        large * first + small * second
        for first in FACES
        for second in FACES
        if first != second and counts[first - 1] >= large and counts[second - 1] >= small
    ]
    return max(sums, default=0)


def full_house(counts: Counts, five_alike_counts: bool = False) -> int:
    """Three of one face and two of another, the best sum; five alike too where the ruleset says so."""
    five_alike = of_a_kind(counts, 5, all_dice=False) if five_alike_counts else 0
    return max(groups(counts, 3, 2), five_alike)


def holds_faces(counts: Counts, first: int, last: int) -> bool:
    """Whether every face from `first` to `last` lies on the table."""
    return all(counts[face - 1] >= 1 for face in range(first, last + 1))


def holds_run(counts: Counts, length: int) -> bool:
    """Whether `length` consecutive faces lie on the table."""
    return any(holds_faces(counts, first, first + length - 1) for first in range(1, 8 - length))


def alike(counts: Counts) -> int:
    """The face all dice show, or 0 where they differ."""
    return counts.index(sum(counts)) + 1 if sum(counts) in counts else 0


def price(rules: Fields, box: str) -> int:
    """The fixed price of a full house or a straight; 0 where a full house pays the sum of its dice."""
    return int(getattr(rules, f"{box}_points"))


def _upper(face: int) -> Scorer:
    return lambda rules, counts: single_face(counts, face)


def _kind(number: int) -> Scorer:
    return lambda rules, counts: of_a_kind(counts, number, rules.of_a_kind_sums == "all")


def _straight(box: str) -> Scorer:
    first, last, length = STRAIGHTS[box]

    def score(rules: Fields, counts: Counts) -> int:
        # A "runs" sheet (Yahtzee) wants any four in a row where the others want exactly 1 to 5.
        fits = holds_run(counts, length) if rules.straights == "runs" else holds_faces(counts, first, last)
        return price(rules, box) if fits else 0

    return score


def _full_house(rules: Fields, counts: Counts) -> int:
    found = full_house(counts, rules.five_alike_is_full_house)
    return rules.full_house_points if found and rules.full_house_points else found


def _yatzy(rules: Fields, counts: Counts) -> int:
    if not alike(counts):
        return 0
    return 50 + total(counts) if rules.yatzy_adds_pips else rules.yatzy_points


_SCORERS: dict[str, Scorer] = {
    **{box: _upper(face_of(box)) for box in UPPER},
    "one_pair": lambda rules, counts: pairs(counts, 1),
    "two_pairs": lambda rules, counts: pairs(counts, 2, rules.four_alike_is_two_pairs),
    "three_pairs": lambda rules, counts: pairs(counts, 3),
    **{box: _kind(number) for box, number in KINDS.items()},
    **{box: _straight(box) for box in STRAIGHTS},
    "full_house": _full_house,
    "castle": lambda rules, counts: groups(counts, 3, 3),
    "tower": lambda rules, counts: groups(counts, 4, 2),
    "chance": lambda rules, counts: total(counts),
    "yatzy": _yatzy,
}
BOXES = tuple(_SCORERS)
"""Every box id there is. A ruleset chooses some of them, in the order of its sheet."""


def points(rules: Fields, box: str, counts: Counts, joker: bool = False) -> int:
    """What a roll pays in a box, before the column's multiplier, the bonus and extra yatzy bonuses.

    Played as a joker it pays in full in a full house and the straights.
    """
    if joker and box in JOKER_BOXES:
        # A full house that is paid as a sum (no fixed points) pays what it always counts: five of the dice.
        return price(rules, box) or of_a_kind(counts, 5, all_dice=False)
    return _SCORERS[box](rules, counts)
