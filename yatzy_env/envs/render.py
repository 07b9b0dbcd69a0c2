"""Score sheets for people: plain text for a terminal, and a picture.

Both show the same rows, put together once. The text is ASCII, because the width of anything else depends on the
terminal. The picture has one size per ruleset, so that the frames of an episode make a film.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from gymnasium.error import DependencyNotInstalled
from numpy.typing import NDArray

from yatzy_env.card import open_upper_points
from yatzy_env.games import box_points, gains, turns_done
from yatzy_env.rules import Ruleset
from yatzy_env.rules.names import box_label, title
from yatzy_env.situation import Situation, batch
from yatzy_env.tables import Tables, compile_tables


@dataclass(frozen=True)
class SheetView:
    """All that a score sheet shows. B = boxes of the whole card.

    Attributes:
        rules: the ruleset.
        situation: where the player stands.
        written: (B,) points written per box, times its column; None where play wrote nothing: open, or filled before.
        score: points so far, bonuses included.
    """

    rules: Ruleset
    situation: Situation
    written: tuple[int | None, ...]
    score: int


class _Cell(NamedTuple):
    text: str
    look: str  # how the picture draws it
    part: float = 0.0  # how full the bar behind it is


class _Row(NamedTuple):
    label: str
    cells: list[_Cell]  # one per column


class _Sheet(NamedTuple):
    title: str
    turn: str
    throws: tuple[str, str]  # how many are left, and a remark
    sections: tuple[list[_Row], ...]  # the factors of several columns, upper, lower, totals
    notes: list[str]


def sheet_text(view: SheetView) -> str:
    """The score sheet as text: dice, throws left, and per box its points or, in parentheses, what it would pay now.

    Returns:
        Lines of ASCII, as long as each other throughout an episode, without a line break at the end.
    """
    rules, sheet = view.rules, _sheet(view)
    columns, longest = len(rules.columns), f"secured {rules.bonus_points * max(rules.columns)}"
    cell = max(len("out of reach"), len(longest))  # offers and points are shorter
    least = max(40, len(sheet.title) + 16)  # the longest line of words; the title and the turn beside it
    label = max(least - columns * (cell + 3), *(len(row.label) for rows in sheet.sections for row in rows))
    inner = label + columns * (cell + 3)
    plain = f"+{'-' * (inner + 2)}+"
    ruled = "+".join(["", "-" * (label + 2), *["-" * (cell + 2)] * columns, ""])

    def line(text: str) -> str:
        return f"| {text:<{inner}} |"

    def table(rows: list[_Row]) -> list[str]:
        texts = [" | ".join([f"{row.label:<{label}}", *(f"{each.text:>{cell}}" for each in row.cells)]) for row in rows]
        return [ruled, *map(line, texts)] if rows else []

    title = sheet.title + sheet.turn.rjust(inner - len(sheet.title))
    dice = " ".join(f"[{face}]" for face in view.situation.roll)
    above = [title, *filter(None, (dice, ", ".join(filter(None, sheet.throws))))]
    tables = [text for rows in sheet.sections for text in table(rows)]
    below = [*map(line, sheet.notes), plain] if sheet.notes else []
    return "\n".join([plain, *map(line, above), *tables, ruled, *below])


def _sheet(view: SheetView) -> _Sheet:
    """Puts together what both kinds of sheet show."""
    rules, tables = view.rules, compile_tables(view.rules)
    cells = _box_cells(view, tables)
    boxes = [_Row(box_label(rules, box), cells[i :: len(rules.boxes)]) for i, box in enumerate(rules.boxes)]
    uppers = sum(face > 0 for face in tables.card.face[: len(rules.boxes)])
    bonuses = _bonuses_paid(view, tables)
    heads = [_Row("", [_Cell(f"x{factor}", "sum") for factor in rules.columns])] * (len(bonuses) > 1)
    is_over = not view.situation.roll
    notes = ["(n): what these dice would score there"] * (not is_over)
    notes += ["x: filled before the start, not counted"] * any(cell.look == "given" for cell in cells)
    return _Sheet(
        title=title(rules.name),
        turn="game over" if is_over else f"turn {turns_done(view.situation.filled) + 1} of {len(cells)}",
        throws=(f"final score {view.score}", "") if is_over else _throws(view),
        sections=(heads, boxes[:uppers] + _upper_sums(view, tables, bonuses), boxes[uppers:], _totals(view, bonuses)),
        notes=notes,
    )


def _throws(view: SheetView) -> tuple[str, str]:
    left, own = view.situation.throws_left, view.rules.throws - 1
    if left == 0:
        return "no throws left", "fill a box"
    # A situation does not say which throws are saved ones, only that at most `own` of them are the turn's.
    saved = f"{left - own} or more of them saved" if left > own else "saved if not used"
    return f"{left} throw{'s' * (left > 1)} left", saved if view.rules.saved_throws else ""


def _box_cells(view: SheetView, tables: Tables) -> list[_Cell]:
    now = batch(view.rules, [view.situation])
    offers = gains(tables, now)[0].tolist()
    cells = []
    for box, points in zip(range(tables.card.boxes), view.written, strict=True):
        if view.situation.filled >> box & 1:
            cells.append(_Cell("x", "given") if points is None else _Cell(str(points), "written"))
        elif offers[box] < 0:
            cells.append(_Cell("", "closed"))
        else:
            plain = int(box_points(tables, now, 0, box) * tables.card.multiplier[tables.card.column[box]])
            bonus = f"+{offers[box] - plain}" if offers[box] > plain else ""
            cells.append(_Cell(f"({plain}{bonus})", "offer" if offers[box] else "zero"))
    return cells


def _bonuses_paid(view: SheetView, tables: Tables) -> list[int]:
    """The upper bonus that the score holds, per column: 0 too if it was secured before the episode started."""
    card, paid = tables.card, []
    for column, (upper, factor) in enumerate(zip(view.situation.upper, view.rules.columns, strict=True)):
        boxes = np.flatnonzero((card.column == column) & (card.face > 0))
        before = upper - sum(view.written[box] or 0 for box in boxes) // factor
        paid.append(card.bonus_points * factor if before < card.bonus_threshold <= upper else 0)
    return paid


def _upper_sums(view: SheetView, tables: Tables, bonuses: list[int]) -> list[_Row]:
    """The rows below the upper section: its sum before the column's factor, and how the bonus stands."""
    threshold, uppers = tables.card.bonus_threshold, view.situation.upper
    if not tables.card.upper_boxes:
        return []
    label = "Upper sum" if len(uppers) == 1 else "Plain upper sum"
    if not threshold:
        return [_Row(label, [_Cell(str(upper), "sum") for upper in uppers])]
    states = []
    for column, (upper, bonus) in enumerate(zip(uppers, bonuses, strict=True)):
        missing, reach = threshold - upper, open_upper_points(tables.card, view.situation.filled, column)
        look = "secured" if missing <= 0 else "to go" if missing <= reach else "lost"
        text = {"secured": f"secured {bonus or 'x'}", "to go": f"{missing} to go", "lost": "out of reach"}[look]
        states.append(_Cell(text, look, min(1.0, upper / threshold)))
    sums = [_Cell(f"{upper} / {threshold}", "sum") for upper in uppers]
    return [_Row(label, sums), _Row(f"Bonus of {tables.card.bonus_points}", states)]


