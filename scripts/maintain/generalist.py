"""Measures the shipped generalist under each of its rulesets; `make docs` writes its card."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from agents.models.digest import MODELS
from agents.models.load import load_agent
from agents.models.record import RESULTS
from agents.ppo.config import GENERALIST
from agents.ppo.policy import FILE as POLICY
from agents.ppo.policy import PolicyNetwork
from agents.reports.update_card import GAMES, SEED
from agents.values.network import FILE as VALUES
from scripts._cli import clear_errors, print_json
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.by_card import plays_by_card
from yatzy_env.evaluation.exact import exact_score
from yatzy_env.evaluation.matches import check_numbers
from yatzy_env.evaluation.provenance import command_line, provenance
from yatzy_env.evaluation.results import measure
from yatzy_env.files import sha256, write_record
from yatzy_env.rules import Ruleset
from yatzy_env.solver import solve

FOLDER = MODELS / GENERALIST
FILES = {"ppo": FOLDER / POLICY, "planner": FOLDER / VALUES}


def measure_case(rules: Ruleset, games: int, seed: int) -> dict[str, Any]:
    """The figures of policy and planner under a ruleset."""
    agents = {name: load_agent(file, rules, name=name) for name, file in FILES.items()}
    evaluation = measure(agents, rules, games, seed, solve(rules))
    exact = {
        name: exact_score(agent, rules).expected_score for name, agent in agents.items() if plays_by_card(agent, rules)
    }
    fields = evaluation.with_exact_scores(exact).fields()
    return {key: fields[key] for key in ("ruleset", "optimum", "agents")}


def main() -> None:
    parser = argparse.ArgumentParser(prog="generalist.py", description=__doc__, allow_abbrev=False)
    parser.add_argument(
        "--games", type=int, default=GAMES, metavar="N", help=f"games of each ruleset (default: {GAMES})"
    )
    parser.add_argument("--seed", type=int, default=SEED, metavar="S", help=f"seed of the dice (default: {SEED})")
    parser.add_argument("--write", action="store_true", help="replace the shipped record")
    args = parser.parse_args()
    with clear_errors():
        check_numbers(args.games, args.seed)
        if args.games < 2:
            raise YatzyError(f"games = {args.games}; allowed: 2 or more, a standard error needs two")
        cases = []
        for rules in PolicyNetwork.read_layers(FILES["ppo"])[0]:
            cases.append(case := measure_case(rules, args.games, args.seed))
            said = ", ".join(f"{agent['agent']} {agent['percent_of_optimum']:.3f} %" for agent in case["agents"])
            print(f"{rules.name}: {said}", file=sys.stderr)
        origin = provenance(command_line("maintain/generalist.py", sys.argv[1:])).fields()
        digests = {file.name: sha256(file) for file in FILES.values()}
        record = {"games": args.games, "seed": args.seed, **origin, "sha256": digests, "cases": cases}
        if args.write:
            write_record(FOLDER / RESULTS, record, indent=1)
            print(FOLDER / RESULTS)
        else:
            print_json(record)


if __name__ == "__main__":
    main()
