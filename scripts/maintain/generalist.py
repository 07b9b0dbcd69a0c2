"""Measures the shipped generalist under each of its rulesets, beside the specialist; `make docs` writes its card."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from scripts._cli import clear_errors
from scripts.maintain.reuse import regret

if TYPE_CHECKING:
    from pathlib import Path

    from yatzy_env.rules import Ruleset


def measure(folder: Path, rules: Ruleset, games: int, seed: int) -> dict[str, Any]:
    """The regret of the generalist under one of its rulesets, and on the same dice that of the model shipped for it."""
    from agents.models.load import load_agent, shipped_model
    from yatzy_env.solver import solve

    specialist = shipped_model(rules)
    ours = regret(load_agent(folder, rules), rules, games, seed)
    theirs = regret(load_agent(specialist, rules, reuse=True), rules, games, seed)
    optimum = float(solve(rules).expected_score)
    return {
        "ruleset": rules.name,
        "optimum": optimum,
        "regret_per_game": ours.mean,
        "regret_se": ours.error,
        "percent_of_optimum": 100 * (1 - ours.mean / optimum),
        "specialist": specialist.name,
        "specialist_regret": theirs.mean,
        "specialist_se": theirs.error,
        "specialist_percent": 100 * (1 - theirs.mean / optimum),
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="generalist.py", description=__doc__, allow_abbrev=False)
    parser.add_argument("--games", type=int, default=2000, metavar="N", help="games of each ruleset (default: 2000)")
    parser.add_argument("--seed", type=int, default=1001, metavar="S", help="seed of the dice (default: 1001)")
    args = parser.parse_args()
    with clear_errors():
        from agents.errors import ModelError
        from agents.models.digest import MODELS
        from agents.ppo.config import load
        from agents.ppo.multitask import GENERALIST
        from agents.ppo.weights import read_weights
        from agents.session import check_numbers
        from yatzy_env.evaluation.provenance import command_line, provenance
        from yatzy_env.files import sha256, write_json

        check_numbers(args.games, args.seed)
        folder = MODELS / GENERALIST
        config = load(folder / "config.yaml")
        if not config.rulesets:
            raise ModelError(f"{folder}: its configuration names one ruleset")
        done = []
        for rules in config.tasks.rulesets:
            case = measure(folder, rules, args.games, args.seed)
            print(f"{rules.name}: regret {case['regret_per_game']:.2f} ± {case['regret_se']:.2f}", file=sys.stderr)
            done.append(case)
        weights = folder / "weights.npz"
        record = {
            "games": args.games,
            "seed": args.seed,
            **provenance(command_line("maintain/generalist.py", sys.argv[1:])).fields(),
            "sha256": {weights.name: sha256(weights)},
            "steps": read_weights(weights).steps,
            "cases": done,
        }
        write_json(folder / "results.json", record, indent=1)
        print(folder / "results.json")


if __name__ == "__main__":
    main()
