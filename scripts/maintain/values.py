"""Trains and ships the value network that the planner plays by: `values.py train yatzy`, `values.py ship RUN`."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from typing import Any

from scripts._cli import clear_errors

ROOT = Path(__file__).parents[2]


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="values.py", description="The value network that the planner plays by.")
    commands = parser.add_subparsers(dest="command", required=True)
    train = commands.add_parser("train", help="train as configs/values.yaml says; takes up what is there already")
    train.add_argument("ruleset", metavar="RULESET", help="a ruleset with a row in configs/values.yaml")
    train.add_argument("--seed", type=int, default=1, metavar="S", help="of everything that is drawn (default: 1)")
    train.add_argument("--folder", type=Path, metavar="DIR", help="where to train (default: runs/values/RULESET-SEED)")
    ship = commands.add_parser("ship", help="make the network of a run the shipped one, and measure it")
    ship.add_argument("run", type=Path, metavar="RUN", help="folder of a run")
    ship.add_argument("--games", type=int, default=10_000, metavar="N", help="games to measure (default: 10000)")
    ship.add_argument("--seed", type=int, default=2001, metavar="S", help="seed of the dice (default: 2001)")
    return parser


def say(line: str) -> None:
    print(line, file=sys.stderr)


def train(args: argparse.Namespace, command: str) -> None:
    from agents.errors import RunError
    from agents.training.runs import Run, start_run
    from agents.values.config import ValuesConfig, values_config
    from agents.values.training import train_values

    config = values_config(args.ruleset, args.seed)
    folder = args.folder or ROOT / "runs" / "values" / f"{args.ruleset}-{args.seed}"
    run = Run(folder)
    if not run.config_file.exists():
        start_run(folder, config, [config.rules], command)
    elif ValuesConfig.read(run.config_file) != config:
        raise RunError(f"{folder} holds a run of another configuration; --folder names another one")
    else:
        run.change(config, command)
    train_values(run, say)
    print(folder)


def ship(args: argparse.Namespace, command: str) -> None:
    """Copies the network and writes `values.json` beside it: how good it is, and how it was made."""
    from agents.models.digest import MODELS, record_digests
    from agents.models.load import load_planner, model_file
    from agents.training.runs import open_run
    from agents.values.config import ValuesConfig
    from yatzy_env.evaluation.by_card import plays_by_card, score_by_card
    from yatzy_env.evaluation.provenance import provenance
    from yatzy_env.evaluation.results import measure
    from yatzy_env.files import read_json, read_json_object, sha256, write_json
    from yatzy_env.solver import can_solve, solve

    run = open_run(args.run)
    config = ValuesConfig.read(run.config_file)
    rules = config.rules
    found = model_file(run.folder)
    planner = load_planner(rules, run.folder)
    solution = solve(rules) if can_solve(rules) and not rules.saved_throws else None
    evaluation = measure({"planner": planner}, rules, args.games, args.seed, solution)
    fields = evaluation.results[0].fields()
    if solution is not None and plays_by_card(planner, rules):
        say(f"{rules.name}: exact score")
        fields["exact_score"] = score_by_card(planner, rules).expected_score
        fields["exact_percent"] = 100 * fields["exact_score"] / solution.expected_score
    known = {row["ruleset"]: row["expected_score"] for row in read_json(ROOT / "docs" / "optima.json")}
    optimum = known.get(rules.name) if solution is None else solution.expected_score
    made = read_json_object(run.folder / "run.json")
    last = (run.folder / "curve.csv").read_text(encoding="utf-8").splitlines()[-1].split(",")
    record: dict[str, Any] = {
        "ruleset": rules.name,
        "optimum": optimum,
        "seed": args.seed,
        "planner": fields,
        "weights": planner.network.weights,
        "training": {
            "command": (run.folder / "command.txt").read_text(encoding="utf-8").splitlines()[0],
            "config": config.model_dump(mode="json"),
            "rounds": int(last[0]),
            "cpu_seconds": int(last[1]),
            **{key: made[key] for key in ("commit", "versions", "machine")},
        },
        "provenance": provenance(command).fields(),
        "sha256": {found.name: sha256(found)},
    }
    target = MODELS / rules.name
    target.mkdir(exist_ok=True)
    shutil.copyfile(found, target / found.name)
    write_json(target / "values.json", record)
    record_digests(sorted(target.glob("*.npz")), MODELS)
    print(target / found.name)


def main(words: list[str] | None = None) -> None:
    words = sys.argv[1:] if words is None else words
    args = make_parser().parse_args(words)
    with clear_errors():
        from yatzy_env.evaluation.provenance import command_line

        command = command_line("maintain/values.py", words)
        train(args, command) if args.command == "train" else ship(args, command)


if __name__ == "__main__":
    main()
