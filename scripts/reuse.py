"""Measures what it costs to play a ruleset with another one's model; `make docs` puts it into docs/models.md."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from scripts._cli import clear_errors
from scripts._models_docs import REUSE

if TYPE_CHECKING:
    from yatzy_env.rules import Ruleset

SWITCHES: list[tuple[str, dict[str, Any]]] = [
    ("yatzy", {"five_alike_is_full_house": True}),
    ("yatzy", {"four_alike_is_two_pairs": True}),
    ("yatzy", {"five_alike_is_full_house": True, "four_alike_is_two_pairs": True}),
    ("yatzy", {"yatzy_adds_pips": True}),
    ("yatzy", {"bonus_threshold": 42}),
    ("yatzy", {"bonus_points": 0}),
    ("yatzy", {"extra_yatzy_bonus": 100}),
    ("yahtzee", {"five_alike_is_full_house": True}),
    ("forced", {"bonus_threshold": 63}),
    ("forced", {"five_alike_is_full_house": True}),
]


def cases() -> list[tuple[Ruleset, dict[str, Any]]]:
    """Rulesets to be played with another one's model, and what each changes in the ruleset of its name."""
    from agents.ppo.reuse import reused_names
    from yatzy_env.rules import ruleset

    named: list[tuple[Ruleset, dict[str, Any]]] = [(ruleset(name), {}) for name in reused_names()]
    return named + [(ruleset(name).replace(**options), options) for name, options in SWITCHES]


def measure_case(rules: Ruleset, options: dict[str, Any], games: int, seed: int) -> dict[str, Any]:
    """The regret of a reused model, beside its own at home and that of the optimal player of the rules it knows."""
    from agents.evaluation.matches import play_match
    from agents.evaluation.statistics import estimate
    from agents.optimal import OptimalAgent
    from agents.ppo.agent import load_agent, shipped_model
    from yatzy_env.rules import ruleset
    from yatzy_env.solver import solve

    folder = shipped_model(rules)
    own = ruleset(folder.name)
    solution, home = solve(rules), solve(own)

    def regret(agent: Any, played: Ruleset, measured_by: Any) -> tuple[float, float]:
        found = estimate(play_match(agent, played, games, seed, measured_by).game_regret)
        return found.mean, found.error

    here, here_se = regret(load_agent(folder, rules, reuse=True), rules, solution)
    own_regret, own_se = regret(load_agent(folder, own), own, home)
    alone, alone_se = regret(OptimalAgent(home), rules, solution)
    return {
        "ruleset": rules.name,
        "options": options,
        "model": own.name,
        "optimum": float(solution.expected_score),
        "regret_per_game": here,
        "regret_se": here_se,
        "percent_of_optimum": 100 * (1 - here / float(solution.expected_score)),
        "own_regret": own_regret,
        "own_regret_se": own_se,
        "rules_alone": alone,
        "rules_alone_se": alone_se,
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="reuse.py", description=__doc__, allow_abbrev=False)
    parser.add_argument("--games", type=int, default=10_000, metavar="N", help="games to measure (default: 10000)")
    parser.add_argument("--seed", type=int, default=1001, metavar="S", help="seed of the dice (default: 1001)")
    args = parser.parse_args()
    with clear_errors():
        from agents.evaluation.provenance import command_line, provenance
        from agents.evaluation.session import check_numbers
        from agents.ppo.errors import ModelError

        check_numbers(args.games, args.seed)
        done, missing = [], []
        for rules, options in cases():
            words = " ".join([rules.name, *(f"{key}={value}" for key, value in options.items())])
            try:
                case = measure_case(rules, options, args.games, args.seed)
            except ModelError as error:
                print(f"error: {words}: {error}", file=sys.stderr)
                missing.append(words)
                continue
            print(f"{words}: regret {case['regret_per_game']:.2f} ± {case['regret_se']:.2f}", file=sys.stderr)
            done.append(case)
        origin = provenance(command_line("reuse.py", sys.argv[1:]))
        record = {"games": args.games, "seed": args.seed, **origin.fields(), "cases": done}
        REUSE.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        print(REUSE)
    if missing:
        parser.exit(2, f"error: not measured: {'; '.join(missing)}\n")


if __name__ == "__main__":
    main()
