"""Differences: what an algorithm gives away per game beyond the one it is compared with, over training seeds.

A protocol says with `against` which algorithm that is. All of them play the same final games, so that the luck of those
dice is the same on both sides of a difference; what is left to chance is the training.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from agents.markdown import table
from yatzy_env.evaluation.statistics import Interval, unpaired


class Comparison(NamedTuple):
    """An algorithm beside the one it is compared with.

    Attributes:
        agent: the algorithm.
        against: what it is compared with.
        regret: its regret per game less that of the other, a mean over seeds with Welch's interval.
    """

    agent: str
    against: str
    regret: Interval


def compare(summary: Mapping[str, Any], ruleset: str) -> list[Comparison]:
    """The comparisons that a protocol asks for, as far as there are results.

    Args:
        summary: what `summarise_results` returned.
        ruleset: which of its rulesets.

    Returns:
        A comparison per algorithm that has an `against`, in the order of the protocol.
    """
    runs = {row["agent"]: row.get("regret_by_seed") for row in summary["rows"] if row["ruleset"] == ruleset}
    pairs = ((name, settings.get("against")) for name, settings in summary["protocol"]["algorithms"].items())
    return [
        Comparison(name, against, unpaired(runs[name], runs[against]))
        for name, against in pairs
        if against is not None and runs.get(name) and runs.get(against)
    ]


def comparison_table(summary: Mapping[str, Any], ruleset: str) -> str:
    """The comparisons of a ruleset in markdown; nothing if there are none."""
    found = compare(summary, ruleset)
    if not found:
        return ""
    rows = [
        (agent, against, f"{value:+.2f}", "" if math.isnan(low) else f"{low:.2f} to {high:.2f}")
        for agent, against, (value, low, high) in found
    ]
    return table(("agent", "compared with", "regret per game beyond it", "interval"), rows, words=2) + "\n"
