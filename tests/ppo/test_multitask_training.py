"""A network of several rulesets in training: values, targets and evals are those of the ruleset that is played."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from stable_baselines3.common.logger import configure

from agents.ppo import improvement as improvement_module
from agents.ppo.agent import PPOAgent
from agents.ppo.algorithm import YatzyPPO
from agents.ppo.callbacks import EvalCallback
from agents.ppo.checkpoint import averaged_weights
from agents.ppo.config import Config
from agents.ppo.multitask import task_weights
from agents.ppo.runs import create_run
from agents.ppo.training import train
from tests.envs.play import random_legal
from tests.ppo.helpers import quiet, several_config, trained
from tests.ppo.test_algorithm import assert_same, weights_of
from yatzy_env.rules import Ruleset
from yatzy_env.situation import Situations

SPREAD = {"num_envs": 37, "rollout_steps": 16, "minibatch": 296, "precision": "float32"}  # envs do not divide evenly


def players(model: YatzyPPO, config: Config) -> list[PPOAgent]:
    """The networks as they are now, one agent per ruleset."""
    model.averages = [weights.detach().clone() for weights in model.policy.parameters()]
    weights = averaged_weights(model)
    return [PPOAgent(rules, task_weights(weights, rules)) for rules in config.tasks.rulesets]


def test_expected_values_are_those_of_each_ruleset() -> None:
    """Points and expected value of what was played are the value that the task's own network gives the action."""
    config = several_config(**SPREAD)
    model = YatzyPPO(config)
    model.config = config.model_copy(update={"chance_samples": 4096})  # so many that their mean is nearly that of all
    agents = players(model, config)
    env, rng = model.env, np.random.default_rng(1)
    env.reset()
    for _ in range(10):
        before = [part.situations for part in env.parts]
        actions = np.array([random_legal(rng, mask) for mask in env.action_masks()])
        shown, rewards, dones, _ = env.step(actions)
        points = (rewards + model._expected_values(shown) * ~dones) / config.reward_scale
        for part, now, agent in zip(env.parts, before, agents, strict=True):
            wanted = agent.action_values(now)[np.arange(len(now.roll)), part.played]
            np.testing.assert_allclose(points[part.envs], wanted, atol=0.1)


def test_targets_are_those_of_each_ruleset(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every target has the mask of its decision, and asks for what the task's own network rates highest."""
    monkeypatch.setattr(improvement_module, "_THROWS", 4096)
    config = several_config(**SPREAD, improvement_share=0.4, learning_rate=0.0)
    model = YatzyPPO(config)
    tasks, agents = config.tasks, players(model, config)
    decisions: dict[bytes, tuple[int, Situations]] = {}
    choose = model.policy.choose

    def watched(shown: torch.Tensor, masks: np.ndarray) -> Any:
        for task, part in enumerate(model.env.parts):
            now = part.situations
            for env in range(len(part.played)):
                decisions[shown[part.envs][env].numpy().tobytes()] = (task, now.take(np.array([env])))
        return choose(shown, masks)

    monkeypatch.setattr(model.policy, "choose", watched)
    model.learn(config.rollout)
    assert model.improvement is not None
    improved = set()
    for observation, mask, target in zip(*(values.numpy() for values in model.improvement[:3]), strict=True):
        task, now = decisions[observation.tobytes()]
        values = tasks.actions_of(task, agents[task].action_values(now))[0]
        legal = ~np.isnan(agents[task].action_values(now))[0]
        np.testing.assert_array_equal(mask, tasks.actions_of(task, legal[None].astype(np.int8))[0])
        weights = np.where(
            mask == 1, np.exp((values - np.nanmax(values[mask == 1])) / model.improvement_temperature), 0
        )
        np.testing.assert_allclose(target, weights / weights.sum(), atol=0.01)
        improved.add(task)
    assert improved == set(range(len(agents)))


def test_evaluations_are_made_under_every_ruleset(tmp_path: Path) -> None:
    config = several_config()
    model = YatzyPPO(config)
    model.set_logger(configure(str(tmp_path), []))
    seen = []

    def evaluate(agent: PPOAgent, rules: Ruleset) -> Mapping[str, float]:
        seen.append(rules.name)
        assert agent.policy.ruleset_digest == rules.digest
        return {"eval/some": float(len(seen))}

    callback = EvalCallback(evaluate)
    callback.init_callback(model)
    callback.on_training_end()
    assert seen == ["yatzy", "yahtzee", "forced", "yacht"]
    logged = {name: value for name, value in model.logger.name_to_value.items() if name.startswith("eval/")}
    assert logged == {f"eval/some/{name}": place + 1 for place, name in enumerate(seen)}


def test_an_interrupted_run_goes_on_as_if_nothing_had_happened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = several_config(checkpoint_minutes=1e-9)
    whole = trained(tmp_path / "whole", config)[1]
    halves = create_run(config, tmp_path / "halves", "command")
    update = YatzyPPO.train

    def interrupted(self: YatzyPPO) -> None:
        update(self)
        if self.num_timesteps >= 3072:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(YatzyPPO, "train", interrupted)
        with pytest.raises(KeyboardInterrupt):
            train(halves, quiet())
    assert 0 < halves.manifest()["steps"] < config.total_steps
    assert_same(weights_of(whole), weights_of(train(halves, quiet())))
