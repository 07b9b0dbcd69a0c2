"""The picture: every curve can be told from the others, and the legend names what is drawn without covering it."""

from __future__ import annotations

from typing import Any

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from agents.benchmark.picture import curves_figure
from agents.benchmark.protocol import Protocol
from agents.training.config import CONFIGS
from tests.benchmark.helpers import fake_summary, small


def drawn(summary: dict[str, Any]) -> tuple[Figure, list[str]]:
    """The figure of a summary and the names in its legend."""
    figure = curves_figure(summary)
    FigureCanvasAgg(figure).draw()
    return figure, [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def test_eleven_curves_of_one_ruleset() -> None:
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
    assert not legend.overlaps(figure.axes[0].get_window_extent())


def test_the_legend_reads_as_the_curves_end() -> None:
    _, names = drawn(fake_summary(small()))
    assert names == ["ppo-unmasked", "distilled", "ppo", "a2c", "dqn"]  # `fake` is better the longer the name


def test_the_legend_names_what_is_drawn() -> None:
    summary = fake_summary(small(rulesets=("forced", "yatzy")))
    curves = [
        curve
        for curve in summary["curves"]
        if (curve["ruleset"], curve["algorithm"]) in (("forced", "ppo"), ("yatzy", "ppo"), ("yatzy", "distilled"))
    ]
    assert drawn(summary | {"curves": curves})[1] == ["ppo", "distilled"]
    assert drawn(summary | {"curves": []})[1] == []
