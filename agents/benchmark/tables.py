"""What the summary says, as tables of 80 columns for a terminal and a log, and in markdown for pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import wrap
from typing import Any

import numpy as np

from agents.benchmark.execute import MARKS
from agents.benchmark.summary import ALL, after
from agents.markdown import table
from yatzy_env.files import write_json, write_text

WIDTH = 80
"""Columns of a terminal or a log."""

COLUMNS = ("agent", "%", "interval", "IQM", "interval of IQM", "norm.", "regret")
"""Of the tables of agents."""


def titled_rows(summary: Mapping[str, Any]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The tables of agents, each its title and rows: a ruleset and what agents are compared after."""
    protocol = summary["protocol"]
    for ruleset in (*protocol["rulesets"], ALL, *protocol["checks"]):
        for mark in MARKS:
            rows = [row for row in summary["rows"] if (row["ruleset"], row["after"]) == (ruleset, mark)]
            if rows and (ruleset not in protocol["checks"] or mark == MARKS[0]):
                name = "all rulesets" if ruleset == ALL else f"`{ruleset}`"
                yield name if ruleset in protocol["checks"] else f"{name} {after(protocol, mark)}", rows


def cells(row: Mapping[str, Any]) -> list[str]:
    """What tables show of a row, by `COLUMNS`; empty where it says nothing."""
    return [
        row["agent"] + ("*" if row["learns_from_optimum"] else ""),
        _text(row["percent_of_optimum"]),
        _ends(row, "percent"),
        _text(row.get("percent_iqm")),
        _ends(row, "iqm"),
        _text(row["normalized"], 4),
        _text(row.get("regret_per_game")),
    ]


def _text(value: float | None, digits: int = 2) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def _ends(row: Mapping[str, Any], name: str) -> str:
    low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
    return "" if low is None or high is None else f"{low:.2f}–{high:.2f}"


def notes(summary: Mapping[str, Any]) -> list[str]:
    """What the columns mean and how the figures came about, as far as the tables show it."""
    protocol, rows, final = summary["protocol"], summary["rows"], summary["protocol"]["evaluation"]
    found = [
        f"Trained under seeds 1 to {protocol['seeds']}; each run plays {final['games']:,} games under seed "
        f"{final['seed']} when it reaches what is compared after, or when it ends before.",
        "%: 100 x (optimum - regret per game) / optimum, as a mean over seeds; IQM: the interquartile mean. Intervals "
        "(95 %) are stratified bootstraps over seeds, and Student's t over games where nothing was trained.",
        "norm.: (score - random) / (optimum - random). Regret: points per game.",
    ]
    if any(row["learns_from_optimum"] for row in rows):
        found.append("*: learns from the optimum.")
    rates: dict[str, list[float]] = {}
    for row in rows:
        if row.get("illegal_rate") is not None:
            rates.setdefault(row["agent"], []).append(row["illegal_rate"])
    for agent, some in rates.items():
        found.append(
            f"In {100 * min(some):.0f} to {100 * max(some):.0f} % of the decisions of {agent} the best-rated of all "
            "actions was illegal; the best-rated legal one was played."
        )
    return [*found, f"Protocol {summary['digest'][:12]}."]


def comparison_table(summary: Mapping[str, Any], ruleset: str, mark: str) -> str:
    """The comparisons of a ruleset that the protocol asks for, in markdown; nothing if there are none."""
    rows = [
        (found["agent"], found["against"], f"{found['regret']:+.2f}", _ends(found | _named(found), "regret"))
        for found in summary["comparisons"]
        if (found["ruleset"], found["after"]) == (ruleset, mark)
    ]
    head = ("agent", "compared with", "regret per game beyond it", "Welch's interval")
    return f"{table(head, rows, words=2)}\n" if rows else ""


def _named(found: Mapping[str, Any]) -> dict[str, Any]:
    return {"regret_low": found["low"], "regret_high": found["high"]}


def improvement_table(summary: Mapping[str, Any], mark: str) -> str:
    """The probability that a run of the agent of a row beats one of that of a column, in markdown; nothing if few."""
    chances = {
        (found["agent"], found["over"]): found["probability"]
        for found in summary["improvement"]
        if found["after"] == mark
    }
    agents = list(dict.fromkeys(agent for agent, _ in chances))
    rows = [[agent, *(_text(chances.get((agent, other))) for other in agents)] for agent in agents]
    return f"{table(['beats', *agents], rows)}\n" if rows else ""


def speed_table(summary: Mapping[str, Any]) -> str:
    """What each algorithm's runs took of the processor that did them, in markdown."""
    rulesets = summary["protocol"]["rulesets"]
    found: dict[str, dict[str, str]] = {}
    for entry in summary["timing"]:
        minutes, steps = (float(np.mean([run[name] for run in entry["seeds"]])) for name in ("minutes", "steps"))
        speed = steps / minutes / 60 if minutes else 0.0
        found.setdefault(entry["algorithm"], {})[entry["ruleset"]] = f"{minutes:.1f} ({speed:,.0f})"
    rows = [[name, *(own.get(ruleset, "") for ruleset in rulesets)] for name, own in found.items()]
    return f"{table(['CPU minutes of a run (decisions per second)', *rulesets], rows)}\n" if rows else ""


def markdown(summary: Mapping[str, Any]) -> str:
    """All tables."""
    protocol = summary["protocol"]
    parts = []
    for title, rows in titled_rows(summary):
        parts.append(f"### {title[0].upper()}{title[1:]}\n\n{table(COLUMNS, map(cells, rows))}\n")
        if differences := comparison_table(summary, rows[0]["ruleset"], rows[0]["after"]):
            parts.append(differences)
    parts.append("\n".join(f"- {note}" for note in notes(summary)) + "\n")
    parts += [
        f"### Probability of improvement {after(protocol, mark)}\n\n{found}"
        for mark in MARKS
        if (found := improvement_table(summary, mark))
    ]
    return "\n".join([*parts, speed_table(summary)]).rstrip("\n") + "\n"


def write_report(summary: Mapping[str, Any], folder: Path) -> None:
    """Writes `benchmark.json`, `benchmark.md` and `benchmark.png`."""
    from agents.benchmark.picture import draw

    write_json(folder / "benchmark.json", summary, indent=1)
    write_text(folder / "benchmark.md", markdown(summary))
    draw(summary, folder / "benchmark.png")


def text_of(summary: Mapping[str, Any]) -> str:
    """The tables of agents and the notes in plain text, 80 columns wide at most."""
    lines = []
    for title, rows in titled_rows(summary):
        columns = list(zip(COLUMNS, *map(cells, rows), strict=True))
        widths = [max(map(len, column)) for column in columns]
        lines += [title.replace("`", "")]
        for name, *figures in zip(*columns, strict=True):
            shown = [text.rjust(width) for text, width in zip(figures, widths[1:], strict=True)]
            lines.append("  ".join([name.ljust(widths[0]), *shown]).rstrip())
        lines.append("")
    for note in notes(summary):
        lines += wrap(note, WIDTH)
    return "\n".join(lines)
