"""Trains and measures the agent that plays yatzy for the win: `win.py train`, `win.py measure`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scripts._cli import clear_errors, print_json

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from agents.values.network import ValueNetwork
    from yatzy_env.turn import Cards

ROOT = Path(__file__).parents[2]


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="win.py", description="The agent that plays yatzy for the win.")
    commands = parser.add_subparsers(dest="command", required=True)
    train = commands.add_parser("train", help="train as configs/win.yaml says; takes up what is there already")
    train.add_argument("--config", type=Path, metavar="FILE", help="another configuration file")
    train.add_argument("--folder", type=Path, default=ROOT / "runs" / "win", metavar="DIR", help="where to train")
    measure = commands.add_parser("measure", help="play the optimal player, which maximises its score, for wins")
    measure.add_argument("model", type=Path, nargs="?", metavar="MODEL", help="folder of a run (default: shipped)")
    measure.add_argument("--games", type=int, default=100_000, metavar="N", help="games, in pairs (default: 100000)")
    measure.add_argument("--seed", type=int, default=1, metavar="S", help="seed of the dice (default: 1)")
    measure.add_argument("--trust", action="store_true", help="load a model that is on no record")
    measure.add_argument("--json", action="store_true", help="print one JSON object")
    measure.add_argument("--card", action="store_true", help="write the shipped model's card and results.json")
    ship = commands.add_parser("ship", help="make the model of a run the shipped one")
    ship.add_argument("run", type=Path, metavar="RUN", help="folder of a run")
    return parser


def say(line: str) -> None:
    print(line, file=sys.stderr)


def train(args: argparse.Namespace, command: str) -> None:
    from agents.models.load import load_planner, model_file
    from agents.winning.config import CONFIG, WinConfig
    from agents.winning.training import open_folder
    from agents.winning.training import train as train_run

    config = WinConfig.read(args.config or CONFIG)

    def values() -> ValueNetwork:
        path = None if config.values is None else Path(config.values)
        return load_planner(config.rules, path, trust=path is not None).network

    run = open_folder(args.folder, config, values, command)
    train_run(run, say)
    print(model_file(run.folder))


def in_words(fields: dict[str, Any]) -> str:
    """A measurement in words."""
    low, high = fields["win_share_interval"]
    return (
        f"{fields['agent']} wins {100 * fields['win_share']:.2f} % of {fields['games']:,} games against "
        f"{fields['opponent']}, draws counted half; 95 % interval {100 * low:.2f} to {100 * high:.2f}"
    )


def measure(args: argparse.Namespace, command: str) -> None:
    from agents.errors import ModelError
    from agents.models.load import WIN_MODEL, load_winner, model_file
    from agents.reports.card import write_win_card
    from agents.winning.measure import measure as play
    from agents.winning.rests import read_model
    from yatzy_env.evaluation.provenance import provenance
    from yatzy_env.solver import solve

    if args.card and args.model is not None:
        raise ModelError("--card is for the shipped model; leave out MODEL")
    path = args.model or WIN_MODEL
    rules = read_model(model_file(path)).values.rules
    agent = load_winner(rules, path, args.trust or args.model is not None)
    solution = solve(rules)
    done = 0

    def values(cards: Cards) -> NDArray[np.float64]:
        return solution.card_values(cards.filled, cards.upper[:, 0], cards.yatzy_scored)

    def progress(games: int) -> None:
        nonlocal done
        done += games
        say(f"{done:,} of {args.games:,} games")

    duel = play(agent, values, args.games, args.seed, progress)
    fields = {"ruleset": rules.name, "agent": agent.name, "opponent": "optimal", "seed": args.seed, **duel.fields()}
    if args.card:
        print(write_win_card(fields, provenance(command), WIN_MODEL))
    else:
        print_json(fields) if args.json else print(in_words(fields))


def ship(args: argparse.Namespace) -> None:
    from agents.models.load import model_file
    from agents.models.ship import ship_model

    print(model_file(ship_model(args.run)))


def main(words: list[str] | None = None) -> None:
    words = sys.argv[1:] if words is None else words
    args = make_parser().parse_args(words)
    with clear_errors():
        from yatzy_env.evaluation.provenance import command_line

        command = command_line("maintain/win.py", words)
        if args.command == "train":
            train(args, command)
        elif args.command == "measure":
            measure(args, command)
        else:
            ship(args)


if __name__ == "__main__":
    main()
