"""Networks that read observations: what they play, and which files are refused."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.errors import ModelError
from agents.observing.agent import ObservingAgent
from agents.observing.features import add_features, input_size
from agents.observing.weights import PolicyWeights, read_weights, save_weights
from agents.training.networks import ACTIVATIONS, linear_layers
from yatzy_env import ruleset
from yatzy_env.agent import Agent
from yatzy_env.envs.batch import YatzyVectorEnv
from yatzy_env.envs.observation import observe
from yatzy_env.tables import compile_tables

RULES = ruleset({"name": "tiny", "dice": 3, "boxes": ["ones", "sixes", "one_pair"], "bonus_threshold": 9})
MODULES = {"relu": torch.nn.ReLU, "tanh": torch.nn.Tanh, "elu": torch.nn.ELU, "silu": torch.nn.SiLU}


def network(activation: str = "relu") -> tuple[torch.nn.Sequential, PolicyWeights]:
    """A network of random weights, in torch and as arrays."""
    torch.manual_seed(1)
    sizes = (input_size(RULES, "bonus"), 16, 24, compile_tables(RULES).actions)
    linear = [torch.nn.Linear(narrow, wide) for narrow, wide in pairwise(sizes)]
    module = torch.nn.Sequential(linear[0], MODULES[activation](), linear[1], MODULES[activation](), linear[2])
    with torch.no_grad():
        linear[2].weight.mul_(100)  # logits that differ
    return module, PolicyWeights(linear_layers(module), activation, RULES.name, RULES.digest, 7, features="bonus")


def test_plays_legal_actions_whatever_the_batch() -> None:
    agent = ObservingAgent(RULES, network()[1])
    assert isinstance(agent, Agent)
    env = YatzyVectorEnv(500, RULES)
    env.reset(seed=1)
    noise = np.zeros(500)
    for _ in range(30):
        situations = env.situations
        actions = agent.act(situations, noise)
        assert env.action_masks()[np.arange(500), actions].all()
        np.testing.assert_array_equal(actions[:7], agent.act(situations.take(np.arange(7)), noise[:7]))
        env.step(actions)


@pytest.mark.parametrize("activation", sorted(ACTIVATIONS))
def test_computes_what_torch_computes_and_plays_the_best(activation: str) -> None:
    module, weights = network(activation)
    agent = ObservingAgent(RULES, weights)
    env = YatzyVectorEnv(200, RULES)
    env.reset(seed=3)
    inputs = add_features(RULES, "bonus", observe(compile_tables(RULES), env.situations))
    with torch.no_grad():
        expected = module(torch.from_numpy(inputs)).numpy()
    np.testing.assert_allclose(agent.logits(env.situations), expected, rtol=1e-4, atol=1e-4)
    best = np.where(env.action_masks() == 1, agent.logits(env.situations), -np.inf).argmax(axis=1)
    np.testing.assert_array_equal(agent.act(env.situations, np.zeros(200)), best)


def test_weights_round_trip(tmp_path: Path) -> None:
    weights = network()[1]
    save_weights(weights, tmp_path / "weights.npz")
    again = read_weights(tmp_path / "weights.npz")
    assert replace(again, layers=()) == replace(weights, layers=())
    for ours, theirs in zip(weights.layers, again.layers, strict=True):
        np.testing.assert_array_equal(ours[0], theirs[0])
        np.testing.assert_array_equal(ours[1], theirs[1])


@pytest.mark.parametrize("kept", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file_is_one_line(tmp_path: Path, kept: float) -> None:
    path = tmp_path / "weights.npz"
    save_weights(network()[1], path)
    content = path.read_bytes()
    path.write_bytes(content[: int(kept * len(content))])
    with pytest.raises(ModelError, match="damaged or not a model") as unreadable:
        read_weights(path)
    assert "\n" not in str(unreadable.value)


def test_other_rules_are_refused() -> None:
    weights = network()[1]
    for rules in (ruleset("yatzy"), RULES.replace(boxes=("ones", "sixes", "chance")), RULES.replace(throws=2)):
        with pytest.raises(ModelError, match="trained for"):
            ObservingAgent(rules, weights)
    with pytest.raises(ModelError, match="225"):
        ObservingAgent(ruleset("yatzy"), replace(weights, ruleset_digest=ruleset("yatzy").digest))


@pytest.mark.parametrize(
    "change",
    [
        {"activation": "gelu"},
        {"layers": ()},
        {"layers": ((np.zeros((3, 2), np.float32), np.zeros(4, np.float32)),)},
        {"layers": ((np.zeros((3, 2)), np.zeros(3)),)},
        {"activation": ["relu"]},
        {"features": "pixels"},
        {"ruleset": ["yatzy"]},
        {"rulesets": ("ab", "cd")},
        {"rulesets": ((1, 2),)},
        {"rulesets": {"ab": 1}},
        {"rulesets": None},
    ],
)
def test_layers_must_fit(tmp_path: Path, change: dict[str, object]) -> None:
    weights = PolicyWeights(((np.zeros((3, 2), np.float32), np.zeros(3, np.float32)),), "relu", "tiny", "", 0)
    save_weights(replace(weights, **change), tmp_path / "weights.npz")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="damaged"):
        read_weights(tmp_path / "weights.npz")
