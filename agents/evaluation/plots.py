"""Pictures of an evaluation: the ladder to the optimum, the scores behind it, and where the regret sits."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from agents.evaluation.matches import Match
from agents.evaluation.results import AgentResult, Evaluation
from agents.evaluation.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's palette, told apart with every kind of colour blindness; its yellow is too pale for lines.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00")
KIND_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9")
KIND_TEXT = ("white", "#22262a", "white", "#22262a", "#22262a")
INK, GREY, GRID = "#22262a", "#6b7280", "#e3e6ea"
LINE_STYLES = ("-", "--", "-.", ":")

STYLE: dict[str, Any] = {
    "font.size": 10,
    "axes.titlesize": 11.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 10,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": INK,
    "xtick.color": GREY,
    "ytick.color": INK,
    "ytick.left": False,
    "grid.color": GRID,
    "savefig.facecolor": "white",
}


def draw(evaluation: Evaluation) -> Figure:
    """Draws an evaluation: ladder, score distributions and, where the ruleset was solved, regret by kind of decision.

    Args:
        evaluation: the evaluation.

    Returns:
        A figure that belongs to no window; `save` writes it.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    solved = evaluation.optimum is not None
    rows = len(evaluation.results)
    with mpl.rc_context(STYLE):  # type: ignore[arg-type]  # its keys are a long list of literals
        layout = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.1, wspace=0.04, hspace=0.06)
        figure = Figure(figsize=(11.5, 5.6 + 0.34 * rows), layout=layout)
        grid = figure.add_gridspec(2, 1, height_ratios=[1.3 + 0.34 * rows, 4.3])
        upper, lower = (figure.add_subfigure(part) for part in (grid[0], grid[1]))
        if solved:
            ladder, regret = upper.subplots(1, 2, width_ratios=[1.15, 1])
            _draw_kinds(regret, evaluation)
        else:
            ladder = upper.subplots()
        _draw_ladder(ladder, evaluation)
        _draw_scores(lower.subplots(), evaluation)
    return figure


def save(figure: Figure, path: Path) -> None:
    """Writes a figure; the suffix of the path chooses the format (png, svg, pdf)."""
    figure.savefig(path, dpi=160, metadata={"Date": None} if path.suffix == ".svg" else None)


def colours(results: tuple[AgentResult, ...]) -> list[str]:
    """A colour per agent, the same in every picture; the optimal player is drawn in ink."""
    return [INK if result.agent == "optimal" else PALETTE[place % len(PALETTE)] for place, result in enumerate(results)]


def _draw_ladder(axes: Axes, evaluation: Evaluation) -> None:
    """One row per agent: percent of the optimum, or the mean score where there is none, with its interval."""
    optimum = evaluation.optimum
    end = 100.0 if optimum is not None else max(1.0, *(result.mean_score for result in evaluation.results))
    rows = np.arange(len(evaluation.results))[::-1]
    for row, result, colour in zip(rows, evaluation.results, colours(evaluation.results), strict=True):
        value, error = _ladder_value(result, optimum)
        low, high = Estimate(value, error, result.games).interval()
        axes.barh(row, value, height=0.56, color=colour, alpha=0.22)
        if np.isfinite(low):
            axes.plot([low, high], [row, row], color=colour, linewidth=2.4, solid_capstyle="butt")
        axes.plot(value, row, "o", color=colour, markersize=6)
        text = f"{value:.2f} %" if optimum is not None else f"{value:.1f}"
        axes.text(1.025 * end, row, text, va="center")
    axes.set_yticks(rows, [result.agent for result in evaluation.results])
    axes.set_ylim(-0.7, len(rows) - 0.3)
    axes.grid(axis="x")
    axes.set_axisbelow(True)
    axes.spines["left"].set_visible(False)
    if optimum is not None:
        axes.axvline(100, color=INK, linewidth=1, linestyle=(0, (4, 3)))
        axes.set_xlim(0, 119)
        axes.set_xticks(range(0, 101, 20))
        axes.set_xlabel("expected score, % of the optimum (lines: 95 % interval)")
        axes.set_title(f"{evaluation.rules.name}: distance to the optimum of {optimum:.2f} points")
    else:
        axes.set_xlim(0, 1.15 * end)
        axes.set_xlabel("mean score (lines: 95 % interval)")
        axes.set_title(f"{evaluation.rules.name}: mean score")


