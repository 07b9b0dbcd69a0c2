"""Trains a PPO agent: `train.py yatzy`, with any key of the configuration as an option."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="train.py",
        description="Train a PPO agent as configs/RULESET.yaml says. Every key of the configuration is an option: "
        "--total-steps 300000, --network.hidden '[512, 512]', --gae-lambda.end 0.2.",
        allow_abbrev=False,
    )
    parser.add_argument("ruleset", help="a ruleset with a configuration in configs/")
    parser.add_argument("--config", type=Path, metavar="FILE", help="another configuration file")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="change a field of the ruleset")
    parser.add_argument("--seeds", type=int, nargs="+", metavar="N", help="train these seeds one after the other")
    parser.add_argument(
        "--resume", nargs="?", const="newest", metavar="RUN", help="continue a run (default: the newest of the ruleset)"
    )
    parser.add_argument("--runs", type=Path, default=ROOT / "runs", metavar="DIR", help="folder of all runs")
    return parser


def overrides(rest: list[str]) -> list[tuple[str, str]]:
    """Reads `--key value` and `--key=value`."""
    from agents.ppo.errors import ConfigError

    found, words = [], iter(rest)
    for word in words:
        if not word.startswith("--"):
            raise ConfigError(f"command line: {word!r} follows no --key")
        key, has_value, value = word[2:].partition("=")
        if not has_value:
            following = next(words, None)
            if following is None:
                raise ConfigError(f"command line: --{key} needs a value")
            value = following
        found.append((key, value))
    return found


def main() -> int:
    arguments, rest = parser().parse_known_args()

    from rich.console import Console

    from agents.ppo.errors import ConfigError, DivergedError, RunError
    from yatzy_env.errors import YatzyError

    console = Console(stderr=True)
    try:
        from agents.ppo import config as configs
        from agents.ppo.runs import create_run, newest_run, open_run

        changes = overrides(rest)
        for text in arguments.set:
            key, has_value, value = text.partition("=")
            if not has_value:
                raise ConfigError(f"--set {text}: wanted KEY=VALUE")
            changes.append((f"options.{key}", value))
        if arguments.resume:
            if changes or arguments.seeds or arguments.config:
                raise RunError("--resume continues a run as it was configured; it goes with no other option")
            newest = arguments.resume == "newest"
            run = newest_run(arguments.ruleset, arguments.runs) if newest else open_run(Path(arguments.resume))
            todo = [run]
        else:
            path = arguments.config or configs.find_config(arguments.ruleset)
            config = configs.override(configs.load(path), changes)
            seeds = arguments.seeds or [config.seed]
            each = [configs.override(config, [("seed", str(seed))]) for seed in seeds]
            command = shlex.join(["python", "scripts/train.py", *sys.argv[1:]])
            todo = [None] * len(each)

        from agents.ppo.training import train

        for index, item in enumerate(todo):
            run = item or create_run(each[index], arguments.runs, command)
            train(run, console)
            console.print(f"done: {run.folder}", highlight=False)
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
