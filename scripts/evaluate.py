"""Measures agents against the exact optimum: `evaluate.py random greedy ppo optimal --ruleset yatzy --games 1000`."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from scripts._cli import add_rules_options, changes_of, clear_errors, rules_from

if TYPE_CHECKING:
    from agents.evaluation.results import Evaluation

PICTURES = (".png", ".svg", ".pdf")


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, like all others of this script."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"error: {message}\n")


def make_parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="evaluate.py",
        description="Let agents play the same dice and measure them against the exact optimum of the ruleset.",
        epilog="An AGENT is random, greedy, one-turn, ppo (the shipped model of the ruleset), optimal, the folder of a "
        "run of train.py, or module:factory, where factory(rules) returns an agent.",
        allow_abbrev=False,
    )
    parser.add_argument("agents", metavar="AGENT", nargs="+", help="who plays; in the order of the table")
    add_rules_options(parser, default="yatzy")
    parser.add_argument("--games", type=int, default=1000, metavar="N", help="games per agent (default: 1000)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="seed of the dice (default: 1)")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    parser.add_argument("--report", type=Path, metavar="DIR", help="write index.html, report.png and results.json")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="write the picture alone: .png, .svg or .pdf")
    parser.add_argument("--trust", action="store_true", help="load models on no record; they are read without pickle")
    parser.add_argument("--no-cache", action="store_true", help="neither read nor write the cached solution")
    return parser


def evaluate(args: argparse.Namespace) -> Evaluation:
    """Checks where results go, plays, and writes report and picture."""
    from agents.evaluation.provenance import command_line
    from agents.evaluation.session import check_numbers, measure
    from yatzy_env.errors import YatzyError

    rules = rules_from(args)
    check_numbers(args.games, args.seed)
    if args.plot and args.plot.suffix not in PICTURES:
        raise YatzyError(f"--plot {args.plot}: allowed are files ending in {', '.join(PICTURES)}")
    for folder in (args.report, args.plot.parent if args.plot else None):
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
    command = command_line("evaluate.py", sys.argv[1:])
    evaluation = measure(args.agents, rules, args.games, args.seed, command, trust=args.trust, cache=not args.no_cache)
    if args.report:
        from agents.evaluation.report import write_report

        print(f"report: {write_report(evaluation, args.report)}", file=sys.stderr)
    if args.plot:
        from agents.evaluation.plots import draw, save

        save(draw(evaluation), args.plot)
        print(f"plot: {args.plot}", file=sys.stderr)
    return evaluation


def main() -> None:
    args = make_parser().parse_args()
    with clear_errors():
        evaluation = evaluate(args)
        if args.json:
            fields = evaluation.fields()
            if args.set:
                fields["options"] = changes_of(args, evaluation.rules)
            print(json.dumps(fields, allow_nan=False))
        else:
            from agents.evaluation.report import print_table

            print_table(evaluation)


if __name__ == "__main__":
    main()