def _totals(view: SheetView, bonuses: list[int]) -> list[_Row]:
    """The last rows: extra bonuses, what each column holds, and the score."""
    size = len(view.written) // len(bonuses)
    sums = [bonus + sum(p or 0 for p in view.written[i * size : i * size + size]) for i, bonus in enumerate(bonuses)]
    rows = [_Row("Column total", [_Cell(str(value), "sum") for value in sums])] if len(sums) > 1 else []
    if view.rules.extra_yatzy_bonus:  # defined for one column only
        rows = [_Row(f"{box_label(view.rules, 'yatzy')} bonus", [_Cell(str(view.score - sum(sums)), "sum")])]
    return [*rows, _Row("Total", [_Cell("", "total")] * (len(sums) - 1) + [_Cell(str(view.score), "total")])]


_Place = tuple[float, float, float, float]  # left, top, width, height
_SCALE = 2  # drawn larger, then reduced, which smooths the edges
_MARGIN, _ROW, _LABEL, _HEAD, _DIE, _PIP = 24, 30, 164, 160, 56, 11
_FELT, _SHADE, _CHALK = "#24614a", "#1a4736", "#f8f5ee"
_PAPER, _PANEL, _RULE, _TRACK, _INK, _MUTED = "#f1ede4", "#ffffff", "#dcd7cb", "#f0ece3", "#1d2733", "#626a75"
_FILLS = {"closed": "#ece8df", "given": "#ece8df", "offer": "#dff1e4", "sum": "#faf8f3", "total": _FELT}
_BARS = {"to go": "#f4c967", "secured": "#93d3a4", "lost": "#d5d0c5"}
_INKS = {"offer": "#145a30", "zero": _MUTED, "given": _MUTED, "total": _CHALK}
_PIPS = ("4", "08", "048", "0268", "02468", "025368")  # places in a grid of three by three, per face


def sheet_image(view: SheetView) -> NDArray[np.uint8]:
    """The score sheet as a picture: the dice above, upper section and total on the left, the lower one on the right.

    Returns:
        (H, W, 3) uint8, of one size per ruleset.

    Raises:
        DependencyNotInstalled: if Pillow is missing.
    """
    sheet = _sheet(view)
    heads, *parts, totals = sheet.sections
    upper, lower = (heads + rows if rows else [] for rows in parts)
    cell = 96 if heads else 112
    panel, top = _LABEL + len(view.rules.columns) * cell, _HEAD + _MARGIN
    bottom = top + _ROW * max(len(upper) + len(totals) + 1, len(lower))  # a row of space above the totals
    width, height = 2 * panel + 3 * _MARGIN, bottom + 2 * _MARGIN
    image, draw, font = canvas(width * _SCALE, height * _SCALE, _PAPER)
    pen = _Pen(draw, font)
    _draw_head(pen, view, sheet, width)
    _draw_rows(pen, upper, _MARGIN, top, cell)
    _draw_rows(pen, lower, 2 * _MARGIN + panel, top, cell)
    _draw_rows(pen, totals, _MARGIN, bottom - len(totals) * _ROW, cell)
    pen.text("      ".join(sheet.notes), 14, _MUTED, (_MARGIN, bottom, width - 2 * _MARGIN, 2 * _MARGIN), "l")
    return np.array(image.reduce(_SCALE), np.uint8)


