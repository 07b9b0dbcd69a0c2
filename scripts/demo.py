"""Solves Yatzy and measures the shipped agents against the optimum; what `make demo` runs."""

from __future__ import annotations

import argparse
from pathlib import Path

from scripts._cli import clear_errors

AGENTS = ("random", "greedy", "human", "one-turn", "priced", "ppo", "planner", "optimal")
GAMES, SEED = 1000, 1
OUT = Path("out/demo")


def main() -> None:
    argparse.ArgumentParser(prog="demo.py", description=__doc__).parse_args()
    with clear_errors():
        print("Compiling and loading; the first time takes about a minute ...", flush=True)

        from agents.reports.report import print_table, write_report
        from scripts.evaluate import measure_by_name
        from yatzy_env.evaluation.provenance import command_line
        from yatzy_env.rules import ruleset

        evaluation = measure_by_name(AGENTS, ruleset("yatzy"), GAMES, SEED, command_line("demo.py", []))
        page = write_report(evaluation, OUT)
        print_table(evaluation)
        print(f"picture: {OUT / 'report.png'}\nreport:  {page}")


if __name__ == "__main__":
    main()
