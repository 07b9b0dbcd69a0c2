"""The report as one self-contained HTML page, for wide and narrow windows, for light and dark."""

from __future__ import annotations

from html import escape

from agents.reports.analysis import Analysis, WorstDecision
from agents.reports.dice_art import dice_svg
from agents.reports.page_style import CSS
from agents.reports.pictures import Picture, pictures
from agents.reports.sections import Section, matrix, sections
from agents.reports.text import caption, number, percent, title
from yatzy_env.evaluation.results import Evaluation

_SHOWN = 5  # worst decisions per agent
_NOTES = {
    "scores": (
        "The dots in the picture of the scores are the exact distribution of the optimal ones, computed and not "
        "played: what the optimal player's histogram tends to."
    ),
    "boxes": (
        "Points per game, by the box that the turn ended in and the decision at fault. Each agent has its own scale of "
        "colours."
    ),
    "curves": "Mean score of the games played in training, where actions are drawn and not the best-rated ones.",
    "bands": " A band reaches from the lowest to the highest of several runs around their interquartile mean.",
}


def html_page(evaluation: Evaluation, analysis: Analysis) -> str:
    """The report as HTML. It holds everything it shows and asks no server for anything.

    Args:
        evaluation: the evaluation.
        analysis: what was found by looking into it.
    """
    drawn = pictures(evaluation, analysis)
    tables = {section.name: section for section in sections(evaluation, analysis)}
    warnings = "".join(f'<p class="warning">{escape(text)}</p>\n' for text in evaluation.warnings)
    parts = [
        _section(tables["ladder"], drawn["ladder"] + drawn["scores"]),
        f'<p class="note">{escape(_NOTES["scores"])}</p>' if analysis.optimal_scores is not None else "",
        _heads(tables.get("head_to_head"), evaluation),
        _section(tables.get("pairs")),
        _section(tables.get("kinds"), drawn.get("kinds", [])),
    ]
    if drawn.get("boxes"):
        parts.append(_heading("Regret by box and throw", _NOTES["boxes"]) + _gallery(drawn["boxes"], "small"))
    parts += [_section(tables.get("given_up")), _section(tables.get("missing")), _worst(analysis)]
    if "curves" in drawn:
        bands = _NOTES["bands"] if any(curve.runs > 1 for curve in analysis.curves) else ""
        parts.append(_heading("Learning curves", _NOTES["curves"] + bands) + _gallery(drawn["curves"]))
    body = "\n".join(part for part in parts if part)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title(evaluation))}</title>
<style>{CSS}</style>
</head>
<body>
<h1>Agents on {escape(evaluation.rules.name)}</h1>
<p class="lead">{escape(title(evaluation))}. {escape(caption(evaluation))}</p>
{warnings}{body}
<h2>How it was measured</h2>
{_method(evaluation)}
<pre>{escape(evaluation.provenance.command)}</pre>
{_origin(evaluation)}
</body>
</html>
"""


def _heading(title: str, note: str = "") -> str:
    text = f'<p class="note">{escape(note)}</p>\n' if note else ""
    return f"<h2>{escape(title)}</h2>\n{text}"


def _gallery(some: list[Picture], look: str = "wide") -> str:
    return f'<div class="gallery {look}">' + "\n".join(picture.html() for picture in some) + "</div>\n" if some else ""


def _section(section: Section | None, some: list[Picture] | None = None) -> str:
    if section is None:
        return ""
    return _heading(section.title, section.note) + html_table(section) + _gallery(some or [])


def html_table(section: Section) -> str:
    """The table of a section in HTML; every cell is escaped."""

    def row(cells: list[str], tag: str = "td") -> str:
        looks = [' class="word"' if place < section.words else "" for place in range(len(cells))]
        return "".join(f"<{tag}{look}>{escape(cell)}</{tag}>" for look, cell in zip(looks, cells, strict=True))

    lines = []
    for place, cells in enumerate(section.rows):
        new = section.words > 1 and place > 0 and cells[0] != section.rows[place - 1][0]
        lines.append(f"<tr{' class=new' if new else ''}>{row(list(cells))}</tr>")
    if section.last is not None:
        lines.append(f'<tr class="optimum">{row(list(section.last))}</tr>')
    head, body = row(list(section.head), "th"), "\n".join(lines)
    return f'<div class="scroll"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table></div>\n'


def _heads(section: Section | None, evaluation: Evaluation) -> str:
    """The head-to-head matrix, tinted by how often the agent of the row wins."""
    if section is None:
        return ""
    names, against = [match.agent for match in evaluation.matches], matrix(evaluation)
    rows = []
    for first in names:
        cells = []
        for second in names:
            if first == second:
                cells.append('<td class="self"></td>')
                continue
            duel = against[first, second]
            cells.append(
                f'<td style="--share:{100 * duel.win.value:.0f}%"><b>{percent(duel.win.value)}</b>'
                f"<small>{percent(duel.win.low)} to {percent(duel.win.high)}</small>"
                f"<small>draws {percent(duel.draw.value)}</small></td>"
            )
        rows.append(f'<tr><th class="word">{escape(first)}</th>{"".join(cells)}</tr>')
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    table = (
        '<div class="scroll"><table class="matrix">\n'
        f'<thead><tr><th class="word">wins against</th>{head}</tr></thead>\n'
        f"<tbody>{''.join(rows)}</tbody></table></div>\n"
    )
    return _heading(section.title, section.note) + table


def _worst(analysis: Analysis) -> str:
    """The worst decisions of every agent; those of the strongest are open."""
    if not analysis.worst:
        return ""
    strongest = min(analysis.worst, key=lambda agent: analysis.worst[agent][0].cost)
    parts = []
    for agent, found in analysis.worst.items():
        cards = "\n".join(_decision(slip) for slip in found[:_SHOWN])
        summary = f"{escape(agent)}: up to {number(found[0].cost)} points"
        state = " open" if agent == strongest else ""
        parts.append(f"<details{state}><summary>{summary}</summary>\n<div class=decisions>{cards}</div></details>")
    note = f"The {_SHOWN} costliest decisions of each agent. Dice drawn faintly are thrown again."
    return _heading("Worst decisions", note) + "\n".join(parts) + "\n"


def _decision(slip: WorstDecision) -> str:
    left = "no throw left" if not slip.throws_left else f"{slip.throws_left} throw{'s' * (slip.throws_left > 1)} left"
    shown = f"game {slip.game}, turn {slip.turn}, {left}, upper sum {slip.upper}"
    open_boxes = ", ".join(name.replace("_", " ") for name in slip.open)
    moved = f"{slip.given_up.replace('_', ' ')} given up for {slip.taken.replace('_', ' ')}"
    return f"""<article>
