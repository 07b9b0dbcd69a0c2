"""Measures agents against the exact optimum: `evaluate.py random greedy ppo optimal --ruleset yatzy --games 1000`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import cache as once
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from scripts._cli import add_rules_options, changes_of, clear_errors, print_json, rules_from

if TYPE_CHECKING:
    from yatzy_env.evaluation.matches import CardValues
    from yatzy_env.evaluation.results import Evaluation
    from yatzy_env.rules import Ruleset
    from yatzy_env.solver.triple import Interval

PICTURES = (".png", ".svg", ".pdf")


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, like all others of this script."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"error: {message}\n")


def make_parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="evaluate.py",
        description="Let agents play the same dice and measure them against the exact optimum of the ruleset.",
        epilog="An AGENT is random, greedy, human (rules of thumb), one-turn, priced, ppo (the shipped model of the "
        "ruleset), planner (plans by the shipped value network), optimal, generalist, the folder of a run, a file of "
        "weights, a model of Stable-Baselines3 (.zip, with --trust), or module:factory, where factory(rules) returns "
        "an agent, a function of observations and masks, or a torch module.",
        allow_abbrev=False,
    )
    parser.add_argument("agents", metavar="AGENT", nargs="*", help="who plays; in the order of the table")
    add_rules_options(parser, default="that of the runs and models named, or yatzy")
    parser.add_argument("--games", type=int, default=1000, metavar="N", help="games per agent (default: 1000)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="seed of the dice (default: 1)")
    parser.add_argument(
        "--exact",
        action="store_true",
        help="compute the exact score of every agent too, without dice: seconds where turns follow from the score card "
        "(planner), else seconds under forced, half an hour under yatzy",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of a table")
    parser.add_argument(
        "--report", type=Path, metavar="DIR", help="write index.html, table.md, results.json and report.png"
    )
    parser.add_argument("--plot", type=Path, metavar="FILE", help="write the picture alone: .png, .svg or .pdf")
    parser.add_argument(
        "--replay", type=Path, metavar="FILE", help="measure a game that the play page exported, instead of agents"
    )
    parser.add_argument(
        "--trust",
        action="store_true",
        help="load models on no record; those of SB3 (.zip) are pickles and can run code",
    )
    parser.add_argument("--no-cache", action="store_true", help="neither read nor write what is cached")
    return parser


def evaluate(args: argparse.Namespace) -> Evaluation:
    """Checks where results go, plays, and writes report and picture."""
    from agents.registry import common_rules
    from yatzy_env.errors import YatzyError
    from yatzy_env.evaluation.matches import check_numbers
    from yatzy_env.evaluation.provenance import command_line
    from yatzy_env.rules import ruleset

    check_numbers(args.games, args.seed)
    rules = rules_from(args, lambda: common_rules(args.agents) or ruleset())
    if args.plot and args.plot.suffix not in PICTURES:
        raise YatzyError(f"--plot {args.plot}: allowed are files ending in {', '.join(PICTURES)}")
    for folder in (args.report, args.plot.parent if args.plot else None):
        if folder:
            folder.mkdir(parents=True, exist_ok=True)
    evaluation = measure_by_name(
        args.agents,
        rules,
        args.games,
        args.seed,
        command_line("evaluate.py", sys.argv[1:]),
        trust=args.trust,
        cache=not args.no_cache,
        exact=args.exact,
    )
    if args.report:
        from agents.reports.report import write_report

        print(f"report: {write_report(evaluation, args.report, not args.no_cache)}", file=sys.stderr)
    if args.plot:
        from agents.reports.plots import draw, save

        save(draw(evaluation), args.plot)
        print(f"plot: {args.plot}", file=sys.stderr)
    return evaluation


def measure_by_name(
    names: Sequence[str],
    rules: Ruleset,
    games: int,
    seed: int,
    command: str,
    *,
    trust: bool = False,
    cache: bool = True,
    exact: bool = False,
) -> Evaluation:
    """Measures agents by their names; what should be known before trusting the figures goes to stderr.

    Of several columns the certified interval of the optimum takes the place of regret, and luck is measured by the
    shipped value network, if there is one.
    """
    from agents.registry import make_agents
    from yatzy_env.evaluation.evaluate import announced_solution
    from yatzy_env.evaluation.exact import check_agent, exact_score
    from yatzy_env.evaluation.results import measure
    from yatzy_env.solver import can_solve

    solution = once(lambda: announced_solution(rules, cache))
    check = (lambda agent, name: check_agent(agent, rules, name)) if exact else (lambda agent, name: None)
    agents = make_agents(names, rules, solution, trust, check)
    solved = solution() if can_solve(rules) else None
    bounds = None if solved is not None else interval_of(rules, cache)
    values = None if solved is not None else shipped_values(rules)
    evaluation = measure(agents, rules, games, seed, solved, command, card_values=values, bounds=bounds, progress=True)
    if exact:
        found = [exact_score(agent, rules, name=name, cache=cache, say=say) for name, agent in agents.items()]
        for score in found:
            say(score.summary())
        evaluation = evaluation.with_exact_scores({score.agent: score.expected_score for score in found})
    for warning in evaluation.warnings:
        say(f"warning: {warning}")
    return evaluation


def shipped_values(rules: Ruleset) -> CardValues | None:
    """The shipped value network of a ruleset as a function of score cards; None where there is none."""
    from agents.errors import ModelError
    from agents.models.load import load_planner

    try:
        return load_planner(rules).card_values
    except ModelError:
        return None


def interval_of(rules: Ruleset, cache: bool) -> Interval | None:
    """The interval of a ruleset of several columns; it says itself how long it takes. None where it has none."""
    from yatzy_env.errors import SolutionError
    from yatzy_env.solver.triple import interval

    try:
        return interval(rules, cache=cache)
    except SolutionError as error:
        say(f"warning: {error}")
        return None


def say(line: str) -> None:
    from rich.console import Console

    style = "yellow" if line.startswith("warning") else None
    Console(stderr=True).print(line, style=style, highlight=False, markup=False, soft_wrap=True)


def replay(args: argparse.Namespace) -> None:
    """Measures an exported game, decision by decision."""
    from agents.play.replay import print_replay, replay_file
    from yatzy_env.evaluation.evaluate import announced_solution
    from yatzy_env.solver import can_solve

    replayed = replay_file(
        args.replay, lambda rules: announced_solution(rules, not args.no_cache) if can_solve(rules) else None
    )
    if args.json:
        print_json(replayed.fields())
    else:
        print_replay(replayed)


def main() -> None:
    parser = make_parser()
    args = parser.parse_args()
    if bool(args.agents) == bool(args.replay):
        parser.error("name one AGENT or more, or --replay FILE alone")
    with clear_errors():
        if args.replay:
            replay(args)
            return
        evaluation = evaluate(args)
        if args.json:
            fields = evaluation.fields()
            if args.set:
                fields["options"] = changes_of(args, evaluation.rules)
            print_json(fields)
        else:
            from agents.reports.report import print_table

            print_table(evaluation)


if __name__ == "__main__":
    main()
