"""The exact expected score of an agent that plans its turns by values of score cards: one backward pass, no dice.

Given what it takes cards to be worth, what such an agent does in a turn follows, and with it how likely each end of the
turn is. With E of a full card 0, E(card) is the mean of points gained + E(card after) over the ends of its own plan.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.exact_cards import lanes_by_turn, layer_start, places_of
from yatzy_env.rules import Ruleset
from yatzy_env.solver.layout import find_values, lay_out
from yatzy_env.tables import compile_tables
from yatzy_env.turn import Cards, list_ends, plan_turns

CardValues = Callable[[Cards], NDArray[np.float64]]
"""What score cards are worth: n cards to (n,) expected points still to come, 0 for a full one."""

_CARDS = 4096  # cards whose turns are planned at once


def has_planned_score(rules: Ruleset) -> bool:
    """Whether the score of a planner is computed for a ruleset: one column, no saved throws."""
    return len(rules.columns) == 1 and not rules.saved_throws


def planned_score(rules: Ruleset, card_values: CardValues) -> float:
    """Computes the expected score of the agent that plans every turn by values of cards, ties as everywhere.

    Args:
        rules: the ruleset, of one column and without saved throws.
        card_values: what it takes cards to be worth; sums past the bonus, or too far from it, are alike to it.

    Raises:
        YatzyError: if the ruleset has several columns or saved throws.
    """
    if not has_planned_score(rules):
        raise YatzyError(
            f"ruleset {rules.name!r}: exact scores of planners are computed for one column without saved throws"
        )
    tables = compile_tables(rules)
    cards = lay_out(tables)
    layout = cards.layout
    believed, expected = np.zeros(layout.size), np.zeros(layout.size)
    for turn in range(tables.card.boxes, -1, -1):
        places = places_of(tables, cards, turn, np.arange(lanes_by_turn(cards)[turn]))
        layer = Cards(places.filled, places.upper[:, None], places.yatzy_scored, np.zeros_like(places.lane))
        for start in range(0, len(places.lane), _CARDS):
            some = layer.take(slice(start, start + _CARDS))
            at = layer_start(cards, turn) + places.lane[start : start + _CARDS]
            believed[at] = card_values(some)
            if turn < tables.card.boxes:
                ends = list_ends(tables, some)
                after = ends.after
                to = find_values(tables, layout, after.filled, after.upper[:, 0], after.yatzy_scored)
                plans = plan_turns(tables, ends, ends.gain + believed[to], ends.gain + expected[to])
                expected[at] = plans.other
    return float(expected[layout.first[0]])
