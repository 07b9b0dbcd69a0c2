"""Models of Stable-Baselines3 and sb3-contrib as agents: the `.zip` that `model.save` writes.

Such a file is a pickle and can run code when it is loaded, so that it is loaded only when it is trusted.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

from agents.errors import ModelError
from agents.ratings import rating_agent, sb3_rating
from yatzy_env.envs.observation import observation_size
from yatzy_env.errors import folded
from yatzy_env.evaluation.functions import FunctionAgent
from yatzy_env.files import sha256
from yatzy_env.rules import Ruleset
from yatzy_env.tables import compile_tables

_KINDS = "PPO, A2C and DQN of stable_baselines3, MaskablePPO of sb3_contrib"
_MASK = "action_mask"


def load_sb3(path: Path, rules: Ruleset, trust: bool, name: str) -> FunctionAgent:
    """Makes an agent of a saved model: it plays the legal action that the model rates highest.

    Args:
        path: a file that `model.save` of PPO, A2C, DQN or MaskablePPO wrote.
        rules: the ruleset to play.
        trust: load it; without, it is refused.
        name: what the agent is called.

    Raises:
        ModelError: in one line, if it is not trusted, damaged, of another algorithm, or does not fit the ruleset.
    """
    if not path.is_file():
        raise ModelError(f"{path}: there is no such file")
    if not trust:
        raise ModelError(
            f"{path}: a model of Stable-Baselines3 is a pickle and can run code when it is loaded; if you know where "
            "it comes from, --trust loads it"
        )
    model = _read(path)
    _check(model, rules, path)
    agent = rating_agent(sb3_rating(model), rules, name)
    agent.digest = sha256(path)
    return agent


def _read(path: Path) -> Any:
    """The model, by the algorithm that its file's own record tells of."""
    try:
        with zipfile.ZipFile(path) as file:
            about = json.loads(file.read("data"))
        policy = about["policy_class"].get("__module__", "")
    except Exception as error:  # what readers of archives raise is of a dozen kinds
        raise ModelError(f"{path}: damaged or not a model of Stable-Baselines3 ({folded(error)})") from error
    try:
        algorithm = _algorithm(about, policy)
    except ImportError as error:
        raise ModelError(f"{path}: {error.name} is needed to load it and is not installed") from error
    if algorithm is None:
        raise ModelError(f"{path}: a model of another algorithm, with policy {policy!r}; allowed: {_KINDS}")
    try:
        return algorithm.load(path, device="cpu")
    except Exception as error:  # what a pickle raises can be anything
        raise ModelError(f"{path}: cannot be loaded ({folded(error)})") from error


def _algorithm(about: dict[str, Any], policy: str) -> Any:
    """The class that loads a model, None if it is not one of those that are known."""
    if policy.startswith("sb3_contrib.common.maskable"):
        from sb3_contrib import MaskablePPO

        return MaskablePPO
    import stable_baselines3

    if policy.startswith("sb3_contrib") or "n_quantiles" in about or "_last_lstm_states" in about:
        return None
    if "exploration_fraction" in about:
        return stable_baselines3.DQN
    if "gae_lambda" in about:
        return stable_baselines3.PPO if "n_epochs" in about else stable_baselines3.A2C
    return None


def _check(model: Any, rules: Ruleset, path: Path) -> None:
    """Checks that a model has the spaces of the ruleset's environment, with or without the mask beside."""
    tables = compile_tables(rules)
    spaces = getattr(model.observation_space, "spaces", {"observation": model.observation_space})
    sizes = {key: space.shape for key, space in spaces.items()}
    wanted = {"observation": (observation_size(tables),), _MASK: (tables.actions,)}
    actions = getattr(model.action_space, "n", None)
    if any(wanted.get(key) != shape for key, shape in sizes.items()) or actions != tables.actions:
        shown = ", ".join(f"{key} {shape}" for key, shape in sizes.items())
        raise ModelError(
            f"{path}: the model reads {shown} and has {actions or model.action_space} actions; ruleset {rules.name!r} "
            f"shows observation {wanted['observation']} and has {tables.actions} actions (--ruleset names another one)"
        )
