"""The policy network as a file of plain arrays: small, without pickles, readable without torch."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from agents.errors import ModelError
from agents.observing.features import Features, input_size
from agents.training.networks import ACTIVATIONS, Layers, read_networks, run, write_networks
from yatzy_env.errors import folded
from yatzy_env.rules import Ruleset
from yatzy_env.tables import compile_tables

FILE = "weights.npz"
"""The file of a network over observations in a run's checkpoint or a folder of `models/`."""

_FORMAT = 4
_KNOWN = (2, 3, 4)  # format 2 has no features beside the observation, format 3 one ruleset


@dataclass(frozen=True)
class PolicyWeights:
    """A policy network: layers of `activation(x @ weight.T + bias)`, the last without activation.

    Attributes:
        layers: (weight, bias) of each layer, float32, weight (outputs, inputs).
        activation: a key of `ACTIVATIONS`.
        ruleset: the name of the ruleset it was trained for.
        ruleset_digest: its `Ruleset.digest`; "" for a network of several rulesets.
        steps: the training steps it has seen.
        value_layers: the value network in the same form, with one output in points; () where there is none.
        features: what both networks read beside the observation (`agents.observing.features`).
        rulesets: of a network of several rulesets : their names and `Ruleset.digest`, in the
            order of the inputs that name them; `ruleset` is the name of all then. () for a network of one ruleset.
    """

    layers: Layers
    activation: str
    ruleset: str
    ruleset_digest: str
    steps: int
    value_layers: Layers = ()
    features: Features = "observation"
    rulesets: tuple[tuple[str, str], ...] = ()

    def logits(self, inputs: NDArray[np.float32], first: int = 0) -> NDArray[np.float32]:
        """(n, actions - first) logits of (n, inputs) inputs, float32, from action number `first` on."""
        return run(self.layers, inputs, self.activation, first)

    def values(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """(n,) points still to come by the network's own estimate, of (n, inputs) inputs, float32.

        Raises:
            ModelError: if the file holds no value network.
        """
        if not self.value_layers:
            raise ModelError(f"the model for ruleset {self.ruleset!r} holds no value network")
        return run(self.value_layers, inputs, self.activation)[:, 0]

    def check(self, rules: Ruleset) -> None:
        """Checks that the network was trained for these rules.

        Raises:
            ModelError: if it was not.
        """
        sizes = (self.layers[0][0].shape[1], self.layers[-1][0].shape[0])
        wanted = (input_size(rules, self.features), compile_tables(rules).actions)
        if self.ruleset_digest != rules.digest:
            other = "the same with other options" if self.ruleset == rules.name else repr(rules.name)
            raise ModelError(
                f"the model was trained for ruleset {self.ruleset!r} and does not fit {other}; the agent 'ppo' is the "
                "nearest shipped model"
            )
        if sizes != wanted:
            raise ModelError(
                f"the model has {sizes[0]} inputs and {sizes[1]} actions; ruleset {rules.name!r} has {wanted[0]} and "
                f"{wanted[1]}"
            )


def save_weights(weights: PolicyWeights, path: Path) -> None:
    """Writes a network to an `.npz` file."""
    about = {
        "format": _FORMAT,
        "activation": weights.activation,
        "ruleset": weights.ruleset,
        "ruleset_digest": weights.ruleset_digest,
        "steps": weights.steps,
        "features": weights.features,
        "actions": "keeps",
        "members": weights.rulesets,
    }
    write_networks(path, about, {"": weights.layers, "value": weights.value_layers})


def read_weights(path: Path) -> PolicyWeights:
    """Reads a network.

    Raises:
        ModelError: if the file is missing, damaged or of another kind.
    """
    about, networks = read_networks(path, ("", "value"), _KNOWN)
    if about.get("actions", "keeps") != "keeps":
        raise ModelError(f"{path}: actions = {about['actions']!r}; this version knows 'keeps' alone")
    try:
        weights = PolicyWeights(
            layers=networks[""],
            activation=about["activation"],
            ruleset=about["ruleset"],
            ruleset_digest=about["ruleset_digest"],
            steps=int(about["steps"]),
            value_layers=networks["value"],
            features="observation" if about["format"] == 2 else about["features"],
            rulesets=() if about["format"] < 4 else _rulesets(about["members"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise ModelError(f"{path}: damaged or not a model ({folded(error)})") from error
    _check(weights, path)
    return weights


def _rulesets(found: Any) -> tuple[tuple[str, str], ...]:
    pairs = found if isinstance(found, list) else [found]
    for pair in pairs:
        if not (isinstance(pair, list) and len(pair) == 2 and all(isinstance(text, str) for text in pair)):
            raise ValueError(f"members hold {pair!r}; allowed are pairs of a name and a digest")
    return tuple((name, digest) for name, digest in pairs)


def _check(weights: PolicyWeights, path: Path) -> None:
    fits = bool(weights.layers)
    if fits and weights.value_layers:
        fits = weights.value_layers[0][0].shape[1] == weights.layers[0][0].shape[1]
        fits &= weights.value_layers[-1][0].shape[0] == 1
    if not fits:
        raise ModelError(f"{path}: damaged, its layers do not fit together")
    for name, known in (("activation", tuple(ACTIVATIONS)), ("features", get_args(Features))):
        if getattr(weights, name) not in known:
            raise ModelError(f"{path}: damaged, {name} = {getattr(weights, name)!r}; known: {', '.join(known)}")
    if not isinstance(weights.ruleset, str):
        raise ModelError(f"{path}: damaged, ruleset = {weights.ruleset!r} is no name")
