"""From results to a table: the mean over seeds, the interquartile mean and its interval by stratified bootstrap.

A protocol may say with `against` which algorithm one is compared with. All of them play the same final games, so that
the luck of those dice is the same on both sides of a difference; what is left to chance is the training.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from agents.benchmark.protocol import Protocol
from agents.benchmark.tasks import Task
from agents.distilled import LABEL
from agents.markdown import table
from yatzy_env.evaluation.statistics import Estimate, Interval, interquartile_mean_interval, unpaired
from yatzy_env.files import write_json, write_text

BOOTSTRAP_SEED = 1
ALL = "all"
"""What stands for the ruleset in rows over all of them."""

Results = Mapping[Task, Mapping[str, Any]]


def summarise_results(protocol: Protocol, results: Results) -> dict[str, Any]:
    """Everything the table and the picture show.

    Returns:
        `protocol`, `rows` (a dict per ruleset and agent, the lowest score first), `curves` (evaluations by step, with
        the mean and the extremes over seeds), `timing` and `commits`; rows and curves are the same on every run.
    """
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for task, result in sorted(results.items(), key=lambda item: item[0].seed):
        groups.setdefault((task.ruleset, task.algorithm), []).append(result)
    rows = [_row(protocol, ruleset, agent, runs) for (ruleset, agent), runs in groups.items()]
    places = {name: place for place, name in enumerate(protocol.rulesets)}
    rows.sort(key=lambda row: (places[row["ruleset"]], row["expected_score"] or row["mean_score"], row["agent"]))
    return {
        "protocol": protocol.model_dump(mode="json"),
        "digest": protocol.digest,
        "rows": rows + _over_rulesets(protocol, groups),
        "curves": [
            {"ruleset": ruleset, "algorithm": agent, "points": _curve(runs)}
            for (ruleset, agent), runs in groups.items()
            if runs[0]["curve"]
        ],
        "timing": [
            {"ruleset": ruleset, "algorithm": agent, "seeds": [run["timing"] for run in runs]}
            for (ruleset, agent), runs in groups.items()
        ],
        "commits": sorted({str(result["made_with"]["commit"]) for result in results.values()}),
    }


def _row(protocol: Protocol, ruleset: str, agent: str, runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    finals = [run["final"] for run in runs]
    rates = [final["illegal_rate"] for final in finals if "illegal_rate" in final]
    row: dict[str, Any] = {
        "ruleset": ruleset,
        "what": "agents",
        "agent": agent,
        "trained": agent in protocol.algorithms,
        "learns_from_optimum": _is_distilled(protocol, agent),
        "seeds": len(runs),
        "steps": max(run["steps"] for run in runs),
        "mean_score": _mean(finals, "mean_score"),
        "expected_score": _mean(finals, "expected_score"),
        "regret_per_game": _mean(finals, "regret_per_game"),
        "percent_of_optimum": _mean(finals, "percent_of_optimum"),
        "regret_by_seed": None,
        "illegal_rate": float(np.mean(rates)) if rates else None,
        "percent_iqm": None,
        "percent_low": None,
        "percent_high": None,
        "interval_over": None,
    }
    if row["percent_of_optimum"] is None:
        return row
    if row["trained"]:
        row["regret_by_seed"] = [final["regret_per_game"] for final in finals]
        found = interquartile_mean_interval([[final["percent_of_optimum"] for final in finals]], BOOTSTRAP_SEED)
        row |= {"percent_iqm": found.value, "percent_low": _known(found.low), "percent_high": _known(found.high)}
        return row | {"interval_over": "seeds"}
    final, optimum = finals[0], runs[0]["optimum"]
    regret = Estimate(final["regret_per_game"], final["regret_se"] or 0.0, protocol.evaluation.games)
    low, high = (_known(100 * (1 - end / optimum)) for end in regret.interval()[::-1])
    return row | {"percent_low": low, "percent_high": high, "interval_over": "games"}


def _over_rulesets(
    protocol: Protocol, groups: Mapping[tuple[str, str], Sequence[Mapping[str, Any]]]
) -> list[dict[str, Any]]:
    """The interquartile mean over rulesets and seeds of what was trained on all rulesets with the same seeds."""
    rows = []
    for agent in protocol.algorithms if len(protocol.rulesets) > 1 else ():
        scores = [
            [run["final"]["percent_of_optimum"] for run in groups.get((ruleset, agent), ())]
            for ruleset in protocol.rulesets
        ]
        if len({len(row) for row in scores}) > 1 or not scores[0] or any(None in row for row in scores):
            continue
        found = interquartile_mean_interval(scores, BOOTSTRAP_SEED)
        rows.append({
            "ruleset": ALL,
            "what": "agents",
            "agent": agent,
            "trained": True,
            "learns_from_optimum": _is_distilled(protocol, agent),
            "seeds": len(scores[0]),
            "percent_of_optimum": float(np.mean(scores)),
            "percent_iqm": found.value,
            "percent_low": _known(found.low),
            "percent_high": _known(found.high),
            "interval_over": "seeds",
        })  # fmt: skip
    return sorted(rows, key=lambda row: (row["percent_of_optimum"], row["agent"]))


def _curve(runs: Sequence[Mapping[str, Any]]) -> list[dict[str, float]]:
    """The evaluations that all seeds have, with the mean and the extremes of what they show."""
    points = []
    name = "percent_of_optimum" if runs[0]["curve"][0]["percent_of_optimum"] is not None else "mean_score"
    for seeds in zip(*(run["curve"] for run in runs), strict=False):
        values = [point[name] for point in seeds]
        points.append(
            {
                "steps": seeds[0]["steps"],
                "mean": float(np.mean(values)),
                "low": min(values),
                "high": max(values),
            }
        )
    return points


def _is_distilled(protocol: Protocol, agent: str) -> bool:
    return agent in protocol.algorithms and protocol.algorithms[agent].kind == "distilled"


def _mean(finals: Sequence[Mapping[str, Any]], name: str) -> float | None:
    values = [final[name] for final in finals]
    return None if None in values else float(np.mean(values))


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


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
    """The comparisons of a ruleset that its protocol asks for, as far as there are results, in its order."""
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


def markdown(summary: Mapping[str, Any]) -> str:
    """The tables, one per ruleset with the differences its protocol asks for, in markdown."""
    parts = []
    for ruleset in [*summary["protocol"]["rulesets"], ALL]:
        rows = [row for row in summary["rows"] if row["ruleset"] == ruleset]
        if rows:
            title = "Over all rulesets" if ruleset == ALL else f"`{ruleset}`"
            parts.append(f"### {title}\n\n" + _table(rows, short=ruleset == ALL))
        if differences := comparison_table(summary, ruleset):
            parts.append(differences)
    return "\n".join([*parts, _notes(summary)])


def _notes(summary: Mapping[str, Any]) -> str:
    """What the columns mean and how the figures came about, as far as the tables show it."""
    protocol, rows, final = summary["protocol"], summary["rows"], summary["protocol"]["evaluation"]
    limits = [own["steps"] for own in protocol["algorithms"].values() if own["steps"] is not None]
    less = ", fewer where an algorithm's own limit is lower" if any(own < protocol["steps"] for own in limits) else ""
    games = "" if all(row["trained"] for row in rows) else ", and Student's t over games for what was not"
    compared = any(own.get("against") for own in protocol["algorithms"].values())
    difference = (
        "Regret per game beyond another agent's: above zero, more is given away; its interval (95 %) is Welch's over "
        "training seeds. "
    )
    illegal = "Illegal: how often the best-rated action of all was illegal; the best-rated legal one was played. "
    return (
        f"Trained for {protocol['steps']:,} decisions or a little more (whole rollouts){less}, under seeds 1 to "
        f"{protocol['seeds']}. Each run played {final['games']:,} final games under seed {final['seed']}; percent of "
        "the optimum is 100 x (optimum - regret per game) / optimum. IQM: interquartile mean over training seeds. "
        f"The interval (95 %) is a stratified bootstrap over seeds for what was trained{games}. "
        f"{illegal if _has_illegal(rows) else ''}{difference if compared else ''}Protocol {summary['digest'][:12]}.\n"
    )


def _has_illegal(rows: Sequence[Mapping[str, Any]]) -> bool:
    return any(row.get("illegal_rate") is not None for row in rows)


def cells(row: Mapping[str, Any]) -> dict[str, str]:
    """What tables show of a row, by column; empty where it says nothing."""
    rate, low, high = row.get("illegal_rate"), row["percent_low"], row["percent_high"]
    return {
        "agent": row["agent"],
        "seeds": str(row["seeds"]) if row["trained"] else "",
        "% of optimum": _text(row["percent_of_optimum"]),
        "IQM": _text(row["percent_iqm"]),
        "interval": "" if low is None or high is None else f"{low:.2f} to {high:.2f}",
        "regret per game": _text(row.get("regret_per_game")),
        "score": _text(row.get("mean_score")),
        "steps": f"{row['steps']:,}" if row["trained"] and "steps" in row else "",
        "illegal %": "" if rate is None else f"{100 * rate:.1f}",
    }


def _table(rows: Sequence[Mapping[str, Any]], short: bool) -> str:
    head = ["agent", "seeds", "% of optimum", "IQM", "interval"]
    head += [] if short else ["regret per game", "score", "steps"]
    head += ["illegal %"] if _has_illegal(rows) else []
    lines = []
    for row in rows:
        name = LABEL.replace("distilled", row["agent"], 1) if row["learns_from_optimum"] else row["agent"]
        shown = cells(row) | {"agent": name}
        lines.append([shown[column] for column in head])
    return table(head, lines) + "\n"


def speeds(summary: Mapping[str, Any]) -> str:
    """How fast each algorithm trained, in markdown; figures of the machine that did it."""
    protocol = summary["protocol"]
    found: dict[str, dict[str, float]] = {}
    for entry in summary["timing"]:
        known = [run["steps_per_cpu_second"] for run in entry["seeds"] if "steps_per_cpu_second" in run]
        if known:
            found.setdefault(entry["algorithm"], {})[entry["ruleset"]] = float(np.mean(known))
    rulesets = protocol["rulesets"]
    rows = [
        [name, *(f"{speed[ruleset]:,.0f}" if ruleset in speed else "" for ruleset in rulesets)]
        for name, speed in found.items()
    ]
    return table(["steps per CPU second", *rulesets], rows) + "\n"


def _text(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def write_report(summary: Mapping[str, Any], folder: Path) -> None:
    """Writes `benchmark.json`, `benchmark.md` and `benchmark.png`."""
    from agents.benchmark.picture import draw_curves

    write_json(folder / "benchmark.json", summary, indent=1)
    write_text(folder / "benchmark.md", markdown(summary))
    draw_curves(summary, folder / "benchmark.png")
