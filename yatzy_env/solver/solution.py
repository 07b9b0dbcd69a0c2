"""`solve`, and the `Solution` of a ruleset: what every card, situation and action is worth under best play."""

from __future__ import annotations

import time
import warnings
from functools import cache as once
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from yatzy_env.errors import RulesetError, SituationError, SolutionError
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.situation import Situation, Situations, batch
from yatzy_env.solver import store
from yatzy_env.solver.chances import ChanceTable, can_have_chances, chances_file
from yatzy_env.solver.cost import check_solvable
from yatzy_env.solver.distribution import Distribution, find_distribution
from yatzy_env.solver.expectations import Moments, moments_of
from yatzy_env.solver.layers import HEADER, LayerFolder, is_finished, read_header
from yatzy_env.solver.layout import lay_out
from yatzy_env.solver.progress import OnProgress, progress_bar
from yatzy_env.solver.saved_solve import open_values, solve_saved
from yatzy_env.solver.sweep import sweep
from yatzy_env.solver.values import Values
from yatzy_env.tables import compile_tables


class Solution:
    """The exact optimum of one ruleset.

    All values are expected points still to come, those of the action itself included, bonuses included, the score so
    far left out. They are computed in float64 and agree to about 1e-12 with exact arithmetic.

    >>> from yatzy_env import Situation, action_names
    >>> rules = ruleset({"dice": 2, "boxes": ["sixes", "yatzy", "chance"], "bonus_points": 0, "throws": 2})
    >>> solution = solve(rules, cache=False)
    >>> round(solution.expected_score, 4)
    45.8352
    >>> situation = Situation(filled=0b100, upper=(0,), roll=(3, 3), throws_left=1)  # chance is filled
    >>> names = action_names(rules)
    >>> values = solution.action_values(situation)
    >>> names[int(np.nanargmax(values))], round(solution.regret(situation, names.index("keep 3")), 4)
    ('score yatzy', 30.9907)
    >>> sixes, yatzy, chance, bonus, extra = solution.chances(situation)[names.index("score yatzy")]
    >>> round(float(sixes), 3), float(yatzy)
    (0.518, 1.0)

    Attributes:
        rules: the ruleset.
        cards: how many cards can be reached (filled boxes, upper sum capped at the bonus threshold, under an extra
            yatzy bonus whether the yatzy box holds points, and under saved throws the pool), full ones included.
        cpu_seconds: processor time of the sweep, all threads together, without compilation.
        seconds: its wall-clock time; under saved throws with writing the layers, summed up over interruptions.
        from_cache: whether the values were read from a file; the two times are then those of the sweep that made it.
    """

    def __init__(
        self,
        rules: Ruleset,
        values: Values,
        *,
        cpu_seconds: float,
        seconds: float,
        from_cache: bool,
    ) -> None:
        self.rules = rules
        self.cards = values.reachable
        self.cpu_seconds = cpu_seconds
        self.seconds = seconds
        self.from_cache = from_cache
        self._tables = compile_tables(rules)
        self._values = values
        self._chances_path: Path | None = None

    def __repr__(self) -> str:
        """The ruleset and its optimum."""
        return f"<Solution of {self.rules.name!r}: {self.expected_score:.10f}>"

    @property
    def expected_score(self) -> float:
        """The expected score of a game under best play."""
        return self._values.start

    @cached_property
    def digest(self) -> str:
        """A SHA-256 over the values."""
        return self._values.digest

    def card_values(
        self, filled: ArrayLike, upper: ArrayLike, yatzy_scored: ArrayLike = False, pool: ArrayLike = 0
    ) -> NDArray[np.float64]:
        """The values of cards at the start of a turn.

        Args:
            filled: (n,) bits of the filled boxes.
            upper: (n,) upper sums, counted on beyond the threshold.
            yatzy_scored: (n,) whether the yatzy box holds points; only under rules with an extra yatzy bonus.
            pool: (n,) throws saved in earlier turns; only under rules with saved throws.

        Returns:
            (n,) float64 expected points still to come, 0 for a full card.

        Raises:
            SituationError: if a card cannot be reached.
        """
        shape = np.broadcast_shapes(*(np.shape(given) for given in (filled, upper, yatzy_scored, pool)))
        arrays = [
            np.ascontiguousarray(np.broadcast_to(np.asarray(given, kind), shape)).ravel()
            for given, kind in ((filled, np.int64), (upper, np.int64), (yatzy_scored, np.bool_), (pool, np.int64))
        ]
        return self._values.at(arrays[0], self._places(*arrays)).reshape(shape)

    def action_values(self, situation: Situation) -> NDArray[np.float64]:
        """What each action is worth.

        Args:
            situation: the situation.

        Returns:
            (actions,) float64, nan where the action is illegal; all nan on a full card.

        Raises:
            SituationError: if the situation cannot arise.
        """
        return self._values.action_values(batch(self.rules, [situation]))[0]

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
        self._places(now.filled, now.upper[:, 0], now.yatzy_scored, np.zeros(n, np.int64))
        turns = 1 + np.bitwise_count(now.filled).astype(np.int64) if tables.saved_throws else np.ones(n, np.int64)
        _check_range("roll", now.roll, -1, np.full(n, tables.rolls - 1))
        _check_range("throws_left", now.throws_left, 0, turns * (tables.throws - 1))
        if np.any((now.roll < 0) != (now.filled == tables.card.all_boxes)):
            raise SituationError("roll must be -1 on full cards and on no others")
        return self._values.action_values(now)

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

    def moments(self) -> Moments:
        """Mean, standard deviation, bonus and yatzy rate of the final score under optimal play.

        Ties within 1e-9 go to the lowest action index. Yatzy takes seconds, Maxi Yatzy minutes; the result is kept.

        Raises:
            SolutionError: under saved throws, where they are not computed.
        """
        return self._moments

    def distribution(self) -> Distribution:
        """The exact distribution of the final score under optimal play, ties as in `moments`; the result is kept.

        Raises:
            SolutionError: if the ruleset has too many cards (Maxi Yatzy in any order), or under saved throws.
        """
        return self._distribution

    @cached_property
    def _moments(self) -> Moments:
        return moments_of(self._tables, self._values.cards, self._values.whole(_NO_MOMENTS))

    @cached_property
    def _distribution(self) -> Distribution:
        moments = self.moments()
        found = find_distribution(self._tables, self._values.cards, self._values.whole(_NO_MOMENTS))
        return Distribution(found, moments.bonus_rate, moments.yatzy_rate)

    @cached_property
    def _chance_table(self) -> ChanceTable:
        values = self._values.whole("under saved throws the chances of boxes and bonus are not computed")
        return ChanceTable(self._tables, self._values.cards, values, self._chances_path)

    @property
    def has_chances(self) -> bool:
        """Whether `chances` can answer at once."""
        return can_have_chances(self.rules) and self._chance_table.is_ready

    def prepare_chances(
        self, *, progress: bool = True, threads: int | None = None, on_progress: OnProgress | None = None
    ) -> None:
        """Finds what `chances` has to know of all cards, unless it is there: seconds for Yatzy, minutes for Maxi Yatzy.

        It is written beside a solution that is cached, 2 bytes for each card and open box, else kept in memory.

        Args:
            progress: whether to show a progress bar on stderr when the work takes more than a second.
            threads: how many threads work, one per core if not given.
            on_progress: called in this thread with the share of the work that is done.

        Raises:
            SolutionError: under saved throws, or if the file cannot be written.
        """
        if not self._chance_table.is_ready:
            with progress_bar("chances", self._chance_table.work, shown=progress, on_progress=on_progress) as done:
                self._chance_table.find(threads, done)

    def chances(self, situation: Situation) -> NDArray[np.float64]:
        """How likely boxes, bonus and extra bonus are in the end, under best play after each action.

        The first call finds what has to be known of all cards, as `prepare_chances` does.

        Args:
            situation: the situation.

        Returns:
            (actions, boxes + 2) float64, nan where the action is illegal: for each box that is open the chance that
            points will be written in it, 0 for a filled one; then the chance that the bonus is earned in the end; then
            the chance that an extra bonus is paid from now on. 0 where the rules have none. Chances of later turns are
            rounded by 1/131070 at the most.

        Raises:
            SituationError: if the situation cannot arise.
            SolutionError: under saved throws, or if the file cannot be written.
        """
        now = batch(self.rules, [situation])
        self._places(now.filled, now.upper[:, 0], now.yatzy_scored, np.zeros(1, np.int64))
        self.prepare_chances()
        return self._chance_table.of_actions(now)

    def save(self, path: str | Path) -> None:
        """Writes the solution to one file, replacing it in one step; under saved throws copies it to a folder.

        Args:
            path: the file, or the folder; missing folders are made.

        Raises:
            SolutionError: if it cannot be written.
        """
        header = {
            "ruleset": self.rules.model_dump(mode="json"),
            "version": store.library_version(),
            "expected_score": self.expected_score,
            "cards": self.cards,
            "cpu_seconds": self.cpu_seconds,
            "seconds": self.seconds,
            "values_sha256": self.digest,
        }
        self._values.save(path, header)

    @staticmethod
    def load(path: str | Path) -> Solution:
        """Reads a solution that `save` wrote, and checks all of it.

        Args:
            path: the file, or under saved throws the folder, whose values are read as they are needed.

        Returns:
            The solution.

        Raises:
            SolutionError: if the file is missing, damaged, of another format or no solution.
        """
        if (Path(path) / HEADER).is_file():
            return _load_folder(Path(path))
        header, values = store.read(path)
        try:
            rules = ruleset(header["ruleset"])
            times = {key: float(header[key]) for key in ("cpu_seconds", "seconds")}
            claimed = (header["cards"], header["expected_score"])
        except (KeyError, TypeError, RulesetError) as error:
            raise SolutionError(f"{path} is damaged or not a solution") from error
        check_solvable(rules)
        cards, expected_score = claimed
        if not isinstance(cards, int) or not len(values) or expected_score != values[-1]:
            raise SolutionError(f"{path} is damaged: its figures do not match its values")
        return Solution(rules, Values(compile_tables(rules), values, cards), **times, from_cache=True)

    def _places(
        self,
        filled: NDArray[np.int64],
        upper: NDArray[np.int64],
        yatzy_scored: NDArray[np.bool_],
        pool: NDArray[np.int64],
    ) -> NDArray[np.int64]:
        """Where the values of cards stand; refuses cards that cannot be reached."""
        places = self._values.places(filled, np.ascontiguousarray(upper), yatzy_scored, pool)
        wrong = np.flatnonzero((places < 0) | (upper < 0))
        if len(wrong):
            card = wrong[0]
            saved = f", pool = {pool[card]}" if pool[card] else ""
            raise SituationError(
                f"card {card}: filled = {filled[card]}, upper = {upper[card]}, yatzy_scored = {yatzy_scored[card]}"
                f"{saved} cannot be reached under ruleset {self.rules.name!r}"
            )
        return places


