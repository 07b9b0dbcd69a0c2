"""Shared by scripts that measure regret case by case: options, a line per case, and a record with its command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from scripts._cli import clear_errors

if TYPE_CHECKING:
    from yatzy_env.agent import Agent
    from yatzy_env.evaluation.statistics import Estimate
    from yatzy_env.rules import Ruleset

    class Measure(Protocol):
        """What a script measures."""

        def __call__(self, games: int, seed: int) -> tuple[Path, dict[str, Any], Iterable[tuple[str, dict[str, Any]]]]:
            """Returns the file of the record, what it holds beside the cases, and the cases with their names."""


def regret(agent: Agent, rules: Ruleset, games: int, seed: int) -> Estimate:
    """The regret per game of an agent under the rules in play."""
    from yatzy_env.evaluation.matches import play_match
    from yatzy_env.evaluation.statistics import estimate
    from yatzy_env.solver import solve

    return estimate(play_match(agent, rules, games, seed, solve(rules)).game_regret)


def figures(rules: Ruleset, found: Estimate) -> dict[str, float]:
    """The fields of a case that say how well an agent plays."""
    from yatzy_env.solver import solve

    optimum = float(solve(rules).expected_score)
    return {
        "optimum": optimum,
        "regret_per_game": found.mean,
        "regret_se": found.error,
        "percent_of_optimum": 100 * (1 - found.mean / optimum),
    }


def measure_cases(script: str, about: str | None, measure: Measure) -> argparse.ArgumentParser:
    """Runs a script; returns its parser, for an error at the end."""
    parser = argparse.ArgumentParser(prog=script, description=about, allow_abbrev=False)
    parser.add_argument("--games", type=int, default=2000, metavar="N", help="games of each case (default: 2000)")
    parser.add_argument("--seed", type=int, default=1001, metavar="S", help="seed of the dice (default: 1001)")
    args = parser.parse_args()
    with clear_errors():
        from yatzy_env.evaluation.matches import check_numbers
        from yatzy_env.evaluation.provenance import command_line, provenance
        from yatzy_env.files import write_json

        check_numbers(args.games, args.seed)
        file, about_all, cases = measure(args.games, args.seed)
        done = []
        for words, case in cases:
            print(f"{words}: regret {case['regret_per_game']:.2f} ± {case['regret_se']:.2f}", file=sys.stderr)
            done.append(case)
        origin = provenance(command_line(f"maintain/{script}", sys.argv[1:])).fields()
        record = {"games": args.games, "seed": args.seed, **origin, **about_all, "cases": done}
        write_json(file, record, indent=1)
        print(file)
    return parser
