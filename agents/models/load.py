"""Trained agents from their files: a run, a folder of `models/`, or a file of weights."""

from __future__ import annotations

from pathlib import Path

from agents.errors import ModelError, RunError
from agents.models.digest import MODELS, check_digest
from agents.models.reuse import adapt, nearest_model
from agents.ppo.agent import PPOAgent
from agents.ppo.multitask import task_weights
from agents.ppo.weights import read_weights
from agents.training.runs import Run
from agents.values.network import FILE as VALUES
from agents.values.network import read_values
from agents.values.planner import Planner
from agents.winning.agent import WinningAgent
from agents.winning.rests import FILE, read_model
from yatzy_env.files import read_json_object, sha256
from yatzy_env.rules import CATALOGUE, Ruleset

WIN_MODEL = MODELS / "yatzy-win"
"""The shipped model that plays for the win."""


def load_agent(
    path: Path | str, rules: Ruleset, trust: bool = False, name: str = "ppo", reuse: bool = False
) -> PPOAgent:
    """Loads a trained agent.

    Args:
        path: a run folder, a folder of `models/`, or a `weights.npz` file; of a network for several rulesets too.
        rules: the ruleset to play.
        trust: load a file that is on no record.
        name: what the agent is called.
        reuse: let it play rules that it was not trained for, as far as it fits them; see `agents.models.reuse`.

    Returns:
        The agent.

    Raises:
        ModelError: if the model is missing, damaged, not on record, or trained for other rules.
    """
    file = model_file(Path(path))
    check_digest(file, trust)
    weights = task_weights(read_weights(file), rules)
    agent = PPOAgent(rules, adapt(weights, rules) if reuse else weights, name)
    if weights.ruleset_digest != rules.digest:
        agent.notice = f"agent {name!r}: the model for {weights.ruleset!r}, trained for other rules, is reused"
    else:
        agent.known_score = known_score(file)  # type: ignore[attr-defined]
    return agent


def shipped_model(rules: Ruleset, models: Path = MODELS) -> Path:
    """The folder of the shipped model that plays a ruleset: its own, or the nearest one, to be loaded with `reuse`.

    Raises:
        ModelError: if none is shipped, or the nearest one does not fit.
    """
    return models / nearest_model(rules, models)


def load_winner(rules: Ruleset, path: Path = WIN_MODEL, trust: bool = False) -> WinningAgent:
    """Loads a trained agent that plays for the win.

    Args:
        rules: the ruleset to play.
        path: a run folder, a folder of `models/`, or a `networks.npz` file.
        trust: load a file that is on no record.

    Raises:
        ModelError: if the model is missing, damaged, not on record, or trained for other rules.
    """
    file = model_file(path)
    check_digest(file, trust)
    return WinningAgent(rules, read_model(file))


def load_planner(
    rules: Ruleset, path: Path | None = None, trust: bool = False, name: str = "planner", models: Path = MODELS
) -> Planner:
    """Loads an agent that plans its turns by a value network.

    Args:
        rules: the ruleset to play.
        path: a run folder or a `values.npz` file; the shipped one of the ruleset if None.
        trust: load a file that is on no record.
        name: what the agent is called.
        models: the folder of shipped models.

    Raises:
        ModelError: if the network is missing, damaged, not on record, or trained for other rules.
    """
    if path is None:
        folders = [name for name, known in CATALOGUE.items() if known.digest == rules.digest] or [rules.name]
        path = models / folders[0] / VALUES
        if not path.is_file():
            shipped = sorted(file.parent.name for file in models.glob(f"*/{VALUES}"))
            raise ModelError(f"no value network for ruleset {rules.name!r} is shipped; there are: {', '.join(shipped)}")
    file = model_file(path)
    check_digest(file, trust)
    planner = Planner(rules, read_values(file), name)
    planner.known_score = known_score(file)
    return planner


def known_score(file: Path) -> float | None:
    """The exact score on record beside a model's file; None if there is none, or it is that of other weights."""
    values = file.name == VALUES
    record = file.with_name("values.json" if values else "results.json")
    try:
        found = read_json_object(record, ModelError)
        exact = found["planner"]["exact_score"] if values else found["exact"]["expected_score"]
        weights = found["sha256"][VALUES] if values else found["exact"]["weights"]
    except (ModelError, KeyError, TypeError):
        return None
    return float(exact) if weights == sha256(file) else None


def model_file(path: Path) -> Path:
    """The file of the model that a path stands for: a run folder, a folder of `models/`, or the file itself.

    Raises:
        ModelError: if there is none.
    """
    if path.suffix == ".zip":
        raise ModelError(f"{path}: a checkpoint for training; name the run's folder or its weights.npz to play")
    if not path.is_dir():
        return path
    try:
        folder = Run(path).checkpoint() or path
    except RunError as error:
        raise ModelError(str(error)) from error
    for name in ("weights.npz", FILE, VALUES):
        if (folder / name).is_file():
            return folder / name
    if (path / "config.yaml").is_file():
        raise ModelError(f"{path}: the run has no checkpoint yet that holds a model")
    raise ModelError(f"{path}: neither a run folder nor the folder of a model")
