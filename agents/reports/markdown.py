"""The report as markdown: tables to paste into an issue, a paper's repository or a README."""

from __future__ import annotations

from collections.abc import Sequence

from agents.reports.analysis import Analysis
from agents.reports.sections import Section, sections
from agents.reports.text import caption, title
from yatzy_env.evaluation.results import Evaluation

_WORST = 3  # worst decisions per agent


def markdown_report(evaluation: Evaluation, analysis: Analysis) -> str:
    """All tables of an evaluation in markdown, with the command and the commit.

    Args:
        evaluation: the evaluation.
        analysis: what was found by looking into it.
    """
    origin = evaluation.provenance
    versions = ", ".join(f"{name} {version}" for name, version in origin.versions.items())
    parts = [
        f"# Agents on {evaluation.rules.name}",
        f"{title(evaluation)}. {caption(evaluation)} ± is one standard error of the mean over games.",
        *(f"> {_plain(warning)}" for warning in evaluation.warnings),
    ]
    for section in [*sections(evaluation, analysis), _worst(evaluation, analysis)]:
        if section.rows:
            parts += [f"## {section.title}", *([section.note] if section.note else []), markdown_table(section)]
    parts += [
        "## How it was measured",
        f"```\n{origin.command}\n```",
        f"Commit {origin.commit or 'not in a repository'}, {origin.date}, {origin.machine}; {versions}.",
    ]
    return "\n\n".join(parts) + "\n"


def markdown_table(section: Section) -> str:
    """The table of a section in markdown."""
    words = ["---"] * section.words
    rule = [*words, *["---:"] * (len(section.head) - section.words)]
    last = [[f"**{_plain(cell)}**" if cell else "" for cell in section.last]] if section.last is not None else []
    rows = [[_plain(cell) for cell in row] for row in section.rows]
    return "\n".join(_line(row) for row in [[_plain(cell) for cell in section.head], rule, *rows, *last])


def _worst(evaluation: Evaluation, analysis: Analysis) -> Section:
    rows = []
    for agent, found in analysis.worst.items():
        for slip in found[:_WORST]:
            place = f"game {slip.game}, turn {slip.turn}, {slip.throws_left} left"
            words = [agent, place, " ".join(map(str, slip.dice)), slip.did, slip.best]
            rows.append([*words, f"{slip.cost:.2f}"])
    head = ["agent", "where", "dice", "did", "best", "cost"]
    note = f"The {_WORST} costliest decisions of each agent, in points; dice of seed {evaluation.seed}."
    return Section("worst", "Worst decisions", note, head, rows, words=5)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _plain(cell: str) -> str:
    """Text that markdown takes for nothing else."""
    for sign in ("\\", "|", "<", "*", "`", "_"):
        cell = cell.replace(sign, f"\\{sign}")
    return " ".join(cell.split())
