"""Figures with honest errors: means, their standard errors, intervals and paired differences.

The formulas are scipy's; this module chooses which one, and says what happens at the edges where they have no answer:
one game has no standard error (nan here, null in JSON), and values that never vary have one of exactly zero.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from yatzy_env.errors import YatzyError

CONFIDENCE = 0.95
"""Level of the intervals unless another is asked for."""

RESAMPLES = 2000
"""Resamples of a bootstrap unless another number is asked for."""

_QUARTER = 0.25  # what an interquartile mean leaves out at each end


@cache
def scipy_stats() -> Any:
    """The module `scipy.stats`, which the first figure loads.

    Raises:
        YatzyError: if scipy is not installed.
    """
    try:
        from scipy import stats
    except ImportError as error:
        raise YatzyError("evaluation needs scipy: pip install 'yatzy-env[evaluate]'") from error
    return stats


class Estimate(NamedTuple):
    """A mean over independent games."""

    mean: float
    error: float  # standard error of the mean, nan for a single game
    games: int

    def interval(self, confidence: float = CONFIDENCE) -> tuple[float, float]:
        """The interval of Student's t around the mean; nan at both ends for a single game."""
        if self.games < 2:
            return math.nan, math.nan
        if self.error == 0:
            return self.mean, self.mean
        low, high = scipy_stats().t.interval(confidence, self.games - 1, loc=self.mean, scale=self.error)
        return float(low), float(high)


class Interval(NamedTuple):
    """A figure between the ends of its interval; nan at both ends where there is none."""

    value: float
    low: float
    high: float


class Difference(NamedTuple):
    """How much better the first of two agents did on the same dice."""

    mean: float
    error: float
    low: float  # interval of the mean at `CONFIDENCE`
    high: float
    p_value: float  # chance of a difference this large either way, were there none
    games: int

    def turned(self) -> Difference:
        """The same of the second agent to the first."""
        return self._replace(mean=-self.mean, low=-self.high, high=-self.low)


def estimate(values: ArrayLike) -> Estimate:
    """The mean of independent values and its standard error.

    Args:
        values: (n,) one figure per game, n at least 1.

    Returns:
        The estimate.
    """
    array = _checked(values)
    error = float(scipy_stats().sem(array)) if len(array) > 1 else math.nan
    return Estimate(float(array.mean()), error, len(array))


def paired(first: ArrayLike, second: ArrayLike, confidence: float = CONFIDENCE) -> Difference:
    """Compares two agents game by game. On the same dice their luck largely cancels.

    Args:
        first: (n,) scores, or minus regrets, of one agent.
        second: (n,) those of the other in the same games.
        confidence: level of the interval.

    Returns:
        The mean of `first - second` with its error, interval and p-value (Student's paired t-test).
    """
    left, right = _checked(first), _checked(second)
    if left.shape != right.shape:
        raise ValueError(f"paired values need the same games: {len(left)} and {len(right)} values")
    mean, error, games = estimate(left - right)
    if games < 2:
        return Difference(mean, error, math.nan, math.nan, math.nan, games)
    if _is_constant(left - right):
        return Difference(mean, 0.0, mean, mean, 1.0 if mean == 0 else 0.0, games)
    test = scipy_stats().ttest_rel(left, right)
    interval = test.confidence_interval(confidence)
    return Difference(mean, error, float(interval.low), float(interval.high), float(test.pvalue), games)


def unpaired(first: ArrayLike, second: ArrayLike, confidence: float = CONFIDENCE) -> Interval:
    """Compares two groups of independent values, such as training runs of two algorithms.

    Args:
        first: (n,) one figure per run of one group.
        second: (m,) those of the other.
        confidence: level of the interval.

    Returns:
        The mean of `first` less that of `second` with Welch's interval, which lets the groups vary differently;
        without one, nan, where a group has a single value.
    """
    left, right = _checked(first), _checked(second)
    mean = float(left.mean() - right.mean())
    if min(len(left), len(right)) < 2:
        return Interval(mean, math.nan, math.nan)
    if _is_constant(left) and _is_constant(right):
        return Interval(mean, mean, mean)
    interval = scipy_stats().ttest_ind(left, right, equal_var=False).confidence_interval(confidence)
    return Interval(mean, float(interval.low), float(interval.high))


def rate(count: int, games: int, confidence: float = CONFIDENCE) -> Interval:
    """A share of games with Wilson's interval, which is sound for few games and for shares near 0 and 1.

    Args:
        count: in how many games it happened.
        games: out of how many, at least one.
        confidence: level of the interval.
    """
    found = scipy_stats().binomtest(count, games).proportion_ci(confidence, method="wilson")
    return Interval(count / games, float(found.low), float(found.high))


