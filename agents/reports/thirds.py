"""The first, middle and last third of a game, and shares of a whole."""

from __future__ import annotations

from itertools import pairwise


def thirds(turns: int) -> list[tuple[int, int]]:
    """The thirds of a game as ranges of turns from 0, the end left out; fewer where there are fewer turns."""
    edges = [round(turns * part / 3) for part in range(4)]
    return [(first, last) for first, last in pairwise(edges) if last > first]


def span(first: int, last: int) -> str:
    """A range of turns as a reader counts them."""
    return f"{last}" if last == first + 1 else f"{first + 1} to {last}"


def share(part: float, total: float) -> float:
    """What a part is of the whole, in percent; 0 of nothing."""
    return 100 * part / total if total > 0 else 0.0
