"""Writes the card of a shipped model from a fresh measurement: `card.py yatzy`."""

from __future__ import annotations

import argparse
import sys

from scripts._cli import clear_errors


def main() -> None:
    parser = argparse.ArgumentParser(prog="card.py", description="Measure a shipped model and write its model card.")
    parser.add_argument("ruleset", metavar="RULESET", help="a ruleset with a model in models/")
    parser.add_argument("--games", type=int, default=10_000, metavar="N", help="games to measure (default: 10000)")
    parser.add_argument("--seed", type=int, default=1001, metavar="S", help="seed of the dice (default: 1001)")
    args = parser.parse_args()
    with clear_errors():
        from agents.evaluation.card import write_card
        from agents.evaluation.provenance import command_line
        from agents.evaluation.session import measure
        from agents.evaluation.training_record import read_training
        from agents.ppo.agent import shipped_model
        from yatzy_env.rules import ruleset

        rules = ruleset(args.ruleset)
        folder = shipped_model(rules)
        training = read_training(folder)
        command = command_line("card.py", sys.argv[1:])
        evaluation = measure(["ppo", "optimal"], rules, args.games, args.seed, command)
        print(write_card(evaluation, training, folder))


if __name__ == "__main__":
    main()
