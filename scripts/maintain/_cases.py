"""Shared by scripts that measure regret case by case: options, a line per case, and a record with its command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from scripts._cli import clear_errors
from yatzy_env.agent import Agent
from yatzy_env.evaluation.matches import check_numbers, play_match
from yatzy_env.evaluation.provenance import command_line, provenance
from yatzy_env.evaluation.statistics import Estimate, estimate
from yatzy_env.files import write_json
from yatzy_env.rules import Ruleset
from yatzy_env.solver import solve


def regret(agent: Agent, rules: Ruleset, games: int, seed: int) -> Estimate:
    """The regret per game of an agent under the rules in play."""
    return estimate(play_match(agent, rules, games, seed, solve(rules)).game_regret)


def percent_of_optimum(found: Estimate, rules: Ruleset) -> float:
    """What an agent of this regret reaches under the rules in play."""
    return 100 * (1 - found.mean / float(solve(rules).expected_score))


def measure_cases(
    script: str,
    about: str | None,
    file: Path,
    cases: Callable[[int, int], Iterable[tuple[str, dict[str, Any]]]],
    more: Callable[[], dict[str, Any]] = dict,
) -> argparse.ArgumentParser:
    """Runs a script: makes cases by name from a number of games and a seed, and writes their record with `more` in it.

    Returns its parser, for an error at the end.
    """
    parser = argparse.ArgumentParser(prog=script, description=about, allow_abbrev=False)
    parser.add_argument("--games", type=int, default=2000, metavar="N", help="games of each case (default: 2000)")
    parser.add_argument("--seed", type=int, default=1001, metavar="S", help="seed of the dice (default: 1001)")
    args = parser.parse_args()
    with clear_errors():
        check_numbers(args.games, args.seed)
        done = []
        for words, case in cases(args.games, args.seed):
            print(f"{words}: regret {case['regret_per_game']:.2f} ± {case['regret_se']:.2f}", file=sys.stderr)
            done.append(case)
        origin = provenance(command_line(f"maintain/{script}", sys.argv[1:])).fields()
        write_json(file, {"games": args.games, "seed": args.seed, **origin, **more(), "cases": done}, indent=1)
        print(file)
    return parser
