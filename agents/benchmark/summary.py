"""From results to figures: means over seeds, interquartile means, their intervals, profiles and who beats whom.

Algorithms are compared twice, after so many decisions and after so many minutes of CPU time (`execute.MARKS`), by what
their runs were when they got there. A protocol may say with `against` which algorithm one is compared with. All of them
play the same games, so that the luck of those dice is the same on both sides of a difference; what is left to chance is
the training.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any

import numpy as np

from agents.benchmark.execute import MARKS
from agents.benchmark.protocol import Protocol
from agents.benchmark.tasks import Task, work_list
from yatzy_env.evaluation.statistics import (
    Estimate,
    interquartile_mean,
    probability_of_improvement,
    stratified_interval,
    unpaired,
)

BOOTSTRAP_SEED = 1
ALL = "all"
"""What stands for the ruleset in rows over all of them."""

_BY_SEED = ("percent_of_optimum", "regret_per_game", "normalized")

Results = Mapping[Task, Mapping[str, Any]]
Runs = Sequence[Mapping[str, Any]]


def summarise_results(protocol: Protocol, results: Results) -> dict[str, Any]:
    """Everything that tables and pictures show, as JSON.

    Returns:
        `protocol`; `rows`, a dict per ruleset, mark and agent, the worst first; `profiles`, per mark and agent the
        share of runs above each normalised score; `improvement`, per mark and pair of agents the probability of
        improvement; `comparisons` that the protocol asks for; `curves` by decisions and minutes; `timing`; `commits`.
        What goes by decisions is the same on every run.
    """
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    origin: dict[str, str] = {}
    timing: dict[tuple[str, str], list[Any]] = {}
    done = [(task, results[task]) for task in work_list(protocol) if task in results]
    for task, result in done:
        if task.trains:
            timing.setdefault((task.ruleset, task.algorithm), []).append(result["timing"])
        for name, found in result["agents"].items():
            agent = f"{task.algorithm}/{name}" if name else task.algorithm
            origin[agent] = task.algorithm
            groups.setdefault((task.ruleset, agent), []).append({**found, "optimum": result["optimum"]})
    rows = [
        _row(protocol, ruleset, agent, origin[agent], mark, runs)
        for (ruleset, agent), runs in groups.items()
        for mark in MARKS
        if all(mark in run["after"] for run in runs)
    ]
    places = {name: place for place, name in enumerate((*protocol.rulesets, *protocol.checks))}
    rows.sort(
        key=lambda row: (places[row["ruleset"]], MARKS.index(row["after"]), row["percent_of_optimum"], row["agent"])
    )
    return {
        "protocol": protocol.model_dump(mode="json"),
        "digest": protocol.digest,
        "rows": rows + [row for mark in MARKS for row in _over_rulesets(protocol, rows, mark)],
        **_between_agents(protocol, rows),
        "comparisons": [found for row in rows if (found := _comparison(protocol, row, rows, origin))],
        "curves": [
            {"ruleset": ruleset, "agent": agent, "points": _curve(runs)}
            for (ruleset, agent), runs in groups.items()
            if all(run["curve"] for run in runs)
        ],
        "timing": [
            {"ruleset": ruleset, "algorithm": algorithm, "seeds": seeds}
            for (ruleset, algorithm), seeds in timing.items()
        ],
        "commits": sorted({str(result["made_with"]["commit"]) for _, result in done}),
    }


def _row(protocol: Protocol, ruleset: str, agent: str, algorithm: str, mark: str, runs: Runs) -> dict[str, Any]:
    found = [run["after"][mark] for run in runs]
    trained = protocol.algorithms.get(algorithm)
    row: dict[str, Any] = {
        "ruleset": ruleset,
        "what": "agents",
        "after": mark,
        "agent": agent,
        "trained": trained is not None,
        "learns_from_optimum": trained is not None and trained.learns_from_optimum,
        "seeds": len(runs),
        **{name: _mean(found, name) for name in ("steps", "minutes", "mean_score", "regret_per_game", "normalized")},
    }
    rates = [figures["illegal_rate"] for figures in found if "illegal_rate" in figures]
    row["illegal_rate"] = float(np.mean(rates)) if rates else None
    if trained is not None:
        row |= {f"{name}_by_seed": [figures[name] for figures in found] for name in _BY_SEED}
        return row | _averages([row["percent_of_optimum_by_seed"]])
    (figures,), optimum = found, runs[0]["optimum"]
    regret = Estimate(figures["regret_per_game"], figures["regret_se"] or 0.0, protocol.evaluation.games)
    low, high = (_known(100 * (1 - end / optimum)) for end in regret.interval()[::-1])
    percent = figures["percent_of_optimum"]
    return row | {"percent_of_optimum": percent, "percent_low": low, "percent_high": high}


def _averages(percents: Sequence[Sequence[float]]) -> dict[str, float | None]:
    """Mean and interquartile mean of (tasks, seeds) percents, each with its interval."""
    mean, middle = (
        stratified_interval(figure, percents, seed=BOOTSTRAP_SEED)
        for figure in (lambda table: float(np.mean(table)), interquartile_mean)
    )
    names = ("percent_of_optimum", "percent_low", "percent_high", "percent_iqm", "iqm_low", "iqm_high")
    return dict(zip(names, map(_known, (*mean, *middle)), strict=True))


def _on_all(protocol: Protocol, rows: Runs, mark: str) -> dict[str, list[Mapping[str, Any]]]:
    """The rows of every agent that was trained with the same seeds on all rulesets, in the order of the rulesets."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        if row["after"] == mark and row["trained"] and row["ruleset"] in protocol.rulesets:
            found.setdefault(row["agent"], []).append(row)
    return {
        agent: own
        for agent, own in found.items()
        if len(own) == len(protocol.rulesets) and len({row["seeds"] for row in own}) == 1
    }


