from __future__ import annotations

import math
from statistics import mean, stdev

import numpy as np
import pytest
from scipy import stats

from yatzy_env.evaluation.statistics import (
    deviates,
    estimate,
    interquartile_mean,
    interquartile_mean_interval,
    paired,
    rate,
    unpaired,
)

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


def test_unpaired_difference_by_hand() -> None:
    # Means 2 and 5, variances 1 and 4 of three values each: standard error sqrt(5 / 3), and by Welch and Satterthwaite
    # (5 / 3)^2 / ((1 / 3)^2 / 2 + (4 / 3)^2 / 2) = 50 / 17 degrees of freedom.
    found = unpaired([1, 2, 3], [3, 5, 7])
    half = stats.t.ppf(0.975, 50 / 17) * math.sqrt(5 / 3)
    assert found == pytest.approx((-3, -3 - half, -3 + half))
    assert unpaired([3, 5, 7], [1, 2, 3]) == pytest.approx((3, 3 - half, 3 + half))
    narrow = unpaired([1, 2, 3], [3, 5, 7], confidence=0.5)
    assert found.low < narrow.low < narrow.high < found.high


def test_unpaired_groups_of_one_or_without_spread() -> None:
    found = unpaired([1], [3, 5])
    assert found.value == -3
    assert math.isnan(found.low)
    assert math.isnan(found.high)
    assert unpaired([2, 2], [1, 1, 1]) == (1, 1, 1)


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


def test_a_difference_turned_round_is_that_of_the_other_agent() -> None:
    there, back = paired(FIRST, SECOND), paired(SECOND, FIRST)
    assert there.turned() == pytest.approx(back)


def test_rates_have_intervals_of_wilson() -> None:
    """By hand: 8 of 10 at 95 %, z = 1.959964."""
    found = rate(8, 10)
    z = 1.959963984540054
    middle = (0.8 + z * z / 20) / (1 + z * z / 10)
    half = z / (1 + z * z / 10) * math.sqrt(0.8 * 0.2 / 10 + z * z / 400)
    assert found.value == 0.8
    assert (found.low, found.high) == pytest.approx((middle - half, middle + half))
    assert rate(0, 10).low == 0
    assert rate(0, 10).high > 0.2, "ten games without a win do not prove that there are none"


def test_the_interquartile_mean_leaves_out_a_quarter_at_each_end() -> None:
    assert interquartile_mean([[1, 2, 3, 4], [5, 6, 7, 1000]]) == 4.5
    assert interquartile_mean([[90.0, 91.0, 95.0]]) == 92


def test_resampling_is_stratified_by_task() -> None:
    """Tasks that differ, with runs that do not, leave nothing to doubt; mixed up, they would."""
    assert interquartile_mean_interval([[10, 10, 10], [90, 90, 90]]) == (50, 50, 50)
    found = interquartile_mean_interval([[10.0, 10.2, 10.4, 9.8], [90.0, 90.1, 89.7, 90.2]])
    assert 48 < found.low < found.value < found.high < 52


def test_the_bootstrap_interval_is_repeatable_and_grows_with_confidence() -> None:
    scores = np.random.default_rng(1).normal(95, 1, (3, 5))
    narrow, wide = (interquartile_mean_interval(scores, seed=1, confidence=level) for level in (0.5, 0.99))
    assert interquartile_mean_interval(scores, seed=1, confidence=0.5) == narrow
    assert wide.low < narrow.low < narrow.value < narrow.high < wide.high
    assert narrow.value == interquartile_mean(scores)


def test_the_bootstrap_interval_covers_about_as_often_as_it_claims() -> None:
    """Of 20 runs it should hold the true mean in 19 of 20 cases; ends of few runs are a little short."""
    generator = np.random.default_rng(3)
    found = [
        interquartile_mean_interval(generator.normal(0, 1, (2, 20)), seed=case, resamples=300) for case in range(100)
    ]
    assert 85 <= sum(interval.low <= 0 <= interval.high for interval in found) <= 100


def test_a_single_run_has_no_interval() -> None:
    found = interquartile_mean_interval([[95.0], [97.0]])
    assert found.value == 96
    assert math.isnan(found.low)
    assert math.isnan(found.high)


@pytest.mark.parametrize("scores", [[], [1.0, 2.0], [[]], [[1.0, math.nan]]])
def test_scores_of_runs_are_a_table(scores) -> None:
    with pytest.raises(ValueError, match=r"a table \(tasks, seeds\) of finite numbers"):
        interquartile_mean_interval(scores)
