"""Where a `Solution` has its values from: an array in memory, or under saved throws layers on disk."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy_env.errors import SolutionError
from yatzy_env.situation import Situations
from yatzy_env.solver import store
from yatzy_env.solver.chances import ChanceTable
from yatzy_env.solver.distribution import Distribution, find_distribution
from yatzy_env.solver.expectations import Moments, moments_of
from yatzy_env.solver.layers import LayerFolder
from yatzy_env.solver.layout import Cards, find_values, lay_out
from yatzy_env.solver.pools import Pools, find_pool_values, reachable_cards
from yatzy_env.solver.saved_turn import saved_action_values
from yatzy_env.solver.turn import action_values
from yatzy_env.tables import Tables

_NO_MOMENTS = "under saved throws the spread of the final score is not computed exactly; estimate it by playing games"


class ValuesInMemory:
    """The values of a ruleset without saved throws."""

    def __init__(self, tables: Tables, values: NDArray[np.float64], cards: int, laid_out: Cards | None = None) -> None:
        """Takes the values; a stored solution is laid out when it is first asked, which saves most of opening it.

        Args:
            tables: the compiled ruleset.
            values: (size,) values of all cards.
            cards: how many cards can be reached.
            laid_out: the cards, if they are laid out already.
        """
        self.cards = cards
        self._tables = tables
        self._values = values
        self._known = laid_out

    @cached_property
    def _cards(self) -> Cards:
        if self._known is not None:
            return self._known
        found = lay_out(self._tables)
        if (len(self._values), self.cards) != (found.layout.size, found.reachable):
            raise SolutionError(
                f"the stored solution holds {len(self._values)} values of {self.cards} cards where its ruleset has "
                f"{found.layout.size} of {found.reachable}; delete it and solve again"
            )
        return found

    @property
    def start(self) -> float:
        """The value of the empty card, which stands last."""
        return float(self._values[-1])

    @property
    def digest(self) -> str:
        """A SHA-256 over the values."""
        return store.values_digest(self._values)

    def places(
        self, filled: NDArray[np.int64], upper: NDArray[np.int64], fifty: NDArray[np.bool_], pool: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Where the values of n cards stand, -1 for cards that cannot be reached."""
        return np.where(pool == 0, find_values(self._tables, self._cards.layout, filled, upper, fifty), -1)

    def at(self, filled: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.float64]:
        """The values of n cards."""
        return self._values[places]

    def action_values(self, now: Situations) -> NDArray[np.float64]:
        """(n, actions) action values of n situations with reachable cards."""
        return action_values(self._tables, self._cards.layout, self._values, now)

    def moments(self) -> Moments:
        """Mean, standard deviation, bonus and yatzy rate of the final score."""
        return moments_of(self._tables, self._cards, self._values)

    def distribution(self, moments: Moments) -> Distribution:
        """The distribution of the final score."""
        found = find_distribution(self._tables, self._cards, self._values)
        return Distribution(found, moments.bonus_rate, moments.yatzy_rate)

    def chances(self, path: Path | None) -> ChanceTable:
        """The chances of all cards, in a file if there is a path."""
        return ChanceTable(self._tables, self._cards, self._values, path)

    def save(self, path: str | Path, header: dict[str, Any]) -> None:
        """Writes one file."""
        store.write(path, header, self._values)


class ValuesOnDisk:
    """The values of a ruleset with saved throws, mapped into memory as far as they are read."""

    def __init__(self, tables: Tables, cards: Cards, pools: Pools, folder: LayerFolder) -> None:
        self.cards = reachable_cards(tables.card, cards, pools)
        self.digest = folder.digest
        self._tables = tables
        self._layout = cards.layout
        self._pools = pools
        self._folder = folder
        self._layers = [folder.map(filled) for filled in range(tables.card.boxes + 1)]

    @property
    def start(self) -> float:
        """The value of the empty card."""
        empty = np.zeros(1, np.int64)
        return float(self.at(empty, self.places(empty, empty, np.zeros(1, np.bool_), empty))[0])

    def places(
        self, filled: NDArray[np.int64], upper: NDArray[np.int64], fifty: NDArray[np.bool_], pool: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Where the values of n cards stand in their layers, -1 for cards that cannot be reached."""
        return find_pool_values(self._tables, self._layout, self._pools, filled, upper, fifty, pool)

    def at(self, filled: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.float64]:
        """The values of n cards."""
        values = np.empty(len(places))
        turns = np.bitwise_count(filled)
        for turn in np.unique(turns):
            values[turns == turn] = self._layers[turn][places[turns == turn]]
        return values

    def action_values(self, now: Situations) -> NDArray[np.float64]:
        """(n, actions) action values of n situations with reachable cards."""
        return saved_action_values(self._tables, self._layout, self._pools, self._layers, now)

    def moments(self) -> Moments:
        """Refused: every size of the pool would have to be followed through the turn by itself."""
        raise SolutionError(_NO_MOMENTS)

    def distribution(self, moments: Moments) -> Distribution:
        """Refused, as `moments` is."""
        raise SolutionError(_NO_MOMENTS)

    def chances(self, path: Path | None) -> ChanceTable:
        """Refused, as `moments` is."""
        raise SolutionError("under saved throws the chances of boxes and bonus are not computed")

    def save(self, path: str | Path, header: dict[str, Any]) -> None:
        """Copies the folder; its header has been written with it."""
        self._folder.copy(path)


Values = ValuesInMemory | ValuesOnDisk
"""What a `Solution` asks."""
