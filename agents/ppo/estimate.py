"""What a model expects of each action by its own value network: points at once, then the mean over the throws to come.

An agent's estimate, not the truth: it shows what the agent believes where no exact solution exists.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.ppo.luck import throw_chances
from agents.ppo.weights import PolicyWeights
from yatzy_env.envs.observation import observe
from yatzy_env.games import action_masks, new_games, play
from yatzy_env.rules import Ruleset
from yatzy_env.situation import Situations
from yatzy_env.tables import compile_tables

_ROWS = 4096  # situations that go through the network at once


def estimated_action_values(rules: Ruleset, policy: PolicyWeights, situations: Situations) -> NDArray[np.float64]:
    """The value of every action, its own points included, as the model's value network sees it.

    Args:
        rules: the ruleset.
        policy: a model with a value network.
        situations: n situations, none of them a full card.

    Returns:
        (n, actions) float64, nan where illegal.

    Raises:
        ModelError: if the model holds no value network.
    """
    tables = compile_tables(rules)
    masks = action_masks(tables, situations)
    rows, actions = np.nonzero(masks)
    games = new_games(tables, np.zeros(len(rows), np.uint64))
    for place, value in zip(games.now, situations.take(rows), strict=True):
        place[:] = value
    gained = play(tables, games, actions)

    keep = np.where(actions < tables.keeps, actions, 0)
    chances = throw_chances(rules)[keep]
    chances[games.now.filled == tables.card.all_boxes] = 0  # nothing is thrown after the last box
    lanes, rolls = np.nonzero(chances)
    after = games.now.take(lanes)
    after.roll[:] = rolls
    values = np.empty(len(lanes))
    for start in range(0, len(lanes), _ROWS):
        some = after.take(np.arange(start, min(start + _ROWS, len(lanes))))
        values[start : start + _ROWS] = policy.values(observe(tables, some))

    out = np.full(masks.shape, np.nan)
    out[rows, actions] = gained + np.bincount(lanes, chances[lanes, rolls] * values, minlength=len(rows))
    return out
