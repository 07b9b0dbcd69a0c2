"""Reports of an evaluation: a table for the terminal, and a folder with a page to keep or to send."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TextIO

from markupsafe import Markup
from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table

from agents.markdown import table as markdown_table
from agents.models.record import RESULTS
from agents.reports.analysis import Analysis, analyse
from agents.reports.pictures import pictures
from agents.reports.plots import draw, save
from agents.reports.render import render
from agents.reports.sections import Section, duels, ladder, sections, worst_decisions
from agents.reports.text import caption, title
from yatzy_env.evaluation.results import Evaluation
from yatzy_env.files import write_json, write_text


def table(evaluation: Evaluation) -> Table:
    """The evaluation as a table for the terminal, what is known of the optimum in the last row."""
    grid = Table(
        title=title(evaluation),
        title_style="bold",
        caption=caption(evaluation),
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 0, 0, 1),
    )
    found = ladder(evaluation)
    for column in found.head:
        justify: Literal["left", "right"] = "left" if column == "agent" else "right"
        grid.add_column(column.replace(" ", "\n", 1), justify=justify, vertical="bottom", no_wrap=True)
    for cells in found.rows:
        grid.add_row(*cells)
    if found.last is not None:
        grid.add_section()
        grid.add_row(*found.last, style="bold")
    return grid


def print_table(evaluation: Evaluation, file: TextIO | None = None) -> None:
    """Prints the table, on standard output if no file is given; where it is narrow lines wrap, no figure is cut off."""
    grid = table(evaluation)
    console = Console(file=file)
    needed = Measurement.get(console, console.options.update(width=400), grid).maximum
    Console(file=file, width=max(needed, console.width)).print(grid)


def write_report(evaluation: Evaluation, folder: Path, cache: bool = True) -> Path:
    """Writes `index.html`, `table.md`, `results.json` and an overview as `report.png`.

    Args:
        evaluation: the evaluation.
        folder: where to; made if missing, files of these names are replaced.
        cache: whether the distribution of the optimal scores is read from the cache and kept there.

    Returns:
        The path of the page. It holds everything it shows and can be moved alone.
    """
    folder.mkdir(parents=True, exist_ok=True)
    analysis = analyse(evaluation, cache)
    save(draw(evaluation), folder / "report.png")
    write_json(folder / RESULTS, evaluation.record() | analysis.fields())
    write_text(folder / "table.md", markdown_report(evaluation, analysis))
    page = folder / "index.html"
    write_text(page, html_page(evaluation, analysis))
    return page


def html_page(evaluation: Evaluation, analysis: Analysis) -> str:
    """The report as HTML, for wide and narrow windows, for light and dark. It asks no server for anything."""
    worst = analysis.worst
    return render(
        "page.html.j2",
        evaluation=evaluation,
        analysis=analysis,
        rules=evaluation.rules,
        title=title(evaluation),
        caption=caption(evaluation),
        sections={section.name: section for section in sections(evaluation, analysis)},
        duels=duels(evaluation),
        pictures=pictures(evaluation, analysis),
        strongest=min(worst, key=lambda agent: worst[agent][0]["cost"], default=None),
        has_bands=any(curve.runs > 1 for curve in analysis.curves),
        dice=dice_svg,
        origin=evaluation.provenance,
    )


def dice_svg(dice: Sequence[int], kept: Sequence[int] | None = None) -> Markup:
    """A row of dice as inline SVG of the classes `dice`, `die` and `thrown`, in the colours of the page around it.

    Args:
        dice: their faces.
        kept: those of them that stay on the table; the others are drawn faintly. None if no dice are to be thrown.
    """
    left = Counter(dice if kept is None else kept)
    drawn = []
    for face in dice:
        drawn.append((face, left[face] > 0))
        left[face] -= left[face] > 0
    words = " ".join(map(str, dice))
    if kept is not None:
        words += f", kept: {' '.join(map(str, kept)) or 'nothing'}"
    return Markup(render("dice.html.j2", dice=drawn, words=words))


def markdown_report(evaluation: Evaluation, analysis: Analysis) -> str:
    """All tables of an evaluation in markdown, to paste into an issue or a README, with the command and the commit."""
    every = [*sections(evaluation, analysis), worst_decisions(evaluation, analysis)]
    return render(
        "report.md.j2",
        evaluation=evaluation,
        rules=evaluation.rules,
        title=title(evaluation),
        caption=caption(evaluation),
        warnings=[_plain(warning) for warning in evaluation.warnings],
        sections=[(section, _in_markdown(section)) for section in every if section.rows],
        origin=evaluation.provenance,
    )


def _in_markdown(section: Section) -> str:
    last = [[f"**{_plain(cell)}**" if cell else "" for cell in section.last]] if section.last is not None else []
    head, *rows = ([_plain(cell) for cell in row] for row in (section.head, *section.rows))
    return markdown_table(head, [*rows, *last], section.words)


def _plain(cell: str) -> str:
    """Text that markdown takes for nothing else."""
    for sign in ("\\", "|", "<", "*", "`", "_"):
        cell = cell.replace(sign, f"\\{sign}")
    return " ".join(cell.split())
