"""The pictures of a page: small enough for a telephone, each on white and on dark paper."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from agents.reports import plots
from agents.reports.analysis import Analysis
from agents.reports.themes import DARK, LIGHT, Theme
from yatzy_env.evaluation.matches import Match
from yatzy_env.evaluation.results import Evaluation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DPI = 150
_WIDTH = 5.6  # inches; on a telephone text of 10 points is then just readable


@dataclass(frozen=True)
class Picture:
    """A picture in two sets of colours.

    Attributes:
        light: PNG on white paper.
        dark: PNG on dark paper.
        alt: what it shows, for those who cannot see it.
        width: its width in CSS pixels when nothing limits it.
    """

    light: bytes
    dark: bytes
    alt: str
    width: int

    def html(self) -> str:
        """The picture as HTML that holds all its data; the reader's settings choose the colours."""
        light, dark = (f"data:image/png;base64,{base64.b64encode(png).decode()}" for png in (self.light, self.dark))
        return (
            f'<picture><source media="(prefers-color-scheme: dark)" srcset="{dark}">'
            f'<img alt="{escape(self.alt)}" src="{light}" width="{self.width}"></picture>'
        )


def pictures(evaluation: Evaluation, analysis: Analysis) -> dict[str, list[Picture]]:
    """All pictures of an evaluation by the name of the section that shows them."""
    rows = len(evaluation.results)
    found = {
        "ladder": [
            _paint(
                lambda axes, theme: plots.draw_ladder(axes, evaluation, theme), 1.2 + 0.34 * rows, _ladder(evaluation)
            )
        ],
        "scores": [
            _paint(
                lambda axes, theme: plots.draw_scores(axes, evaluation, theme, analysis.optimal_scores),
                3.9,
                "Histograms of the scores of every agent",
            )
        ],
    }
    if evaluation.optimum is not None:
        found["kinds"] = [
            _paint(
                lambda axes, theme: plots.draw_kinds(axes, evaluation, theme),
                1.6 + 0.34 * rows,
                "Shares of the regret by kind of decision, as in the table",
            ),
            _paint(lambda axes, theme: plots.draw_turns(axes, evaluation, theme), 3.4, "Regret of every turn by agent"),
        ]
        found["boxes"] = [_heat(match) for match in evaluation.matches if match.game_regret.sum() > 1e-6]
    if analysis.curves:
        names = ", ".join(curve.name for curve in analysis.curves)
        found["curves"] = [
            _paint(
                lambda axes, theme: plots.draw_curves(axes, analysis.curves, evaluation.optimum, theme),
                3.4,
                f"Mean score of training games over environment steps: {names}",
            )
        ]
    return found


def _heat(match: Match) -> Picture:
    height = 1.1 + 0.235 * len(match.rules.box_names)
    alt = f"Regret of {match.agent} by the box its turns went to and the kind of decision"
    return _paint(lambda axes, theme: plots.draw_boxes(axes, match, theme), height, alt, width=3.7, titled=True)


def _ladder(evaluation: Evaluation) -> str:
    parts = [
        f"{result.agent} {result.mean_score:.1f}"
        + (f" ({result.percent_of_optimum:.2f} % of the optimum)" if result.percent_of_optimum is not None else "")
        for result in evaluation.results
    ]
    return "Mean scores: " + ", ".join(parts)


def _paint(
    draw: Callable[[Axes, Theme], None], height: float, alt: str, width: float = _WIDTH, titled: bool = False
) -> Picture:
    """Paints axes on both kinds of paper; a heading of the page takes the place of most titles."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    sheets = []
    for theme in (LIGHT, DARK):
        with mpl.rc_context(theme.style):  # type: ignore[arg-type]  # its keys are a long list of literals
            figure = Figure(figsize=(width, height), layout="constrained")
            axes = figure.add_subplot()
            draw(axes, theme)
            if not titled:
                axes.set_title("")
            sheet = io.BytesIO()
            figure.savefig(sheet, dpi=_DPI, format="png")
            sheets.append(sheet.getvalue())
    return Picture(sheets[0], sheets[1], alt, round(width * 100))
