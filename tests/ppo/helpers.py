"""Small runs, and scores of agents."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
from rich.console import Console

from agents.ppo.algorithm import YatzyPPO
from agents.ppo.config import Config, override
from agents.ppo.multitask import MultiTask
from agents.ppo.runs import create_run
from agents.ppo.training import train
from agents.ppo.vec_env import BatchVecEnv, TaskEnvs
from agents.training.config import CONFIGS
from agents.training.runs import Run
from yatzy_env import Ruleset, ruleset
from yatzy_env.agent import Agent
from yatzy_env.dice import key
from yatzy_env.envs.batch import YatzyVectorEnv


def tiny_config(**changes: object) -> Config:
    """The configuration of the learning test; double underscores stand for dots."""
    return override(
        Config.read(CONFIGS / "tiny.yaml"), [(name.replace("__", "."), str(to)) for name, to in changes.items()]
    )


def several_config(**changes: object) -> Config:
    """The configuration of the generalist with small networks, short rollouts and four rulesets."""
    small = {
        "num_envs": 128, "rollout_steps": 8, "minibatch": 256, "network.hidden": [16, 16], "total_steps": 4096,
        "rulesets": ["yatzy", "yahtzee", "forced", "yacht"], **changes,
    }  # fmt: skip
    generalist = Config.read(CONFIGS / "generalist.yaml")
    return override(generalist, [(name.replace("__", "."), json.dumps(to)) for name, to in small.items()])


def vec_env(rules: str | Ruleset, envs: int, seed: int, reward_scale: float = 1.0) -> BatchVecEnv:
    """Envs of one ruleset that show its observations."""
    return BatchVecEnv(MultiTask([ruleset(rules)]), envs, seed, reward_scale)


def envs_under_way(name: str, envs: int, steps: int) -> TaskEnvs:
    """Envs of a ruleset of the catalogue after some random steps."""
    env = vec_env(name, envs, seed=3)
    rng = np.random.default_rng(5)
    env.reset()
    for _ in range(steps):
        env.step(np.argmax(env.action_masks() * rng.random((envs, env.action_space.n)), axis=1))
    return env.parts[0]


def quiet() -> Console:
    return Console(file=io.StringIO(), width=200)


def trained(root: Path, config: Config) -> tuple[Run, YatzyPPO]:
    run = create_run(config, root, "python scripts/train.py tiny")
    return run, train(run, quiet())


def mean_score(agent: Agent, rules: Ruleset, games: int = 4000) -> float:
    env = YatzyVectorEnv(games, rules)
    env.reset(seed=[key("test of learning", game) for game in range(games)])
    noise = np.random.default_rng(1)
    scores, playing = np.zeros(games), np.ones(games, bool)
    while playing.any():
        _, rewards, ended, _, _ = env.step(agent.act(env.situations, noise.random(games)))
        scores += rewards * playing
        playing &= ~ended
    return float(scores.mean())
