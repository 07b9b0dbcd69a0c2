"""Pictures of an evaluation: the ladder to the optimum, the scores behind it, where the regret sits, how it was learnt.

Each `draw_...` puts one of them on axes that it is given; `draw` makes an overview of the most telling three.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from agents.reports.curves import Curve
from agents.reports.themes import LIGHT, LINE_STYLES, Theme
from yatzy_env.evaluation.matches import Match
from yatzy_env.evaluation.results import AgentResult, Evaluation
from yatzy_env.evaluation.statistics import Estimate
from yatzy_env.files import replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_DASHES = (0, (4, 3))


def draw(evaluation: Evaluation, theme: Theme = LIGHT) -> Figure:
    """Draws an overview: ladder, score distributions and, where the ruleset was solved, regret by kind of decision.

    The figure belongs to no window; `save` writes it.
    """
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    rows = len(evaluation.results)
    layout = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.1, wspace=0.04, hspace=0.06)
    with theme.figure(11.5, 5.6 + 0.34 * rows, layout) as figure:
        grid = figure.add_gridspec(2, 1, height_ratios=[1.3 + 0.34 * rows, 4.3])
        upper, lower = (figure.add_subfigure(part) for part in (grid[0], grid[1]))
        if evaluation.optimum is not None:
            ladder, regret = upper.subplots(1, 2, width_ratios=[1.15, 1])
            draw_kinds(regret, evaluation, theme)
        else:
            ladder = upper.subplots()
        draw_ladder(ladder, evaluation, theme)
        draw_scores(lower.subplots(), evaluation, theme, columns=5)
    return figure


def save(figure: Figure, path: Path) -> None:
    """Writes a figure; the suffix of the path chooses the format (png, svg, pdf)."""
    dated: dict[str, Any] | None = {"Date": None} if path.suffix == ".svg" else None
    with replacing(path) as part:
        figure.savefig(part, format=path.suffix[1:], dpi=160, metadata=dated)


def draw_ladder(axes: Axes, evaluation: Evaluation, theme: Theme) -> None:
    """One row per agent: percent of the optimum, or the mean score where there is none, with its interval."""
    optimum, bounds = evaluation.optimum, evaluation.bounds
    end = 100.0 if optimum is not None else max(1.0, *(result.mean_score for result in evaluation.results))
    end = max(end, bounds.upper) if bounds is not None else end
    rows = np.arange(len(evaluation.results))[::-1]
    for row, result, colour in zip(rows, evaluation.results, theme.colours(evaluation.results), strict=True):
        value, error = _ladder_value(result, optimum)
        low, high = Estimate(value, error, result.games).interval()
        axes.barh(row, value, height=0.56, color=colour, alpha=0.25)
        if np.isfinite(low):
            axes.plot([low, high], [row, row], color=colour, linewidth=2.4, solid_capstyle="butt")
        axes.plot(value, row, "o", color=colour, markersize=6)
        text = f"{value:.2f} %" if optimum is not None else f"{value:.1f}"
        axes.text(1.025 * end, row, text, va="center")
    axes.set_yticks(rows, [result.agent for result in evaluation.results])
    axes.set_ylim(-0.7, len(rows) - 0.3)
    axes.grid(axis="x")
    axes.spines["left"].set_visible(False)
    if optimum is not None:
        axes.axvline(100, color=theme.ink, linewidth=1, linestyle=_DASHES)
        axes.set_xlim(0, 121)
        axes.set_xticks(range(0, 101, 20))
        axes.set(
            xlabel="expected score, % of the optimum (lines: 95 % interval)",
            title=f"{evaluation.rules.name}: distance to the optimum of {optimum:.2f} points",
        )
        return
    axes.set_xlim(0, 1.17 * end)
    axes.set(xlabel="mean score (lines: 95 % interval)", title=f"{evaluation.rules.name}: mean score")
    if bounds is not None:
        axes.axvspan(bounds.lower, bounds.upper, color=theme.grey, alpha=0.2, linewidth=0)
        axes.set_xlabel("mean score (grey: where the optimum lies, proved)")


def _ladder_value(result: AgentResult, optimum: float | None) -> tuple[float, float]:
    if optimum is None or result.percent_of_optimum is None:
        return result.mean_score, np.nan if result.score_se is None else result.score_se
    error = np.nan if result.regret_se is None else 100 * result.regret_se / optimum
    return result.percent_of_optimum, error


def draw_kinds(axes: Axes, evaluation: Evaluation, theme: Theme) -> None:
    """One row per agent: how its regret splits over the kinds of decision, with the total beside it."""
    rows = np.arange(len(evaluation.matches))[::-1]
    kinds = evaluation.matches[0].kinds
    for row, match in zip(rows, evaluation.matches, strict=True):
        parts = match.regret_by_kind.mean(axis=0)
        total = float(parts.sum())
        left = 0.0
        for part, colour, ink in zip(parts, theme.kinds, theme.kind_text, strict=False):
            share = 100 * float(part) / total if total > 1e-9 else 0.0
            axes.barh(row, share, left=left, height=0.56, color=colour, edgecolor=theme.paper, linewidth=0.8)
            if share >= 9:
                axes.text(left + share / 2, row, f"{share:.0f} %", ha="center", va="center", color=ink, size=9)
            left += share
        axes.text(left + 2.5, row, f"{total:.2f} points" if total > 1e-9 else "no regret", va="center")
    for kind, colour in zip(kinds, theme.kinds, strict=False):
        axes.barh(0, 0, color=colour, label=kind)
    axes.set_yticks(rows, [match.agent for match in evaluation.matches])
    axes.set_ylim(-0.7, len(rows) - 0.3)
    axes.set_xlim(0, 138)
    axes.set_xticks(range(0, 101, 25))
    axes.spines["left"].set_visible(False)
    axes.set(xlabel="share of the regret per game, %", title="Where the regret sits")
    axes.legend(
        loc="upper center", bbox_to_anchor=(0.36, -0.2 - 0.3 / len(rows)), ncols=len(kinds),
        handlelength=1, handletextpad=0.5, columnspacing=1.4,
    )  # fmt: skip


def draw_scores(
    axes: Axes, evaluation: Evaluation, theme: Theme, optimal: NDArray[np.float64] | None = None, columns: int = 2
) -> None:
    """The scores of every agent as a histogram, and the exact distribution of the optimal scores if it is given."""
    scores = np.concatenate([match.score for match in evaluation.matches])
    width = _bin_width(evaluation.matches)
    bins = np.arange(np.floor(scores.min() / width) * width, scores.max() + 2 * width, width)
    pairs = zip(evaluation.matches, theme.colours(evaluation.results), strict=True)
    for place, (match, colour) in enumerate(pairs):
        counts, _ = np.histogram(match.score, bins)
        share = 100 * counts / match.games
        axes.stairs(share, bins, color=colour, fill=True, alpha=0.13)
        axes.stairs(
            share, bins, color=colour, linewidth=1.7, linestyle=_line_style(place, theme),
            label=f"{match.agent} (mean {match.score.mean():.1f})",
        )  # fmt: skip
    if optimal is not None:
        chances, _ = np.histogram(np.arange(len(optimal)), bins, weights=optimal)
        middle = (bins[:-1] + bins[1:]) / 2
        axes.plot(middle, 100 * chances, ".:", color=theme.ink, linewidth=1.1, markersize=4.5, label="optimal, exact")
    if evaluation.optimum is not None:
        axes.axvline(evaluation.optimum, color=theme.ink, linewidth=1, linestyle=_DASHES)
        axes.text(
            evaluation.optimum, 1.0, f" optimum {evaluation.optimum:.2f}", va="top", size=9,
            transform=axes.get_xaxis_transform(),
        )  # fmt: skip
    axes.grid(axis="y")
    axes.margins(x=0.01)
    axes.set_ylim(bottom=0)
    axes.set(
        xlabel="score of a game",
        ylabel=f"games per {width} points, %",
        title=f"Scores of {evaluation.games:,} games on the same dice (seed {evaluation.seed})",
    )
    axes.legend(
        loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=columns,
        handlelength=1.6, columnspacing=1.4,
    )  # fmt: skip


def draw_turns(axes: Axes, evaluation: Evaluation, theme: Theme) -> None:
    """The regret of every turn, on a logarithmic scale, for agents that have any."""
    turns = np.arange(1, evaluation.matches[0].regret_by_turn.shape[1] + 1)
    pairs = zip(evaluation.matches, theme.colours(evaluation.results), strict=True)
    for place, (match, colour) in enumerate(pairs):
        by_turn = match.regret_by_turn.mean(axis=0)
        if by_turn.sum() > 1e-9:
            known = np.where(by_turn > 1e-9, by_turn, np.nan)
            style = _line_style(place, theme)
            axes.plot(
                turns, known, marker="o", color=colour, linestyle=style, markersize=4, linewidth=1.5, label=match.agent
            )
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.grid(axis="y")
    axes.set_xticks(turns[::2])
    axes.set(xlabel="turn", ylabel="regret per game, points", title="Regret by turn")
    if axes.lines:
        axes.legend(loc="best", ncols=2)


def draw_boxes(axes: Axes, match: Match, theme: Theme) -> None:
    """The regret of one agent by the box its turn went to and the kind of decision, as a heat map."""
    import matplotlib as mpl

    values = match.regret_by_box.mean(axis=0)  # (B, K)
    top = float(values.max()) or 1.0
    colours = mpl.colormaps[theme.heat]
    axes.imshow(values, cmap=colours, vmin=0, vmax=top, aspect="auto")
    for (box, kind), value in np.ndenumerate(values):
        ink = _ink_on(colours(float(value) / top)[:3])
        axes.text(kind, box, _short(float(value)), ha="center", va="center", size=8.5, color=ink)
    axes.set_xticks(range(len(match.kinds)), [kind.replace(" ", "\n", 1) for kind in match.kinds])
    axes.set_yticks(range(len(match.rules.box_names)), [name.replace("_", " ") for name in match.rules.box_names])
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.set_title(match.agent)


def draw_curves(axes: Axes, curves: Sequence[Curve], theme: Theme) -> None:
    """How far from the best the networks in training played over time; a band reaches from the best run to the worst.

    A dotted line marks where the policy takes the place of the value network.
    """
    for place, curve in enumerate(curves):
        colour = theme.palette[place % len(theme.palette)]
        axes.axvline(curve.policy, color=colour, linewidth=1, linestyle=":")
        for stage, label in ((curve.minutes <= curve.policy, ""), (curve.minutes > curve.policy, curve.name)):
            minutes = curve.minutes[stage]
            axes.plot(minutes, curve.value[stage], ".-", color=colour, linewidth=1.7, markersize=3, label=label)
            if curve.runs > 1:
                axes.fill_between(minutes, curve.low[stage], curve.high[stage], color=colour, alpha=0.22, linewidth=0)
    axes.text(
        curves[0].policy,
        1.0,
        " value network | policy",
        ha="center",
        va="bottom",
        size=9,
        transform=axes.get_xaxis_transform(),
    )
    axes.set_yscale("log")
    axes.grid(axis="y")
    axes.set_xlim(left=0)
    axes.set(xlabel="CPU minutes", ylabel=curves[0].measure, title="Learning curves")
    axes.legend(loc="upper right")


def _line_style(place: int, theme: Theme) -> str:
    return LINE_STYLES[place // len(theme.palette) % len(LINE_STYLES)]


def _ink_on(colour: Sequence[float]) -> str:
    """Black or white, whichever has the greater contrast; WCAG's relative luminance decides."""
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour)
    return "#000000" if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 else "#ffffff"


def _short(value: float) -> str:
    """A figure with two digits that count, zero left out."""
    if value < 5e-4:
        return "0"
    return f"{value:.3f}" if value < 0.1 else f"{value:.2f}" if value < 10 else f"{value:.1f}"


def _bin_width(matches: tuple[Match, ...]) -> int:
    """A round bin width that leaves about 25 bins across the widest distribution."""
    spread = max(float(np.ptp(match.score)) for match in matches)
    return next((width for width in (1, 2, 5, 10, 20, 25, 50, 100) if spread / width <= 30), 200)
