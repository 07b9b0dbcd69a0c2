"""Figures with honest errors: means, their standard errors, intervals and paired differences.

The formulas are scipy's; this module chooses which one, and says what happens at the edges where they have no answer:
one game has no standard error (nan here, null in JSON), and values that never vary have one of exactly zero.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

CONFIDENCE = 0.95
"""Level of the intervals unless another is asked for."""


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
        low, high = stats.t.interval(confidence, self.games - 1, loc=self.mean, scale=self.error)
        return float(low), float(high)


class Difference(NamedTuple):
    """How much better the first of two agents did on the same dice."""

    mean: float
    error: float
    low: float  # interval of the mean at `CONFIDENCE`
    high: float
    p_value: float  # chance of a difference this large either way, were there none
    games: int


def estimate(values: ArrayLike) -> Estimate:
    """The mean of independent values and its standard error.

    Args:
        values: (n,) one figure per game, n at least 1.

    Returns:
        The estimate.
    """
    array = _checked(values)
    error = float(stats.sem(array)) if len(array) > 1 else math.nan
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
    test = stats.ttest_rel(left, right)
    interval = test.confidence_interval(confidence)
    return Difference(mean, error, float(interval.low), float(interval.high), float(test.pvalue), games)


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
    return bool(stats.ttest_1samp(array, 0.0).pvalue < 2 * stats.norm.sf(z))


def _checked(values: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(values, np.float64)
    if array.ndim != 1 or not len(array):
        raise ValueError(f"values must be one number per game, at least one game; got shape {array.shape}")
    return array


def _is_constant(array: NDArray[np.float64]) -> bool:
    return bool(np.ptp(array) <= 1e-9)
