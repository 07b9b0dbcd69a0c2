"""Pictures: how far each algorithm came by decisions and by CPU minutes, and the share of runs above each score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, LogLocator, NullFormatter

from agents.benchmark.execute import MARKS
from agents.benchmark.summary import after
from yatzy_env.files import replacing

# The colours of Okabe and Ito, which people with any colour vision can tell apart.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_STYLES = ("-", "--", ":")
_GREY = "#767676"
_LEAST = 0.01  # percent missing: less is as good as the optimum
_LEGEND = 1.8  # inches beside the panels
_CLOSE = 1.06  # levels that differ by less share a label
_AXIS = {"steps": "decisions trained on", "minutes": "CPU minutes"}


def draw(summary: Mapping[str, Any], path: Path) -> None:
    """Writes the picture that `figure_of` draws."""
    figure = figure_of(summary)
    plain: dict[str, Any] | None = {"Software": ""} if path.suffix == ".png" else None
    with replacing(path) as part:
        figure.savefig(part, format=path.suffix[1:], dpi=110, metadata=plain)


def figure_of(summary: Mapping[str, Any]) -> Figure:
    """Draws a row of panels by decisions and one by CPU minutes, a panel per ruleset and one of profiles.

    Curves are means over seeds in a band from the lowest to the highest; what is drawn is what is missing to the
    optimum, on a logarithmic scale, so that the last percents can be told apart. A profile is the share of runs, of all
    rulesets, whose normalised score is beyond the score below it. The legend names what is drawn, the best first.
    """
    rulesets = summary["protocol"]["rulesets"]
    size = (4.4 * (len(rulesets) + 1) + _LEGEND, 4.0 * len(MARKS))
    figure = Figure(figsize=size, layout="constrained")
    curves = sorted(summary["curves"], key=lambda curve: -curve["points"][-1]["mean"])
    agents = list(dict.fromkeys(curve["agent"] for curve in summary["curves"]))
    looks = {
        agent: {"color": _COLOURS[place % len(_COLOURS)], "linestyle": _STYLES[place // len(_COLOURS) % len(_STYLES)]}
        for place, agent in enumerate(agents)
    }
    for mark, row in zip(MARKS, figure.subplots(len(MARKS), len(rulesets) + 1, squeeze=False), strict=True):
        for axes, ruleset in zip(row, rulesets, strict=False):
            _draw_curves(axes, [curve for curve in curves if curve["ruleset"] == ruleset], mark, looks)
            axes.set(title=ruleset, xlabel=_AXIS[mark], ylabel="percent missing to the optimum")
            _draw_levels(axes, [
                found for found in summary["rows"]
                if (found["ruleset"], found["after"], found["trained"]) == (ruleset, mark, False)
            ])  # fmt: skip
        _draw_profiles(row[-1], [found for found in summary["profiles"] if found["after"] == mark], looks)
        row[-1].set(title=f"all rulesets {after(summary['protocol'], mark)}")
    lines: dict[str, Artist] = {}
    for axes in figure.axes:
        for line, name in zip(*axes.get_legend_handles_labels(), strict=True):
            lines.setdefault(name, line)  # an agent looks the same in every panel
    if lines:
        figure.legend(lines.values(), lines.keys(), loc="outside right center", fontsize=8, frameon=False)
    return figure


def _draw_curves(axes: Axes, curves: Sequence[Mapping[str, Any]], mark: str, looks: Mapping[str, Any]) -> None:
    for curve in curves:
        look, points = looks[curve["agent"]], curve["points"]
        place = [point[mark] for point in points]
        mean, low, high = (_missing([point[key] for point in points]) for key in ("mean", "low", "high"))
        axes.plot(place, mean, label=curve["agent"], linewidth=1.8, **look)
        axes.fill_between(place, low, high, color=look["color"], alpha=0.15, linewidth=0)
    axes.set_yscale("log")
    axes.set_xscale("log")
    axes.invert_yaxis()  # up is better
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.xaxis.set_major_formatter(EngFormatter())  # 500 k, 2 M
    axes.grid(alpha=0.2)


def _draw_profiles(axes: Axes, profiles: Sequence[Mapping[str, Any]], looks: Mapping[str, Any]) -> None:
    for profile in profiles:
        if profile["agent"] in looks:
            scores = np.array(profile["normalized"])
            axes.step(
                [0, *scores], 1 - np.arange(len(scores) + 1) / len(scores), where="post", **looks[profile["agent"]]
            )
    axes.set(xlabel="normalised score", ylabel="share of runs beyond it", xlim=(0, 1.02), ylim=(0, 1.02))
    axes.grid(alpha=0.2)


def _draw_levels(axes: Axes, rows: Sequence[Mapping[str, Any]]) -> None:
    """A dotted line per agent without training; those whose lines lie close together share a label."""
    labels: list[tuple[float, list[str]]] = []
    for row in rows:
        (level,) = _missing([row["percent_of_optimum"]])
        if level <= _LEAST:
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
