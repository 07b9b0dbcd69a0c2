"""From which regret on the coach marks a decision: measured on the agents, stored in `marks.json`, never typed in.

A regret is what a decision gives away in points of the expected final score. Most decisions of any agent give nothing
away; of those that do (more than `NEGLIGIBLE`), the limits are quantiles: `SMALL_SHARE` of the regrets of the agents
measured lie below `small`, `BIG_SHARE` below `big`. The agents are those that play like people and the trained ones,
weighted alike. `scripts/maintain/play_marks.py` writes the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from yatzy_env import dice
from yatzy_env.agent import Agent
from yatzy_env.files import read_json_object
from yatzy_env.games import decision_noise, new_games, noise_keys, play
from yatzy_env.rules import Ruleset
from yatzy_env.solver import Solution
from yatzy_env.tables import compile_tables

NEGLIGIBLE = 0.01
"""Regrets up to this count as none: as good as the best."""

SMALL_SHARE, BIG_SHARE = 0.25, 0.75
"""The shares of regrets that lie below the two limits."""

FILE = Path(__file__).with_name("marks.json")

Mark = Literal["fine", "small", "big"]


@dataclass(frozen=True)
class Marks:
    """The limits of a ruleset, in points; regrets up to `tie` count as none."""

    small: float
    big: float
    tie: float = NEGLIGIBLE

    def mark(self, regret: float) -> Mark:
        """How a decision with this regret is marked."""
        if regret < self.small:
            return "fine"
        return "small" if regret < self.big else "big"


def stored_row(rules: Ruleset, base: str | None = None) -> Mapping[str, Any] | None:
    """What was measured of a ruleset, or else of the one named `base` that it was made from; None where nothing was."""
    rows = read_json_object(FILE)["rulesets"]
    return next((row for row in rows.values() if row["digest"] == rules.digest), None) or rows.get(base or rules.name)


def stored_marks(rules: Ruleset, base: str | None = None) -> Marks | None:
    """The limits of a ruleset, None where nothing was measured; the arguments are those of `stored_row`."""
    row = stored_row(rules, base)
    return Marks(row["small"], row["big"]) if row is not None else None


def regrets(agent: Agent, rules: Ruleset, solution: Solution, games: int, seed: int = 1) -> NDArray[np.float64]:
    """Plays games with dice that no evaluation throws.

    Returns:
        (decisions,) float64 what each decision gave away, those without choice left out.
    """
    tables = compile_tables(rules)
    lanes = new_games(tables, np.array([dice.key("marks", seed, game) for game in range(games)], np.uint64))
    found = []
    while len(lanes.key):
        actions = np.asarray(agent.act(lanes.now.copy(), decision_noise(lanes, noise_keys(lanes.key))), np.int64)
        values = solution.batch_action_values(lanes.now)
        chosen = values[np.arange(len(actions)), actions]
        real = np.isfinite(values).sum(axis=1) > 1
        found.append((np.nanmax(values, axis=1) - chosen)[real])
        play(tables, lanes, actions)
        lanes = lanes.take(lanes.now.roll >= 0)
    return np.concatenate(found)


def limits(of_agents: Mapping[str, NDArray[np.float64]]) -> Marks:
    """The limits that follow from the regrets of some agents, each agent weighing the same."""
    positive = [given[given > NEGLIGIBLE] for given in of_agents.values()]
    values = np.concatenate(positive)
    weights = np.concatenate([np.full(len(given), 1 / len(given)) for given in positive if len(given)])
    order = np.argsort(values)
    reached = np.cumsum(weights[order]) / weights.sum()
    at = [float(values[order][np.searchsorted(reached, share)]) for share in (SMALL_SHARE, BIG_SHARE)]
    return Marks(round(at[0], 2), round(at[1], 2))
