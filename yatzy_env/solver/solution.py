"""`solve`, and the `Solution` of a ruleset: what every card, situation and action is worth under best play."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache as once
from functools import cached_property, partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from yatzy_env.errors import RulesetError, SituationError, SolutionError
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.situation import Situation, Situations, batch
from yatzy_env.solver import store
from yatzy_env.solver.layout import Cards, find_values, lay_out
from yatzy_env.solver.sweep import sweep
from yatzy_env.solver.turn import action_values
from yatzy_env.tables import compile_tables

_SHOW_AFTER = 1.0  # seconds; shorter work gets no progress bar


class Solution:
    """The exact optimum of one ruleset.

    All values are expected points still to come, those of the action itself included, bonuses included, the score so
    far left out. They are computed in float64 and agree to about 1e-12 with exact arithmetic.

    Attributes:
        rules: the ruleset.
        cards: how many cards can be reached (filled boxes, upper sum capped at the bonus threshold and, under an extra
            yatzy bonus, whether the yatzy box holds points), full ones included.
        cpu_seconds: processor time of the sweep, all threads together, without compilation.
        seconds: its wall-clock time.
        from_cache: whether the values were read from a file; the two times are then those of the sweep that made it.
    """

    def __init__(
        self,
        rules: Ruleset,
        cards: Cards,
        values: NDArray[np.float64],
        *,
        cpu_seconds: float,
        seconds: float,
        from_cache: bool,
    ) -> None:
        self.rules = rules
        self.cards = cards.reachable
        self.cpu_seconds = cpu_seconds
        self.seconds = seconds
        self.from_cache = from_cache
        self._tables = compile_tables(rules)
        self._layout = cards.layout
        self._values = values

    def __repr__(self) -> str:
        """The ruleset and its optimum."""
        return f"<Solution of {self.rules.name!r}: {self.expected_score:.10f}>"

    @property
    def expected_score(self) -> float:
        """The expected score of a game under best play."""
        return float(self.card_values([0], [0], [False])[0])

    @cached_property
    def digest(self) -> str:
        """A SHA-256 over the values."""
        return store.values_digest(self._values)

    def card_values(self, filled: ArrayLike, upper: ArrayLike, fifty: ArrayLike = False) -> NDArray[np.float64]:
        """The values of cards at the start of a turn.

        Args:
            filled: (n,) bits of the filled boxes.
            upper: (n,) upper sums, counted on beyond the threshold.
            fifty: (n,) whether the yatzy box holds points; only under rules with an extra yatzy bonus.

        Returns:
            (n,) float64 expected points still to come, 0 for a full card.

        Raises:
            SituationError: if a card cannot be reached.
        """
        shape = np.broadcast_shapes(np.shape(filled), np.shape(upper), np.shape(fifty))
        arrays = [
            np.ascontiguousarray(np.broadcast_to(np.asarray(given, kind), shape)).ravel()
            for given, kind in ((filled, np.int64), (upper, np.int64), (fifty, np.bool_))
        ]
        return self._values[self._places(*arrays)].reshape(shape)

    def action_values(self, situation: Situation) -> NDArray[np.float64]:
        """What each action is worth.

        Args:
            situation: the situation.

        Returns:
            (actions,) float64, nan where the action is illegal; all nan on a full card.

        Raises:
            SituationError: if the situation cannot arise.
        """
        return self._action_values(batch(self.rules, [situation]))[0]

    def batch_action_values(self, situations: Situations) -> NDArray[np.float64]:
        """What each action is worth in each of n situations.

        Args:
            situations: the situations.

        Returns:
            (n, actions) float64, nan where the action is illegal; all nan on a full card.

        Raises:
            SituationError: if a card cannot be reached, or roll or throws_left are out of range.
        """
        tables = self._tables
        n = len(situations.filled)
        shapes = [values.shape for values in situations]
        if shapes != [(n,), (n, 1), (n,), (n,), (n,)]:
            raise SituationError(f"a batch of {n} situations has arrays of shapes {shapes}; see Situations")
        now = Situations(*(np.ascontiguousarray(values, kind) for values, kind in zip(situations, _KINDS, strict=True)))
        self._places(now.filled, now.upper[:, 0], now.fifty)
        bounds = (("roll", now.roll, -1, tables.rolls - 1), ("throws_left", now.throws_left, 0, tables.throws - 1))
        for name, values, low, high in bounds:
            if n and not low <= values.min() <= values.max() <= high:
                raise SituationError(f"{name} must lie in {low}..{high}, got {values.min()}..{values.max()}")
        if np.any((now.roll < 0) != (now.filled == tables.card.all_boxes)):
            raise SituationError("roll must be -1 on full cards and on no others")
        return self._action_values(now)

    def value(self, situation: Situation) -> float:
        """What a situation is worth: the value of its best action, 0 on a full card.

        Raises:
            SituationError: if the situation cannot arise.
        """
        values = self.action_values(situation)
        return 0.0 if np.isnan(values).all() else float(np.nanmax(values))

    def regret(self, situation: Situation, action: int) -> float:
        """How much less than the best action an action is worth.

        Args:
            situation: the situation.
            action: an index of the action space.

        Returns:
            The expected points given away, 0 for a best action, nan for an illegal one.

        Raises:
            SituationError: if the situation cannot arise.
            IndexError: if the action is outside the action space.
        """
        if not 0 <= action < self._tables.actions:
            raise IndexError(f"action {action} does not exist; allowed: 0 to {self._tables.actions - 1}")
        values = self.action_values(situation)
        if np.isnan(values[action]):
            return float("nan")
        return float(np.nanmax(values) - values[action])

    def save(self, path: str | Path) -> None:
        """Writes the solution to one file, replacing it in one step.

        Args:
            path: the file; missing folders are made.

        Raises:
            SolutionError: if it cannot be written.
        """
        header = {
            "ruleset": self.rules.model_dump(mode="json"),
            "version": _library_version(),
            "expected_score": self.expected_score,
            "cards": self.cards,
            "cpu_seconds": self.cpu_seconds,
            "seconds": self.seconds,
            "values_sha256": self.digest,
        }
        store.write(path, header, self._values)

    @staticmethod
    def load(path: str | Path) -> Solution:
        """Reads a solution that `save` wrote, and checks all of it.

        Args:
            path: the file.

        Returns:
            The solution.

        Raises:
            SolutionError: if the file is missing, damaged, of another format or no solution.
        """
        header, values = store.read(path)
        try:
            rules = ruleset(header["ruleset"])
            times = {key: float(header[key]) for key in ("cpu_seconds", "seconds")}
            claimed = (header["cards"], header["expected_score"])
        except (KeyError, TypeError, RulesetError) as error:
            raise SolutionError(f"{path} is damaged or not a solution") from error
        _check_solvable(rules)
        cards = lay_out(compile_tables(rules))
        if len(values) != cards.layout.size:
            raise SolutionError(f"{path} holds {len(values)} values where its ruleset has {cards.layout.size}")
        solution = Solution(rules, cards, values, **times, from_cache=True)
        if claimed != (solution.cards, solution.expected_score):
            raise SolutionError(f"{path} is damaged: its figures do not match its values")
        return solution

    def _places(
        self, filled: NDArray[np.int64], upper: NDArray[np.int64], fifty: NDArray[np.bool_]
    ) -> NDArray[np.int64]:
        """Where the values of cards stand; refuses cards that cannot be reached."""
        places = find_values(self._tables, self._layout, filled, np.ascontiguousarray(upper), fifty)
        wrong = np.flatnonzero((places < 0) | (upper < 0))
        if len(wrong):
            card = wrong[0]
            raise SituationError(
                f"card {card}: filled = {filled[card]}, upper = {upper[card]}, fifty = {fifty[card]} cannot be reached "
                f"under ruleset {self.rules.name!r}"
            )
        return places

    def _action_values(self, now: Situations) -> NDArray[np.float64]:
        return action_values(self._tables, self._layout, self._values, now)


_KINDS = (np.int64, np.int64, np.bool_, np.int64, np.int64)


def solve(
    rules: str | dict[str, Any] | Ruleset,
    *,
    cache: bool = True,
    cache_dir: str | Path | None = None,
    progress: bool = True,
) -> Solution:
    """Finds the best play of a ruleset exactly.

    Args:
        rules: a name of the catalogue, a dict of fields or a ruleset; one column, no saved throws.
        cache: whether to use the solution's file in the cache, and to write it if there is none.
        cache_dir: the cache folder; if not given the environment variable YATZY_ENV_CACHE, else the user's cache.
        progress: whether to show a progress bar on stderr when the work takes more than a second.

    Returns:
        The solution.

    Raises:
        RulesetError: if there is no such ruleset or its fields do not fit.
        SolutionError: if the ruleset cannot be solved, or its file in the cache cannot be used.
    """
    rules = ruleset(rules)
    _check_solvable(rules)
    path = store.cache_file(rules, cache_dir)
    if cache and path.exists():
        return _from_cache(rules, path)
    solution = _sweep(rules, progress)
    if cache:
        try:
            solution.save(path)
        except SolutionError as error:  # the answer is there; only the next call has to work again
            warnings.warn(f"the solution is not cached: {error}", RuntimeWarning, stacklevel=2)
    return solution


def _from_cache(rules: Ruleset, path: Path) -> Solution:
    """Reads a solution from the cache, under the name the caller uses."""
    try:
        solution = Solution.load(path)
        if solution.rules.digest != rules.digest:
            raise SolutionError(f"{path} holds the solution of other rules")
    except SolutionError as error:
        raise SolutionError(f"{error}; delete the file, or pass --no-cache (cache=False)") from error
    solution.rules = rules
    return solution


def _check_solvable(rules: Ruleset) -> None:
    reasons = []
    if len(rules.columns) > 1:
        reasons.append(f"{len(rules.columns)} columns have too many cards, one column can be solved")
    if rules.saved_throws:
        reasons.append("saved throws are not supported")
    if reasons:
        raise SolutionError(f"ruleset {rules.name!r} cannot be solved exactly: {'; '.join(reasons)}")


def _sweep(rules: Ruleset, progress: bool) -> Solution:
    _compile_kernels()
    tables = compile_tables(rules)
    wall, cpu = time.perf_counter(), time.process_time()
    cards = lay_out(tables)
    with _progress_bar(f"solving {rules.name}", len(cards.states) if progress else 0) as done:
        values = sweep(tables, cards, done=done)
    return Solution(
        rules,
        cards,
        values,
        cpu_seconds=time.process_time() - cpu,
        seconds=time.perf_counter() - wall,
        from_cache=False,
    )


@once
def _compile_kernels() -> None:
    """Compiles the kernels, or loads them from numba's cache, on the smallest of games, so that times leave it out."""
    tables = compile_tables(ruleset({"dice": 2, "boxes": ["ones", "yatzy"], "bonus_threshold": 2}))
    sweep(tables, lay_out(tables), threads=1)


@contextmanager
def _progress_bar(text: str, total: int) -> Iterator[Callable[[int], None]]:
    """A progress bar on stderr that appears once there is something to wait for; never where `total` is 0."""
    with ExitStack() as stack:
        start = time.perf_counter()
        worked = 0
        advance: Callable[[float], None] | None = None

        def done(count: int) -> None:
            nonlocal worked, advance
            worked += count
            if advance is not None:
                advance(count)
            elif total and time.perf_counter() - start > _SHOW_AFTER:
                from rich.console import Console
                from rich.progress import Progress

                bar = stack.enter_context(Progress(console=Console(stderr=True), transient=True))
                advance = partial(bar.advance, bar.add_task(text, total=total, completed=worked))

        yield done


@once
def _library_version() -> str:
    try:
        return version("yatzy-env")
    except PackageNotFoundError:
        return "unknown"
