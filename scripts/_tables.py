"""Markdown tables of figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A markdown table, its first column to the left and figures to the right."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def with_error(value: float, error: float) -> str:
    """A figure with its standard error."""
    return f"{value:.2f} ± {error:.2f}"
