"""Reports of an evaluation: a table for the terminal and one self-contained page to keep or to send."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import TextIO

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table

from agents.evaluation.plots import draw, save
from agents.evaluation.results import AgentResult, Evaluation
from agents.evaluation.statistics import paired
from yatzy_env.rules import CATALOGUE, Ruleset, options

COLUMNS = ("agent", "games", "mean score", "regret", "expected score", "% of optimum", "bonus %", "yatzy %")
_UNKNOWN = "–"

_CSS = """
:root { color-scheme: light; }
body { font: 16px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif; color: #22262a; background: #fff;
       max-width: 62rem; margin: 2.5rem auto; padding: 0 1.2rem; }
h1 { font-size: 1.7rem; margin: 0 0 .2rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .5rem; }
p.lead { color: #555c64; margin-top: 0; } .scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .92rem; width: 100%; }
th, td { text-align: right; padding: .38rem .7rem; border-bottom: 1px solid #e3e6ea; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; } th { color: #555c64; font-weight: 600; }
tr.optimum td { border-top: 2px solid #22262a; border-bottom: 0; font-weight: 600; }
img { width: 100%; height: auto; } .note { color: #555c64; font-size: .9rem; }
.warning { border-left: 4px solid #D55E00; padding: .4rem .8rem; background: #fdf3ec; }
code, pre { font: .88rem/1.5 ui-monospace, Menlo, Consolas, monospace; } pre { background: #f5f6f8; padding: .8rem 1rem;
overflow-x: auto; border-radius: 6px; } dl { display: grid; grid-template-columns: 10rem 1fr; gap: .25rem 1rem; }
dt { color: #555c64; } dd { margin: 0; overflow-wrap: anywhere; }
"""


def figures(result: AgentResult, rules: Ruleset) -> list[str]:
    """The figures of an agent as the cells of a table, in the order of `COLUMNS`."""
    return [
        result.agent,
        f"{result.games:,}",
        with_error(result.mean_score, result.score_se),
        with_error(result.regret_per_game, result.regret_se),
        number(result.expected_score),
        number(result.percent_of_optimum),
        f"{100 * result.bonus_rate:.1f}" if rules.bonus_points else _UNKNOWN,
        f"{100 * result.yatzy_rate:.1f}" if "yatzy" in rules.boxes else _UNKNOWN,
    ]


def number(value: float | None, digits: int = 2) -> str:
    """A figure with fixed digits, a dash where it is unknown."""
    return _UNKNOWN if value is None else f"{max(value, 0.0) if abs(value) < 1e-9 else value:.{digits}f}"


def with_error(value: float | None, error: float | None) -> str:
    """A figure with its standard error."""
    return number(value) if value is None or error is None else f"{number(value)} ± {number(error)}"


def table(evaluation: Evaluation) -> Table:
    """The evaluation as a table for the terminal, the optimum in the last row."""
    grid = Table(
        title=title(evaluation),
        title_style="bold",
        caption=_caption(evaluation),
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 0, 0, 1),
    )
    for column in COLUMNS:
        grid.add_column(
            column.replace(" ", "\n", 1),
            justify="left" if column == "agent" else "right",
            vertical="bottom",
            no_wrap=True,
        )
    for result in evaluation.results:
        grid.add_row(*figures(result, evaluation.rules))
    if evaluation.optimum is not None:
        grid.add_section()
        grid.add_row(*_optimum_row(evaluation.optimum), style="bold")
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


def title(evaluation: Evaluation) -> str:
    """What was measured, in a few words."""
    named = evaluation.rules.name in CATALOGUE
    changed = ", ".join(f"{key}={value}" for key, value in options(evaluation.rules).items()) if named else ""
    return (
        f"{evaluation.rules.name}{f' ({changed})' if changed else ''}: "
        f"{evaluation.games:,} games per agent, seed {evaluation.seed}"
    )


def write_report(evaluation: Evaluation, folder: Path) -> Path:
    """Writes `index.html`, the picture as `report.png` and the figures as `results.json`.

    Args:
        evaluation: the evaluation.
        folder: where to; made if missing, files of these names are replaced.

    Returns:
        The path of the page. It holds everything it shows and can be moved alone.
    """
    folder.mkdir(parents=True, exist_ok=True)
    picture = draw(evaluation)
    save(picture, folder / "report.png")
    evaluation.write_json(folder / "results.json")
    page = folder / "index.html"
    page.write_text(html_page(evaluation, (folder / "report.png").read_bytes()), encoding="utf-8")
    return page


def html_page(evaluation: Evaluation, png: bytes) -> str:
    """The report as one HTML page.

    Args:
        evaluation: the evaluation.
        png: its picture; it is put inside the page.
    """
    image = base64.b64encode(png).decode()
    warnings = "".join(f'<p class="warning">{escape(text)}</p>\n' for text in evaluation.warnings)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title(evaluation))}</title>
<style>{_CSS}</style>
</head>
<body>
<h1>Agents on {escape(evaluation.rules.name)}</h1>
<p class="lead">{escape(title(evaluation))}. {escape(_caption(evaluation))}</p>
{warnings}{_figures_table(evaluation)}
<img alt="{escape(_alt(evaluation))}" src="data:image/png;base64,{image}">
{_decisions_table(evaluation)}{_pairs_table(evaluation)}<h2>How it was measured</h2>
{_method(evaluation)}
<pre>{escape(evaluation.provenance.command)}</pre>
{_origin(evaluation)}
</body>
</html>
"""


def _figures_table(evaluation: Evaluation) -> str:
    rows = [figures(result, evaluation.rules) for result in evaluation.results]
    last = _optimum_row(evaluation.optimum) if evaluation.optimum is not None else None
    return html_table(COLUMNS, rows, last)


def html_table(head: Sequence[str], rows: Iterable[Sequence[str]], last: Sequence[str] | None = None) -> str:
    """A table in HTML; every cell is escaped.

    Args:
        head: the names of the columns.
        rows: the cells.
        last: a row set apart below the others.
    """
    lines = ["<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows]
    if last is not None:
        lines.append('<tr class="optimum">' + "".join(f"<td>{escape(cell)}</td>" for cell in last) + "</tr>")
    top = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "\n".join(lines)
    return f'<div class="scroll"><table>\n<thead><tr>{top}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table></div>'


def _optimum_row(optimum: float) -> list[str]:
    return ["optimum", "", "", number(0.0), number(optimum), number(100.0), "", ""]


def _decisions_table(evaluation: Evaluation) -> str:
    if evaluation.optimum is None:
        return ""
    head = ("agent", *evaluation.matches[0].kinds, "most costly turn", "decisions per game")
    rows = []
    for match in evaluation.matches:
        by_turn = match.regret_by_turn.mean(axis=0)
        turn = int(by_turn.argmax())
        worst = f"turn {turn + 1}: {by_turn[turn]:.2f}" if by_turn[turn] > 1e-9 else _UNKNOWN
        kinds = [number(value, 3) for value in match.regret_by_kind.mean(axis=0).tolist()]
        rows.append([match.agent, *kinds, worst, f"{match.decisions.mean():.1f}"])
    return "<h2>Regret per game by kind of decision, in points</h2>\n" + html_table(head, rows) + "\n"


def _pairs_table(evaluation: Evaluation) -> str:
    """Every agent against the one listed before it, game by game."""
    if len(evaluation.matches) < 2 or evaluation.games < 2:
        return ""
    rows = []
    for worse, better in zip(evaluation.matches[:-1], evaluation.matches[1:], strict=True):
        plain = paired(better.score, worse.score)
        row = [f"{better.agent} – {worse.agent}", with_error(plain.mean, plain.error)]
        row.append(f"{plain.low:.2f} to {plain.high:.2f}")
        if evaluation.optimum is not None:
            sharp = paired(-better.game_regret, -worse.game_regret)
            row += [with_error(sharp.mean, sharp.error), f"{sharp.low:.2f} to {sharp.high:.2f}"]
        rows.append(row)
    head = ["on the same dice", "score difference", "95 % interval"]
    if evaluation.optimum is not None:
        head += ["difference by regret", "95 % interval"]
    return "<h2>Neighbours compared game by game</h2>\n" + html_table(head, rows) + "\n"


def _method(evaluation: Evaluation) -> str:
    text = "Every agent meets the same dice. ± is one standard error of the mean over games."
    if evaluation.optimum is not None:
        text += (
            " The regret of a decision is the value of the best action minus the value of the chosen one, read from "
            "the exact solution of this ruleset; the expected score is the optimum minus the mean regret per game, and "
            "varies far less than the mean score. In every game the score was checked to be optimum + luck − regret."
        )
    return f'<p class="note">{escape(text)}</p>'


def _origin(evaluation: Evaluation) -> str:
    origin = evaluation.provenance
    versions = ", ".join(f"{name} {version}" for name, version in origin.versions.items())
    taken = ", ".join(
        f"{match.agent} {seconds:.1f} s" for match, seconds in zip(evaluation.matches, evaluation.seconds, strict=True)
    )
    entries = {
        "ruleset": evaluation.rules.name,
        "rules digest": evaluation.rules.digest,
        "optimum": repr(evaluation.optimum) if evaluation.optimum is not None else "not known",
        "dice": f'key("evaluate", {evaluation.seed}, game), games 0 to {evaluation.games - 1}',
        "commit": origin.commit or "not in a repository",
        "date": origin.date,
        "versions": versions,
        "machine": origin.machine,
        "time": taken,
    }
    return "<dl>" + "".join(f"<dt>{escape(key)}</dt><dd>{escape(text)}</dd>" for key, text in entries.items()) + "</dl>"


def _alt(evaluation: Evaluation) -> str:
    parts = [
        f"{result.agent} {result.mean_score:.1f}"
        + (f" ({result.percent_of_optimum:.2f} % of the optimum)" if result.percent_of_optimum is not None else "")
        for result in evaluation.results
    ]
    return "Mean scores: " + ", ".join(parts)


def _caption(evaluation: Evaluation) -> str:
    if evaluation.optimum is None:
        return "The optimum of this ruleset is not known here, so there is no regret."
    return f"Exact optimum {evaluation.optimum:.2f}; expected score = optimum - regret."
