"""Trains a PPO agent: `train.py yatzy`, with any key of the configuration as an option."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agents.ppo.config import Config
    from agents.ppo.runs import Run

ROOT = Path(__file__).parents[1]


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="train.py",
        description="Train a PPO agent as configs/RULESET.yaml says. Every key of the configuration is an option too: "
        "--total-steps 300000 --seed 2 --network.hidden '[512, 512]' --gae-lambda.end 0.2",
        allow_abbrev=False,
    )
    parser.add_argument("ruleset", help="a ruleset that has a configuration in configs/")
    parser.add_argument("--config", type=Path, metavar="FILE", help="another configuration file for the ruleset")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="change a field of the ruleset")
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


def changes(arguments: argparse.Namespace, rest: list[str]) -> list[tuple[str, str]]:
    """What `--set KEY=VALUE`, `--key value` and `--key=value` change in the configuration."""
    from agents.ppo.errors import ConfigError

    found = []
    for text in arguments.set:
        key, has_value, value = text.partition("=")
        if not has_value:
            raise ConfigError(f"--set {text}: wanted KEY=VALUE")
        found.append((f"options.{key}", value))
    words = iter(rest)
    for word in words:
        if not word.startswith("--"):
            raise ConfigError(f"command line: {word!r} follows no --key")
        key, has_value, value = word[2:].partition("=")
        if not has_value:
            following = next(words, None)
            if following is None:
                raise ConfigError(f"command line: {word} needs a value")
            value = following
        found.append((key, value))
    return found


def runs(arguments: argparse.Namespace, rest: list[str], command: str) -> Iterator[Run]:
    """The runs to train, each made when its turn comes."""
    from agents.ppo.config import find_config, load, override
    from agents.ppo.errors import ConfigError, RunError
    from agents.ppo.runs import change_run, create_run, newest_run, open_run

    wanted = changes(arguments, rest)
    if arguments.resume is not None:
        if arguments.seeds or arguments.config:
            raise RunError("--resume continues one run as it was configured, without --seeds and --config")
        run = open_run(Path(arguments.resume)) if arguments.resume else newest_run(arguments.ruleset, arguments.runs)
        check_ruleset(run.config, arguments.ruleset, run.folder)
        if wanted:
            change_run(run, override(run.config, wanted), command)
        yield run
        return
    path = arguments.config or find_config(arguments.ruleset)
    config = override(load(path), wanted)
    check_ruleset(config, arguments.ruleset, path)
    if arguments.seeds and any(key == "seed" for key, _ in wanted):
        raise ConfigError("command line: --seed and --seeds exclude each other")
    configs = [override(config, [("seed", str(seed))]) for seed in arguments.seeds or [config.seed]]
    for each in configs:
        yield create_run(each, arguments.runs, command)


def check_ruleset(config: Config, name: str, source: Path) -> None:
    from agents.ppo.errors import ConfigError

    if config.rules.name != name:
        raise ConfigError(f"{source} is for ruleset {config.rules.name!r}, not {name!r}")


def main() -> int:
    arguments, rest = make_parser().parse_known_args()

    from rich.console import Console

    from agents.ppo.errors import DivergedError
    from yatzy_env.errors import YatzyError

    console = Console(stderr=True, soft_wrap=True, highlight=False)
    command = shlex.join(["python", "scripts/train.py", *sys.argv[1:]])
    try:
        for run in runs(arguments, rest, command):
            from agents.ppo.training import train

            train(run, console)
            print(run.folder)
    except YatzyError as error:
        print(f"train.py: {error}", file=sys.stderr)
        return 1 if isinstance(error, DivergedError) else 2
    except KeyboardInterrupt:
        print("train.py: interrupted; --resume continues from the last checkpoint", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
