"""The picture: every curve can be told from the others, and the legend names what is drawn without covering it."""

from __future__ import annotations

from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from agents.benchmark.picture import figure_of
from agents.benchmark.protocol import Protocol
from agents.training.config import CONFIGS
from tests.benchmark.helpers import fake_summary, small


def drawn(summary: dict[str, Any]) -> tuple[Figure, list[str]]:
    """The figure of a summary and the names in its legend."""
    figure = figure_of(summary)
    FigureCanvasAgg(figure).draw()
    return figure, [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def test_ten_curves_of_one_ruleset() -> None:
    protocol = Protocol.read(CONFIGS / "ablation.yaml")
    figure, names = drawn(fake_summary(protocol))
    assert sorted(names) == sorted(protocol.algorithms)
    curves = [line for line in figure.axes[0].get_lines() if line.get_label() in protocol.algorithms]
    assert len({(line.get_color(), line.get_linestyle()) for line in curves}) == len(protocol.algorithms)
    legend, canvas = figure.legends[0].get_window_extent(), figure.bbox
    assert canvas.x0 <= legend.x0
    assert canvas.y0 <= legend.y0
    assert legend.x1 <= canvas.x1
    assert legend.y1 <= canvas.y1
    assert not any(legend.overlaps(axes.get_window_extent()) for axes in figure.axes)


def test_a_panel_per_ruleset_and_comparison_and_the_profiles() -> None:
    summary = fake_summary(small(rulesets=("half-force", "yacht")))
    figure, names = drawn(summary)
    assert names[0] in ("hand", "both")  # the legend reads as the curves end: `fake` is better the longer the name
    assert names[-1] == "one"
    titles = ["half-force", "yacht", "all rulesets after 3,000 decisions"] * 2
    titles[-1] = "all rulesets after 60 CPU minutes"
    assert [axes.get_title() for axes in figure.axes] == titles
    (profile,) = [line for line in figure.axes[2].get_lines() if line.get_color() == _colour(figure, "one")]
    assert profile.get_xydata().tolist() == [[0, 1], [0.63, 0.75], [0.63, 0.5], [0.73, 0.25], [0.73, 0]]


def _colour(figure: Figure, name: str) -> Any:
    return next(line.get_color() for line in figure.axes[0].get_lines() if line.get_label() == name)


def test_the_legend_names_what_is_drawn() -> None:
    summary = fake_summary(small())
    curves = [curve for curve in summary["curves"] if curve["agent"] == "one"]
    assert drawn(summary | {"curves": curves})[1] == ["one"]
    assert drawn(summary | {"curves": []})[1] == []
