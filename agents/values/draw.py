# mypy: disallow-untyped-defs=False
"""Score cards drawn at random: filled in an order that the rules allow, with likely points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from yatzy_env.card import legal_by_order
from yatzy_env.kernel import kernel
from yatzy_env.rules import Ruleset
from yatzy_env.tables import compile_tables
from yatzy_env.turn import Cards

_COUNTS = np.array([0.04, 0.1, 0.2, 0.36, 0.22, 0.08])  # dice in a filled upper box, from none to all of them


def draw_cards(rules: Ruleset, filled: NDArray[np.int64], rng: np.random.Generator) -> Cards:
    """Draws cards.

    Args:
        rules: the ruleset.
        filled: (n,) how many boxes are filled on each.
        rng: draws.

    Returns:
        n cards.
    """
    tables = compile_tables(rules)
    card = tables.card
    n = len(filled)
    spread = np.interp(np.linspace(0, 1, card.dice + 1), np.linspace(0, 1, len(_COUNTS)), _COUNTS)
    ends = np.cumsum(spread / spread.sum())
    shift = rng.normal(0, 0.12, n)  # a card's luck: all its upper boxes are good, or poor
    cards = Cards(
        np.zeros(n, np.int64), np.zeros((n, card.columns), np.int64), np.zeros(n, np.bool_), np.zeros(n, np.int64)
    )
    most = int(filled.max(initial=0))
    _draw(card, ends, filled, shift, rng.random((n, most + 1)), rng.random((n, most + 1)), cards)
    if card.extra_yatzy_bonus:
        has = cards.filled & card.yatzy_boxes != 0
        cards.yatzy_scored[:] = has & (rng.random(n) < 0.5)
    if tables.saved_throws:
        share = rng.beta(1.0, 3.0, n)
        cards.pool[:] = rng.binomial((tables.throws - 1) * filled, share)
    return cards


@kernel
def _draw(card, ends, wanted, shift, order, luck, cards):
    for row in range(wanted.shape[0]):
        for turn in range(wanted[row]):
            legal = legal_by_order(card, cards.filled[row])
            if card.yatzy_first and luck[row, turn] < 0.06:
                early = card.yatzy_boxes & ~cards.filled[row]
                legal = early if early != 0 else legal
            count = 0
            for box in range(card.boxes):
                count += (legal >> box) & 1
            pick = int(order[row, turn] * count)
            for box in range(card.boxes):
                if (legal >> box) & 1:
                    if pick == 0:
                        cards.filled[row] |= np.int64(1) << box
                        if card.face[box] != 0:
                            value = min(max(luck[row, turn] + shift[row], 0.0), 0.999999)
                            dice = 0
                            while ends[dice] < value:
                                dice += 1
                            cards.upper[row, card.column[box]] += card.face[box] * dice
                        break
                    pick -= 1
