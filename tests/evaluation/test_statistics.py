from __future__ import annotations

import math
from statistics import mean, stdev

import numpy as np
import pytest

from agents.evaluation.statistics import deviates, estimate, paired

FIRST = [251, 198, 243, 276, 230, 262, 221, 240]
SECOND = [240, 199, 230, 270, 214, 262, 200, 241]


def test_mean_and_standard_error_by_hand() -> None:
    found = estimate(FIRST)
    assert found.mean == pytest.approx(mean(FIRST))
    assert found.error == pytest.approx(stdev(FIRST) / math.sqrt(8))
    assert found.games == 8


def test_interval_by_a_printed_table() -> None:
    """Student's t with 7 degrees of freedom: 2.365 at 95 %, 3.499 at 99 %."""
    found = estimate(FIRST)
    for confidence, quantile in ((0.95, 2.3646), (0.99, 3.4995)):
        low, high = found.interval(confidence)
        assert low == pytest.approx(found.mean - quantile * found.error, abs=1e-3)
        assert high == pytest.approx(found.mean + quantile * found.error, abs=1e-3)


def test_paired_difference_by_hand() -> None:
    differences = [11, -1, 13, 6, 16, 0, 21, -1]
    error = math.sqrt(sum((d - 8.125) ** 2 for d in differences) / 7 / 8)
    found = paired(FIRST, SECOND)
    assert found.mean == pytest.approx(8.125)
    assert found.error == pytest.approx(error)
    assert found.low == pytest.approx(8.125 - 2.3646 * error, abs=1e-3)
    assert found.high == pytest.approx(8.125 + 2.3646 * error, abs=1e-3)
    assert 0.02 < found.p_value < 0.05, "t = 2.79 lies between the table's 2.365 (5 %) and 2.998 (2 %)"
    assert found.games == 8


def test_pairing_is_sharper_than_two_separate_means() -> None:
    apart = math.hypot(estimate(FIRST).error, estimate(SECOND).error)
    assert paired(FIRST, SECOND).error < apart / 3


def test_one_game_has_no_error() -> None:
    found = estimate([5.0])
    assert found.mean == 5
    assert math.isnan(found.error)
    assert all(math.isnan(end) for end in found.interval())
    assert math.isnan(paired([5], [3]).p_value)
    assert not deviates([5.0], 4)


def test_values_that_never_vary() -> None:
    assert estimate([3, 3, 3]).interval() == (3, 3)
    assert paired([1, 2, 3], [1, 2, 3])[:5] == (0, 0, 0, 0, 1)
    assert paired([2, 3, 4], [1, 2, 3])[:5] == (1, 0, 1, 1, 0)
    assert not deviates(np.zeros(10), 4)
    assert deviates(np.ones(10), 4)


def test_deviation_is_judged_in_standard_errors() -> None:
    spread = np.tile([-1.0, 1.0], 5000)
    error = estimate(spread).error
    assert not deviates(spread + 3.9 * error, 4)
    assert deviates(spread + 4.1 * error, 4)
    assert not deviates(np.array([1.0, 1.2, 0.8]), 4), "three values have wide tails"


@pytest.mark.parametrize("values", [[], [[1.0, 2.0]]])
def test_figures_are_one_per_game(values) -> None:
    with pytest.raises(ValueError, match="one number per game"):
        estimate(values)


def test_paired_needs_the_same_games() -> None:
    with pytest.raises(ValueError, match="the same games: 2 and 3"):
        paired([1, 2], [1, 2, 3])
