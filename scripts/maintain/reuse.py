"""Measures what it costs to play a ruleset with another one's model; `make docs` puts it into docs/models.md."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.errors import ModelError
from agents.models.load import load_agent, shipped_model
from agents.models.reuse import reused_names
from agents.optimal import OptimalAgent
from scripts.maintain._cases import measure_cases, percent_of_optimum, regret
from scripts.maintain._models_docs import REUSE
from yatzy_env.evaluation.statistics import Estimate
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.situation import Situations
from yatzy_env.solver import solve

SWITCHES: list[tuple[str, dict[str, Any]]] = [
    ("yatzy", {"five_alike_is_full_house": True}),
    ("yatzy", {"four_alike_is_two_pairs": True}),
    ("yatzy", {"five_alike_is_full_house": True, "four_alike_is_two_pairs": True}),
    ("yatzy", {"yatzy_adds_pips": True}),
    ("yatzy", {"bonus_threshold": 42}),
    ("yatzy", {"bonus_points": 0}),
    ("yatzy", {"extra_yatzy_bonus": 100}),
    ("yahtzee", {"five_alike_is_full_house": True}),
    ("forced", {"bonus_threshold": 63}),
    ("forced", {"five_alike_is_full_house": True}),
]
"""What is measured beside the rulesets without a model of their own: a name, and what is changed in it."""


class FromHome:
    """The optimal player of other rules than those in play; what these rules do not know of a card it does not see."""

    name = "optimal at home"

    def __init__(self, rules: Ruleset) -> None:
        self._optimal = OptimalAgent(solve(rules))
        self._sees_scored = rules.extra_yatzy_bonus > 0

    def act(self, situations: Situations, noise: NDArray[np.float64]) -> NDArray[np.int64]:
        seen = (
            situations
            if self._sees_scored
            else situations._replace(yatzy_scored=np.zeros_like(situations.yatzy_scored))
        )
        return self._optimal.act(seen, noise)


@cache
def regret_at_home(name: str, games: int, seed: int) -> Estimate:
    """The regret of a shipped model under the rules it was trained for."""
    rules = ruleset(name)
    return regret(load_agent(shipped_model(rules), rules), rules, games, seed)


def measure_case(rules: Ruleset, options: dict[str, Any], games: int, seed: int) -> dict[str, Any]:
    """The regret of a reused model, beside its own at home and that of the optimal player of the rules it knows."""
    folder = shipped_model(rules)
    here = regret(load_agent(folder, rules, reuse=True), rules, games, seed)
    home = regret_at_home(folder.name, games, seed)
    alone = regret(FromHome(ruleset(folder.name)), rules, games, seed)
    return {
        "ruleset": rules.name,
        "options": options,
        "model": folder.name,
        "optimum": float(solve(rules).expected_score),
        "regret_per_game": here.mean,
        "regret_se": here.error,
        "percent_of_optimum": percent_of_optimum(here, rules),
        "own_regret": home.mean,
        "own_regret_se": home.error,
        "rules_alone": alone.mean,
        "rules_alone_se": alone.error,
    }


def main() -> None:
    missing = []

    def cases(games: int, seed: int) -> Iterator[tuple[str, dict[str, Any]]]:
        for name, options in [*((name, {}) for name in reused_names()), *SWITCHES]:
            words = " ".join([name, *(f"{key}={value}" for key, value in options.items())])
            try:
                case = measure_case(ruleset(name).replace(**options), options, games, seed)
            except ModelError as error:
                print(f"error: {words}: {error}", file=sys.stderr)
                missing.append(words)
                continue
            yield words, case

    parser = measure_cases("reuse.py", __doc__, REUSE, cases)
    if missing:
        parser.exit(2, f"error: not measured: {'; '.join(missing)}\n")


if __name__ == "__main__":
    main()
