"""Solves a ruleset exactly: `solve.py yatzy`, `solve.py yatzy --set bonus_threshold=42 --json`."""

from __future__ import annotations

import argparse
import json
import resource
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scripts._cli import add_rules_options, changes_of, clear_errors, print_json, rules_from

if TYPE_CHECKING:
    from yatzy_env.rules import Ruleset
    from yatzy_env.solver import Solution


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="solve.py", description="Find the expected score of a ruleset under best play, exactly."
    )
    add_rules_options(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--distribution", action="store_true", help="spread, quantiles, bonus and yatzy rate of the final score as well"
    )
    parser.add_argument(
        "--target", type=int, metavar="T", help="the largest chance of a final score of T or more as well (minutes)"
    )
    parser.add_argument(
        "--verify",
        action="store_true",
        help="recompute random cards by a slow path of their own, and play games; status 1 if anything disagrees",
    )
    parser.add_argument("--sample", type=int, default=100, metavar="N", help="cards that --verify recomputes")
    parser.add_argument("--games", type=int, default=10_000, metavar="N", help="games that --verify plays")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="which cards and games --verify takes")
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
    from yatzy_env.solver import Target, solve

    rules = rules_from(args)
    if len(rules.columns) > 1 and not (args.distribution or args.verify or args.target is not None):
        from yatzy_env.solver.triple import interval

        figures = interval(rules, cache=not args.no_cache, cache_dir=args.cache_dir).figures()
        return head(args, rules) | figures | effort(figures["cpu_seconds"], figures["seconds"])
    target = Target(rules, args.target) if args.target is not None else None
    solution = solve(rules, cache=not args.no_cache, cache_dir=args.cache_dir)
    return {
        **head(args, rules),
        "expected_score": solution.expected_score,
        "cards": solution.cards,
        **effort(solution.cpu_seconds, solution.seconds),
        "from_cache": solution.from_cache,
        **(spread(solution) if args.distribution else {}),
        **({"target": target.score, "probability": target.probability} if target is not None else {}),
        **({"verified": verify(solution, args)} if args.verify else {}),
    }


def head(args: argparse.Namespace, rules: Ruleset) -> dict[str, Any]:
    """The ruleset by its name, and what it changes in the one of that name."""
    from yatzy_env.rules import CATALOGUE, options

    changes = options(rules) if rules.name in CATALOGUE else {}
    if args.set:
        changes = changes_of(args, rules)
    return {"ruleset": rules.name, **({"options": changes} if changes else {})}


def effort(cpu_seconds: float, seconds: float) -> dict[str, float]:
    return {"cpu_seconds": round(cpu_seconds, 4), "seconds": round(seconds, 4), "peak_rss_mb": round(peak_memory(), 1)}


def spread(solution: Solution) -> dict[str, Any]:
    """The fields that `--distribution` adds; quantiles are null where the distribution has too many cards."""
    from yatzy_env.errors import SolutionError

    moments = solution.moments()
    try:
        quantiles = {str(share): score for share, score in solution.distribution().quantiles.items()}
    except SolutionError:
        quantiles = None
    return {
        "mean": moments.mean,
        "standard_deviation": moments.standard_deviation,
        "quantiles": quantiles,
        "bonus_rate": moments.bonus_rate,
        "yatzy_rate": moments.yatzy_rate,
        "maximum": solution.rules.max_score,
    }


def verify(solution: Solution, args: argparse.Namespace) -> dict[str, Any]:
    """What `--verify` found; leaves with status 1 if anything disagrees."""
    from scripts._verify import DisagreementError, check_cards, check_games
    from yatzy_env.errors import YatzyError

    for what, number, least in (("--sample", args.sample, 1), ("--games", args.games, 2)):
        if number < least:
            raise YatzyError(f"{what} {number}; allowed: {least} or more")
    try:
        return check_cards(solution, args.sample, args.seed) | check_games(solution, args.games, args.seed)
    except DisagreementError as error:
        print("error:", error, file=sys.stderr)
        raise SystemExit(1) from error


def print_table(found: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(show_header=False)
    changes = ", ".join(f"{key}={json.dumps(value)}" for key, value in found.get("options", {}).items())
    table.add_row("ruleset", f"{found['ruleset']} ({changes})" if changes else found["ruleset"])
    if "lower" in found:
        table.add_row("expected score under best play", f"from {found['lower']:.4f} to {found['upper']:.4f}, proved")
        estimate = f"{found['lower_estimate']:.2f} ± {found['lower_estimate_se']:.2f} (standard error)"
        table.add_row(f"mean of a policy in {found['games']:,} games", estimate)
    else:
        table.add_row("expected score under best play", f"{found['expected_score']:.10f}")
        table.add_row("cards", f"{found['cards']:,}")
    when = ", when it was solved" if found["from_cache"] else ""
    table.add_row("solving", f"{found['cpu_seconds']:.2f} CPU s, {found['seconds']:.2f} s{when}")
    table.add_row("peak memory", f"{found['peak_rss_mb']:.0f} MB")
    table.add_row("read from cache", "yes" if found["from_cache"] else "no")
    if "standard_deviation" in found:
        table.add_row("standard deviation", f"{found['standard_deviation']:.4f}")
        for share, score in (found["quantiles"] or {}).items():
            table.add_row(f"{100 * float(share):g} % of games at most", str(score))
        table.add_row("bonus", f"{100 * found['bonus_rate']:.2f} % of games")
        table.add_row("yatzy", f"{100 * found['yatzy_rate']:.2f} % of games")
        table.add_row("highest score", str(found["maximum"]))
    if "target" in found:
        table.add_row(f"{found['target']} points or more, at best", f"{100 * found['probability']:.4f} % of games")
    if "verified" in found:
        checked = found["verified"]
        table.add_row(
            "slow path", f"{checked['cards']:,} cards, largest difference {checked['largest_difference']:.1e}"
        )
        table.add_row(
            f"mean of {checked['games']:,} games",
            f"{checked['mean_score']:.3f} ± {checked['score_se']:.3f}, "
            f"{checked['standard_errors_away']:+.2f} standard errors away",
        )
    Console().print(table)


def main() -> None:
    args = make_parser().parse_args()
    with clear_errors():
        found = report(args)
    if args.json:
        print_json(found)
    else:
        print_table(found)


if __name__ == "__main__":
    main()
