"""Trains the networks of a ruleset, value network and policy: `train.py yatzy`, with any key as an option."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from scripts._cli import FILES, add_set_option, clear_errors, read_ruleset

if TYPE_CHECKING:
    from agents.ppo.config import Config
    from agents.training.runs import Run
    from yatzy_env.agent import Agent
    from yatzy_env.rules import Ruleset

ROOT = Path(__file__).parents[1]

EVAL_GAMES = 200
"""Games of a measurement during training: regret to a few hundredths of a point, a second or two."""


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="train.py",
        description="Train the value network and the policy of a ruleset as its row in configs/training.yaml says. "
        "Every key of the configuration is an option too: "
        "--seed 2 --policy.rounds 1000 --policy.hidden '[256, 256]' --values.learning-rate.start 1e-3",
        allow_abbrev=False,
    )
    parser.add_argument(
        "ruleset",
        metavar="RULESET",
        help="a row of the configuration (a ruleset, or generalist), or a JSON or YAML file of a ruleset",
    )
    parser.add_argument("--config", type=Path, metavar="FILE", help="another file of such rows")
    add_set_option(parser)
    parser.add_argument("--seeds", type=int, nargs="+", metavar="N", help="train with each of these seeds in turn")
    parser.add_argument(
        "--resume", nargs="?", const="", metavar="RUN", help="continue a run (default: the newest of the ruleset)"
    )
    parser.add_argument("--runs", type=Path, default=ROOT / "runs", metavar="DIR", help="the folder of all runs")
    return parser


def changes(args: argparse.Namespace, rest: list[str]) -> list[tuple[str, str]]:
    """What `--set KEY=VALUE`, `--key value` and `--key=value` change in the configuration."""
    from agents.errors import ConfigError

    found = []
    for text in args.set:
        key, equals, value = text.partition("=")
        if not equals:
            raise ConfigError(f"--set {text}: wanted KEY=VALUE, for example --set bonus_threshold=42")
        found.append((f"options.{key}", value))
    words = iter(rest)
    for word in words:
        if not word.startswith("--"):
            raise ConfigError(f"command line: {word!r} follows no --key")
        key, equals, value = word[2:].partition("=")
        if not equals:
            following = next(words, None)
            if following is None:
                raise ConfigError(f"command line: {word} needs a value")
            value = following
        found.append((key, value))
    return found


def find(args: argparse.Namespace) -> Config:
    """The configuration of what is to be trained: a row, or the defaults for a ruleset of one's own."""
    from agents.ppo.config import config_for, find_config

    if Path(args.ruleset).suffix in FILES:
        return config_for(read_ruleset(args.ruleset))
    return find_config(args.ruleset, args.config)


def runs(args: argparse.Namespace, rest: list[str], command: str) -> Iterator[Run]:
    """The runs to train, each made when its turn comes."""
    from agents.errors import ConfigError, RunError
    from agents.ppo.config import override
    from agents.ppo.runs import change_run, config_of, create_run, folder_name
    from agents.training.runs import newest_run, open_run

    wanted = changes(args, rest)
    if args.resume is not None:
        if args.seeds or args.config:
            raise RunError("--resume continues one run as it was configured, without --seeds and --config")
        if args.resume:
            run = open_run(Path(args.resume))
        else:
            run = newest_run(folder_name(override(find(args), wanted)), args.runs)
        config, name = config_of(run), find(args).name
        if config.name != name:
            raise ConfigError(f"{run.folder}: this is for {config.name!r}, not {name!r}")
        if wanted:
            change_run(run, override(config, wanted), command)
        yield run
        return
    config = override(find(args), wanted)
    if args.seeds and any(key == "seed" for key, _ in wanted):
        raise ConfigError("command line: --seed and --seeds exclude each other")
    configs = [override(config, [("seed", str(seed))]) for seed in args.seeds or [config.seed]]
    for each in configs:
        yield create_run(each, args.runs, command)


def main(words: list[str] | None = None) -> None:
    words = sys.argv[1:] if words is None else words
    args, rest = make_parser().parse_known_args(words)
    with clear_errors():
        from rich.console import Console

        from yatzy_env.evaluation.provenance import command_line
        from yatzy_env.evaluation.results import quick_evaluation
        from yatzy_env.evaluation.seeds import TRAINING
        from yatzy_env.solver import can_solve, is_cached, solve

        console = Console(stderr=True, soft_wrap=True, highlight=False)

        def evaluate(agent: Agent, rules: Ruleset) -> dict[str, float]:
            solution = solve(rules) if can_solve(rules) and is_cached(rules) else None
            return quick_evaluation(agent, rules, solution, EVAL_GAMES, TRAINING)

        for run in runs(args, rest, command_line("train.py", words)):
            from agents.ppo.training import train

            train(run, console, evaluate)
            print(run.folder)


if __name__ == "__main__":
    main()
