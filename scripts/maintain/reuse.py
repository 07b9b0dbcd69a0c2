"""Measures what it costs to play a ruleset with another one's model; `make docs` puts it into docs/models.md."""

from __future__ import annotations

import argparse
import sys
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from scripts._cli import clear_errors
from scripts.maintain._models_docs import REUSE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yatzy_env.agent import Agent
    from yatzy_env.evaluation.statistics import Estimate
    from yatzy_env.rules import Ruleset
    from yatzy_env.situation import Situations

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
    from agents.models.reuse import reused_names
    from yatzy_env.rules import ruleset

    named: list[tuple[Ruleset, dict[str, Any]]] = [(ruleset(name), {}) for name in reused_names()]
    return named + [(ruleset(name).replace(**options), options) for name, options in SWITCHES]


class FromHome:
    """The optimal player of other rules than those in play; what these rules do not know of a card it does not see."""

    name = "optimal at home"

    def __init__(self, rules: Ruleset) -> None:
        from agents.optimal import OptimalAgent
        from yatzy_env.solver import solve

        self._optimal = OptimalAgent(solve(rules))
        self._sees_fifty = rules.extra_yatzy_bonus > 0

    def act(self, situations: Situations, noise: NDArray[np.float64]) -> NDArray[np.int64]:
        seen = situations if self._sees_fifty else situations._replace(fifty=np.zeros_like(situations.fifty))
        return self._optimal.act(seen, noise)


def regret(agent: Agent, rules: Ruleset, games: int, seed: int) -> Estimate:
    """The regret per game of an agent under the rules in play."""
    from yatzy_env.evaluation.matches import play_match
    from yatzy_env.evaluation.statistics import estimate
    from yatzy_env.solver import solve

    return estimate(play_match(agent, rules, games, seed, solve(rules)).game_regret)


@cache
def regret_at_home(name: str, games: int, seed: int) -> Estimate:
    """The regret of a shipped model under the rules it was trained for."""
    from agents.models.load import load_agent, shipped_model
    from yatzy_env.rules import ruleset

    rules = ruleset(name)
    return regret(load_agent(shipped_model(rules), rules), rules, games, seed)


def measure_case(rules: Ruleset, options: dict[str, Any], games: int, seed: int) -> dict[str, Any]:
    """The regret of a reused model, beside its own at home and that of the optimal player of the rules it knows."""
    from agents.models.load import load_agent, shipped_model
    from yatzy_env.rules import ruleset
    from yatzy_env.solver import solve

    folder = shipped_model(rules)
    here = regret(load_agent(folder, rules, reuse=True), rules, games, seed)
    home = regret_at_home(folder.name, games, seed)
    alone = regret(FromHome(ruleset(folder.name)), rules, games, seed)
    optimum = float(solve(rules).expected_score)
    return {
        "ruleset": rules.name,
        "options": options,
        "model": folder.name,
        "optimum": optimum,
        "regret_per_game": here.mean,
        "regret_se": here.error,
        "percent_of_optimum": 100 * (1 - here.mean / optimum),
        "own_regret": home.mean,
        "own_regret_se": home.error,
        "rules_alone": alone.mean,
        "rules_alone_se": alone.error,
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="reuse.py", description=__doc__, allow_abbrev=False)
    parser.add_argument("--games", type=int, default=2000, metavar="N", help="games to measure (default: 2000)")
    parser.add_argument("--seed", type=int, default=1001, metavar="S", help="seed of the dice (default: 1001)")
    args = parser.parse_args()
    with clear_errors():
        from agents.errors import ModelError
        from agents.session import check_numbers
        from yatzy_env.evaluation.provenance import command_line, provenance
        from yatzy_env.files import write_json

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
        origin = provenance(command_line("maintain/reuse.py", sys.argv[1:]))
        record = {"games": args.games, "seed": args.seed, **origin.fields(), "cases": done}
        write_json(REUSE, record, indent=1)
        print(REUSE)
    if missing:
        parser.exit(2, f"error: not measured: {'; '.join(missing)}\n")


if __name__ == "__main__":
    main()