def _ladder_value(result: AgentResult, optimum: float | None) -> tuple[float, float]:
    if optimum is None or result.percent_of_optimum is None:
        return result.mean_score, np.nan if result.score_se is None else result.score_se
    error = np.nan if result.regret_se is None else 100 * result.regret_se / optimum
    return result.percent_of_optimum, error


def _draw_kinds(axes: Axes, evaluation: Evaluation) -> None:
    """One row per agent: how its regret splits over the kinds of decision, with the total beside it."""
    rows = np.arange(len(evaluation.matches))[::-1]
    kinds = evaluation.matches[0].kinds
    for row, match in zip(rows, evaluation.matches, strict=True):
        parts = match.regret_by_kind.mean(axis=0)
        total = float(parts.sum())
        left = 0.0
        for part, colour, ink in zip(parts, KIND_COLOURS, KIND_TEXT, strict=False):
            share = 100 * float(part) / total if total > 1e-9 else 0.0
            axes.barh(row, share, left=left, height=0.56, color=colour, edgecolor="white", linewidth=0.8)
            if share >= 9:
                axes.text(left + share / 2, row, f"{share:.0f} %", ha="center", va="center", color=ink, size=9)
            left += share
        axes.text(left + 2.5, row, f"{total:.2f} points" if total > 1e-9 else "no regret", va="center")
    for kind, colour in zip(kinds, KIND_COLOURS, strict=False):
        axes.barh(0, 0, color=colour, label=kind)
    axes.set_yticks(rows, [match.agent for match in evaluation.matches])
    axes.set_ylim(-0.7, len(rows) - 0.3)
    axes.set_xlim(0, 138)
    axes.set_xticks(range(0, 101, 25))
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("share of the regret per game, %")
    axes.set_title("Where the regret sits")
    axes.legend(
        loc="upper center", bbox_to_anchor=(0.36, -0.3 - 0.25 / len(rows)), ncols=len(kinds), frameon=False,
        handlelength=1, handletextpad=0.5, columnspacing=1.4,
    )  # fmt: skip


def _draw_scores(axes: Axes, evaluation: Evaluation) -> None:
    """The scores of every agent as a histogram, drawn as a smooth line over bins."""
    scores = np.concatenate([match.score for match in evaluation.matches])
    width = _bin_width(evaluation.matches)
    bins = np.arange(np.floor(scores.min() / width) * width, scores.max() + 2 * width, width)
    pairs = zip(evaluation.matches, colours(evaluation.results), strict=True)
    for place, (match, colour) in enumerate(pairs):
        counts, _ = np.histogram(match.score, bins)
        share = 100 * counts / match.games
        axes.stairs(share, bins, color=colour, fill=True, alpha=0.13)
        axes.stairs(
            share, bins, color=colour, linewidth=1.7, linestyle=LINE_STYLES[place // len(PALETTE) % len(LINE_STYLES)],
            label=f"{match.agent} (mean {match.score.mean():.1f})",
        )  # fmt: skip
    if evaluation.optimum is not None:
        axes.axvline(evaluation.optimum, color=INK, linewidth=1, linestyle=(0, (4, 3)))
        axes.text(
            evaluation.optimum, 1.0, f" optimum {evaluation.optimum:.2f}", va="top", size=9,
            transform=axes.get_xaxis_transform(),
        )  # fmt: skip
    axes.grid(axis="y")
    axes.set_axisbelow(True)
    axes.margins(x=0.01)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("score of a game")
    axes.set_ylabel(f"games per {width} points, %")
    axes.set_title(f"Scores of {evaluation.games:,} games on the same dice (seed {evaluation.seed})")
    axes.legend(frameon=False, loc="best")


def _bin_width(matches: tuple[Match, ...]) -> int:
    """A round bin width that leaves about 25 bins across the widest distribution."""
    spread = max(float(np.ptp(match.score)) for match in matches)
    return next((width for width in (1, 2, 5, 10, 20, 25, 50, 100) if spread / width <= 30), 200)
