"""Arrays that are handed out and taken again once nobody holds them."""

from __future__ import annotations

from collections import deque
from sys import getrefcount
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy_env.native import SLACK

_KEPT = 4  # arrays of a kind that are kept for reuse


def _references_when_unused() -> int:
    """What `getrefcount` says in `Recycled.take` of an array that nobody else holds; Python versions differ."""
    for owner in deque([np.zeros(1)]):
        return getrefcount(owner)
    raise AssertionError("the loop above returns")


_UNUSED = _references_when_unused()


class Recycled:
    """Arrays to hand out, taken again once nobody holds them.

    Fresh memory of this size costs more than writing to it. Whoever gets an array owns it: it is reused only when no
    reference to it is left, neither to the array nor to a view of it.
    """

    def __init__(self, rows: int, size: int, dtype: Any) -> None:
        self._shape = (rows, size)
        self._dtype = dtype
        self._owners: deque[NDArray[Any]] = deque(maxlen=_KEPT)

    def take(self) -> tuple[NDArray[Any], NDArray[Any]]:
        """A (rows, size) array with arbitrary contents, and the flat one behind it, `SLACK` entries longer."""
        rows, size = self._shape
        for owner in self._owners:
            if getrefcount(owner) == _UNUSED:
                break
        else:
            owner = np.zeros(rows * size + SLACK, self._dtype)
            self._owners.append(owner)
        return owner[: rows * size].reshape(rows, size), owner

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies begin with nothing handed out."""
        return Recycled, (*self._shape, self._dtype)
