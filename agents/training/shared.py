"""One network for several rulesets: where the inputs and outputs of each stand among those of all.

What a ruleset's networks read and answer has keys: an open box by its name, a keep by its dice, the end of a turn by
box, points and extra bonus. A shared network has an entry for every key of any of its rulesets, and one more input per
ruleset that says which is played. Restricted to one ruleset, whose name is then constant, it is an ordinary network of
that ruleset, with fewer columns in its first layer, fewer rows in its last and other biases in the first: that is how
it plays and is measured. A network of one ruleset is the case without a name.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from agents.training.networks import Layers

Keys = Sequence[Hashable]


class Shared:
    """The layout of a network of some rulesets.

    Attributes:
        inputs: entries that it reads.
        outputs: entries that it answers.
    """

    def __init__(self, inputs: Sequence[Keys], outputs: Sequence[Keys]) -> None:
        """Lays out the keys of each ruleset's inputs and outputs, in the order of their first appearance."""
        self._single = len(inputs) == 1
        self._reads = _places(inputs)
        self._acts = _places(outputs)
        self._flags = 1 + max(int(places.max()) for places in self._reads)
        self.inputs = self._flags + (0 if self._single else len(inputs))
        self.outputs = 1 + max(int(places.max()) for places in self._acts)

    def widen(self, task: int, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """(n, inputs) what the network reads, for (n, own inputs) of a ruleset."""
        if self._single:
            return values
        out = np.zeros((len(values), self.inputs), np.float32)
        out[:, self._reads[task]] = values
        out[:, self._flags + task] = 1
        return out

    def own_outputs(self, task: int, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """(n, own outputs) what a ruleset hears of (n, outputs)."""
        return values if self._single else values[:, self._acts[task]]

    def all_outputs(self, task: int, values: NDArray[np.float32]) -> NDArray[np.float32]:
        """(n, outputs) where (n, own outputs) of a ruleset stand; 0 elsewhere."""
        if self._single:
            return values
        out = np.zeros((len(values), self.outputs), np.float32)
        out[:, self._acts[task]] = values
        return out

    def restrict(self, task: int, layers: Layers) -> Layers:
        """The network that a ruleset plays by."""
        if self._single:
            return layers
        (weight, bias), *others = layers
        own = [(np.ascontiguousarray(weight[:, self._reads[task]]), bias + weight[:, self._flags + task]), *others]
        weight, bias = own[-1]
        own[-1] = (np.ascontiguousarray(weight[self._acts[task]]), bias[self._acts[task]])
        return tuple(own)


def _places(keys: Sequence[Keys]) -> list[NDArray[np.int64]]:
    numbers: dict[Hashable, int] = {}
    return [np.array([numbers.setdefault(key, len(numbers)) for key in some]) for some in keys]
