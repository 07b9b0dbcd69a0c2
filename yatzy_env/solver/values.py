"""Where a `Solution` has its values from: an array in memory, or under saved throws a file per layer."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy_env.errors import SolutionError
from yatzy_env.situation import Situations
from yatzy_env.solver import store
from yatzy_env.solver.layers import LayerFolder
from yatzy_env.solver.layout import Cards, find_values, lay_out
from yatzy_env.solver.turn import action_values
from yatzy_env.tables import Tables


class Values:
    """The values of all cards of a ruleset; those on disk are mapped into memory as far as they are read.

    Attributes:
        reachable: how many cards can be reached.
    """

    def __init__(
        self,
        tables: Tables,
        stored: NDArray[np.float64] | LayerFolder,
        reachable: int,
        laid_out: Cards | None = None,
    ) -> None:
        """Takes (size,) values, or under saved throws the finished folder that has them.

        Cards that are not laid out yet are when they are first asked for, which saves most of opening a solution.
        """
        self.reachable = reachable
        self._tables = tables
        self._known = laid_out
        self._folder = stored if isinstance(stored, LayerFolder) else None
        if isinstance(stored, LayerFolder):
            self._layers = [stored.map(filled) for filled in range(tables.card.boxes + 1)]
        else:
            self._layers = [stored]

    @cached_property
    def cards(self) -> Cards:
        """The cards, laid out."""
        if self._known is not None:
            return self._known
        found = lay_out(self._tables)
        if (len(self._layers[0]), self.reachable) != (found.layout.size, found.reachable):
            raise SolutionError(
                f"the stored solution holds {len(self._layers[0])} values of {self.reachable} cards where its ruleset "
                f"has {found.layout.size} of {found.reachable}; delete it and solve again"
            )
        return found

    @property
    def start(self) -> float:
        """The value of the empty card, which stands last."""
        return float(self._layers[0][-1])

    @property
    def digest(self) -> str:
        """A SHA-256 over the values, or over the digests of the files."""
        return store.values_digest(self._layers[0]) if self._folder is None else self._folder.digest

    def whole(self, refusal: str) -> NDArray[np.float64]:
        """(size,) all values; under saved throws there is no such array, which is refused in these words."""
        if self._folder is not None:
            raise SolutionError(refusal)
        return self._layers[0]

    def places(
        self,
        filled: NDArray[np.int64],
        upper: NDArray[np.int64],
        yatzy_scored: NDArray[np.bool_],
        pool: NDArray[np.int64],
    ) -> NDArray[np.int64]:
        """Where the values of n cards stand, -1 for cards that cannot be reached."""
        return find_values(self._tables, self.cards.layout, filled, upper, yatzy_scored, pool)

    def at(self, filled: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.float64]:
        """The values of n cards."""
        values = np.empty(len(places))
        for index, start, part in self._parts(filled):
            values[index] = part[places[index] - start]
        return values

    def action_values(self, now: Situations) -> NDArray[np.float64]:
        """(n, actions) action values of n situations with reachable cards."""
        return action_values(self._tables, self.cards.layout, self._parts(now.filled, 1), now)

    def save(self, path: str | Path, header: dict[str, Any]) -> None:
        """Writes one file, or copies the folder, whose header has been written with it."""
        if self._folder is None:
            store.write(path, header, self._layers[0])
        else:
            self._folder.copy(path)

    def _parts(
        self, filled: NDArray[np.int64], more: int = 0
    ) -> list[tuple[NDArray[np.intp], int, NDArray[np.float64]]]:
        """Some of n cards, where in the layout the array of those with `more` boxes filled begins, and the array."""
        if self._folder is None:
            return [(np.arange(len(filled)), 0, self._layers[0])]
        layer = np.minimum(np.bitwise_count(filled) + more, len(self._layers) - 1)
        starts = self.cards.starts[-2::-1]
        return [(np.flatnonzero(layer == turn), int(starts[turn]), self._layers[turn]) for turn in np.unique(layer)]
