"""The networks as plain arrays: small, without pickles, run by numpy alone."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from agents.ppo.errors import ModelError
from agents.ppo.weights import Layers
from yatzy_env.rules import Ruleset

FILE = "networks.npz"
"""The file of a model of this kind; not `weights.npz`, which holds one policy."""

_KINDS = ("points", "win")
_ROWS = 2048  # rows that go through a network at once: so few that its layers stay in the processor's cache


def run(layers: Layers, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
    """(n, outputs) of (n, inputs): layers of `max(0, x @ weight.T + bias)`, the last without the maximum."""
    out = np.empty((len(inputs), len(layers[-1][1])), np.float32)
    for start in range(0, len(inputs), _ROWS):
        x = inputs[start : start + _ROWS]
        for index, (weight, bias) in enumerate(layers):
            x = x @ weight.T
            x += bias
            if index < len(layers) - 1:
                np.maximum(x, 0, out=x)
        out[start : start + _ROWS] = x
    return out


@dataclass(frozen=True)
class Networks:
    """What a model consists of.

    Attributes:
        ruleset: the name of the ruleset it was trained for.
        ruleset_digest: its `Ruleset.digest`.
        points: the network that judges a card for points (`agents.winning.cards`).
        win: the network that judges two cards for the chance of winning (`agents.winning.features`).
    """

    ruleset: str
    ruleset_digest: str
    points: Layers
    win: Layers

    def check(self, rules: Ruleset) -> None:
        """Checks that the networks were trained for these rules.

        Raises:
            ModelError: if they were not.
        """
        if self.ruleset_digest != rules.digest:
            raise ModelError(f"the model was trained for ruleset {self.ruleset!r} and does not fit {rules.name!r}")


def save_networks(networks: Networks, path: Path) -> None:
    """Writes a model to an `.npz` file."""
    about = {"kind": "win", "format": 1, "ruleset": networks.ruleset, "ruleset_digest": networks.ruleset_digest}
    arrays: dict[str, NDArray[Any]] = {}
    for kind in _KINDS:
        layers: Layers = getattr(networks, kind)
        about[f"{kind}_layers"] = len(layers)
        for index, (weight, bias) in enumerate(layers):
            arrays |= {f"{kind}_weight_{index}": weight, f"{kind}_bias_{index}": bias}
    with path.open("wb") as file:
        np.savez(file, allow_pickle=False, about=np.array(json.dumps(about)), **arrays)


def read_networks(path: Path) -> Networks:
    """Reads a model.

    Raises:
        ModelError: if the file is missing, damaged or of another kind.
    """
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            about = json.loads(str(arrays["about"]))
            if about.get("kind") != "win" or about["format"] != 1:
                raise ModelError(f"{path}: not a model that plays for the win")
            layers = {
                kind: tuple(
                    (arrays[f"{kind}_weight_{index}"], arrays[f"{kind}_bias_{index}"])
                    for index in range(int(about[f"{kind}_layers"]))
                )
                for kind in _KINDS
            }
            networks = Networks(about["ruleset"], about["ruleset_digest"], layers["points"], layers["win"])
    except FileNotFoundError as error:
        raise ModelError(f"{path}: there is no such file") from error
    except ModelError:
        raise
    except (OSError, ValueError, KeyError, TypeError, EOFError, AttributeError, BadZipFile) as error:
        raise ModelError(f"{path}: damaged or not a model ({' '.join(str(error).split())})") from error
    if not all(_fit_together(layers[kind]) for kind in _KINDS):
        raise ModelError(f"{path}: damaged, its layers do not fit together")
    return networks


def _fit_together(layers: Layers) -> bool:
    arrays_fit = all(
        weight.ndim == 2 and weight.dtype == bias.dtype == np.float32 and bias.shape == weight.shape[:1]
        for weight, bias in layers
    )
    return bool(layers) and arrays_fit and all(a[0].shape[0] == b[0].shape[1] for a, b in pairwise(layers))
