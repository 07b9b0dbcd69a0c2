"""The cards of several players side by side, for people: plain text for a terminal, and a picture.

Both show the same rows, put together once; text is ASCII, and a picture has one size per game.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from yatzy_env.envs.render import canvas
from yatzy_env.games import gains, turns_done
from yatzy_env.rules import Ruleset
from yatzy_env.rules.names import box_label, title
from yatzy_env.situation import Situations, single
from yatzy_env.tables import compile_tables


@dataclass(frozen=True)
class TableView:
    """All that the table shows. B = boxes of a whole card.

    Attributes:
        rules: the ruleset.
        owners: who plays each card.
        now: the situation of every card, each with the dice of its present or next turn.
        written: (cards, B) points written per box, times its column; -1 where nothing was.
        totals: (cards,) points so far.
        on_turn: the card on turn; None when the game is over.
        player: name of the player on turn.
    """

    rules: Ruleset
    owners: tuple[str, ...]
    now: Situations
    written: NDArray[np.int64]
    totals: NDArray[np.int64]
    on_turn: int | None
    player: str


def table_text(view: TableView) -> str:
    """The cards as text: what is written, and in parentheses what the dice would score for the card on turn.

    Returns:
        Lines of ASCII without a line break at the end.
    """
    sections = _sections(view)
    rows = [row for section in sections for row in section]
    widths = [
        max(len(row[0]) for row in rows),
        *(max(6, *(len(row[i]) for row in rows)) for i in range(1, len(rows[0]))),
    ]
    ruled = "+".join(["", *("-" * (width + 2) for width in widths), ""])
    lines = list(_heading(view))
    for section in sections:
        lines.append(ruled)
        for label, *cells in section:
            texts = [
                label.ljust(widths[0]),
                *(cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True)),
            ]
            lines.append(f"| {' | '.join(texts)} |")
    return "\n".join([*lines, ruled])


_LABEL, _CELL, _ROW, _HEAD, _MARGIN = 170, 112, 26, 70, 16
_PAPER, _WHITE, _FELT, _SHADED, _TURN, _INK, _RULE = (
    "#f1ede4", "#ffffff", "#24614a", "#faf8f3", "#dff1e4", "#1d2733", "#dcd7cb",
)  # fmt: skip


def table_image(view: TableView) -> NDArray[np.uint8]:
    """The cards as a picture.

    Returns:
        (H, W, 3) uint8, of one size per game.

    Raises:
        DependencyNotInstalled: if Pillow is missing.
    """
    sections = _sections(view)
    rows = [(row, index in (0, len(sections) - 1)) for index, section in enumerate(sections) for row in section]
    columns = len(rows[0][0]) - 1
    width, height = _LABEL + columns * _CELL + 2 * _MARGIN, _HEAD + len(rows) * _ROW + 2 * _MARGIN
    image, draw, font = canvas(width, height, _PAPER)

    def write(text: str, size: int, ink: str, left: float, right: float, middle: float, to_right: bool) -> None:
        while size > 6 and draw.textlength(text, font(size)) > right - left:
            size -= 1
        place = (right if to_right else left, middle)
        draw.text(place, text, ink, font(size), "rm" if to_right else "lm")

    draw.rectangle((0, 0, width, _HEAD), _FELT)
    for text, middle in zip(_heading(view), (22, 48), strict=True):
        write(text, 18, _WHITE, _MARGIN, width - _MARGIN, middle, to_right=False)
    per_card = columns // len(view.owners)
    for number, (row, is_shaded) in enumerate(rows):
        top = _HEAD + _MARGIN + number * _ROW
        for column, text in enumerate(row):
            left = _MARGIN + (0 if column == 0 else _LABEL + (column - 1) * _CELL)
            right = left + (_CELL if column else _LABEL)
            is_turn = column > 0 and (column - 1) // per_card == view.on_turn
            draw.rectangle(
                (left, top, right, top + _ROW), _TURN if is_turn else _SHADED if is_shaded else _WHITE, _RULE
            )
            write(text, 15, _INK, left + 8, right - 8, top + _ROW / 2, to_right=column > 0)
    return np.array(image, np.uint8)


def _heading(view: TableView) -> tuple[str, str]:
    """Whose turn it is, and the dice."""
    heading = title(view.rules.name)
    if view.on_turn is None:
        best = [owner for owner, total in zip(view.owners, view.totals, strict=True) if total == max(view.totals)]
        return f"{heading}: game over", ("won by " if len(best) == 1 else "shared by ") + ", ".join(best)
    situation = single(compile_tables(view.rules), view.now, view.on_turn)
    boxes = view.written.shape[1]
    left = situation.throws_left
    return (
        f"{heading}, turn {turns_done(situation.filled) + 1} of {boxes}: {view.player}",
        f"{' '.join(f'[{face}]' for face in situation.roll)}   {left} throw{'s' * (left != 1)} left",
    )


def _sections(view: TableView) -> list[list[list[str]]]:
    """Rows of a label and a cell per column of every card: owners, boxes, sums."""
    rules, tables = view.rules, compile_tables(view.rules)
    columns, size = len(rules.columns), len(rules.boxes)
    factors = [f" x{factor}" if columns > 1 else "" for factor in rules.columns]
    head = ["", *(owner + factor for owner in view.owners for factor in factors)]
    offers = gains(tables, view.now)
    boxes = []
    for place, box in enumerate(rules.boxes):
        cells = []
        for card in range(len(view.owners)):
            for index in range(place, columns * size, size):
                points, offer = view.written[card, index], offers[card, index]
                is_offer = points < 0 <= offer and card == view.on_turn
                cells.append(str(points) if points >= 0 else f"({offer})" if is_offer else "")
        boxes.append([box_label(rules, box), *cells])
    empty = [""] * (columns - 1)
    bonuses = view.totals - np.maximum(view.written, 0).sum(axis=1)
    sums = [["Bonuses", *(text for bonus in bonuses for text in (*empty, str(bonus)))]]
    if tables.card.upper_boxes:
        sums.insert(0, ["Upper sum", *(str(upper) for upper in view.now.upper.ravel())])
    sums.append(["Total", *(text for total in view.totals for text in (*empty, str(total)))])
    return [[head], boxes, sums]
