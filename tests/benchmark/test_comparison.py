"""Differences between algorithms, and what the tables say and leave out."""

from __future__ import annotations

import math
from typing import Any

import pytest

from agents.benchmark.summary import compare, comparison_table, markdown, summarise_results
from agents.benchmark.tasks import Task
from tests.benchmark.helpers import SMALL, compared, fake, fake_summary, small

# What `fake` makes up: 1.5 points less regret per letter of the name, and 15 less with the second seed.
HALF = 4.302653 * math.sqrt(112.5)  # of the interval: Student's t with two degrees of freedom, by a printed table


def test_a_difference_is_the_regret_beyond_that_of_the_other() -> None:
    found = compare(fake_summary(compared({"dqn": "distilled", "ppo-unmasked": "dqn"})), "forced")
    assert [(agent, against) for agent, against, _ in found] == [("ppo-unmasked", "dqn"), ("dqn", "distilled")]
    assert found[0].regret == pytest.approx((-13.5, -13.5 - HALF, -13.5 + HALF))
    assert found[1].regret == pytest.approx((9, 9 - HALF, 9 + HALF))


def test_the_table_stands_below_that_of_its_ruleset() -> None:
    text = markdown(fake_summary(compared({"dqn": "distilled"}, rulesets=("forced", "yatzy"))))
    row = f"| dqn | distilled | +9.00 | {9 - HALF:.2f} to {9 + HALF:.2f} |"
    assert text.count(row) == 2
    assert text.index("### `forced`") < text.index(row) < text.index("### `yatzy`")
    assert "compared with" not in text[text.index("### Over all rulesets") :]


def test_one_seed_has_a_difference_without_interval() -> None:
    assert "| dqn | distilled | +9.00 |  |" in comparison_table(
        fake_summary(compared({"dqn": "distilled"}, seeds=1)), "forced"
    )


def test_nothing_is_compared_without_being_asked_or_without_results() -> None:
    assert comparison_table(fake_summary(small()), "forced") == ""
    protocol = compared({"dqn": "distilled"})
    half = [Task(protocol, "forced", "dqn", seed) for seed in (1, 2)]
    assert comparison_table(summarise_results(protocol, {task: fake(task).result for task in half}), "forced") == ""


def test_a_ruleset_without_optimum_has_no_differences() -> None:
    protocol = compared({"dqn": "a2c"})
    results = {}
    for name in ("dqn", "a2c"):
        result = fake(task := Task(protocol, "forced", name, 1)).result
        unknown = dict.fromkeys(("regret_per_game", "percent_of_optimum", "expected_score"))
        looks = [look | unknown for look in result["curve"]]
        results[task] = result | {"final": result["final"] | unknown, "curve": looks, "optimum": None}
    assert comparison_table(summarise_results(protocol, results), "forced") == ""


def with_rate(summary: dict[str, Any], agent: str) -> dict[str, Any]:
    rows = [row | ({"illegal_rate": 0.25} if row["agent"] == agent else {}) for row in summary["rows"]]
    return summary | {"rows": rows}


def test_tables_leave_out_what_does_not_apply() -> None:
    summary = fake_summary(small(untrained=()))
    text = markdown(summary)
    for words in ("Over all rulesets", "llegal", "not trained", "Student's t", "own limit"):
        assert words not in text, words
    assert "Illegal: how often" in markdown(with_rate(summary, "dqn"))
    assert "| 25.0 |" in markdown(with_rate(summary, "dqn"))
    assert "Student's t" in markdown(fake_summary(small()))


@pytest.mark.parametrize(("limit", "is_said"), [(2999, True), (3000, False), (5000, False)])
def test_own_limits_are_named_where_they_bind(limit: int, is_said: bool) -> None:
    algorithms = SMALL["algorithms"] | {"dqn": SMALL["algorithms"]["dqn"] | {"steps": limit}}
    assert ("own limit" in markdown(fake_summary(small(algorithms=algorithms)))) == is_said
