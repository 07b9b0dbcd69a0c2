"""The ladder of agents by the protocol: training runs over several seeds, measured against the exact optimum.

Finished runs are kept in runs/benchmark/ and not done again, so a command that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--protocol", type=Path, metavar="FILE", help="the protocol (default: configs/protocol.yaml)")
    parser.add_argument("--ruleset", nargs="+", metavar="R", help="rulesets, names or files, instead of the protocol's")
    parser.add_argument("--steps", type=int, metavar="N", help="train for at most this many decisions")
    parser.add_argument("--seeds", type=int, metavar="N", help="how many training runs of each algorithm")
    parser.add_argument("--algorithms", nargs="+", metavar="A", help="train these algorithms of the protocol alone")
    parser.add_argument(
        "--add", action="append", default=[], metavar="NAME=MODULE:FUNCTION", help="train an algorithm of your own too"
    )
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="tasks at a time (default: 2)")
    parser.add_argument(
        "--ray",
        nargs="?",
        const="local",
        metavar="ADDRESS",
        help="run the tasks on a Ray cluster; without an address on a Ray started here",
    )
    parser.add_argument(
        "--results", type=Path, default=ROOT / "runs" / "benchmark", metavar="DIR", help="the folder of all results"
    )


def run(args: argparse.Namespace) -> list[dict[str, Any]]:
    """Does what is missing; gives the rows of the table."""
    from rich.console import Console

    from agents.benchmark.protocol import PROTOCOL, Protocol
    from agents.benchmark.runner import run_protocol
    from agents.benchmark.tables import text_of
    from scripts._cli import read_ruleset, unique_name
    from yatzy_env.errors import YatzyError, unknown
    from yatzy_env.rules import CATALOGUE

    protocol = Protocol.read(args.protocol or PROTOCOL)
    for name in args.algorithms or ():
        if name not in protocol.algorithms:
            raise YatzyError(unknown("algorithm", name, protocol.algorithms))
    if args.workers < 1:
        raise YatzyError(f"--workers {args.workers}; allowed: a whole number from 1")
    if args.algorithms:
        protocol = protocol.only(args.algorithms)
    rulesets = {unique_name(rules): rules for rules in map(read_ruleset, args.ruleset or ())}
    own = {name: rules.model_dump(mode="json") for name, rules in rulesets.items() if name not in CATALOGUE}
    fields = protocol.model_dump(mode="json")
    given = {"rulesets": list(rulesets) or None, "own": own or None, "steps": args.steps, "seeds": args.seeds}
    fields |= {name: value for name, value in given.items() if value is not None}
    if args.steps is not None:
        for settings in fields["algorithms"].values():
            settings["steps"] = min(settings["steps"] or args.steps, args.steps)
    for text in args.add:
        name, equals, kind = text.partition("=")
        if not equals:
            raise YatzyError(f"--add {text}: wanted NAME=MODULE:FUNCTION, for example --add mine=my_module:train")
        fields["algorithms"][name] = {"kind": kind}
    changed = Protocol.parse(fields, "command line")
    summary, report = run_protocol(changed, args.results, Console(stderr=True), args.workers, args.ray)
    if not args.json:
        print(text_of(summary))
    print(f"report: {report}", file=sys.stderr)
    return summary["rows"]


def print_results(results: list[dict[str, Any]]) -> None:
    """Leaves it at the tables that `run` has printed."""