def _over_rulesets(protocol: Protocol, rows: Runs, mark: str) -> list[dict[str, Any]]:
    """Averages over rulesets and seeds, where there are several rulesets."""
    found = []
    for own in _on_all(protocol, rows, mark).values() if len(protocol.rulesets) > 1 else ():
        percents = [row["percent_of_optimum_by_seed"] for row in own]
        names = ("what", "after", "agent", "trained", "learns_from_optimum", "seeds")
        means = {name: _mean(own, name) for name in ("steps", "minutes", "normalized")}
        found.append({"ruleset": ALL, **{name: own[0][name] for name in names}, **means, **_averages(percents)})
    return sorted(found, key=lambda row: (row["percent_of_optimum"], row["agent"]))


def _between_agents(protocol: Protocol, rows: Runs) -> dict[str, Any]:
    """Performance profiles and probabilities of improvement, over all rulesets, by normalised scores."""
    profiles, improvement = [], []
    for mark in MARKS:
        scores = {
            agent: [row["normalized_by_seed"] for row in own] for agent, own in _on_all(protocol, rows, mark).items()
        }
        profiles += [
            {"after": mark, "agent": agent, "normalized": sorted(value for row in table for value in row)}
            for agent, table in scores.items()
        ]
        for agent, other in permutations(scores, 2):
            found = stratified_interval(probability_of_improvement, scores[agent], scores[other], seed=BOOTSTRAP_SEED)
            value, low, high = map(_known, found)
            improvement.append(
                {"after": mark, "agent": agent, "over": other, "probability": value, "low": low, "high": high}
            )
    return {"profiles": profiles, "improvement": improvement}


def _comparison(
    protocol: Protocol, row: Mapping[str, Any], rows: Runs, origin: Mapping[str, str]
) -> dict[str, Any] | None:
    """The regret of an agent beyond that of the one its algorithm is compared with, if there is one."""
    algorithm = origin[row["agent"]]
    against = protocol.algorithms[algorithm].against if algorithm in protocol.algorithms else None
    if against is None:
        return None
    other = against + row["agent"].removeprefix(algorithm)
    for found in rows:
        if (found["ruleset"], found["after"], found["agent"]) == (row["ruleset"], row["after"], other):
            value, low, high = unpaired(row["regret_per_game_by_seed"], found["regret_per_game_by_seed"])
            place = {name: row[name] for name in ("ruleset", "after", "agent")}
            return {**place, "against": other, "regret": value, "low": _known(low), "high": _known(high)}
    return None


def _curve(runs: Runs) -> list[dict[str, float]]:
    """The evaluations that all seeds have, with the mean and the extremes of what they show."""
    points = []
    by_number = [{entry["point"]: entry for entry in run["curve"]} for run in runs]
    for number in sorted(set.intersection(*(set(entries) for entries in by_number))):
        seeds = [entries[number] for entries in by_number]
        values = [entry["percent_of_optimum"] for entry in seeds]
        points.append({
            "steps": _mean(seeds, "steps"),
            "minutes": _mean(seeds, "minutes"),
            "mean": float(np.mean(values)),
            "low": min(values),
            "high": max(values),
        })  # fmt: skip
    return points


def _mean(found: Runs, name: str) -> float:
    return float(np.mean([figures[name] for figures in found]))


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def after(protocol: Mapping[str, Any], mark: str) -> str:
    """What agents are compared after, in words."""
    if mark == "steps":
        return f"after {protocol['steps']:,} decisions"
    return f"after {protocol['minutes']:g} CPU minutes"