_NO_MOMENTS = "under saved throws the spread of the final score is not computed exactly; estimate it by playing games"
_KINDS = (np.int64, np.int64, np.bool_, np.int64, np.int64)


def _check_range(name: str, values: NDArray[np.int64], low: int, high: NDArray[np.int64]) -> None:
    wrong = np.flatnonzero((values < low) | (values > high))
    if len(wrong):
        first = wrong[0]
        raise SituationError(f"{name} must lie in {low}..{high[first]}, got {values[first]} in situation {first}")


def solve(
    rules: str | dict[str, Any] | Ruleset,
    *,
    cache: bool = True,
    cache_dir: str | Path | None = None,
    progress: bool = True,
    threads: int | None = None,
    on_progress: OnProgress | None = None,
) -> Solution:
    """Finds the best play of a ruleset exactly.

    With V(card) the expected points still to come at the start of a turn, V of a full card is 0. In a turn, let a roll
    be worth S = max over the legal boxes of (points + bonus that falls + V of the card after) once it stops; a keep is
    worth the mean over six faces of the keep with that die added; and a roll with throws left is worth the larger of S
    and its best keep. V(card) is the mean over the first roll. Cards with b open boxes need those with b - 1 alone, so
    one sweep over b = 1, 2, ... solves the game; docs/solver.md has what makes it fast.

    >>> round(solve("forced", cache=False).expected_score, 6)
    150.216797

    Under saved throws the values, 6.3 GB for `maxi-alga`, are written to disk layer by layer and stay there. A call
    that was interrupted is continued by the next one after the last finished layer; of several at the same time one
    works and the others wait for it. Without the cache they go to a folder of their own among the system's temporary
    files (TMPDIR), and are removed with the solution.

    Args:
        rules: a name of the catalogue, a dict of fields or a ruleset; of one column.
        cache: whether to use the solution's file in the cache, and to write it if there is none.
        cache_dir: the cache folder; if not given the environment variable YATZY_ENV_CACHE, else the user's cache.
        progress: whether to show a progress bar on stderr when the work takes more than a second, and to state the
            disk it takes before it starts.
        threads: how many threads work, one per core if not given; the values do not depend on it.
        on_progress: called in this thread with the share of the work that is done; what it raises ends the work.

    Returns:
        The solution.

    Raises:
        RulesetError: if there is no such ruleset or its fields do not fit.
        SolutionError: if the ruleset cannot be solved, its file in the cache cannot be used, or the disk is too full.
    """
    rules = ruleset(rules)
    check_solvable(rules)
    path = store.cache_file(rules, cache_dir)
    if rules.saved_throws:
        values, folder, found = solve_saved(rules, path if cache else None, progress, threads, on_progress)
        return _of_folder(rules, values, folder, from_cache=found)
    if cache and path.exists():
        solution = _from_cache(rules, path)
        solution._chances_path = chances_file(rules, cache_dir)
        return solution
    solution = _sweep(rules, progress, threads, on_progress)
    if cache:
        try:
            solution.save(path)
            solution._chances_path = chances_file(rules, cache_dir)
        except SolutionError as error:  # the answer is there; only the next call has to work again
            warnings.warn(f"the solution is not cached: {error}", RuntimeWarning, stacklevel=2)
    return solution


