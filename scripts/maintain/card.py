"""Writes the card of a shipped model from a fresh measurement: `card.py yatzy`, or of all of them: `card.py --all`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from scripts._cli import clear_errors


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="card.py", description="Measure a shipped model and write its model card.", allow_abbrev=False
    )
    parser.add_argument("ruleset", metavar="RULESET", nargs="?", help="a ruleset with a model in models/")
    parser.add_argument("--all", action="store_true", help="renew the card of every model, one after the other")
    parser.add_argument(
        "--games", type=int, metavar="N", help="games to measure (default: 10000, under maxi-alga and triple 20000)"
    )
    parser.add_argument("--seed", type=int, default=2001, metavar="S", help="seed of the dice (default: 2001)")
    parser.add_argument(
        "--exact",
        action="store_true",
        help="compute the exact scores too where it takes long; others are always computed, and those on record for "
        "the same networks are kept",
    )
    parser.add_argument("--models", type=Path, metavar="DIR", help="the folder of shipped models (default: models/)")
    return parser


def command_of(name: str, args: argparse.Namespace) -> str:
    """The command that renews the card of this model alone, in the same way."""
    from yatzy_env.evaluation.provenance import command_line

    options = [] if args.games is None else ["--games", str(args.games)]
    options += [] if args.seed == 2001 else ["--seed", str(args.seed)]
    options += ["--exact"] if args.exact else []
    options += [] if args.models is None else ["--models", str(args.models)]
    return command_line("maintain/card.py", [name, *options])


def say(line: str) -> None:
    print(line, file=sys.stderr)


def renew(names: list[str], models: Path, args: argparse.Namespace) -> list[str]:
    """Renews cards in turn; returns the names of those that could not be."""
    from agents.reports.update_card import update_card
    from yatzy_env.errors import YatzyError

    failed = []
    for name in names:
        try:
            print(update_card(models / name, command_of(name, args), args.games, args.seed, args.exact, say))
        except YatzyError as error:
            print(f"error: {name}: {error}", file=sys.stderr)
            failed.append(name)
    return failed


def main() -> None:
    parser = make_parser()
    args = parser.parse_args()
    if bool(args.ruleset) == args.all:
        parser.error("name one RULESET, or --all")
    with clear_errors():
        from agents.errors import ModelError
        from agents.models.digest import MODELS
        from agents.models.reuse import shipped_names

        models = args.models if args.models is not None else MODELS
        shipped = shipped_names(models)
        if args.all and not shipped:
            raise ModelError(f"{models} holds no model")
        if not args.all and args.ruleset not in shipped:
            raise ModelError(f"{models} holds no model for {args.ruleset!r}; there are: {', '.join(shipped) or 'none'}")
        failed = renew(shipped if args.all else [args.ruleset], models, args)
    if failed:
        parser.exit(2, f"error: no card for {', '.join(failed)}\n" if args.all else None)


if __name__ == "__main__":
    main()
