"""Keeps as bit patterns over the sorted dice, as many other programs have them: for comparison.

The usual actions name the dice that are kept, whatever lies beside them. A pattern names places: the same pattern keeps
a pair of sixes here and a one and a six there. There are fewer of them, 32 instead of 210 with five dice, and each
means another thing in every roll. `configs/ablation.yaml` measures what that does to learning.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from yatzy_env.envs.wrappers import keep_patterns
from yatzy_env.rules import Ruleset
from yatzy_env.tables import compile_tables

Actions = Literal["keeps", "positions"]


def positional_actions(rules: Ruleset) -> int:
    """The number of actions: a pattern per subset of the places, then the boxes."""
    return int(2**rules.dice + compile_tables(rules).card.boxes)


def to_positions(rules: Ruleset, rolls: NDArray[np.int64], by_keep: NDArray[Any]) -> NDArray[Any]:
    """What stands at each keep and box, at the patterns that mean them.

    Args:
        rules: the ruleset.
        rolls: (n,) the rolls on the table.
        by_keep: (n, actions) values of the usual actions.

    Returns:
        (n, positional actions), 0 where a pattern means nothing.
    """
    patterns = keep_patterns(rules.dice)[rolls]
    tables = compile_tables(rules)
    keeps = np.where(patterns >= 0, np.take_along_axis(by_keep, patterns, axis=1), 0).astype(by_keep.dtype)
    return np.concatenate([keeps, by_keep[:, tables.keeps :]], axis=1)


def to_keeps(rules: Ruleset, rolls: NDArray[np.int64], by_position: NDArray[Any]) -> NDArray[Any]:
    """What stands at each pattern and box, at the keep that it means.

    Args:
        rules: the ruleset.
        rolls: (n,) the rolls on the table.
        by_position: (n, positional actions) values.

    Returns:
        (n, actions), 0 for keeps that the roll does not hold.
    """
    patterns = keep_patterns(rules.dice)[rolls]
    tables = compile_tables(rules)
    out = np.zeros((len(rolls), tables.actions), by_position.dtype)
    rows, places = np.nonzero(patterns >= 0)
    out[rows, patterns[rows, places]] = by_position[rows, places]
    out[:, tables.keeps :] = by_position[:, patterns.shape[1] :]
    return out
