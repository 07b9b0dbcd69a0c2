"""Solves a ruleset exactly: `solve.py yatzy`, `solve.py yatzy --set bonus_threshold=42 --json`."""

from __future__ import annotations

import argparse
import json
import resource
import sys
from pathlib import Path
from typing import Any

from scripts._cli import add_rules_options, changes_of, clear_errors, rules_from


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="solve.py", description="Find the expected score of a ruleset under best play, exactly."
    )
    add_rules_options(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--no-cache", action="store_true", help="neither read nor write the cached solution")
    parser.add_argument(
        "--cache-dir", type=Path, metavar="DIR", help="cache folder (default: $YATZY_ENV_CACHE or yours)"
    )
    return parser


def peak_memory() -> float:
    """The most memory this process has held, in MB; macOS counts in bytes, Linux in KiB."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def report(args: argparse.Namespace) -> dict[str, Any]:
    """Solves what was asked for and returns the fields of the JSON object."""
    from yatzy_env.solver import solve

    rules = rules_from(args)
    solution = solve(rules, cache=not args.no_cache, cache_dir=args.cache_dir)
    return {
        "ruleset": rules.name,
        **({"options": changes_of(args, rules)} if args.set else {}),
        "expected_score": solution.expected_score,
        "cards": solution.cards,
        "cpu_seconds": round(solution.cpu_seconds, 4),
        "seconds": round(solution.seconds, 4),
        "peak_rss_mb": round(peak_memory(), 1),
        "from_cache": solution.from_cache,
    }


def print_table(found: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(show_header=False)
    changes = ", ".join(f"{key}={json.dumps(value)}" for key, value in found.get("options", {}).items())
    table.add_row("ruleset", f"{found['ruleset']} ({changes})" if changes else found["ruleset"])
    table.add_row("expected score under best play", f"{found['expected_score']:.10f}")
    table.add_row("cards", f"{found['cards']:,}")
    when = ", when it was solved" if found["from_cache"] else ""
    table.add_row("solving", f"{found['cpu_seconds']:.2f} CPU s, {found['seconds']:.2f} s{when}")
    table.add_row("peak memory", f"{found['peak_rss_mb']:.0f} MB")
    table.add_row("read from cache", "yes" if found["from_cache"] else "no")
    Console().print(table)


def main() -> None:
    args = make_parser().parse_args()
    with clear_errors():
        found = report(args)
    if args.json:
        print(json.dumps(found))
    else:
        print_table(found)


if __name__ == "__main__":
    main()