<h3><span class="cost">−{slip.cost:.2f}</span> {escape(moved)}</h3>
<p class="where">{escape(shown)}</p>
<dl>
<dt>did</dt><dd>{_choice(slip.dice, slip.did, slip.did_keep)}</dd>
<dt>best</dt><dd>{_choice(slip.dice, slip.best, slip.best_keep)}</dd>
<dt>open</dt><dd class="open">{escape(open_boxes)}</dd>
</dl>
</article>"""


def _choice(dice: tuple[int, ...], action: str, keep: tuple[int, ...] | None) -> str:
    return f"{dice_svg(dice, keep)} <span>{escape(action.replace('_', ' '))}</span>"


def _method(evaluation: Evaluation) -> str:
    text = "Every agent meets the same dice. ± is one standard error of the mean over games."
    if evaluation.optimum is not None:
        text += (
            " The regret of a decision is the value of the best action minus the value of the chosen one, read from "
            "the exact solution of this ruleset; the expected score is the optimum minus the mean regret per game, and "
            "varies far less than the mean score. In every game the score was checked to be optimum + luck − regret, "
            "so the expected score is also the mean of the scores with their luck taken off."
        )
    elif evaluation.bounds is not None:
        text += (
            " Several columns have too many cards to be solved, so there is no regret. The ends of the interval are "
            "proved: below by a policy, above by a relaxation that no policy can beat."
        )
    return f'<p class="note">{escape(text)}</p>'


def _origin(evaluation: Evaluation) -> str:
    origin, bounds = evaluation.provenance, evaluation.bounds
    versions = ", ".join(f"{name} {version}" for name, version in origin.versions.items())
    taken = ", ".join(
        f"{match.agent} {seconds:.1f} s" for match, seconds in zip(evaluation.matches, evaluation.seconds, strict=True)
    )
    optimum = repr(evaluation.optimum) if evaluation.optimum is not None else "not known"
    if bounds is not None:
        optimum = f"between {bounds.lower!r} and {bounds.upper!r}"
    entries = {
        "ruleset": evaluation.rules.name,
        "rules digest": evaluation.rules.digest,
        "optimum": optimum,
        "dice": f'key("evaluate", {evaluation.seed}, game), games 0 to {evaluation.games - 1}',
        "commit": origin.commit or "not in a repository",
        "date": origin.date,
        "versions": versions,
        "machine": origin.machine,
        "time": taken,
    }
    rows = "".join(f"<dt>{escape(key)}</dt><dd>{escape(text)}</dd>" for key, text in entries.items())
    return f'<dl class="origin">{rows}</dl>'
