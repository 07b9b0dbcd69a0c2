"""The chances behind a decision: bonus, extra bonus and every box, under best play from an action on.

They are found once for all cards, see `expectations`, and kept beside the solution: 16 bits per chance, which rounds
them by at most 1/131070, and of the boxes those that are still open. One turn is then followed from its action exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from yatzy_env import files
from yatzy_env.card import is_joker
from yatzy_env.errors import SolutionError
from yatzy_env.games import gains
from yatzy_env.rules import Ruleset
from yatzy_env.situation import Situations
from yatzy_env.solver import store
from yatzy_env.solver.expectations import BONUS, EXTRA, FIRST_BOX, follow_layers
from yatzy_env.solver.layout import Cards, find_values
from yatzy_env.tables import Tables
from yatzy_env.turn import cards_of, end_chances, end_kinds, list_ends

FORMAT = 2  # goes up with every change of the file
_SCALE = 65535


def can_have_chances(rules: Ruleset) -> bool:
    """Whether `Solution.chances` is there for a ruleset: for one column without saved throws."""
    return len(rules.columns) == 1 and not rules.saved_throws


def chances_file(rules: Ruleset, folder: str | Path | None = None) -> Path:
    """The file in which the chances of a ruleset are cached; the arguments are those of `store.cache_file`."""
    return store.cache_file(rules, folder).with_name(f"{rules.digest[:16]}-chances-v{FORMAT}.npy")


def has_chances(rules: Ruleset, cache_dir: str | Path | None = None) -> bool:
    """Whether the cache holds the chances of a ruleset, by the name of the file alone.

    Args:
        rules: the ruleset.
        cache_dir: the cache folder, as for `solve`.
    """
    return can_have_chances(rules) and chances_file(rules, cache_dir).exists()


class ChanceTable:
    """The chances of all cards of a ruleset.

    Cards stand in the order of the layout, each with the chance of the bonus and of the extra bonus, where the
    rules have them, and then those of its open boxes in sheet order.
    """

    def __init__(self, tables: Tables, cards: Cards, values: NDArray[np.float64], path: Path | None) -> None:
        """Nothing is computed or read yet; the chances of `path` None stay in memory."""
        card = tables.card
        self._tables = tables
        self._cards = cards
        self._values = values
        self._path = path
        self._always = [row for row, points in ((BONUS, card.bonus_points), (EXTRA, card.extra_yatzy_bonus)) if points]
        self._starts = cards.starts
        self._widths = len(self._always) + np.arange(card.boxes + 1)
        self._begin = np.concatenate([[0], np.cumsum(np.diff(self._starts) * self._widths)])
        self._content: NDArray[np.uint16] | None = None

    @property
    def work(self) -> int:
        """How many states `find` has to do with."""
        return self._cards.open_states

    @property
    def is_ready(self) -> bool:
        """Whether the chances are known; their file is opened if it is there. One that is damaged is none."""
        if self._content is None and self._path is not None:
            with suppress(SolutionError):
                content = files.read_npy(self._path, SolutionError)
                if content.dtype == np.uint16 and content.shape == (self._begin[-1],):
                    self._content = content
        return self._content is not None

    def find(self, threads: int | None = None, done: Callable[[int], None] | None = None) -> None:
        """Finds the chances; a file that cannot be written raises a SolutionError."""
        size = int(self._begin[-1])
        if self._path is None:
            content = np.zeros(size, np.uint16)
            self._fill(content, threads, done)
            self._content = content
            return
        with files.replacing_npy(self._path, (size,), np.uint16, SolutionError) as content:
            self._fill(content, threads, done)
        self._content = files.read_npy(self._path, SolutionError)

    def _fill(self, content: NDArray[np.uint16], threads: int | None, done: Callable[[int], None] | None) -> None:
        boxes = self._tables.card.all_boxes
        layers = follow_layers(
            self._tables, self._cards, self._values, boxes, points=False, dtype=np.float32, threads=threads, done=done
        )
        for still_open, (_, chances) in enumerate(layers):
            begin, end = self._begin[still_open : still_open + 2]
            layer = content[begin:end].reshape(chances.shape[1], self._widths[still_open])
            for column, row in enumerate([*self._always, *range(FIRST_BOX, FIRST_BOX + still_open)]):
                layer[:, column] = np.rint(np.clip(chances[row], 0.0, 1.0) * _SCALE)

    def of_cards(
        self, filled: NDArray[np.int64], upper: NDArray[np.int64], yatzy_scored: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """The chances of cards at the start of a turn.

        Args:
            filled: (n,) bits of the filled boxes.
            upper: (n,) upper sums.
            yatzy_scored: (n,) whether the yatzy box holds points, as far as the rules ask.

        Returns:
            (n, B + 2) that each box is still filled with points, 0 if it is filled; that the bonus is earned in the
            end, and the extra bonus paid from now on, 0 where the rules have none. 0 for cards that cannot be reached.
        """
        boxes = self._tables.card.boxes
        place = find_values(self._tables, self._cards.layout, filled, upper, yatzy_scored)
        still_open = boxes - np.bitwise_count(filled).astype(np.int64)
        at = self._begin[still_open] + (place - self._starts[still_open]) * self._widths[still_open]
        known, content = place >= 0, self._content
        if content is None:
            raise SolutionError("the chances have not been found yet")
        out = np.zeros((len(filled), boxes + 2))
        for row in self._always:
            out[known, boxes + row] = content[at[known]]
            at += 1
        for box in range(boxes):
            is_open = (filled >> box) & 1 == 0
            out[known & is_open, box] = content[at[known & is_open]]
            at += is_open
        return out / _SCALE

    def of_actions(self, now: Situations) -> NDArray[np.float64]:
        """The chances after each action of one situation.

        Args:
            now: the situation.

        Returns:
            (actions, B + 2) as `of_cards`, what the action itself brings included, nan where it is illegal.
        """
        tables, kinds = self._tables, end_kinds(self._tables)
        out = np.full((tables.actions, tables.card.boxes + 2), np.nan)
        roll, left = int(now.roll[0]), int(now.throws_left[0])
        if roll < 0:
            return out
        cards = cards_of(tables, now._replace(throws_left=np.zeros(1, np.int64)))
        ends = list_ends(tables, cards, np.zeros(1, np.int64))
        after = ends.after.filled, ends.after.upper[:, 0], ends.after.yatzy_scored
        chances = self.of_cards(*after)
        chances[np.arange(len(ends.kind)), kinds.box[ends.kind]] = kinds.points[ends.kind] > 0
        chances[kinds.extra[ends.kind] > 0, tables.card.boxes + EXTRA] = 1.0
        legal = np.flatnonzero(gains(tables, now)[0] >= 0)
        joker = is_joker(tables.card, now.filled[0], tables.alike[roll])
        kind = kinds.of[int(now.yatzy_scored[0]), int(joker), legal, roll]
        out[tables.keeps + legal] = chances[np.searchsorted(ends.kind, kind)]
        if left > 0:
            keeps = np.flatnonzero(tables.within[roll] == 1)
            places = find_values(tables, self._cards.layout, *after)
            values = ends.gain + np.where(places >= 0, self._values[places], -np.inf)
            turns = list_ends(tables, cards.take(np.zeros(len(keeps), np.intp)), np.full(len(keeps), left - 1))
            likely = end_chances(tables, turns, np.tile(values, len(keeps)), keeps)
            out[keeps] = likely.reshape(len(keeps), -1) @ chances
        return out
