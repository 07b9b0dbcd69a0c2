"""What a value network expects of each action: points at once, then the mean over the throws to come.

The estimate of a network, not the truth: it shows what an agent believes where no exact solution exists, and it is what
the targets of the policy are made of (`agents.ppo.improvement`).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from agents.ppo.luck import throw_chances
from yatzy_env.envs.observation import observe
from yatzy_env.games import action_masks, new_games, play
from yatzy_env.rules import Ruleset
from yatzy_env.situation import Situations
from yatzy_env.tables import Tables, compile_tables

Values = Callable[[NDArray[np.float32]], NDArray[np.floating]]
"""Maps (n, D) observations to (n,) points still to come."""

_ROWS = 4096  # situations that go through the network at once


def estimated_action_values(
    rules: Ruleset, values: Values, situations: Situations, throws: int = 0, noise: NDArray[np.floating] | None = None
) -> NDArray[np.float64]:
    """The value of every action, its own points included, as a value network sees it.

    Args:
        rules: the ruleset.
        values: the value network.
        situations: n situations, none of them a full card.
        throws: how many first throws of the next turn a box is rated by, the same for all boxes of a situation and
            spread evenly over their distribution; 0: all of them, which is exact.
        noise: (n,) uniform numbers in [0, 1) that choose those throws; not needed for all of them.

    Returns:
        (n, actions) float64, nan where illegal.
    """
    tables = compile_tables(rules)
    masks = action_masks(tables, situations)
    chances = throw_chances(rules)
    out = np.full(masks.shape, np.nan)

    is_keep = masks[:, : tables.keeps] != 0
    rows = np.flatnonzero(is_keep.any(axis=1))
    after, _ = _after(tables, situations.take(rows), is_keep[rows].argmax(axis=1))  # all keeps leave the same card
    every = np.broadcast_to(np.arange(tables.rolls), (len(rows), tables.rolls))
    expected = _values_after(tables, values, after, every) @ chances.T
    out[rows, : tables.keeps] = np.where(is_keep[rows], expected, np.nan)

    rows, boxes = np.nonzero(masks[:, tables.keeps :])
    actions = boxes + tables.keeps
    after, gained = _after(tables, situations.take(rows), actions)
    goes_on = np.flatnonzero(after.filled != tables.card.all_boxes)
    if throws:
        assert noise is not None, "a choice of throws needs noise"
        below = np.cumsum(chances[0])
        below[-1] = 1.0  # rounding may leave the sum a little short of 1
        spread = (np.arange(throws) + noise[rows[goes_on], None]) / throws
        rolls, weights = np.searchsorted(below, spread, side="right"), np.full(throws, 1 / throws)
    else:
        rolls, weights = np.broadcast_to(np.arange(tables.rolls), (len(goes_on), tables.rolls)), chances[0]
    out[rows, actions] = gained
    out[rows[goes_on], actions[goes_on]] += _values_after(tables, values, after.take(goes_on), rolls) @ weights
    return out


def _after(tables: Tables, situations: Situations, actions: NDArray[np.intp]) -> tuple[Situations, NDArray[np.int64]]:
    """Plays an action in each situation: where it leads, with some roll, and the points gained."""
    games = new_games(tables, np.zeros(len(actions), np.uint64))
    for place, value in zip(games.now, situations, strict=True):
        place[:] = value
    gained = play(tables, games, actions.astype(np.int64))
    return games.now, gained


def _values_after(
    tables: Tables, values: Values, situations: Situations, rolls: NDArray[np.integer]
) -> NDArray[np.float64]:
    """(n, m) the value of each of n situations with each of m rolls on the table, given as (n, m) roll numbers."""
    rows = np.repeat(np.arange(len(rolls)), rolls.shape[1])
    shown = rolls.reshape(-1)
    out = np.empty(len(shown))
    for start in range(0, len(shown), _ROWS):
        part = slice(start, start + _ROWS)
        some = situations.take(rows[part])
        some.roll[:] = shown[part]
        out[part] = values(observe(tables, some))
    return out.reshape(rolls.shape)
