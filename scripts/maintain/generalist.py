"""Measures the shipped generalist under each of its rulesets, beside the specialist; `make docs` writes its card."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scripts.maintain._cases import figures, measure_cases, regret

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from yatzy_env.rules import Ruleset


def measure_case(folder: Path, rules: Ruleset, games: int, seed: int) -> dict[str, Any]:
    """The regret of the generalist under one of its rulesets, and on the same dice that of the model shipped for it."""
    from agents.models.load import load_agent, shipped_model

    specialist = shipped_model(rules)
    ours = figures(rules, regret(load_agent(folder, rules), rules, games, seed))
    theirs = figures(rules, regret(load_agent(specialist, rules, reuse=True), rules, games, seed))
    return {
        "ruleset": rules.name,
        **ours,
        "specialist": specialist.name,
        "specialist_regret": theirs["regret_per_game"],
        "specialist_se": theirs["regret_se"],
        "specialist_percent": theirs["percent_of_optimum"],
    }


def measure(games: int, seed: int) -> tuple[Path, dict[str, Any], Iterator[tuple[str, dict[str, Any]]]]:
    """The generalist under each of its rulesets."""
    from agents.errors import ModelError
    from agents.models.digest import MODELS
    from agents.models.record import RESULTS
    from agents.ppo.config import load
    from agents.ppo.multitask import GENERALIST
    from agents.ppo.weights import read_weights
    from yatzy_env.files import sha256

    folder = MODELS / GENERALIST
    config, weights = load(folder / "config.yaml"), folder / "weights.npz"
    if not config.rulesets:
        raise ModelError(f"{folder}: its configuration names one ruleset")
    about = {"sha256": {weights.name: sha256(weights)}, "steps": read_weights(weights).steps}
    cases = ((rules.name, measure_case(folder, rules, games, seed)) for rules in config.tasks.rulesets)
    return folder / RESULTS, about, cases


if __name__ == "__main__":
    measure_cases("generalist.py", __doc__, measure)
