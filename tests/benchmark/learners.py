"""Learners that take no time, as somebody might write them outside this repository."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy_env.rules import Ruleset


def first_legal(observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.intp]:
    return masks.argmax(axis=1)


def last_legal(observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.intp]:
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


def by_hand(make_env: Any, rules: Ruleset, steps: int, seed: int, report: Any, num_envs: int = 8) -> Any:
    """Plays at random and changes its mind after half the steps."""
    env = make_env(num_envs)
    rng = np.random.default_rng(seed)
    _, infos = env.reset()
    played = 0
    while played < steps:
        agent = first_legal if played <= steps // 2 else last_legal
        report(lambda agent=agent: agent)
        masks = infos["action_mask"]
        _, _, _, _, infos = env.step((rng.random(masks.shape) * masks).argmax(axis=1))
        played += num_envs
    return last_legal


def one_env(make_env: Any, rules: Ruleset, steps: int, seed: int, report: Any) -> Any:
    """The same with a single environment, and a random linear rating that the seed decides."""
    env = make_env()
    _, info = env.reset(seed=seed)
    for _ in range(steps):
        report(lambda: first_legal)
        _, _, ended, truncated, info = env.step(int(info["action_mask"].argmax()))
        if ended or truncated:
            _, info = env.reset()
    order = np.random.default_rng(seed).permutation(len(info["action_mask"]))
    return lambda observations, masks: (order * masks).argmax(axis=1)


def two_agents(make_env: Any, rules: Ruleset, steps: int, seed: int, report: Any) -> Any:
    """Counts its decisions itself; the second agent appears after half of them."""
    for decisions in range(0, steps + 1, 100):
        late = {"late": last_legal} if decisions > steps // 2 else {}
        report(lambda late=late: {"early": first_legal, **late}, decisions)
    return {"early": first_legal, "late": last_legal}


def broken(make_env: Any, rules: Ruleset, steps: int, seed: int, report: Any) -> Any:
    raise RuntimeError("out of luck")
