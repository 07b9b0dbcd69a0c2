"""Measures the shipped generalist under each of its rulesets, beside the specialist; `make docs` writes its card."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agents.errors import ModelError
from agents.models.digest import MODELS
from agents.models.load import load_agent, shipped_model
from agents.models.record import RESULTS
from agents.ppo.config import Config
from agents.ppo.multitask import GENERALIST
from agents.ppo.weights import read_weights
from scripts.maintain._cases import measure_cases, percent_of_optimum, regret
from yatzy_env.files import sha256
from yatzy_env.solver import solve

FOLDER = MODELS / GENERALIST
WEIGHTS = FOLDER / "weights.npz"


def cases(games: int, seed: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """The regret of the generalist under each ruleset, and on the same dice that of the model shipped for it."""
    config = Config.read(FOLDER / "config.yaml")
    if not config.rulesets:
        raise ModelError(f"{FOLDER}: its configuration names one ruleset")
    for rules in config.tasks.rulesets:
        specialist = shipped_model(rules)
        ours = regret(load_agent(FOLDER, rules), rules, games, seed)
        theirs = regret(load_agent(specialist, rules, reuse=True), rules, games, seed)
        yield (
            rules.name,
            {
                "ruleset": rules.name,
                "optimum": float(solve(rules).expected_score),
                "regret_per_game": ours.mean,
                "regret_se": ours.error,
                "percent_of_optimum": percent_of_optimum(ours, rules),
                "specialist": specialist.name,
                "specialist_regret": theirs.mean,
                "specialist_se": theirs.error,
                "specialist_percent": percent_of_optimum(theirs, rules),
            },
        )


def model() -> dict[str, Any]:
    """Which network was measured."""
    return {"sha256": {WEIGHTS.name: sha256(WEIGHTS)}, "steps": read_weights(WEIGHTS).steps}


if __name__ == "__main__":
    measure_cases("generalist.py", __doc__, FOLDER / RESULTS, cases, model)
