"""Stock MaskablePPO, DQN with masks, and PPO without: learners of a benchmark (`agents.benchmark.protocol`).

Each takes the options of its algorithm by their names there; what is not said is the library's own default.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback

from agents.ratings import rating_agent, sb3_rating
from agents.sb3.masked_dqn import MaskedDQN, MaskedDQNPolicy
from agents.sb3.vec_env import BatchVecEnv
from yatzy_env.evaluation.functions import FunctionAgent
from yatzy_env.rules import Ruleset


def maskable_ppo(make_env: Any, rules: Ruleset, steps: int, seed: int, report: Any, **options: Any) -> FunctionAgent:
    """PPO of sb3-contrib, which is told which actions are legal."""
    return _learn(MaskablePPO, "MlpPolicy", make_env, rules, steps, seed, report, options)


def masked_dqn(make_env: Any, rules: Ruleset, steps: int, seed: int, report: Any, **options: Any) -> FunctionAgent:
    """DQN whose exploration, choice and target are legal."""
    return _learn(MaskedDQN, MaskedDQNPolicy, make_env, rules, steps, seed, report, options)


def unmasked_ppo(make_env: Any, rules: Ruleset, steps: int, seed: int, report: Any, **options: Any) -> FunctionAgent:
    """PPO of Stable-Baselines3, which is not told: an illegal action changes nothing and earns nothing.

    It is measured by its best-rated legal action, and says how often the best-rated of all is illegal.
    """
    return _learn(PPO, "MlpPolicy", make_env, rules, steps, seed, report, options)


def _learn(
    algorithm: Any,
    policy: Any,
    make_env: Any,
    rules: Ruleset,
    steps: int,
    seed: int,
    report: Callable[[Callable[[], Any]], None],
    options: dict[str, Any],
) -> FunctionAgent:
    own = {"num_envs": 1, "reward_scale": 1.0, **options}
    env = BatchVecEnv(make_env(own.pop("num_envs")), own.pop("reward_scale"), algorithm is MaskedDQN)
    hidden = own.pop("hidden", None)
    network = {} if hidden is None else {"policy_kwargs": {"net_arch": list(hidden)}}
    model: BaseAlgorithm = algorithm(policy, env, seed=seed, device="cpu", **network, **own)

    def agent() -> FunctionAgent:
        return UnmaskedAgent(model, rules) if algorithm is PPO else rating_agent(sb3_rating(model), rules, "sb3")

    model.learn(steps, _Reports(lambda: report(agent)))
    return agent()


class _Reports(BaseCallback):
    """Reports before every rollout."""

    def __init__(self, report: Callable[[], None]) -> None:
        super().__init__()
        self._report = report

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        self._report()


class UnmaskedAgent(FunctionAgent):
    """Plays the legal action that a model rates highest, and counts how often the best-rated of all is illegal."""

    def __init__(self, model: BaseAlgorithm, rules: Ruleset) -> None:
        """Makes the agent of a model of PPO, A2C or DQN."""
        self._rate = sb3_rating(model)
        self.decisions = 0
        self.illegal = 0
        super().__init__(self._choose, rules, "unmasked")

    @property
    def illegal_rate(self) -> float:
        """The share of all decisions so far in which the best-rated action was illegal; 0 before the first."""
        return self.illegal / self.decisions if self.decisions else 0.0

    def _choose(self, observations: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.intp]:
        ratings = self._rate(observations, masks)
        wanted = ratings.argmax(axis=1)
        self.decisions += len(wanted)
        self.illegal += int((masks[np.arange(len(wanted)), wanted] == 0).sum())
        return np.where(masks == 1, ratings, -np.inf).argmax(axis=1)
