"""One network for several rulesets: where the inputs and actions of each stand among those of all.

A family is a set of rulesets with the same dice and throws. Its network reads the blocks of all their inputs, boxes by
name, and one entry per ruleset that says which is played; it rates all keeps and the boxes of all. What a ruleset does
not have stays zero, and is never legal. A ruleset's own entries are therefore some of the family's, and the entry that
names it is constant while it is played: the network restricted to one ruleset is an ordinary network for that ruleset,
with fewer columns in its first layer, fewer rows in its last and other biases in the first. That is how it is played,
measured and shipped: `member_weights`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.ppo.errors import ModelError
from agents.ppo.features import Features, input_blocks, input_size
from agents.ppo.weights import Layers, PolicyWeights
from yatzy_env.errors import RulesetError
from yatzy_env.rules import CATALOGUE, Ruleset
from yatzy_env.tables import compile_tables

GENERALIST = "generalist"
"""What a network for several rulesets is called, and its configuration, its runs and its folder in `models/`."""

_SAME = ("dice", "throws", "columns", "saved_throws")  # what decides the keeps and the sizes of blocks without boxes
_PER_BOX = ("open", "pays")


class Family:
    """The layout of inputs and actions that some rulesets share.

    Attributes:
        members: the rulesets.
        features: what is read beside the observation.
        inputs: the number of entries that the network reads.
        actions: the number of actions that it rates.
    """

    def __init__(self, members: Sequence[Ruleset], features: Features) -> None:
        """Lays out the entries.

        Args:
            members: the rulesets, in the order of the entries that name them.
            features: what is read beside the observation (`agents.ppo.features`).

        Raises:
            RulesetError: if they do not fit together, or one is named twice.
        """
        _check_members(members)
        self.members = tuple(members)
        self.features: Features = features
        names = list(dict.fromkeys(box for rules in members for box in rules.box_names))
        sizes: dict[tuple[str, str], int] = {}
        for rules in members:
            sizes |= {key: len(entries) for key, entries in _entries(rules, features)}
        ends = np.cumsum(list(sizes.values()))
        starts = dict(zip(sizes, ends - list(sizes.values()), strict=True))
        self._flags = int(ends[-1])
        self.inputs = self._flags + len(members)
        self.actions = compile_tables(members[0]).keeps + len(names)
        self._reads, self._acts = [], []
        for rules in members:
            reads = np.empty(input_size(rules, features), np.int64)
            for key, entries in _entries(rules, features):
                reads[entries] = starts[key] + np.arange(len(entries))
            keeps = compile_tables(rules).keeps
            boxes = [keeps + names.index(box) for box in rules.box_names]
            self._reads.append(reads)
            self._acts.append(np.concatenate([np.arange(keeps), np.array(boxes)]))

    def inputs_of(self, member: int, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """(n, inputs) what the family's network reads, for (n, d) inputs of one of its rulesets."""
        out = np.zeros((len(inputs), self.inputs), np.float32)
        out[:, self._reads[member]] = inputs
        out[:, self._flags + member] = 1
        return out

    def actions_of(self, member: int, values: NDArray[Any]) -> NDArray[Any]:
        """(n, actions) what stands at the actions of one ruleset, given as (n, a), at the family's; 0 at the others."""
        out = np.zeros((len(values), self.actions), values.dtype)
        out[:, self._acts[member]] = values
        return out

    def own_actions(self, member: int, actions: NDArray[np.integer]) -> NDArray[np.int64]:
        """(n,) the numbers that a ruleset itself gives to (n,) actions of the family; -1 for those it does not have."""
        numbers = np.full(self.actions, -1, np.int64)
        numbers[self._acts[member]] = np.arange(len(self._acts[member]))
        return numbers[actions]

    def restrict(self, member: int, layers: Layers, acts: bool) -> Layers:
        """A network of the family as one that reads the inputs of one ruleset alone.

        Args:
            member: the position of the ruleset.
            layers: of the family's network.
            acts: whether its outputs are actions, of which the ruleset's own remain.

        Returns:
            The layers; some of them are those of the family.
        """
        (weight, bias), *others = layers
        own = [(np.ascontiguousarray(weight[:, self._reads[member]]), bias + weight[:, self._flags + member]), *others]
        if acts:
            weight, bias = own[-1]
            own[-1] = (np.ascontiguousarray(weight[self._acts[member]]), bias[self._acts[member]])
        return tuple(own)


def member_weights(weights: PolicyWeights, rules: Ruleset) -> PolicyWeights:
    """What a family's network is under one of its rulesets.

    Args:
        weights: a network; one that is not a family's is returned as it is.
        rules: the ruleset to play.

    Returns:
        A network for that ruleset.

    Raises:
        ModelError: if the family does not have it, or its rulesets are not those of this version.
    """
    if not weights.members:
        return weights
    names = [name for name, _ in weights.members]
    digests = [digest for _, digest in weights.members]
    if rules.digest not in digests:
        raise ModelError(
            f"the model {weights.ruleset!r} plays {rules.name!r} without changed options only"
            if rules.name in names
            else f"the model {weights.ruleset!r} does not play {rules.name!r}; it plays: {', '.join(names)}"
        )
    # The layout is that of all members: where one has changed or gone, no entry is sure to stand where it stood.
    changed = [name for name, digest in weights.members if name not in CATALOGUE or CATALOGUE[name].digest != digest]
    if changed:
        raise ModelError(f"the model {weights.ruleset!r} was trained for rules of {changed[0]!r} that are not today's")
    try:
        family = family_of(tuple(names), weights.features)
    except RulesetError as error:
        raise ModelError(f"the model {weights.ruleset!r} is damaged: {error}") from error
    member = digests.index(rules.digest)
    read, rated = weights.layers[0][0].shape[1], weights.layers[-1][0].shape[0]
    if (read, rated) != (family.inputs, family.actions):
        raise ModelError(
            f"the model {weights.ruleset!r} has {read} inputs and {rated} actions; its rulesets have {family.inputs} "
            f"and {family.actions}"
        )
    return replace(
        weights,
        layers=family.restrict(member, weights.layers, acts=True),
        value_layers=family.restrict(member, weights.value_layers, acts=False) if weights.value_layers else (),
        ruleset=rules.name,
        ruleset_digest=rules.digest,
        members=(),
    )


@lru_cache(maxsize=16)
def family_of(names: tuple[str, ...], features: Features) -> Family:
    """The family of some rulesets of the catalogue, laid out once per process."""
    return Family([CATALOGUE[name] for name in names], features)


def _check_members(members: Sequence[Ruleset]) -> None:
    first = members[0]
    for rules in members:
        for field in _SAME:
            if getattr(rules, field) != getattr(first, field):
                raise RulesetError(
                    f"one network cannot play {first.name!r} and {rules.name!r}: {field} = "
                    f"{getattr(first, field)!r} and {getattr(rules, field)!r}"
                )
    seen: set[str] = set()
    for rules in members:
        if rules.digest in seen:
            raise RulesetError(f"the ruleset {rules.name!r} is there twice")
        seen.add(rules.digest)


def _entries(rules: Ruleset, features: Features) -> list[tuple[tuple[str, str], NDArray[np.int64]]]:
    """The inputs of a ruleset in the pieces that a family shares, blocks or a box's entry of one, with their places."""
    found = []
    for block in input_blocks(rules, features):
        places = np.arange(block.start, block.start + block.size)
        if block.name in _PER_BOX:
            found += [((block.name, box), places[[at]]) for at, box in enumerate(rules.box_names)]
        else:
            found.append(((block.name, ""), places))
    return found
