"""Trains a PPO agent: `train.py yatzy`, with any key of the configuration as an option."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from scripts._cli import add_set_option, clear_errors

if TYPE_CHECKING:
    from agents.ppo.agent import PPOAgent
    from agents.ppo.config import Config
    from agents.training.runs import Run
    from yatzy_env.rules import Ruleset

ROOT = Path(__file__).parents[1]

EVAL_GAMES = 200
"""Games of a measurement during training: regret to a few tenths of a point, a second or two."""


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="train.py",
        description="Train a PPO agent as configs/RULESET.yaml says. Every key of the configuration is an option too: "
        "--total-steps 300000 --seed 2 --network.hidden '[512, 512]' --gae-lambda.end 0.2",
        allow_abbrev=False,
    )
    parser.add_argument(
        "ruleset", metavar="RULESET", help="a ruleset that has a configuration in configs/, or generalist"
    )
    parser.add_argument("--config", type=Path, metavar="FILE", help="another configuration file for the ruleset")
    add_set_option(parser)
    parser.add_argument("--seeds", type=int, nargs="+", metavar="N", help="train with each of these seeds in turn")
    parser.add_argument(
        "--resume",
        nargs="?",
        const="",
        metavar="RUN",
        help="continue a run (default: the newest of the ruleset); --total-steps may extend it",
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


def runs(args: argparse.Namespace, rest: list[str], command: str) -> Iterator[Run]:
    """The runs to train, each made when its turn comes."""
    from agents.errors import ConfigError, RunError
    from agents.ppo.config import Config, find_config, override
    from agents.ppo.runs import change_run, config_of, create_run
    from agents.training.runs import newest_run, open_run

    wanted = changes(args, rest)
    if args.resume is not None:
        if args.seeds or args.config:
            raise RunError("--resume continues one run as it was configured, without --seeds and --config")
        run = open_run(Path(args.resume)) if args.resume else newest_run(args.ruleset, args.runs)
        config = config_of(run)
        check_ruleset(config, args.ruleset, run.folder)
        if wanted:
            change_run(run, override(config, wanted), command)
        yield run
        return
    path = args.config or find_config(args.ruleset)
    config = Config.read(path)
    check_ruleset(config, args.ruleset, path)
    config = override(config, wanted)
    check_ruleset(config, args.ruleset, "command line")
    if args.seeds and any(key == "seed" for key, _ in wanted):
        raise ConfigError("command line: --seed and --seeds exclude each other")
    configs = [override(config, [("seed", str(seed))]) for seed in args.seeds or [config.seed]]
    for each in configs:
        yield create_run(each, args.runs, command)


def check_ruleset(config: Config, name: str, source: Path | str) -> None:
    from agents.errors import ConfigError

    if config.name != name:
        raise ConfigError(f"{source}: this is for {config.name!r}, not {name!r}")


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

        def evaluate(agent: PPOAgent, rules: Ruleset) -> dict[str, float]:
            solution = solve(rules) if can_solve(rules) and is_cached(rules) else None
            return quick_evaluation(agent, rules, solution, EVAL_GAMES, TRAINING)

        for run in runs(args, rest, command_line("train.py", words)):
            from agents.ppo.training import train

            train(run, console, evaluate)
            print(run.folder)


if __name__ == "__main__":
    main()