def canvas(width: int, height: int, paper: str) -> tuple[Any, Any, Callable[[float], Any]]:
    """An empty picture, what draws in it, and the font of a size.

    Raises:
        DependencyNotInstalled: if Pillow is missing.
    """
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError as error:
        raise DependencyNotInstalled('pictures need Pillow: pip install "pillow>=10.1"') from error
    image = Image.new("RGB", (width, height), paper)
    return image, ImageDraw.Draw(image), lru_cache(ImageFont.load_default)


class _Pen(NamedTuple):
    """Draws in the measures of the finished picture."""

    draw: Any  # Pillow's ImageDraw, imported when the first picture is asked for
    font: Callable[[float], Any]

    def block(self, place: _Place, fill: str, radius: float = 0) -> None:
        left, top, width, height = (_SCALE * value for value in place)
        self.draw.rounded_rectangle((left, top, left + width - 1, top + height - 1), radius * _SCALE, fill)

    def text(self, text: str, size: int, ink: str, place: _Place, side: str = "r", bold: bool = False) -> None:
        """Writes a line at the left ("l") or right ("r") of a place, smaller if it would not fit."""
        left, top, width, height = (_SCALE * value for value in place)
        while size > 6 and self.draw.textlength(text, self.font(size * _SCALE)) > width:
            size -= 1
        at = (left + width * (side == "r"), top + height / 2 + 0.36 * size * _SCALE)  # one base line for all letters
        self.draw.text(at, text, ink, self.font(size * _SCALE), f"{side}s", stroke_width=int(bold))


def _draw_head(pen: _Pen, view: SheetView, sheet: _Sheet, width: int) -> None:
    """The table: ruleset and turn, the dice, and how many throws are left."""
    pen.block((0, 0, width, _HEAD), _FELT)
    pen.text(sheet.title, 26, _CHALK, (_MARGIN, 14, width - 2 * _MARGIN - 130, 40), "l", bold=True)
    pen.text(sheet.turn, 16, _CHALK, (width - _MARGIN - 120, 14, 120, 40))
    left, top = float(_MARGIN), 76
    for place in range(view.rules.dice):
        pen.block((left, top + 3, _DIE, _DIE), _SHADE, 11)
        if view.situation.roll:
            pen.block((left, top, _DIE, _DIE), _CHALK, 11)
            for pip in map(int, _PIPS[view.situation.roll[place] - 1]):
                x, y = (_DIE - _PIP) / 2 + 15 * (pip % 3 - 1), (_DIE - _PIP) / 2 + 15 * (pip // 3 - 1)
                pen.block((left + x, top + y, _PIP, _PIP), _INK, _PIP / 2)
        left += _DIE + 12
    amount, remark = sheet.throws
    pen.text(amount, 20, _CHALK, (left, top + (2 if remark else 13), width - _MARGIN - left, 30), bold=True)
    pen.text(remark, 15, _CHALK, (left, top + 30, width - _MARGIN - left, 26))


def _draw_rows(pen: _Pen, rows: list[_Row], left: int, top: int, cell: int) -> None:
    """A section of the sheet, ruled."""
    for index, (label, cells) in enumerate(rows):
        y, look = top + index * _ROW, cells[0].look if cells[0].look in ("sum", "total") else "label"
        pen.block((left, y, _LABEL + len(cells) * cell, _ROW + 1), _RULE)
        pen.block((left + 1, y + 1, _LABEL - 1, _ROW - 1), _FILLS.get(look, _PANEL))
        pen.text(label, 16, _INKS.get(look, _INK), (left + 12, y, _LABEL - 16, _ROW), "l", look == "total")
        for column, each in enumerate(cells):
            x = left + _LABEL + column * cell
            pen.block((x, y + 1, cell - (each.look != "total"), _ROW - 1), _FILLS.get(each.look, _PANEL))
            if each.look in _BARS:
                for part, fill in ((1.0, _TRACK), (each.part, _BARS[each.look])):
                    pen.block((x + 4, y + 5, max(8, part * (cell - 9)), _ROW - 9), fill, 4)
            size, bold = 14 if each.look in _BARS else 16, each.look in ("written", "total")
            pen.text(each.text, size, _INKS.get(each.look, _INK), (x + 4, y, cell - 16, _ROW), "r", bold)
