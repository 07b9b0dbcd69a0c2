"""Rows of the scoreboard, measured from model files: `entry models/yatzy`, `entry mine.npz --ruleset yatzy --trust`.

A score is exact where score cards can be listed, and else that of 20,000 games under a seed that follows from the file.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("agents", nargs="+", metavar="AGENT", help="a model file, or a folder of a policy and values")
    parser.add_argument("--ruleset", metavar="R", help="what it plays (default: what it was trained for)")
    parser.add_argument("--trust", action="store_true", help="load models on no record; those of SB3 can run code")
    parser.add_argument("--write", action="store_true", help="put the rows on record in docs/scoreboard.json")


def run(args: argparse.Namespace) -> list[dict[str, Any]]:
    """Measures the agents."""
    from agents.benchmark.scoreboard import enter, files_of, make_entry
    from scripts._cli import read_ruleset

    rules = None if args.ruleset is None else read_ruleset(args.ruleset)
    files = [file for name in args.agents for file in files_of(name)]
    entries = [make_entry(file, rules, args.trust, lambda line: print(line, file=sys.stderr)) for file in files]
    if args.write:
        enter(entries)
    return [{"what": "entry", **entry} for entry in entries]


def print_results(results: list[dict[str, Any]]) -> None:
    from agents.benchmark.scoreboard import markdown

    print(markdown(results))
