"""Models of other software as agents: those of Stable-Baselines3, torch modules, functions."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from sb3_contrib import QRDQN, MaskablePPO
from stable_baselines3 import A2C, DQN, PPO

import yatzy_env
from agents.errors import ModelError
from agents.ratings import rating_agent, torch_agent
from agents.registry import make_agent
from yatzy_env.agent import is_deterministic, merges_upper
from yatzy_env.envs import MaskInObservation, YatzyEnv
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.exact import exact_score
from yatzy_env.evaluation.functions import FunctionAgent
from yatzy_env.evaluation.matches import play_match
from yatzy_env.games import action_masks
from yatzy_env.rules import ruleset
from yatzy_env.tables import compile_tables

RULES = ruleset("forced")
TABLES = compile_tables(RULES)
SMALL: dict[str, Any] = {"policy_kwargs": {"net_arch": [16]}, "device": "cpu", "seed": 1}
MADE: dict[str, Callable[[], Any]] = {
    "PPO": lambda: PPO("MlpPolicy", YatzyEnv(RULES), n_steps=16, batch_size=16, **SMALL),
    "A2C": lambda: A2C("MlpPolicy", YatzyEnv(RULES), **SMALL),
    "DQN": lambda: DQN("MlpPolicy", YatzyEnv(RULES), buffer_size=10, **SMALL),
    "MaskablePPO": lambda: MaskablePPO("MlpPolicy", YatzyEnv(RULES), n_steps=16, batch_size=16, **SMALL),
    "dict": lambda: MaskablePPO("MultiInputPolicy", MaskInObservation(YatzyEnv(RULES)), n_steps=16, **SMALL),
    "QRDQN": lambda: QRDQN("MlpPolicy", YatzyEnv(RULES), buffer_size=10, **SMALL),
}


@cache
def model(name: str) -> Any:
    return MADE[name]()


@pytest.fixture
def saved(tmp_path: Path) -> Callable[[str], str]:
    """Saves a model of an algorithm; returns its path."""

    def save(name: str) -> str:
        model(name).save(tmp_path / "my.zip")
        return str(tmp_path / "my.zip")

    return save


def no_solution():
    raise AssertionError("a model needs no solution")


def make(name: str, trust: bool = True, rules=RULES) -> Any:
    return make_agent(name, rules, no_solution, trust)


@pytest.mark.parametrize("name", ["PPO", "A2C", "DQN", "MaskablePPO", "dict"])
def test_a_saved_model_plays_its_best_rated_legal_action(saved: Callable[[str], str], name: str) -> None:
    path = saved(name)
    agent = make(path)
    assert agent.name == path
    assert is_deterministic(agent)
    assert merges_upper(agent)
    assert play_match(agent, RULES, 20, 1).games == 20
    env: gymnasium.Env = MaskInObservation(YatzyEnv(RULES)) if name == "dict" else YatzyEnv(RULES)
    seen, _ = env.reset(seed=3)
    for _ in range(20):
        situations = env.unwrapped._games.now.copy()  # type: ignore[attr-defined]
        (action,) = agent.act(situations, np.zeros(1))
        mask = action_masks(TABLES, situations)[0]
        assert mask[action]
        if name in ("MaskablePPO", "dict"):
            assert action == model(name).predict(seen, action_masks=mask, deterministic=True)[0]
        else:
            unmasked = model(name).predict(seen, deterministic=True)[0]
            assert action == unmasked or not mask[unmasked]
        seen, _, over, _, _ = env.step(int(action))
        if over:
            break


def test_without_trust_the_message_says_why(saved: Callable[[str], str]) -> None:
    with pytest.raises(
        ModelError, match=r"my\.zip: a model of Stable-Baselines3 is a pickle and can run code"
    ) as error:
        make(saved("PPO"), trust=False)
    assert "--trust loads it" in str(error.value)
    assert "\n" not in str(error.value)


def test_what_is_no_such_model_is_one_clear_line(saved: Callable[[str], str], tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"another algorithm, with policy 'sb3_contrib.qrdqn.policies'; allowed: PPO"):
        make(saved("QRDQN"))
    with pytest.raises(ModelError, match=r"reads observation \(75,\) and has 225 actions; ruleset 'maxi-tactic' shows"):
        make(saved("PPO"), rules=ruleset("maxi-tactic"))
    (tmp_path / "half.zip").write_bytes(b"PK\x03\x04")
    with pytest.raises(ModelError, match=r"half\.zip: damaged or not a model of Stable-Baselines3"):
        make(str(tmp_path / "half.zip"))
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as file:
        file.writestr("data", "[]")
    with pytest.raises(ModelError, match=r"other\.zip: damaged or not a model of Stable-Baselines3"):
        make(str(tmp_path / "other.zip"))
    with pytest.raises(YatzyError, match=r"'nosuch\.zip': there is no such file or folder"):
        make("nosuch.zip")


def test_the_exact_score_of_a_saved_model_takes_no_time(saved: Callable[[str], str], tmp_path: Path) -> None:
    agent = make(saved("DQN"))
    exact = exact_score(agent, RULES, cache=False)
    match = play_match(agent, RULES, 500, 1)
    assert exact.cards <= 147, "sums that observations show alike are one"
    assert abs(match.score.mean() - exact.expected_score) < 5 * match.score.std() / 500**0.5


def first_legal(observations, masks):
    return masks.argmax(axis=1)


def drawn(observations, masks, rng):
    return (masks * rng.random(masks.shape)).argmax(axis=1)


def test_a_function_can_be_evaluated_exactly_unless_it_draws() -> None:
    agent = FunctionAgent(first_legal, RULES)
    assert is_deterministic(agent)
    assert merges_upper(agent)
    assert exact_score(agent, RULES, cache=False).cards <= 147
    assert not is_deterministic(FunctionAgent(drawn, RULES))


def module(actions: int = TABLES.actions) -> torch.nn.Module:
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(75, 8), torch.nn.Dropout(0.5), torch.nn.Linear(8, actions))


def test_a_torch_module_is_an_agent_in_three_lines() -> None:
    agent = torch_agent(module(), RULES)
    assert yatzy_env.evaluate(agent, RULES, games=20, solution=False).agent == "torch"
    assert exact_score(agent, RULES, cache=False).expected_score > 20, "dropout is off: it always answers alike"


def test_ratings_of_another_shape_are_one_clear_line() -> None:
    with pytest.raises(YatzyError, match=r"'torch' gives ratings of shape \(3, 7\); ruleset 'forced' has 225 actions"):
        play_match(torch_agent(module(7), RULES), RULES, 3, 1)
    agent = rating_agent(lambda observations, masks: masks * np.nan, RULES, "nan")
    assert play_match(agent, RULES, 3, 1).games == 3


@pytest.mark.parametrize("made", ["lambda rules: first", "lambda rules: torch.nn.Linear(75, 225)"])
def test_a_factory_may_return_a_function_or_a_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: str
) -> None:
    monkeypatch.chdir(tmp_path)
    name = f"made_{abs(hash(made))}"
    text = f"import torch\n\ndef first(observations, masks):\n    return masks.argmax(axis=1)\n\nmake = {made}\n"
    (tmp_path / f"{name}.py").write_text(text)
    agent = make(f"{name}:make")
    assert agent.name == f"{name}:make"
    assert play_match(agent, RULES, 5, 1).games == 5
