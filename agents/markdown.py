"""Tables in markdown: the one place that writes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def table(head: Sequence[object], rows: Iterable[Sequence[object]], words: int = 1) -> str:
    """A table in markdown.

    Args:
        head: the names of the columns.
        rows: the cells.
        words: how many columns from the left hold words; the others hold figures and are set flush right.
    """
    rule = [*["---"] * words, *["---:"] * (len(head) - words)]
    return "\n".join("| " + " | ".join(map(str, cells)) + " |" for cells in (head, rule, *rows))
