"""Colours of the pictures, on white and on dark paper, told apart with every kind of colour blindness."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from yatzy_env.evaluation.results import AgentResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Theme:
    """Colours for one kind of paper. Text has a contrast of at least 4.5 to 1 with the paper.

    Attributes:
        paper: the background.
        ink: text and the optimum.
        grey: axes and secondary text.
        grid: lines behind.
        palette: one colour per agent, repeated with other line styles when there are more.
        kinds: one colour per kind of decision.
        kind_text: the colour of text on each of them.
        heat: the colour map of heat maps, from little to much.
    """

    paper: str
    ink: str
    grey: str
    grid: str
    palette: tuple[str, ...]
    kinds: tuple[str, ...]
    kind_text: tuple[str, ...]
    heat: str

    @property
    def style(self) -> dict[str, Any]:
        """What matplotlib is told."""
        return {
            "font.size": 10,
            "axes.axisbelow": True,
            "axes.titlesize": 11.5,
            "axes.titleweight": "bold",
            "axes.titlelocation": "left",
            "axes.titlepad": 10,
            "axes.edgecolor": self.grey,
            "axes.facecolor": self.paper,
            "axes.labelcolor": self.ink,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "figure.facecolor": self.paper,
            "text.color": self.ink,
            "xtick.color": self.grey,
            "ytick.color": self.ink,
            "ytick.left": False,
            "grid.color": self.grid,
            "legend.frameon": False,
            "savefig.facecolor": self.paper,
        }

    @contextmanager
    def figure(self, width: float, height: float, layout: Any = "constrained") -> Iterator[Figure]:
        """A figure that belongs to no window, so many inches large; what the block draws has these colours."""
        import matplotlib as mpl
        from matplotlib.figure import Figure

        with mpl.rc_context(self.style):  # type: ignore[arg-type]  # its keys are a long list of literals
            yield Figure(figsize=(width, height), layout=layout)

    def colours(self, results: Sequence[AgentResult]) -> list[str]:
        """A colour per agent, the same in every picture; the optimal player is drawn in ink."""
        return [
            self.ink if result.agent == "optimal" else self.palette[place % len(self.palette)]
            for place, result in enumerate(results)
        ]


# Okabe and Ito's palette; its yellow is too pale for lines on white, its deep blue too dark on black.
LIGHT = Theme(
    paper="#ffffff",
    ink="#22262a",
    grey="#6b7280",
    grid="#e3e6ea",
    palette=("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00"),
    kinds=("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9"),
    kind_text=("#ffffff", "#22262a", "#22262a", "#22262a", "#22262a"),
    heat="Blues",
)
DARK = Theme(
    paper="#16191d",
    ink="#e8eaed",
    grey="#a3abb5",
    grid="#32383f",
    palette=("#56B4E9", "#F0813A", "#2FC49B", "#E29AC4", "#A7D8F5", "#E6B01F"),
    kinds=("#3D9BD6", "#E6B01F", "#2FC49B", "#E29AC4", "#A7D8F5"),
    kind_text=("#16191d", "#16191d", "#16191d", "#16191d", "#16191d"),
    heat="Blues_r",
)
LINE_STYLES = ("-", "--", "-.", ":")
