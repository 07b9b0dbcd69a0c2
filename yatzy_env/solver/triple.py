"""A certified interval for games of several columns, whose cards are too many to be solved: Triple Yatzy.

Let s = (s_1, ..., s_C) be a card of C columns of B boxes each, T = C * B turns, m_c the factor of column c, and V(s)
the expected points still to come under best play. Columns follow their rules separately; each turn fills one box of one
column, chosen after the last throw. For a function f of the rolls let E[f] be the largest expectation of f(last roll)
that the keeps of a turn can reach. E is monotone, E[f + a] = E[f] + a for a number a, and E[f + g] <= E[f] + E[g], for
one way of keeping must serve both on the left.

Below. Columns played one after the other are a legal policy, which earns (m_1 + ... + m_C) times the optimum of one
column. That is `lower`, and exact. A better policy (`triple_play`) can only be sampled: `lower_estimate`, with a
standard error.

Above. Let p(t, r) be any numbers: prices for filling a box in turn t with the dice r. A column alone with card s_c, o
open boxes and d passes has the value

    W_c(full, d) = 0,
    W_c(s_c, 0) = E[best(r) - p(t, r)],
    W_c(s_c, d) = E[max(W_c(s_c, d - 1), best(r) - p(t, r))],   t = T - o - d,

where best(r) is the largest of (points and bonus of a legal box for r, times m_c) + W_c(s_c after, d). So it throws
dice of its own in every turn, keeps as it likes, and after the last throw fills a box for the price or lets the turn
pass.

Theorem. For every card s in turn t, with d_c the number of open boxes in the columns other than c,

    V(s) <= sum over u >= t of E[p(u, .)] + sum over c of W_c(s_c, d_c).

`upper` is the right-hand side for the empty card, for prices found by `triple_prices`, or the bound of
`triple_endgame`, which plays the last turns exactly but has a line for the bonus, whichever is lower.

Proof by induction over the open boxes; both sides are 0 for a full card. In turn t let g_c(r) be the most that column c
gives when it is filled: points, bonus and W_c(s_c after, d_c). If column c is filled, every other column that is not
full has one pass less, and it has one to lose, for column c was open. So by the induction hypothesis, with P the sum of
E[p(u, .)] over u > t,

    V(s) <= P + E[max over open c of (g_c(r) + sum over open k other than c of W_k(s_k, d_k - 1))].

If column c alone is open, d_c = 0 and the right-hand side is P + E[g_c] <= P + E[p] + E[g_c - p], which is
P + E[p] + W_c(s_c, 0). Otherwise d_c >= 1 for all open columns. Let h_c(r) = g_c(r) - p(t, r) - W_c(s_c, d_c - 1) be
what it gains column c to be filled. Then the maximum is p(t, r) + sum over open k of W_k(s_k, d_k - 1) + max of h_c(r),
and since the largest h_c is at most the sum of all max(h_c, 0),

    V(s) <= P + E[p + sum of max(h_c, 0)] + sum of W_k(s_k, d_k - 1)
         <= P + E[p] + sum over open c of (E[max(h_c, 0)] + W_c(s_c, d_c - 1)),

and by the definition of W the last bracket is W_c(s_c, d_c).                                                      QED

This is the Lagrangian relaxation of "each turn fills one box", with multipliers that know the dice. A constant price
would change nothing, since every column fills B boxes in the end. Prices by dice are what makes columns compete: they
pay for a yatzy what the other columns would. With p(t, r) = max over the boxes b of (points of b - price of b) the
theorem contains the relaxation by prices on boxes, for then W_c is at most the sum of the column's box prices. What the
relaxation gives away is late in the game: prices know the turn, but not which boxes are still open.

Rounding is far below `ROUNDING`, which is added above and subtracted below.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache as once
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy_env.errors import SolutionError
from yatzy_env.files import read_record, write_record
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.solver import store
from yatzy_env.solver.cost import SECONDS_PER_BOUND
from yatzy_env.solver.layout import lay_out
from yatzy_env.solver.progress import progress_bar
from yatzy_env.solver.solution import solve
from yatzy_env.solver.sweep import sweep_with_passes
from yatzy_env.solver.triple_endgame import endgame_bound, last_turns
from yatzy_env.solver.triple_play import play_games
from yatzy_env.solver.triple_prices import STEPS, best_means, find_prices
from yatzy_env.tables import compile_tables

FORMAT = 1  # goes up whenever another way of computing gives other figures
GAMES = 10_000
SEED = 1
ROUNDING = 1e-6  # points

_MOST_VALUES = 500_000_000  # values of all columns by passes, 4 bytes each
_WORTH_STATING = 10.0  # seconds
_METHOD = (
    "lower: columns one after the other, exact; lower_estimate: lookahead of one turn on the relaxation's values, "
    "sampled; upper: columns set free, with prices by turn and dice, the last turns exactly, a proven relaxation"
)


@dataclass(frozen=True)
class Interval:
    """What is known of the optimum of a ruleset of several columns.

    Attributes:
        rules: the ruleset.
        lower: points that a policy is proved to expect; the optimum is not below it.
        upper: points that no policy can expect more than, proved.
        method: how the three were found, in a line.
        lower_estimate: sampled mean of a better policy, in points; no proof, an estimate.
        lower_estimate_se: its standard error.
        games: games it is the mean of.
        seed: the seed of their dice.
        cpu_seconds: processor time, without compilation.
        seconds: wall-clock time.
        from_cache: whether the figures were read from a file; the times are then those of the work that made it.
    """

    rules: Ruleset
    lower: float
    upper: float
    method: str
    lower_estimate: float
    lower_estimate_se: float
    games: int
    seed: int
    cpu_seconds: float
    seconds: float
    from_cache: bool

    def figures(self) -> dict[str, Any]:
        """All but the ruleset, as JSON values."""
        return {key: value for key, value in asdict(self).items() if key != "rules"}


def interval(
    rules: str | dict[str, Any] | Ruleset,
    *,
    games: int = GAMES,
    seed: int = SEED,
    cache: bool = True,
    cache_dir: str | Path | None = None,
    progress: bool = True,
) -> Interval:
    """Bounds the optimum of a ruleset of several columns from both sides.

    Args:
        rules: a name of the catalogue, a dict of fields or a ruleset; of several columns, without saved throws.
        games: how many games to sample for `lower_estimate`, at least two.
        seed: the seed of their dice.
        cache: whether to use the figures in the cache, and to write them if there are none.
        cache_dir: the cache folder, as for `solve`.
        progress: whether to state the time on stderr before the work starts, and to show progress bars.

    Returns:
        The interval.

    Raises:
        RulesetError: if there is no such ruleset or its fields do not fit.
        SolutionError: if the ruleset has no such interval, or its file in the cache cannot be used.
    """
    rules = ruleset(rules)
    _check_boundable(rules)
    if games < 2 or seed < 0:
        raise SolutionError(f"games = {games}, seed = {seed}; allowed: 2 or more games, a seed of 0 or more")
    path = _cache_file(rules, cache_dir)
    if cache and path.exists():
        found = _read(path, rules)
        if (found.games, found.seed) == (games, seed):
            return found
    single = solve(_column(rules, 1), cache=cache, cache_dir=cache_dir, progress=progress)
    found = _work(rules, single.expected_score, games, seed, progress)
    if cache:
        try:
            _write(path, found)
        except SolutionError as error:  # the answer is there; only the next call has to work again
            warnings.warn(f"the interval is not cached: {error}", RuntimeWarning, stacklevel=2)
    return found


def upper_bound(
    rules: Ruleset,
    prices: NDArray[np.float64],
    *,
    out: NDArray[np.float32] | None = None,
    done: Callable[[int], None] | None = None,
) -> float:
    """The theorem's bound for the empty card, for any prices.

    Args:
        rules: a ruleset of several columns, without saved throws.
        prices: (T, R) points by turn and roll.
        out: (C, T - B + 1, size) float32, receives the values W of the columns by passes left.
        done: called now and then with the number of states solved since.

    Returns:
        Points that no policy can expect more than.
    """
    total = float(sum(best_means(compile_tables(rules), prices))) + ROUNDING
    for column, times in enumerate(rules.columns):
        tables = compile_tables(_column(rules, times))
        values = None if out is None else out[column]
        total += sweep_with_passes(tables, lay_out(tables), prices, out=values, done=done)
    return total


def _work(rules: Ruleset, single: float, games: int, seed: int, progress: bool) -> Interval:
    """Computes an interval, given the optimum of one column."""
    tables, one = compile_tables(rules), compile_tables(_column(rules, 1))
    cards = lay_out(one)
    columns, passes = len(rules.columns), tables.card.boxes - one.card.boxes
    last = last_turns(tables.card.boxes)
    sets = sum(comb(tables.card.boxes, size) for size in range(1, last + 1))
    seconds = (columns * (passes + 1) * cards.layout.size + sets) * SECONDS_PER_BOUND
    _compile_kernels()
    if progress and seconds > _WORTH_STATING:
        text = f"bounding {rules.name}: about {seconds / 60 + 1:.0f} minutes of processor time"
        print(text, file=sys.stderr, flush=True)  # noqa: T201
    wall, cpu = time.perf_counter(), time.process_time()
    values = np.empty((columns, passes + 1, cards.layout.size), np.float32)
    with progress_bar("prices", STEPS, shown=progress) as done:
        prices, shares, _ = find_prices(tables, done=done)
    states = columns * (passes + 1) * len(cards.states)
    with progress_bar("upper bound", states, shown=progress) as done:
        upper = upper_bound(rules, prices, out=values, done=done)
    with progress_bar("last turns", sets, shown=progress) as done:
        upper = min(upper, endgame_bound(tables, one, prices, shares, last, done) + ROUNDING)
    with progress_bar(f"{games} games", games, shown=progress) as done:
        scores, luck = play_games(tables, one, cards.layout, values, games, seed, done)
    sample = scores - luck
    return Interval(
        rules=rules,
        lower=sum(rules.columns) * single - ROUNDING,
        upper=upper,
        method=_METHOD,
        lower_estimate=float(sample.mean()),
        lower_estimate_se=float(sample.std(ddof=1) / np.sqrt(games)),
        games=games,
        seed=seed,
        cpu_seconds=time.process_time() - cpu,
        seconds=time.perf_counter() - wall,
        from_cache=False,
    )


@once
def _compile_kernels() -> None:
    """Compiles the kernels, or loads them from numba's cache, on the smallest of games, so that times leave it out."""
    rules = ruleset({"dice": 2, "boxes": ["ones", "yatzy"], "bonus_threshold": 2, "columns": [1, 1]})
    tables, one = compile_tables(rules), compile_tables(_column(rules, 1))
    layout = lay_out(one).layout
    values = np.empty((2, 3, layout.size), np.float32)
    prices, shares, _ = find_prices(tables, 1)
    endgame_bound(tables, one, prices, shares, 1)
    upper_bound(rules, prices, out=values)
    play_games(tables, one, layout, values, 1, SEED)


