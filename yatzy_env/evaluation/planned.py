"""The exact expected score of an agent that plans its turns by values of score cards: one backward pass, no dice.

Given what it takes cards to be worth, what such an agent does in a turn follows, and with it how likely each end of the
turn is. With E of a full card 0, E(card) is the mean of points gained + E(card after) over the ends of its own plan.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from yatzy_env.errors import YatzyError
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


def planned_score(rules: Ruleset, card_values: CardValues, on_progress: Callable[[float], None] | None = None) -> float:
    """Computes the expected score of the agent that plans every turn by values of cards, ties as everywhere.

    Args:
        rules: the ruleset, of one column and without saved throws.
        card_values: what it takes cards to be worth; sums past the bonus, or too far from it, are alike to it.
        on_progress: called with the share of the work that is done.

    Returns:
        The expected score.

    Raises:
        YatzyError: if the ruleset has several columns or saved throws.
    """
    if not has_planned_score(rules):
        raise YatzyError(
            f"ruleset {rules.name!r}: exact scores of planners are computed for one column without saved throws"
        )
    tables = compile_tables(rules)
    cards = lay_out(tables)
    layout, upper_boxes = cards.layout, tables.card.upper_boxes
    believed, expected = np.zeros(layout.size), np.zeros(layout.size)
    done = 0
    for states in cards.layers:
        filled = states & tables.card.all_boxes
        lanes = (layout.high - layout.low + 1)[filled & upper_boxes]
        row = np.repeat(np.arange(len(states)), lanes)
        place = np.arange(len(row)) + layout.first[states[0]]
        upper = place - layout.first[states][row] + layout.low[filled & upper_boxes][row]
        scored = (states & layout.fifty_bit != 0)[row]
        layer = Cards(filled[row], upper[:, None], scored, np.zeros(len(row), np.int64))
        for start in range(0, len(row), _CARDS):
            some = layer.take(slice(start, start + _CARDS))
            at = place[start : start + _CARDS]
            believed[at] = card_values(some)
            if filled[0] != tables.card.all_boxes:
                ends = list_ends(tables, some)
                after = ends.after
                to = find_values(tables, layout, after.filled, after.upper[:, 0], after.yatzy_scored)
                plans = plan_turns(tables, ends, ends.gain + believed[to], ends.gain + expected[to])
                expected[at] = plans.other
            done += len(at)
            if on_progress is not None:
                on_progress(done / layout.size)
    return float(expected[layout.first[0]])
