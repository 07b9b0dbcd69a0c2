"""Dice drawn as SVG, in the colours of the page around them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

_LEFT, _MIDDLE, _RIGHT = 6.5, 12.0, 17.5
_CORNERS = {
    "top left": (_LEFT, _LEFT), "top right": (_RIGHT, _LEFT), "left": (_LEFT, _MIDDLE), "centre": (_MIDDLE, _MIDDLE),
    "right": (_RIGHT, _MIDDLE), "bottom left": (_LEFT, _RIGHT), "bottom right": (_RIGHT, _RIGHT),
}  # fmt: skip
_SLANT, _SQUARE = ("top left", "bottom right"), ("top left", "top right", "bottom left", "bottom right")
_PIPS = {
    1: ("centre",), 2: _SLANT, 3: (*_SLANT, "centre"), 4: _SQUARE, 5: (*_SQUARE, "centre"),
    6: (*_SQUARE, "left", "right"),
}  # fmt: skip


def dice_svg(dice: Sequence[int], kept: Sequence[int] | None = None) -> str:
    """A row of dice.

    Args:
        dice: their faces.
        kept: those of them that stay on the table; the others are drawn faintly. None if no dice are to be thrown.

    Returns:
        Inline SVG of the classes `dice`, `die` and `thrown`, with its content in words.
    """
    left = Counter(dice if kept is None else kept)
    parts = []
    for place, face in enumerate(dice):
        stays = left[face] > 0
        left[face] -= stays
        pips = "".join(f'<circle cx="{x}" cy="{y}" r="2.1"/>' for x, y in (_CORNERS[corner] for corner in _PIPS[face]))
        look = "die" if stays else "die thrown"
        parts.append(
            f'<g class="{look}" transform="translate({28 * place} 0)">'
            f'<rect x="1" y="1" width="22" height="22" rx="5"/>{pips}</g>'
        )
    width = 28 * len(dice) - 4
    words = " ".join(map(str, dice))
    if kept is not None:
        words += f", kept: {' '.join(map(str, kept)) or 'nothing'}"
    return (
        f'<svg class="dice" role="img" aria-label="dice {words}" viewBox="0 0 {width} 24" width="{width}" height="24">'
        f"{''.join(parts)}</svg>"
    )
