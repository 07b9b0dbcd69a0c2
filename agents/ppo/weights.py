"""The policy network as a file of plain arrays: small, without pickles, readable without torch."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from agents.ppo.errors import ModelError
from agents.ppo.features import Features, input_size
from yatzy_env.rules import Ruleset
from yatzy_env.tables import compile_tables

_FORMAT = 4
_KNOWN = (2, 3, 4)  # format 2 has no features beside the observation, format 3 one ruleset


def _silu(x: NDArray[np.float32]) -> NDArray[np.float32]:
    return x / (1 + np.exp(-x))


def _elu(x: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.where(x > 0, x, np.expm1(np.minimum(x, 0)))


def _relu(x: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.maximum(x, 0, out=x)


ACTIVATIONS: dict[str, Callable[[NDArray[np.float32]], NDArray[np.float32]]] = {
    "relu": _relu,
    "tanh": np.tanh,
    "elu": _elu,
    "silu": _silu,
}


Layers = tuple[tuple[NDArray[np.float32], NDArray[np.float32]], ...]


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
        features: what both networks read beside the observation (`agents.ppo.features`).
        rulesets: of a network of several rulesets (`agents.ppo.multitask`): their names and `Ruleset.digest`, in the
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
        return self._run(self.layers, inputs, first)

    def values(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """(n,) points still to come by the network's own estimate, of (n, inputs) inputs, float32.

        Raises:
            ModelError: if the file holds no value network.
        """
        if not self.value_layers:
            raise ModelError(f"the model for ruleset {self.ruleset!r} holds no value network")
        return self._run(self.value_layers, inputs)[:, 0]

    def _run(self, layers: Layers, x: NDArray[np.float32], first: int = 0) -> NDArray[np.float32]:
        *hidden, (weight, bias) = layers
        for inner_weight, inner_bias in hidden:
            x = x @ inner_weight.T
            x += inner_bias
            x = ACTIVATIONS[self.activation](x)
        x = x @ weight[first:].T
        x += bias[first:]
        return x

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
    arrays: dict[str, NDArray[Any]] = {"about": np.array(json.dumps({
        "format": _FORMAT,
        "activation": weights.activation,
        "ruleset": weights.ruleset,
        "ruleset_digest": weights.ruleset_digest,
        "steps": weights.steps,
        "layers": len(weights.layers),
        "value_layers": len(weights.value_layers),
        "features": weights.features,
        "actions": "keeps",
        "members": weights.rulesets,
    }))}  # fmt: skip
    for prefix, layers in (("", weights.layers), ("value_", weights.value_layers)):
        for index, (weight, bias) in enumerate(layers):
            arrays |= {f"{prefix}weight_{index}": weight, f"{prefix}bias_{index}": bias}
    with path.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


def read_weights(path: Path) -> PolicyWeights:
    """Reads a network.

    Raises:
        ModelError: if the file is missing, damaged or of another kind.
    """
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            about = json.loads(str(arrays["about"]))
            if about["format"] not in _KNOWN:
                known = ", ".join(map(str, _KNOWN))
                raise ModelError(f"{path}: format {about['format']!r} is not known; known: {known}")
            if about.get("actions", "keeps") != "keeps":
                raise ModelError(f"{path}: actions = {about['actions']!r}; this version knows 'keeps' alone")
            weights = PolicyWeights(
                layers=_layers(arrays, "", about["layers"]),
                activation=about["activation"],
                ruleset=about["ruleset"],
                ruleset_digest=about["ruleset_digest"],
                steps=int(about["steps"]),
                value_layers=_layers(arrays, "value_", about["value_layers"]),
                features="observation" if about["format"] == 2 else about["features"],
                rulesets=() if about["format"] < 4 else _members(about["members"]),
            )
    except FileNotFoundError as error:
        raise ModelError(f"{path}: there is no such file") from error
    except ModelError:
        raise
    except (OSError, ValueError, KeyError, TypeError, EOFError, AttributeError, BadZipFile, MemoryError) as error:
        raise ModelError(f"{path}: damaged or not a model ({' '.join(str(error).split())})") from error
    _check_shapes(weights, path)
    return weights


def _members(found: Any) -> tuple[tuple[str, str], ...]:
    pairs = found if isinstance(found, list) else [found]
    for pair in pairs:
        if not (isinstance(pair, list) and len(pair) == 2 and all(isinstance(text, str) for text in pair)):
            raise ValueError(f"members hold {pair!r}; allowed are pairs of a name and a digest")
    return tuple((name, digest) for name, digest in pairs)


def _layers(arrays: Mapping[str, NDArray[Any]], prefix: str, count: int) -> Layers:
    return tuple(
        (_matrix(arrays[f"{prefix}weight_{index}"], 2), _matrix(arrays[f"{prefix}bias_{index}"], 1))
        for index in range(int(count))
    )


def _matrix(values: NDArray[Any], dimensions: int) -> NDArray[np.float32]:
    if values.dtype != np.float32 or values.ndim != dimensions:
        raise ValueError(f"a layer has dtype {values.dtype} and shape {values.shape}")
    return np.ascontiguousarray(values)


def _check_shapes(weights: PolicyWeights, path: Path) -> None:
    fits = bool(weights.layers) and _fit_together(weights.layers) and _fit_together(weights.value_layers)
    if fits and weights.value_layers:
        fits &= weights.value_layers[0][0].shape[1] == weights.layers[0][0].shape[1]
        fits &= weights.value_layers[-1][0].shape[0] == 1
    if not fits:
        raise ModelError(f"{path}: damaged, its layers do not fit together")
    for name, known in (("activation", tuple(ACTIVATIONS)), ("features", get_args(Features))):
        if getattr(weights, name) not in known:
            raise ModelError(f"{path}: damaged, {name} = {getattr(weights, name)!r}; known: {', '.join(known)}")
    if not isinstance(weights.ruleset, str):
        raise ModelError(f"{path}: damaged, ruleset = {weights.ruleset!r} is no name")


def _fit_together(layers: Layers) -> bool:
    shapes = [weight.shape for weight, _ in layers]
    return all(before[0] == after[1] for before, after in pairwise(shapes)) and all(
        len(bias) == weight.shape[0] for weight, bias in layers
    )
