"""Networks that know the rules they were trained for, over the score cards of those rules, and their files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from agents.errors import ModelError
from agents.training.networks import Layers, read_networks, run, write_networks
from agents.training.shared import Keys, Shared
from yatzy_env.errors import RulesetError
from yatzy_env.files import sha256
from yatzy_env.rules import Ruleset, ruleset

_FORMAT = 2  # format 1 holds one ruleset
_ROWS = 512  # rows that go through a network at once: so few that its layers stay in the processor's cache
_UNIT = 64  # always multiplied so many at a time, zeros added: then a row's answer does not depend on the others


@dataclass(frozen=True, eq=False)
class RuledNetwork:
    """A network of one ruleset.

    Attributes:
        rules: the ruleset it was trained for.
        layers: rectified layers from what `input_keys` names to what `output_keys` names.
    """

    KIND: ClassVar[str]
    """What its files call themselves."""

    rules: Ruleset
    layers: Layers

    @staticmethod
    def input_keys(rules: Ruleset) -> Keys:
        """What the network of a ruleset reads, a key per entry (`agents.training.shared`)."""
        raise NotImplementedError

    @staticmethod
    def output_keys(rules: Ruleset) -> Keys:
        """What it answers, a key per entry."""
        raise NotImplementedError

    def __post_init__(self) -> None:
        """Checks that the layers fit the ruleset.

        Raises:
            ModelError: if they do not.
        """
        wanted = len(self.input_keys(self.rules)), len(self.output_keys(self.rules))
        found = self.layers[0][0].shape[1], len(self.layers[-1][1])
        if found != wanted:
            raise ModelError(
                f"a network of the kind {self.KIND!r} has {wanted[0]} inputs and {wanted[1]} outputs for ruleset "
                f"{self.rules.name!r}, not {found[0]} and {found[1]}"
            )

    @property
    def weights(self) -> int:
        """How many weights and biases it has."""
        return sum(weight.size + bias.size for weight, bias in self.layers)

    @cached_property
    def digest(self) -> str:
        """A SHA-256 over the network."""
        arrays = [array for layer in self.layers for array in layer]
        pieces = [(f"{array.shape}".encode(), array.astype("<f4", copy=False).tobytes()) for array in arrays]
        return sha256(self.KIND.encode(), *(part for piece in pieces for part in piece))

    def _answers(self, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """(n, outputs) of (n, inputs), each row alike in any company."""
        out = np.empty((len(inputs), len(self.layers[-1][1])), np.float32)
        for start in range(0, len(inputs), _ROWS):
            some = inputs[start : start + _ROWS]
            rows = len(some)
            if rows % _UNIT:
                some = np.concatenate([some, np.zeros((-rows % _UNIT, some.shape[1]), np.float32)])
            answers = run(self.layers, some.reshape(-1, _UNIT, some.shape[1]))
            out[start : start + rows] = answers.reshape(-1, out.shape[1])[:rows]
        return out

    @classmethod
    def shared(cls, rulesets: Sequence[Ruleset]) -> Shared:
        """The layout of one network for some rulesets."""
        return Shared([cls.input_keys(rules) for rules in rulesets], [cls.output_keys(rules) for rules in rulesets])

    @classmethod
    def save(cls, path: Path, rulesets: Sequence[Ruleset], layers: Layers, rounds: int) -> None:
        """Writes the network of some rulesets and how many rounds of training are behind it."""
        about = {
            "kind": cls.KIND,
            "format": _FORMAT,
            "rulesets": [rules.model_dump(mode="json") for rules in rulesets],
            "digests": [rules.digest for rules in rulesets],
            "rounds": rounds,
        }
        write_networks(path, about, {cls.KIND: layers})

    @classmethod
    def of_each(cls, rulesets: Sequence[Ruleset], layers: Layers) -> list[Self]:
        """What a network of some rulesets is under each of them."""
        shared = cls.shared(rulesets)
        return [cls(rules, shared.restrict(task, layers)) for task, rules in enumerate(rulesets)]

    @classmethod
    def read_layers(cls, path: Path) -> tuple[list[Ruleset], Layers]:
        """Reads the rulesets of a network and its layers.

        Raises:
            ModelError: if the file is missing, damaged, of another kind, or of rules that are read differently today.
        """
        about, networks = read_networks(path, (cls.KIND,), (1, _FORMAT), kind=cls.KIND)
        rulesets, layers = rulesets_in(about, path), networks[cls.KIND]
        shared = cls.shared(rulesets)
        wanted, found = (shared.inputs, shared.outputs), layers and (layers[0][0].shape[1], len(layers[-1][1]))
        if found != wanted:
            raise ModelError(f"{path}: the network has the sizes {found}, its rulesets have {wanted} today")
        return rulesets, layers

    @classmethod
    def read(cls, path: Path, rules: Ruleset | None = None) -> Self:
        """Reads a network.

        Args:
            path: the file.
            rules: which of its rulesets is wanted, where it has several.

        Returns:
            The network under the ruleset; under its own one if it has only one, whatever is wanted.

        Raises:
            ModelError: as `read_layers`, or if the network does not know the ruleset that is wanted.
        """
        rulesets, layers = cls.read_layers(path)
        networks = {network.rules.digest: network for network in cls.of_each(rulesets, layers)}
        if len(rulesets) == 1:
            return networks[rulesets[0].digest]
        names = ", ".join(known.name for known in rulesets)
        if rules is None:
            raise ModelError(f"{path}: a network of several rulesets, say which is played: {names}")
        if rules.digest not in networks:
            raise ModelError(f"{path}: the network does not play {rules.name!r} with these options; it plays: {names}")
        return networks[rules.digest]


def rulesets_in(about: dict[str, Any], path: Path) -> list[Ruleset]:
    """The rulesets that a file of networks, which `about` is from, says it was trained for.

    Raises:
        ModelError: if it does not say, or they are read differently today.
    """
    try:
        digests = about.get("digests", [about.get("ruleset_digest")])
        rulesets = [ruleset(fields) for fields in about.get("rulesets", [about.get("ruleset")])]
    except (TypeError, RulesetError) as error:
        raise ModelError(f"{path}: damaged, it does not say which rules it was trained for ({error})") from error
    if not rulesets or [rules.digest for rules in rulesets] != digests:
        raise ModelError(f"{path}: damaged, its rules are not those it names")
    return rulesets