def is_cached(rules: Ruleset, cache_dir: str | Path | None = None) -> bool:
    """Whether the cache holds a finished solution of a ruleset. Nothing but its name or header is looked at.

    Args:
        rules: the ruleset.
        cache_dir: the cache folder, as for `solve`.
    """
    path = store.cache_file(rules, cache_dir)
    return is_finished(path) if rules.saved_throws else path.exists()


def _load_folder(path: Path) -> Solution:
    fields, _ = read_header(path)
    try:
        rules = ruleset(fields)
    except RulesetError as error:
        raise SolutionError(f"{path} is damaged or not a solution") from error
    check_solvable(rules)
    values, folder = open_values(path, rules)
    return _of_folder(rules, values, folder, from_cache=True)


def _of_folder(rules: Ruleset, values: Values, folder: LayerFolder, *, from_cache: bool) -> Solution:
    times = {key: folder.total(key) for key in ("cpu_seconds", "seconds")}
    return Solution(rules, values, **times, from_cache=from_cache)


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


def _sweep(rules: Ruleset, progress: bool, threads: int | None, on_progress: OnProgress | None) -> Solution:
    _compile_kernels()
    tables = compile_tables(rules)
    wall, cpu = time.perf_counter(), time.process_time()
    cards = lay_out(tables)
    work = cards.open_states
    with progress_bar(f"solving {rules.name}", work, shown=progress, on_progress=on_progress) as done:
        values = sweep(tables, cards, threads, done)
    return Solution(
        rules,
        Values(tables, values, cards.reachable, cards),
        cpu_seconds=time.process_time() - cpu,
        seconds=time.perf_counter() - wall,
        from_cache=False,
    )


@once
def _compile_kernels() -> None:
    """Compiles the kernels, or loads them from numba's cache, on the smallest of games, so that times leave it out."""
    tables = compile_tables(ruleset({"dice": 2, "boxes": ["ones", "yatzy"], "bonus_threshold": 2}))
    sweep(tables, lay_out(tables), threads=1)
