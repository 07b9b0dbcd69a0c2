"""What the boxes of a score card pay: small pure functions of the face counts of a roll.

`counts` is always the six face counts of all dice on the table. A box counts the dice that serve it and ignores the
rest; where several choices serve, the best one is paid. Every function returns 0 where the roll does not fit.
"""

from __future__ import annotations

from yatzy_env.multisets import FACES, Counts

UPPER = ("ones", "twos", "threes", "fours", "fives", "sixes")
BOXES = (
    *UPPER,
    "one_pair",
    "two_pairs",
    "three_pairs",
    "three_of_a_kind",
    "four_of_a_kind",
    "five_of_a_kind",
    "small_straight",
    "large_straight",
    "full_straight",
    "full_house",
    "castle",
    "tower",
    "chance",
    "yatzy",
)
"""Every box id there is. A ruleset chooses some of them, in the order of its sheet."""


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
    """The sum of the best `number` pairs of different faces.

    Args:
        counts: the six face counts.
        number: how many pairs.
        four_alike_counts: whether four dice alike count as two pairs.
    """
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
