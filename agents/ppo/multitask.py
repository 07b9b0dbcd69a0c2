"""One network for several rulesets: where the inputs and actions of each stand among those of all.

The tasks are rulesets with the same dice and throws. The network reads the blocks of all their inputs, boxes by name,
and one entry per ruleset that says which is played; it rates all keeps and the boxes of all. What a ruleset does not
have stays zero, and is never legal. A ruleset's own entries are therefore some of all, and the entry that names it is
constant while it is played: the network restricted to one ruleset is an ordinary network for that ruleset, with fewer
columns in its first layer, fewer rows in its last and other biases in the first. That is how it is played, measured and
shipped: `task_weights`. A network of one ruleset is the case of one task, which needs no name: its inputs and actions
are the ruleset's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.errors import ModelError
from agents.ppo.features import Features, add_features, input_blocks, input_size
from agents.ppo.weights import PolicyWeights
from agents.training.networks import Layers
from yatzy_env.errors import RulesetError
from yatzy_env.rules import CATALOGUE, Ruleset
from yatzy_env.tables import compile_tables

GENERALIST = "generalist"
"""What a network of several rulesets is called, and its configuration, its runs and its folder in `models/`."""

_SAME = ("dice", "throws", "columns", "saved_throws")  # what decides the keeps and the sizes of blocks without boxes
_PER_BOX = ("open", "pays")


class MultiTask:
    """The layout of inputs and actions that some rulesets share.

    Attributes:
        rulesets: the rulesets, one per task.
        features: what is read beside the observation.
        inputs: the number of entries that the network reads.
        actions: the number of actions that it rates.
    """

    def __init__(self, rulesets: Sequence[Ruleset], features: Features = "observation") -> None:
        """Lays out the entries, those that name the rulesets in the order given.

        Raises:
            RulesetError: if they do not fit together, or one is named twice.
        """
        _check_rulesets(rulesets)
        self.rulesets = tuple(rulesets)
        self.features: Features = features
        names = list(dict.fromkeys(box for rules in rulesets for box in rules.box_names))
        sizes: dict[tuple[str, str], int] = {}
        for rules in rulesets:
            sizes |= {key: len(entries) for key, entries in _entries(rules, features)}
        ends = np.cumsum(list(sizes.values()))
        starts = dict(zip(sizes, ends - list(sizes.values()), strict=True))
        self._flags = int(ends[-1])
        self._is_one = len(rulesets) == 1
        self.inputs = self._flags + (0 if self._is_one else len(rulesets))
        self.actions = compile_tables(rulesets[0]).keeps + len(names)
        self._reads, self._acts = [], []
        for rules in rulesets:
            reads = np.empty(input_size(rules, features), np.int64)
            for key, entries in _entries(rules, features):
                reads[entries] = starts[key] + np.arange(len(entries))
            keeps = compile_tables(rules).keeps
            boxes = [keeps + names.index(box) for box in rules.box_names]
            self._reads.append(reads)
            self._acts.append(np.concatenate([np.arange(keeps), np.array(boxes)]))

    def show(self, task: int, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        """(n, inputs) what the network reads, for (n, D) observations of one of the rulesets."""
        return self.inputs_of(task, add_features(self.rulesets[task], self.features, observations))

    def inputs_of(self, task: int, inputs: NDArray[np.float32]) -> NDArray[np.float32]:
        """(n, inputs) what the network reads, for (n, d) inputs of a network of one of the rulesets alone."""
        if self._is_one:
            return inputs
        out = np.zeros((len(inputs), self.inputs), np.float32)
        out[:, self._reads[task]] = inputs
        out[:, self._flags + task] = 1
        return out

    def actions_of(self, task: int, values: NDArray[Any]) -> NDArray[Any]:
        """(n, actions) what stands at the actions of one ruleset, given as (n, a), at those of all; 0 at the others."""
        if self._is_one:
            return values
        out = np.zeros((len(values), self.actions), values.dtype)
        out[:, self._acts[task]] = values
        return out

    def own_actions(self, task: int, actions: NDArray[np.integer]) -> NDArray[np.int64]:
        """(n,) the numbers that a ruleset itself gives to (n,) actions of all; -1 for those it does not have."""
        if self._is_one:
            return np.asarray(actions, np.int64)
        numbers = np.full(self.actions, -1, np.int64)
        numbers[self._acts[task]] = np.arange(len(self._acts[task]))
        return numbers[actions]

    def restrict(self, task: int, layers: Layers, acts: bool) -> Layers:
        """The layers of a network of all rulesets that are left where it reads the inputs of one alone.

        With `acts` its outputs are actions, of which the ruleset's own remain. Some layers are those of the network.
        """
        if self._is_one:
            return layers
        (weight, bias), *others = layers
        own = [(np.ascontiguousarray(weight[:, self._reads[task]]), bias + weight[:, self._flags + task]), *others]
        if acts:
            weight, bias = own[-1]
            own[-1] = (np.ascontiguousarray(weight[self._acts[task]]), bias[self._acts[task]])
        return tuple(own)


def task_weights(weights: PolicyWeights, rules: Ruleset) -> PolicyWeights:
    """What a network of several rulesets is under one of them; a network of a single ruleset is returned as it is.

    Raises:
        ModelError: if it does not play it, or its rulesets are not those of this version.
    """
    if not weights.rulesets:
        return weights
    names = [name for name, _ in weights.rulesets]
    digests = [digest for _, digest in weights.rulesets]
    if rules.digest not in digests:
        raise ModelError(
            f"the model {weights.ruleset!r} plays {rules.name!r} without changed options only"
            if rules.name in names
            else f"the model {weights.ruleset!r} does not play {rules.name!r}; it plays: {', '.join(names)}"
        )
    # The layout is that of all rulesets: where one has changed or gone, no entry is sure to stand where it stood.
    changed = [name for name, digest in weights.rulesets if name not in CATALOGUE or CATALOGUE[name].digest != digest]
    if changed:
        raise ModelError(f"the model {weights.ruleset!r} was trained for rules of {changed[0]!r} that are not today's")
    try:
        tasks = multi_task(tuple(CATALOGUE[name] for name in names), weights.features)
    except RulesetError as error:
        raise ModelError(f"the model {weights.ruleset!r} is damaged: {error}") from error
    task = digests.index(rules.digest)
    read, rated = weights.layers[0][0].shape[1], weights.layers[-1][0].shape[0]
    if (read, rated) != (tasks.inputs, tasks.actions):
        raise ModelError(
            f"the model {weights.ruleset!r} has {read} inputs and {rated} actions; its rulesets have {tasks.inputs} "
            f"and {tasks.actions}"
        )
    return replace(
        weights,
        layers=tasks.restrict(task, weights.layers, acts=True),
        value_layers=tasks.restrict(task, weights.value_layers, acts=False) if weights.value_layers else (),
        ruleset=rules.name,
        ruleset_digest=rules.digest,
        rulesets=(),
    )


@lru_cache(maxsize=16)
def multi_task(rulesets: tuple[Ruleset, ...], features: Features) -> MultiTask:
    """The layout of some rulesets, laid out once per process."""
    return MultiTask(rulesets, features)


def _check_rulesets(rulesets: Sequence[Ruleset]) -> None:
    first = rulesets[0]
    for rules in rulesets:
        for field in _SAME:
            if getattr(rules, field) != getattr(first, field):
                raise RulesetError(
                    f"one network cannot play {first.name!r} and {rules.name!r}: {field} = "
                    f"{getattr(first, field)!r} and {getattr(rules, field)!r}"
                )
    seen: set[str] = set()
    for rules in rulesets:
        if rules.digest in seen:
            raise RulesetError(f"the ruleset {rules.name!r} is there twice")
        seen.add(rules.digest)


def _entries(rules: Ruleset, features: Features) -> list[tuple[tuple[str, str], NDArray[np.int64]]]:
    """The inputs of a ruleset in the pieces that the tasks share, blocks or a box's entry of one, with their places."""
    found = []
    for block in input_blocks(rules, features):
        places = np.arange(block.start, block.start + block.size)
        if block.name in _PER_BOX:
            found += [((block.name, box), places[[at]]) for at, box in enumerate(rules.box_names)]
        else:
            found.append(((block.name, ""), places))
    return found
