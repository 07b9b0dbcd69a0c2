"""Measures from which regret on the coach marks a decision and writes agents/play/marks.json: `play_marks.py yatzy`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from scripts._cli import clear_errors

if TYPE_CHECKING:
    from yatzy_env.rules import Ruleset

AGENTS = ("human", "one-turn", "priced", "ppo")
GAMES = 400


def measure(rules: Ruleset, games: int) -> dict[str, Any]:
    """Lets the agents of a ruleset play and returns its row."""
    from agents.play.marks import NEGLIGIBLE, limits, regrets
    from agents.registry import make_agent
    from yatzy_env.errors import YatzyError
    from yatzy_env.solver import solve

    solution = solve(rules)
    found = {}
    for name in AGENTS:
        try:
            agent = make_agent(name, rules, lambda: solution)
        except YatzyError:
            continue  # no trained model of this ruleset is shipped
        found[name] = regrets(agent, rules, solution, games)
    marks = limits(found)
    shares = {name: round(float((given > NEGLIGIBLE).mean()), 3) for name, given in found.items()}
    print(f"{rules.name:20} small {marks.small:6.2f}  big {marks.big:6.2f}  decisions that lose: {shares}", flush=True)
    return {"digest": rules.digest, "small": marks.small, "big": marks.big, "decisions_that_lose": shares}


def main() -> None:
    parser = argparse.ArgumentParser(prog="play_marks.py", description=__doc__)
    parser.add_argument("rulesets", metavar="RULESET", nargs="*", help="which (default: all that can be solved)")
    parser.add_argument("--games", type=int, default=GAMES, metavar="N", help=f"games per agent (default: {GAMES})")
    args = parser.parse_args()
    with clear_errors():
        from agents.play.marks import BIG_SHARE, FILE, SMALL_SHARE
        from yatzy_env.files import read_json_object, write_json
        from yatzy_env.rules import CATALOGUE, ruleset

        rulesets = [ruleset(name) for name in args.rulesets] or [
            rules for rules in CATALOGUE.values() if len(rules.columns) == 1
        ]
        before = read_json_object(FILE)["rulesets"] if FILE.exists() else {}
        for rules in rulesets:
            before[rules.name] = measure(rules, args.games)
            rows = {name: before[name] for name in CATALOGUE if name in before}
            made = {
                "command": f"python scripts/maintain/play_marks.py --games {args.games}",
                "small_share": SMALL_SHARE,
                "big_share": BIG_SHARE,
                "rulesets": rows,
            }
            write_json(FILE, made, indent=1)


if __name__ == "__main__":
    main()
