"""Multisets of dice, the alphabet in which rolls, keeps and actions are written.

A multiset is held as its six face counts. All multisets of one size are listed lexicographically by their dice in
ascending order, so the first roll of five dice is 1 1 1 1 1 and the last 6 6 6 6 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations_with_replacement
from math import factorial, prod

FACES = (1, 2, 3, 4, 5, 6)

Counts = tuple[int, int, int, int, int, int]
"""How many dice show 1, 2, ..., 6."""


def counts_of(dice: Sequence[int]) -> Counts:
    """The six face counts of some dice, in any order.

    Raises:
        ValueError: if a value is not a whole number from 1 to 6.
    """
    for face in dice:
        if isinstance(face, bool) or face not in FACES:
            raise ValueError(f"die {face!r} is not a face; a die shows a whole number from 1 to 6")
    ones, twos, threes, fours, fives, sixes = (sum(die == face for die in dice) for face in FACES)
    return ones, twos, threes, fours, fives, sixes


def dice_of(counts: Sequence[int]) -> tuple[int, ...]:
    """The dice of a multiset in ascending order."""
    return tuple(face for face, count in zip(FACES, counts, strict=True) for _ in range(count))


@lru_cache(maxsize=16)
def multisets(size: int) -> tuple[Counts, ...]:
    """All multisets of `size` dice, lexicographic by ascending dice: 252 for five dice, 462 for six."""
    return tuple(counts_of(dice) for dice in combinations_with_replacement(FACES, size))


def probability(counts: Sequence[int]) -> float:
    """The chance of throwing exactly this multiset with that many fair dice (multinomial law)."""
    size = sum(counts)
    return factorial(size) / prod(factorial(count) for count in counts) / 6**size
