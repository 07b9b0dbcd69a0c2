"""Steps per second of training, updates included, and where the time goes.

Each process trains the network of a configuration on one thread, as two runs side by side do. The first rollout and
its update, which compile, are not counted.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rulesets", nargs="+", default=["yatzy"], metavar="R", help="configurations (default: yatzy)")
    parser.add_argument("--processes", type=int, default=2, metavar="N", help="runs at the same time (default: 2)")
    parser.add_argument("--rollouts", type=int, default=12, metavar="N", help="rollouts to time (default: 12)")


def run(args: argparse.Namespace) -> list[dict[str, Any]]:
    """Measures every configuration that was asked for."""
    from agents.ppo.config import Config, find_config
    from yatzy_env.errors import YatzyError

    for name in ("processes", "rollouts"):
        if getattr(args, name) < 1:
            raise YatzyError(f"--{name} {getattr(args, name)}; allowed: a whole number from 1")
    configs = {name: Config.read(find_config(name)) for name in args.rulesets}
    results = []
    for name, config in configs.items():
        print(f"training {name} in {args.processes} processes", file=sys.stderr, flush=True)
        parts = _side_by_side(name, args.processes, args.rollouts)
        seconds = sum(part["seconds"] for part in parts)
        results.append({
            "ruleset": name,
            "what": "training",
            "processes": args.processes,
            "steps_per_second": round(sum(part["steps_per_second"] for part in parts)),
            "weight_updates_per_second": round(sum(part["weight_updates_per_second"] for part in parts), 1),
            "precision": parts[0]["precision"],
            "hidden": list(config.network.hidden),
            "epochs": config.epochs,
            **{
                f"{share}_percent": round(100 * sum(part[share] for part in parts) / seconds, 1)
                for share in ("environment", "networks_in_rollout", "other_throws", "lessons", "update")
            },
        })  # fmt: skip
    return results


def _side_by_side(name: str, processes: int, rollouts: int) -> list[dict[str, Any]]:
    """Times the runs in fresh processes that start together."""
    command = [sys.executable, "-m", __name__, name, str(rollouts)]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) for _ in range(processes)]
    outputs = [process.communicate()[0] for process in started]
    if any(process.returncode for process in started):
        raise RuntimeError(f"a process that trained {name} failed")
    return [json.loads(output) for output in outputs]


def measure(name: str, rollouts: int) -> dict[str, Any]:
    """Trains for some rollouts in this process and says how fast."""
    import torch
    from stable_baselines3.common.callbacks import CallbackList
    from stable_baselines3.common.logger import configure

    from agents.ppo.algorithm import YatzyPPO
    from agents.ppo.config import Config, find_config

    torch.set_num_threads(1)
    config = Config.read(find_config(name))
    model = YatzyPPO(config)
    model.set_logger(configure(None, []))
    _, callback = model._setup_learn((rollouts + 1) * config.rollout, CallbackList([]))

    def once() -> None:
        model.collect_rollouts(model.env, callback, model.rollout_buffer, config.rollout_steps)
        model.train()

    once()
    spent = {"lessons": 0.0}  # none where the configuration gives none
    _time(spent, model.env, "step", "environment")
    _time(spent, model.policy, "choose", "networks_in_rollout")
    _time(spent, model, "_expected_values", "other_throws")
    _time(spent, model, "_improve", "lessons")
    _time(spent, model, "train", "update")
    begun, updates = time.perf_counter(), model._n_updates
    for _ in range(rollouts):
        once()
    seconds = time.perf_counter() - begun
    epochs = model._n_updates - updates
    return spent | {
        "seconds": seconds,
        "steps_per_second": rollouts * config.rollout / seconds,
        "weight_updates_per_second": epochs * config.rollout / config.minibatch / seconds,
        "precision": "bfloat16" if model.policy.mixed_precision else "float32",
    }


def _time(spent: dict[str, float], owner: Any, method: str, name: str) -> None:
    """Adds up the seconds spent in a method of an object under a name."""
    inner: Callable[..., Any] = getattr(owner, method)

    def timed(*args: Any, **kwargs: Any) -> Any:
        begun = time.perf_counter()
        try:
            return inner(*args, **kwargs)
        finally:
            spent[name] = spent.get(name, 0.0) + time.perf_counter() - begun

    setattr(owner, method, timed)


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))
