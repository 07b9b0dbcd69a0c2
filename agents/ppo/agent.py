"""A trained policy as an agent: the best-rated legal action of every situation. Needs numpy alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from agents.ppo import kernels
from agents.ppo.digest import MANIFEST, MODELS, check_digest
from agents.ppo.errors import ModelError, RunError
from agents.ppo.runs import Run
from agents.ppo.weights import PolicyWeights, read_weights
from yatzy_env.envs.observation import observe
from yatzy_env.games import action_masks
from yatzy_env.rules import Ruleset
from yatzy_env.situation import Situations
from yatzy_env.tables import compile_tables

_ROWS = 16384  # situations that go through the network at once


class PPOAgent:
    """Plays the action a policy network rates highest, or draws one from its distribution."""

    def __init__(self, rules: Ruleset, policy: PolicyWeights, name: str = "ppo", sample: bool = False) -> None:
        """Checks that the network fits the rules.

        Args:
            rules: the ruleset to play.
            policy: the network.
            name: what the agent is called.
            sample: draw actions, as in training, instead of taking the best.

        Raises:
            ModelError: if the network was trained for other rules.
        """
        policy.check(rules)
        self.name = name
        self.policy = policy
        self.sample = sample
        self._tables = compile_tables(rules)

    def act(self, situations: Situations, noise: NDArray[np.float64]) -> NDArray[np.int64]:
        """Chooses a legal action for every situation; `noise` matters only when actions are drawn."""
        actions = np.empty(len(situations.filled), np.int64)
        for start in range(0, len(actions), _ROWS):
            part = slice(start, start + _ROWS)
            some = situations.take(np.arange(start, min(start + _ROWS, len(actions))))
            logits = self.logits(some)
            masks = action_masks(self._tables, some)
            actions[part] = (
                kernels.sample(logits, masks, noise[part])[0] if self.sample else kernels.best(logits, masks)
            )
        return actions

    def logits(self, situations: Situations) -> NDArray[np.float32]:
        """(n, actions) what the network makes of every action, legal or not."""
        return self.policy.logits(observe(self._tables, situations))


def load_agent(path: Path | str, rules: Ruleset, trust: bool = False, name: str = "ppo") -> PPOAgent:
    """Loads a trained agent.

    Args:
        path: a run folder, a folder of `models/`, or a `weights.npz` file.
        rules: the ruleset to play.
        trust: load a file that is on no record.
        name: what the agent is called.

    Returns:
        The agent.

    Raises:
        ModelError: if the model is missing, damaged, not on record, or trained for other rules.
    """
    file = _weights_file(Path(path))
    check_digest(file, trust)
    return PPOAgent(rules, read_weights(file), name)


def shipped_model(rules: Ruleset, models: Path = MODELS) -> Path:
    """The folder of the shipped model of a ruleset.

    Raises:
        ModelError: if none is shipped.
    """
    names = sorted(path.parent.name for path in models.glob("*/weights.npz"))
    if rules.name not in names:
        raise ModelError(
            f"no trained model for ruleset {rules.name!r} is shipped; there are: {', '.join(names) or 'none'}"
        )
    return models / rules.name


def _weights_file(path: Path) -> Path:
    if path.is_dir():
        if (path / MANIFEST).is_file():
            try:
                return path / Run(path).manifest()["checkpoint"] / "weights.npz"
            except RunError as error:
                raise ModelError(str(error)) from error
        if (path / "weights.npz").is_file():
            return path / "weights.npz"
        if (path / "config.yaml").is_file():
            raise ModelError(f"{path}: the run has no checkpoint yet")
        raise ModelError(f"{path}: neither a run folder nor the folder of a model")
    if path.suffix == ".zip":
        raise ModelError(f"{path}: a checkpoint for training; name the run's folder or its weights.npz to play")
    return path