def _column(rules: Ruleset, times: int) -> Ruleset:
    """One column of a ruleset on its own."""
    return rules.replace(columns=(times,))


def _check_boundable(rules: Ruleset) -> None:
    reason = ""
    if len(rules.columns) == 1:
        reason = "it has one column and can be solved exactly"
    elif rules.saved_throws:
        reason = "saved throws tie the columns together"
    else:
        cards = lay_out(compile_tables(_column(rules, 1)))
        passes = len(rules.boxes) * (len(rules.columns) - 1)
        values = len(rules.columns) * (passes + 1) * cards.layout.size
        if values > _MOST_VALUES:
            reason = f"its columns have {values:,} values by card and turn, more than {_MOST_VALUES:,}"
    if reason:
        raise SolutionError(f"no interval for ruleset {rules.name!r}: {reason}")


def _cache_file(rules: Ruleset, folder: str | Path | None) -> Path:
    return store.cache_file(rules, folder).with_name(f"{rules.digest[:16]}-v{FORMAT}.interval.json")


def _write(path: Path, found: Interval) -> None:
    contents = {
        "format": FORMAT,
        "version": store.library_version(),
        "ruleset": found.rules.model_dump(mode="json"),
        **found.figures(),
    }
    write_record(path, contents, SolutionError, indent=1)


def _read(path: Path, rules: Ruleset) -> Interval:
    """Reads and checks the figures."""
    advice = "delete the file, or pass --no-cache (cache=False)"
    try:
        contents = read_record(path, SolutionError)
    except SolutionError as error:
        raise SolutionError(f"{error}; {advice}") from error
    try:
        if ruleset(contents.pop("ruleset")).digest != rules.digest or contents.pop("format") != FORMAT:
            raise ValueError("other rules or another format")
        del contents["version"]
        return Interval(rules, **(contents | {"from_cache": True}))
    except (ValueError, TypeError, KeyError) as error:
        raise SolutionError(f"{path} is damaged or no interval of these rules; {advice}") from error
