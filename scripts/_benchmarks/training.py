"""Rounds per second of training, and where the time goes.

Each process trains the networks of a configuration on one thread, as two runs side by side do. The first round of each
stage, which compiles, is not counted.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from typing import Any


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rulesets", nargs="+", default=["yatzy"], metavar="R", help="configurations (default: yatzy)")
    parser.add_argument("--processes", type=int, default=2, metavar="N", help="runs at the same time (default: 2)")
    parser.add_argument("--rounds", type=int, default=20, metavar="N", help="rounds to time (default: 20)")


def run(args: argparse.Namespace) -> list[dict[str, Any]]:
    """Measures every configuration that was asked for."""
    from agents.ppo.config import find_config
    from yatzy_env.errors import YatzyError

    for name in ("processes", "rounds"):
        if getattr(args, name) < 1:
            raise YatzyError(f"--{name} {getattr(args, name)}; allowed: a whole number from 1")
    configs = {name: find_config(name) for name in args.rulesets}
    results = []
    for name, config in configs.items():
        print(f"training {name} in {args.processes} processes", file=sys.stderr, flush=True)
        parts = _side_by_side(name, args.processes, args.rounds)
        figures = {key: round(sum(part[key] for part in parts) / len(parts), 4) for key in parts[0]}
        sizes = {"values_hidden": list(config.values.hidden), "policy_hidden": list(config.policy.hidden)}
        results.append({"ruleset": name, "what": "training", "processes": args.processes, **figures, **sizes})
    return results


def _side_by_side(name: str, processes: int, rounds: int) -> list[dict[str, Any]]:
    """Times the runs in fresh processes that start together."""
    command = [sys.executable, "-m", __name__, name, str(rounds)]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) for _ in range(processes)]
    outputs = [process.communicate()[0] for process in started]
    if any(process.returncode for process in started):
        raise RuntimeError(f"a process that trained {name} failed")
    return [json.loads(output) for output in outputs]


def measure(name: str, rounds: int) -> dict[str, float]:
    """Does some rounds of each stage in this process and says how long one takes, with an untrained teacher."""
    import torch

    from agents.ppo.config import find_config
    from agents.ppo.learner import PolicyLearner
    from agents.values.learner import ValueLearner
    from agents.values.network import ValueNetwork

    torch.set_num_threads(1)
    config = find_config(name)
    values = ValueLearner(config.rules, config.values, config.seed)
    values.work()
    teachers = ValueNetwork.of_each(config.rules, values.fitter.layers)
    policy = PolicyLearner(config.rules, config.policy, config.seed, teachers)
    policy.work()
    found = {}
    for stage, learner in (("values", values), ("policy", policy)):
        begun = time.perf_counter()
        for _ in range(rounds):
            learner.work()
        found[f"{stage}_seconds_per_round"] = (time.perf_counter() - begun) / rounds
    return found


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))