def interquartile_mean(scores: ArrayLike) -> float:
    """The mean of the middle half of all runs of all tasks; one lucky or failed run hardly moves it.

    Args:
        scores: (tasks, seeds), or any shape, comparable between tasks: in percent of each task's optimum.
    """
    return float(scipy_stats().trim_mean(np.asarray(scores, np.float64), _QUARTER, axis=None))


def probability_of_improvement(first: ArrayLike, second: ArrayLike) -> float:
    """The chance that a run of one algorithm beats one of another, a tie counting half, as a mean over tasks.

    Args:
        first: (tasks, seeds) of one algorithm; the more the better.
        second: (tasks, seeds) of the other.
    """
    left, right = (np.asarray(scores, np.float64) for scores in (first, second))
    over = np.sign(left[:, :, None] - right[:, None, :])
    return float((1 + over).mean() / 2)


def interquartile_mean_interval(
    scores: ArrayLike, seed: int = 0, confidence: float = CONFIDENCE, resamples: int = RESAMPLES
) -> Interval:
    """The interquartile mean over training runs with its `stratified_interval`."""
    return stratified_interval(interquartile_mean, scores, seed=seed, confidence=confidence, resamples=resamples)


def stratified_interval(
    figure: Callable[..., float],
    *scores: ArrayLike,
    seed: int = 0,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
) -> Interval:
    """A figure of training runs, with an interval by stratified bootstrap.

    The runs of every task are drawn again with replacement, each task by itself, so that every resample has as many
    runs of every task as there are. With few seeds such an interval is narrower than it claims: a bootstrap of five
    runs knows five values. It says how much the runs differ, not how a sixth would do.

    Args:
        figure: what is computed of the tables.
        scores: tables (tasks, seeds), one for each argument of the figure: a figure per training run, comparable
            between tasks. One row is one task.
        seed: seed of the resampling; the same seed gives the same interval.
        confidence: level of the interval.
        resamples: how many resamples.

    Returns:
        The point estimate and the percentile interval around it; without one, nan, where tasks have a single seed.

    Raises:
        ValueError: if scores are not tables of finite numbers with at least one row and one column.
    """
    tables = [np.asarray(some, np.float64) for some in scores]
    for table in tables:
        if table.ndim != 2 or not table.size or not np.isfinite(table).all():
            raise ValueError(f"scores must be a table (tasks, seeds) of finite numbers; got shape {table.shape}")
    point = figure(*tables)
    if any(table.shape[1] < 2 for table in tables):
        return Interval(point, math.nan, math.nan)
    if all(_is_constant(row) for table in tables for row in table):
        return Interval(point, point, point)
    ends = np.cumsum([len(table) for table in tables])[:-1]

    def of_rows(*rows: NDArray[np.float64]) -> float:
        return figure(*(np.stack(rows[start:end]) for start, end in pairwise([0, *ends.tolist(), len(rows)])))

    found = (
        scipy_stats()
        .bootstrap(
            tuple(
                row for table in tables for row in table
            ),  # a sample per task, resampled by itself: the stratification
            of_rows,
            n_resamples=resamples,
            vectorized=False,
            confidence_level=confidence,
            method="percentile",  # the others need a jackknife, of which a few runs have too little
            rng=np.random.default_rng(seed),
        )
        .confidence_interval
    )
    return Interval(point, float(found.low), float(found.high))


def deviates(values: ArrayLike, z: float) -> bool:
    """Whether the mean of values is further from zero than chance explains.

    Args:
        values: (n,) independent values; fewer than two never deviate.
        z: the allowed distance in standard errors of a normal distribution. With few values Student's t takes its
            place, at the same chance of a false alarm.

    Returns:
        Whether it deviates.
    """
    array = _checked(values)
    if len(array) < 2:
        return False
    if _is_constant(array):
        return not np.isclose(array[0], 0.0, atol=1e-9)
    return bool(scipy_stats().ttest_1samp(array, 0.0).pvalue < 2 * scipy_stats().norm.sf(z))


def _checked(values: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(values, np.float64)
    if array.ndim != 1 or not len(array):
        raise ValueError(f"values must be one number per game, at least one game; got shape {array.shape}")
    return array


def _is_constant(array: NDArray[np.float64]) -> bool:
    return bool(np.ptp(array) <= 1e-9)
