"""Writes docs/optima.json, the table of optima: `optima.py`, `optima.py yatzy yahtzee`; other rows stay as they are.

Each ruleset is solved in a fresh process without the cache, its spread computed, and the solution verified.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[2] / "docs" / "optima.json"
PUBLISHED = ("yatzy", "yahtzee", "yahtzee-free-joker", "yahtzee-no-joker", "yahtzee-no-bonus")
"""Rulesets whose optimum others have published to nine digits or more; tests/solver/test_optima.py holds the values."""

PEER = ("yatzy", "yahtzee", "yahtzee-free-joker", "yahtzee-no-joker", "yahtzee-no-bonus")
"""Rulesets that tests/solver/test_peer.py compares with yatzy-solver card by card."""


def solve(name: str, arguments: list[str]) -> dict[str, Any]:
    """What scripts/solve.py says of a ruleset."""
    from yatzy_env.errors import YatzyError

    command = [sys.executable, str(Path(__file__).parents[1] / "solve.py"), name, "--json", *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise YatzyError(f"{name} failed with status {done.returncode}; the table is unchanged")
    return json.loads(done.stdout)


def row(name: str, games: int, cached: bool) -> dict[str, Any]:
    """The row of a ruleset."""
    from yatzy_env.rules import ruleset

    saved = ruleset(name).saved_throws
    arguments = ["--verify", "--games", str(games)]
    found = solve(name, [*arguments, *([] if saved else ["--distribution"]), *([] if cached else ["--no-cache"])])
    keys = ("ruleset", "expected_score", "standard_deviation", "bonus_rate", "yatzy_rate", "quantiles", "maximum")
    figures = ("cards", "cpu_seconds", "seconds", "peak_rss_mb")
    checks = [f"{found['verified']['cards']} cards by the slow path", f"{games:,} games"]
    if name in PUBLISHED:
        checks.insert(0, "published value")
    if name in PEER:
        checks.insert(0, "every card against yatzy-solver")
    return {key: found.get(key) for key in (*keys, *figures)} | {"verified": found["verified"], "how": checks}


def main() -> None:
    from scripts._cli import clear_errors
    from yatzy_env.files import read_json, write_json
    from yatzy_env.rules import ruleset, rulesets

    parser = argparse.ArgumentParser(prog="optima.py", description=__doc__)
    parser.add_argument(
        "rulesets",
        nargs="*",
        metavar="R",
        help="default: every ruleset of one column without saved throws, some ten minutes",
    )
    parser.add_argument("--games", type=int, default=10_000, metavar="N", help="games to verify with")
    parser.add_argument("--cached", action="store_true", help="use the cache; always so under saved throws")
    args = parser.parse_args()
    with clear_errors():
        quick = [name for name in rulesets() if len(ruleset(name).columns) == 1 and not ruleset(name).saved_throws]
        chosen = [ruleset(name) for name in args.rulesets or quick]  # all names first: a wrong one costs no work
        for rules in chosen:
            name, saved = rules.name, rules.saved_throws
            print(f"{name} ...", file=sys.stderr, flush=True)
            new = row(name, args.games, args.cached or saved)
            rows = {old["ruleset"]: old for old in read_json(FILE)} if FILE.exists() else {}
            rows[name] = new
            ordered = [rows[known] for known in rulesets() if known in rows]
            write_json(FILE, ordered, indent=1)


if __name__ == "__main__":
    main()
