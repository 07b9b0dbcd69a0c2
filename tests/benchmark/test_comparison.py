"""Figures over seeds and rulesets, differences between algorithms, and what the tables say and leave out."""

from __future__ import annotations

import math
from typing import Any

import pytest

from agents.benchmark.summary import summarise_results
from agents.benchmark.tables import comparison_table, improvement_table, markdown, speed_table, text_of, titled_rows
from agents.benchmark.tasks import Task, work_list
from tests.benchmark.helpers import compared, fake, fake_summary, small

# What `fake` makes up: 1.5 points less regret per letter of the name, and 15 less with the second seed.
HALF = 4.302653 * math.sqrt(112.5)  # of the interval: Student's t with two degrees of freedom, by a printed table


def rows(summary: dict[str, Any], mark: str = "steps") -> dict[tuple[str, str], dict[str, Any]]:
    return {(row["ruleset"], row["agent"]): row for row in summary["rows"] if row["after"] == mark}


def test_means_over_seeds_and_rulesets() -> None:
    found = rows(fake_summary(small(rulesets=("half-force", "yacht"), checks=["forced"])))
    hand = found["yacht", "hand"]
    assert (hand["seeds"], hand["percent_of_optimum"], hand["percent_iqm"]) == (2, 69.0, 69.0)
    assert (hand["percent_low"], hand["percent_high"]) == (64.0, 74.0)
    assert hand["normalized"] == 0.69
    assert found["all", "hand"]["percent_iqm"] == 69.0
    assert {agent for ruleset, agent in found if ruleset == "all"} == {"hand", "one", "both"}
    assert ("forced", "greedy") in found
    assert ("forced", "hand") not in found
    greedy = found["yacht", "greedy"]
    assert greedy["percent_low"] < greedy["percent_of_optimum"] < greedy["percent_high"]
    scores = [row["percent_of_optimum"] for (ruleset, _), row in found.items() if ruleset == "yacht"]
    assert scores == sorted(scores)


def test_the_order_of_results_does_not_matter() -> None:
    protocol = small()
    results = {task: fake(task) for task in work_list(protocol)}
    one, other = (summarise_results(protocol, some) for some in (results, dict(reversed(results.items()))))
    assert one == other


def test_a_run_of_several_agents_has_a_row_for_each_that_was_there() -> None:
    protocol = small(untrained=())
    results = {}
    for task in work_list(protocol):
        results[task] = result = fake(task)
        if task.algorithm == "both":
            (found,) = result["agents"].values()
            late = {"curve": found["curve"][1:], "after": {"minutes": found["after"]["minutes"]}}
            result["agents"] = {"early": found, "late": late}
    summary = summarise_results(protocol, results)
    assert {agent for _, agent in rows(summary)} == {"hand", "one", "both/early"}
    assert {agent for _, agent in rows(summary, "minutes")} == {"hand", "one", "both/early", "both/late"}
    curves = {curve["agent"]: [point["steps"] for point in curve["points"]] for curve in summary["curves"]}
    assert curves["both/late"] == [3000]
    assert curves["both/early"] == [1500, 3000]


def test_who_beats_whom() -> None:
    summary = fake_summary(small(untrained=()))
    chances = {(found["agent"], found["over"]): found for found in summary["improvement"] if found["after"] == "steps"}
    # `hand` and `both` are as good as each other: 64 and 74; `one` has 63 and 73.
    assert chances["hand", "both"]["probability"] == 0.5
    assert chances["hand", "one"]["probability"] == 0.75
    assert chances["one", "hand"]["probability"] == 0.25
    assert "| hand | 0.75 | 0.50 |  |" in improvement_table(summary, "steps")
    assert "| hand | 0.8 (67) |" in speed_table(summary)
    profile = next(found for found in summary["profiles"] if found["agent"] == "one")
    assert profile["normalized"] == [0.63, 0.73]


def test_a_difference_is_the_regret_beyond_that_of_the_other() -> None:
    found = fake_summary(compared({"hand": "one"}))["comparisons"]
    assert [(row["after"], row["agent"], row["against"]) for row in found] == [
        ("steps", "hand", "one"),
        ("minutes", "hand", "one"),
    ]
    assert [found[0][key] for key in ("regret", "low", "high")] == pytest.approx([-1.5, -1.5 - HALF, -1.5 + HALF])


def test_differences_stand_below_the_table_of_their_ruleset() -> None:
    text = markdown(fake_summary(compared({"hand": "one"}, rulesets=("half-force", "yacht"))))
    row = f"| hand | one | -1.50 | {-1.5 - HALF:.2f}–{-1.5 + HALF:.2f} |"
    assert text.count(row) == 4
    assert text.index("### `half-force` after 3,000 decisions") < text.index(row) < text.index("### `yacht`")
    assert "compared with" not in text[text.index("### All rulesets") :]


def test_one_seed_has_a_difference_without_interval() -> None:
    summary = fake_summary(compared({"hand": "one"}, seeds=1))
    assert "| hand | one | -1.50 |  |" in comparison_table(summary, "half-force", "steps")
    assert comparison_table(fake_summary(small()), "half-force", "steps") == ""


def test_a_log_of_80_columns_shows_every_figure() -> None:
    algorithms = {f"{name}-of-twelve"[:12]: {"kind": "a.b:train"} for name in ("maskable", "unmasked", "distilled")}
    summary = fake_summary(small(algorithms=algorithms, rulesets=("half-force", "yacht"), checks=["forced"]))
    for row in summary["rows"]:  # as wide as figures get
        row |= {"percent_of_optimum": 100.0, "percent_low": 99.99, "percent_high": 100.0, "regret_per_game": 199.99}
    text = text_of(summary)
    assert max(map(len, text.splitlines())) <= 80
    assert "all rulesets after 60 CPU minutes" in text
    shown = sum(len(rows) for _, rows in titled_rows(summary))
    assert text.count("  199.99") == text.count("99.99–100.00") == shown
    assert "\nforced\n" in text


def test_notes_say_what_applies() -> None:
    summary = fake_summary(small())
    text = markdown(summary)
    assert "| both* | 69.00 | 64.00–74.00 | 69.00 | 64.00–74.00 | 0.6900 | 46.50 |" in text
    assert "*: learns from the optimum." in text
    assert "illegal" not in text
    summary["rows"][0]["illegal_rate"] = 0.25
    assert "In 25 to 25 % of the decisions of" in markdown(summary)
    plain = fake_summary(small(untrained=(), algorithms={"hand": {"kind": "tests.benchmark.learners:by_hand"}}))
    assert "learns from the optimum" not in markdown(plain)
    assert "All rulesets" not in markdown(plain)


def test_results_of_some_tasks_alone() -> None:
    protocol = small()
    task = Task(protocol, "half-force", "hand", 1)
    summary = summarise_results(protocol, {task: fake(task)})
    assert "| hand | 64.00 |  | 64.00 |  | 0.6400 | 54.00 |" in markdown(summary)
