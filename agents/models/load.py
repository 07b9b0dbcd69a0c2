"""Trained agents from their files: a run, a folder of `models/`, or a file of a network."""

from __future__ import annotations

from pathlib import Path

from agents.errors import ModelError, RunError
from agents.models.digest import MANIFEST, MODELS, check_digest
from agents.models.record import RESULTS, kept_exact
from agents.models.reuse import POLICIES, adapt, nearest_model
from agents.observing.agent import ObservingAgent
from agents.observing.weights import read_weights
from agents.ppo.agent import PPOAgent
from agents.ppo.policy import FILE as POLICY
from agents.ppo.policy import PolicyNetwork
from agents.training.runs import Run
from agents.values.network import FILE as VALUES
from agents.values.network import ValueNetwork
from agents.values.planner import Planner
from agents.winning.agent import WinningAgent
from agents.winning.rests import FILE, read_model
from yatzy_env.files import sha256
from yatzy_env.rules import Ruleset

WIN_MODEL = MODELS / "yatzy-win"
"""The shipped model that plays for the win."""


def load_agent(
    path: Path | str, rules: Ruleset, trust: bool = False, name: str = "ppo", reuse: bool = False
) -> PPOAgent | ObservingAgent | Planner:
    """Loads a trained agent: of a policy network, of a network over observations, or of a value network that plans.

    Args:
        path: a run folder, a folder of `models/`, a file, or RUN/policy.npz and RUN/values.npz for the networks in a
            run's checkpoint.
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
    if file.name == POLICY:
        policy = PolicyNetwork.read(file, rules)
        agent: PPOAgent | Planner = PPOAgent(rules, adapt(policy, rules) if reuse else policy, name)
        own = policy.rules
    elif file.name == VALUES:
        values = ValueNetwork.read(file, rules)
        agent = Planner(rules, adapt(values, rules) if reuse else values, name)
        own = values.rules
    else:
        weights = read_weights(file)
        if weights.rulesets:
            raise ModelError(f"{file}: a network of several rulesets over observations, which is no longer played")
        return ObservingAgent(rules, weights, name)
    if own.digest != rules.digest:
        agent.notice = f"agent {name!r}: the model for {own.name!r}, trained for other rules, is reused"
    else:
        agent.known_score = known_score(file)
    return agent


def known_score(file: Path) -> float | None:
    """The exact score on record beside the file of a model, if it is that of this very file."""
    digest = sha256(file)
    kept = kept_exact(file.with_name(RESULTS), {"ppo": digest, "planner": digest})
    return next((float(one["expected_score"]) for one in kept.values()), None)


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
        path: a run folder, a folder of `models/` or a `values.npz` file; the nearest shipped one if None.
        trust: load a file that is on no record.
        name: what the agent is called.
        models: the folder of shipped models.

    Raises:
        ModelError: if the network is missing, damaged, not on record, or trained for other rules.
    """
    own = models / nearest_model(rules, models, (VALUES,)) if path is None else path
    agent = load_agent(own if own.suffix == ".npz" else own / VALUES, rules, trust, name, reuse=path is None)
    if not isinstance(agent, Planner):
        raise ModelError(f"{own}: no value network")
    return agent


def is_model(path: Path) -> bool:
    """Whether a path is there, or names a file in the checkpoint of a run that is there."""
    return path.exists() or (path.suffix == ".npz" and (path.parent / MANIFEST).is_file())


def model_file(path: Path) -> Path:
    """The file of the model that a path stands for: a run folder, a folder of `models/`, or the file itself.

    Raises:
        ModelError: if there is none.
    """
    if path.suffix == ".zip":
        raise ModelError(f"{path}: a checkpoint for training; name the run's folder to play")
    if not path.is_dir():
        return path if path.exists() else _folder(path.parent) / path.name
    folder = _folder(path)
    for name in (*POLICIES, FILE, VALUES):
        if (folder / name).is_file():
            return folder / name
    if (path / "config.yaml").is_file():
        raise ModelError(f"{path}: the run has no checkpoint yet that holds a model")
    raise ModelError(f"{path}: neither a run folder nor the folder of a model")


def _folder(path: Path) -> Path:
    """The checkpoint of a run, any other folder itself."""
    try:
        return Run(path).checkpoint() or path
    except RunError as error:
        raise ModelError(str(error)) from error
