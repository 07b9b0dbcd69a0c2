"""Networks as plain arrays in one `.npz` file: small, without pickles, run by numpy alone.

A network is a row of layers of `activation(x @ weight.T + bias)`, the last without activation. A file holds one or
several of them by name, as arrays `NAME_weight_0`, `NAME_bias_0` and so on (a network named "" goes without the
`NAME_`), beside a JSON text `about` that says what they are and how many layers each has.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.errors import ModelError
from yatzy_env.errors import folded
from yatzy_env.files import parse_json, read_npz, write_npz

Layers = tuple[tuple[NDArray[np.float32], NDArray[np.float32]], ...]
"""(weight, bias) of each layer, float32, weight (outputs, inputs)."""


def linear_layers(modules: Iterable[Any], values: Mapping[Any, Any] | None = None) -> Layers:
    """The linear layers among modules of torch, copied; `values` may hold what stands for their parameters."""

    def array(parameter: Any) -> NDArray[np.float32]:
        return (parameter if values is None else values[parameter]).detach().numpy().copy()

    return tuple((array(module.weight), array(module.bias)) for module in modules if hasattr(module, "weight"))


_ROWS = 2048  # rows that go through a network at once: so few that its layers stay in the processor's cache


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


def run(layers: Layers, x: NDArray[np.float32], activation: str = "relu", first: int = 0) -> NDArray[np.float32]:
    """(n, outputs - first) what a network answers to (n, inputs), float32, from output number `first` on."""
    *hidden, (weight, bias) = layers
    for inner_weight, inner_bias in hidden:
        x = x @ inner_weight.T
        x += inner_bias
        x = ACTIVATIONS[activation](x)
    x = x @ weight[first:].T
    x += bias[first:]
    return x


def run_in_parts(layers: Layers, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
    """(n, outputs) of (n, inputs) for many rows, by a network of rectified layers."""
    out = np.empty((len(inputs), len(layers[-1][1])), np.float32)
    for start in range(0, len(inputs), _ROWS):
        out[start : start + _ROWS] = run(layers, inputs[start : start + _ROWS])
    return out


def write_networks(path: Path, about: Mapping[str, Any], networks: Mapping[str, Layers]) -> None:
    """Writes networks by name, beside what is to be said about them."""
    counts = {f"{_prefix(name)}layers": len(layers) for name, layers in networks.items()}
    arrays: dict[str, NDArray[Any]] = {"about": np.array(json.dumps({**about, **counts}))}
    for name, layers in networks.items():
        for index, (weight, bias) in enumerate(layers):
            arrays |= {f"{_prefix(name)}weight_{index}": weight, f"{_prefix(name)}bias_{index}": bias}
    write_npz(path, arrays, ModelError)


def read_networks(
    path: Path, names: Collection[str], formats: Collection[int], kind: str | None = None
) -> tuple[dict[str, Any], dict[str, Layers]]:
    """Reads networks by name, of which one without layers may be empty, and what is said about them.

    The file must be of a known format and call itself by `kind`.

    Raises:
        ModelError: if the file is missing, damaged or of another kind.
    """
    arrays = read_npz(path, ModelError, "a model")
    try:
        about = parse_json(str(arrays["about"]))
        if about.get("kind") != kind:
            raise ModelError(f"{path}: not a model of this kind; it is {about.get('kind') or 'a policy'!r}")
        if about["format"] not in formats:
            known = ", ".join(map(str, formats))
            raise ModelError(f"{path}: format {about['format']!r} is not known; known: {known}")
        networks = {name: _layers(arrays, _prefix(name), about[f"{_prefix(name)}layers"]) for name in names}
    except ModelError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{path}: damaged or not a model ({folded(error)})") from error
    if not all(map(_fit_together, networks.values())):
        raise ModelError(f"{path}: damaged, its layers do not fit together")
    return about, networks


def _prefix(name: str) -> str:
    return f"{name}_" if name else ""


def _layers(arrays: Mapping[str, NDArray[Any]], prefix: str, count: int) -> Layers:
    return tuple(
        (_matrix(arrays[f"{prefix}weight_{index}"], 2), _matrix(arrays[f"{prefix}bias_{index}"], 1))
        for index in range(int(count))
    )


def _matrix(values: NDArray[Any], dimensions: int) -> NDArray[np.float32]:
    if values.dtype != np.float32 or values.ndim != dimensions:
        raise ValueError(f"a layer has dtype {values.dtype} and shape {values.shape}")
    if not np.isfinite(values).all():
        raise ValueError("a weight is not a finite number")
    return np.ascontiguousarray(values)


def _fit_together(layers: Layers) -> bool:
    shapes = [weight.shape for weight, _ in layers]
    return all(before[0] == after[1] for before, after in pairwise(shapes)) and all(
        len(bias) == weight.shape[0] for weight, bias in layers
    )
