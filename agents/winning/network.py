"""The networks of a model that plays for the win, and their file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from agents.errors import ModelError
from agents.training.networks import Layers, read_networks, write_networks
from yatzy_env.rules import Ruleset

FILE = "networks.npz"
"""The file of a model of this kind; not `weights.npz`, which holds one policy."""

_FORMAT = 1


@dataclass(frozen=True)
class Networks:
    """What a model consists of.

    Attributes:
        ruleset: the name of the ruleset it was trained for.
        ruleset_digest: its `Ruleset.digest`.
        points: the network that evaluates a card for points (`agents.winning.cards`).
        win: the network that evaluates two cards for the chance of winning (`agents.winning.features`).
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


def save_model(model: Networks, path: Path) -> None:
    """Writes a model to an `.npz` file."""
    about = {"kind": "win", "format": _FORMAT, "ruleset": model.ruleset, "ruleset_digest": model.ruleset_digest}
    write_networks(path, about, {"points": model.points, "win": model.win})


def read_model(path: Path) -> Networks:
    """Reads a model.

    Raises:
        ModelError: if the file is missing, damaged or of another kind.
    """
    about, networks = read_networks(path, ("points", "win"), (_FORMAT,), kind="win")
    if not all(networks.values()) or not all(isinstance(about.get(key), str) for key in ("ruleset", "ruleset_digest")):
        raise ModelError(f"{path}: damaged, it does not hold two networks and what they were trained for")
    return Networks(about["ruleset"], about["ruleset_digest"], networks["points"], networks["win"])
