"""Times some rollouts and updates of one configuration; started by the training benchmark in a fresh process."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import torch
from stable_baselines3.common.callbacks import CallbackList
from stable_baselines3.common.logger import configure

from agents.ppo.config import find_config, load
from agents.ppo.training import build


class Stopwatch:
    """Adds up the seconds spent in some functions."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def on(self, owner: Any, method: str, name: str) -> None:
        """Times a method of an object under a name."""
        inner: Callable[..., Any] = getattr(owner, method)

        def timed(*args: Any, **kwargs: Any) -> Any:
            begun = time.perf_counter()
            try:
                return inner(*args, **kwargs)
            finally:
                self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - begun

        setattr(owner, method, timed)


def measure(name: str, rollouts: int) -> dict[str, Any]:
    """Trains for some rollouts and says how fast."""
    torch.set_num_threads(1)
    config = load(find_config(name))
    model = build(config)
    model.set_logger(configure(None, []))
    _, callback = model._setup_learn((rollouts + 1) * config.rollout, CallbackList([]))

    def once() -> None:
        model.collect_rollouts(model.env, callback, model.rollout_buffer, config.rollout_steps)
        model.train()

    once()
    watch = Stopwatch()
    watch.seconds = {"lessons": 0.0}  # none where the configuration gives none
    watch.on(model.env, "step", "environment")
    watch.on(model.policy, "choose", "networks_in_rollout")
    watch.on(model, "_expected_values", "other_throws")
    watch.on(model, "_improve", "lessons")
    watch.on(model, "train", "update")
    begun, updates = time.perf_counter(), model._n_updates
    for _ in range(rollouts):
        once()
    seconds = time.perf_counter() - begun
    epochs = model._n_updates - updates
    return watch.seconds | {
        "seconds": seconds,
        "steps_per_second": rollouts * config.rollout / seconds,
        "weight_updates_per_second": epochs * config.rollout / config.minibatch / seconds,
        "precision": "bfloat16" if model.policy.mixed_precision else "float32",
    }


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))
