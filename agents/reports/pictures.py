"""The pictures of a page: small enough for a telephone, each on white and on dark paper."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from functools import partial

from agents.reports import plots
from agents.reports.analysis import Analysis
from agents.reports.themes import DARK, LIGHT
from yatzy_env.evaluation.results import Evaluation

Picture = dict[str, str | int]
"""A picture in two sets of colours; the reader's settings choose.

`light` and `dark` are PNG on white and on dark paper, as addresses that hold all of it; `alt` says what it shows, for
those who cannot see it; `width` is that in CSS pixels when nothing limits it.
"""

_DPI = 150
_WIDTH = 5.6  # inches; on a telephone text of 10 points is then just readable


def pictures(evaluation: Evaluation, analysis: Analysis) -> dict[str, list[Picture]]:
    """All pictures of an evaluation by the name of the section that shows them; none where it has none."""
    rows, names = 0.34 * len(evaluation.results), ", ".join(curve.name for curve in analysis.curves)
    found: dict[str, list[Picture]] = {"kinds": [], "boxes": [], "curves": []}
    found["ladder"] = [_paint(partial(plots.draw_ladder, evaluation=evaluation), 1.2 + rows, _scores(evaluation))]
    draw_scores = partial(plots.draw_scores, evaluation=evaluation, optimal=analysis.optimal_scores)
    found["scores"] = [_paint(draw_scores, 3.9, "Histograms of the scores of every agent")]
    if evaluation.optimum is not None:
        shares = "Shares of the regret by kind of decision, as in the table"
        found["kinds"] = [
            _paint(partial(plots.draw_kinds, evaluation=evaluation), 1.6 + rows, shares),
            _paint(partial(plots.draw_turns, evaluation=evaluation), 3.4, "Regret of every turn by agent"),
        ]
        found["boxes"] = [
            _paint(
                partial(plots.draw_boxes, match=match),
                1.1 + 0.235 * len(match.rules.box_names),
                f"Regret of {match.agent} by the box its turns went to and the kind of decision",
                width=3.7,
                titled=True,
            )
            for match in evaluation.matches
            if match.game_regret.sum() > 1e-6
        ]
    if analysis.curves:
        draw_curves = partial(plots.draw_curves, curves=analysis.curves)
        found["curves"] = [_paint(draw_curves, 3.4, f"Distance to the best play over minutes of training: {names}")]
    return found


def _scores(evaluation: Evaluation) -> str:
    """The ladder in words."""
    parts = [
        f"{result.agent} {result.mean_score:.1f}"
        + (f" ({result.percent_of_optimum:.2f} % of the optimum)" if result.percent_of_optimum is not None else "")
        for result in evaluation.results
    ]
    return "Mean scores: " + ", ".join(parts)


def _paint(draw: Callable[..., None], height: float, alt: str, width: float = _WIDTH, titled: bool = False) -> Picture:
    """Paints axes on both kinds of paper; a heading of the page takes the place of most titles."""
    picture: Picture = {"alt": alt, "width": round(width * 100)}
    for name, theme in (("light", LIGHT), ("dark", DARK)):
        with theme.figure(width, height) as figure:
            axes = figure.add_subplot()
            draw(axes, theme=theme)
            if not titled:
                axes.set_title("")
            sheet = io.BytesIO()
            figure.savefig(sheet, dpi=_DPI, format="png")
            picture[name] = f"data:image/png;base64,{base64.b64encode(sheet.getvalue()).decode()}"
    return picture
