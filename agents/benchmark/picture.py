"""Learning curves: what each algorithm had reached after how many steps, beside the agents that do not train."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

# The colours of Okabe and Ito, which people with any colour vision can tell apart.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_GREY = "#767676"


def draw_curves(summary: Mapping[str, Any], path: Path) -> None:
    """Draws a panel per ruleset: the mean over seeds, and a band from the lowest to the highest seed.

    Args:
        summary: what `summarise_results` returned.
        path: the picture to write.
    """
    protocol = summary["protocol"]
    names = list(protocol["algorithms"])
    rulesets = protocol["rulesets"]
    figure = Figure(figsize=(6.4 * len(rulesets), 4.6), layout="constrained")
    for axes, ruleset in zip(figure.subplots(1, len(rulesets), squeeze=False)[0], rulesets, strict=True):
        for curve in summary["curves"]:
            if curve["ruleset"] != ruleset:
                continue
            steps, mean, low, high = (
                [point[key] for point in curve["points"]] for key in ("steps", "mean", "low", "high")
            )
            colour = _COLOURS[names.index(curve["algorithm"]) % len(_COLOURS)]
            axes.plot(steps, mean, color=colour, label=curve["algorithm"], linewidth=1.8)
            axes.fill_between(steps, low, high, color=colour, alpha=0.18, linewidth=0)
        labels: list[tuple[float, list[str]]] = []  # agents whose lines lie close together share a label
        for row in summary["rows"]:
            if row["ruleset"] == ruleset and not row["trained"]:
                level = row["percent_of_optimum"] if row["percent_of_optimum"] is not None else row["mean_score"]
                axes.axhline(level, color=_GREY, linewidth=0.8, linestyle=":")
                if labels and level < 1.02 * labels[-1][0]:
                    labels[-1][1].append(row["agent"])
                else:
                    labels.append((level, [row["agent"]]))
        for level, agents in labels:
            axes.annotate(", ".join(agents), (1.0, level), xycoords=("axes fraction", "data"), xytext=(3, 0),
                          textcoords="offset points", fontsize=7, color=_GREY, va="center")  # fmt: skip
        axes.set(title=ruleset, xlabel="decisions trained on", ylabel="percent of the optimum", ylim=(0, None))
        axes.grid(alpha=0.2)
    handles, texts = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, texts, loc="outside lower center", ncols=max(len(texts), 1), fontsize=8, frameon=False)
    figure.savefig(path, dpi=130, metadata={"Software": ""} if path.suffix == ".png" else None)
