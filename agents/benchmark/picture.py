"""Learning curves: what each algorithm had reached after how many steps, beside the agents that do not train."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, LogLocator, NullFormatter

# The colours of Okabe and Ito, which people with any colour vision can tell apart.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_STYLES = ("-", "--", ":")
_GREY = "#767676"
_LEAST = 0.01  # percent missing: less is as good as the optimum
_LEGEND = 1.8  # inches beside the panels
_CLOSE = 1.06  # levels that differ by less share a label


def draw_curves(summary: Mapping[str, Any], path: Path) -> None:
    """Writes the picture that `curves_figure` draws."""
    figure = curves_figure(summary)
    figure.savefig(path, dpi=130, metadata={"Software": ""} if path.suffix == ".png" else None)


def curves_figure(summary: Mapping[str, Any]) -> Figure:
    """Draws a panel per ruleset: the mean over seeds, and a band from the lowest to the highest seed.

    What is drawn is what is missing to the optimum, on a logarithmic scale, so that the last percents can be
    told apart. Where no optimum is known it is the mean score. The legend stands beside the panels and names what is
    drawn, the best of the first panel first.
    """
    rulesets = summary["protocol"]["rulesets"]
    figure = Figure(figsize=(6.4 * len(rulesets) + _LEGEND, 4.8), layout="constrained")
    for axes, ruleset in zip(figure.subplots(1, len(rulesets), squeeze=False)[0], rulesets, strict=True):
        rows = [row for row in summary["rows"] if row["ruleset"] == ruleset]
        is_solved = all(row["percent_of_optimum"] is not None for row in rows)
        _draw_panel(axes, summary, ruleset, is_solved)
        _draw_levels(axes, [row for row in rows if not row["trained"]], is_solved)
    lines: dict[str, Artist] = {}
    for axes in figure.axes:
        for line, name in zip(*axes.get_legend_handles_labels(), strict=True):
            lines.setdefault(name, line)  # an algorithm looks the same in every panel
    if lines:
        figure.legend(lines.values(), lines.keys(), loc="outside right center", fontsize=8, frameon=False)
    return figure


def _draw_panel(axes: Axes, summary: Mapping[str, Any], ruleset: str, is_solved: bool) -> None:
    names = list(summary["protocol"]["algorithms"])
    curves = [curve for curve in summary["curves"] if curve["ruleset"] == ruleset and curve["points"]]
    for curve in sorted(curves, key=lambda curve: -curve["points"][-1]["mean"]):  # the legend reads as the lines end
        steps, mean, low, high = ([point[key] for point in curve["points"]] for key in ("steps", "mean", "low", "high"))
        place = names.index(curve["algorithm"])
        colour = _COLOURS[place % len(_COLOURS)]
        style = _STYLES[place // len(_COLOURS) % len(_STYLES)]
        shown = [_missing(values) if is_solved else values for values in (mean, low, high)]
        axes.plot(steps, shown[0], color=colour, linestyle=style, label=curve["algorithm"], linewidth=1.8)
        axes.fill_between(steps, shown[1], shown[2], color=colour, alpha=0.15, linewidth=0)
    what = "percent missing to the optimum" if is_solved else "mean score"
    axes.set(title=ruleset, xlabel="decisions trained on", ylabel=what)
    if is_solved:
        axes.set_yscale("log")
        axes.invert_yaxis()  # up is better
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter(NullFormatter())
    else:
        axes.set_ylim(0, None)
    axes.xaxis.set_major_formatter(EngFormatter())  # 500 k, 2 M
    axes.grid(alpha=0.2)


def _draw_levels(axes: Axes, rows: Sequence[Mapping[str, Any]], is_solved: bool) -> None:
    """A dotted line per agent without training; those whose lines lie close together share a label."""
    labels: list[tuple[float, list[str]]] = []
    for row in rows:
        level = _missing([row["percent_of_optimum"]])[0] if is_solved else row["mean_score"]
        if is_solved and row["percent_of_optimum"] > 100 - _LEAST:
            continue  # the optimum itself lies infinitely far up
        axes.axhline(level, color=_GREY, linewidth=0.8, linestyle=":")
        if labels and max(level, labels[-1][0]) < _CLOSE * min(level, labels[-1][0]):
            labels[-1][1].append(row["agent"])
        else:
            labels.append((level, [row["agent"]]))
    for level, agents in labels:
        axes.annotate(", ".join(agents), (1.0, level), xycoords=("axes fraction", "data"), xytext=(3, 0),
                      textcoords="offset points", fontsize=7, color=_GREY, va="center")  # fmt: skip


def _missing(percents: Sequence[float]) -> list[float]:
    """What is missing to the optimum in percent, at least what can still be told apart."""
    return [max(100 - percent, _LEAST) for percent in percents]
