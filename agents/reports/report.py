"""Reports of an evaluation: a table for the terminal, and a folder with a page to keep or to send."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TextIO

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table

from agents.reports.analysis import analyse
from agents.reports.markdown import markdown_report
from agents.reports.page import html_page
from agents.reports.plots import draw, save
from agents.reports.sections import columns, figures, optimum_row
from agents.reports.text import caption, title
from yatzy_env.evaluation.results import Evaluation


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
    for column in columns(evaluation):
        grid.add_column(
            column.replace(" ", "\n", 1),
            justify="left" if column == "agent" else "right",
            vertical="bottom",
            no_wrap=True,
        )
    for result in evaluation.results:
        grid.add_row(*figures(result, evaluation))
    last = optimum_row(evaluation)
    if last is not None:
        grid.add_section()
        grid.add_row(*last, style="bold")
    return grid


def print_table(evaluation: Evaluation, file: TextIO | None = None) -> None:
    """Prints the table. Figures are never cut off: in a narrow terminal its lines wrap.

    Args:
        evaluation: the evaluation.
        file: where to print; standard output if None.
    """
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
    record = evaluation.record() | analysis.fields()
    (folder / "results.json").write_text(json.dumps(record, indent=2, allow_nan=False) + "\n", encoding="utf-8")
    (folder / "table.md").write_text(markdown_report(evaluation, analysis), encoding="utf-8")
    page = folder / "index.html"
    page.write_text(html_page(evaluation, analysis), encoding="utf-8")
    return page
