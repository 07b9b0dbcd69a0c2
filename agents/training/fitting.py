"""A network that is fitted to samples: Adam with a schedule, averaged weights, a memory of the last rounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.errors import DivergedError
from agents.training.config import FitSettings
from agents.training.networks import Layers

Samples = Mapping[str, NDArray[Any]]
"""Arrays by name with a row per sample, in the form in which they are to be remembered."""

Tensors = Callable[[Samples], list[NDArray[np.float32]]]
"""What is learnt from samples: the network's inputs, then what the loss compares its outputs with; a row each."""

Loss = Callable[[Tensor, list[Tensor]], Tensor]
"""From the network's outputs and the targets that belong to them to a mean loss."""


class Fitter:
    """Fits a network of rectified layers to the samples of the last rounds.

    Attributes:
        settings: how.
        round: rounds done.
        loss: the mean loss of the last round.
    """

    def __init__(self, settings: FitSettings, inputs: int, outputs: int, seed: int) -> None:
        """Makes an untrained network of weights that the seed decides; its last layer starts at zero."""
        self.settings = settings
        self.round = 0
        self.loss = float("nan")
        torch.manual_seed(seed)
        layers: list[nn.Module] = []
        for narrow, wide in pairwise([inputs, *settings.hidden]):
            layers += [nn.Linear(narrow, wide), nn.ReLU()]
        last = nn.Linear(settings.hidden[-1], outputs)
        nn.init.zeros_(last.weight)
        nn.init.zeros_(last.bias)
        self._network = nn.Sequential(*layers, last)
        self._optimizer = torch.optim.Adam(self._network.parameters())
        self._averages = [weights.detach().clone() for weights in self._network.parameters()]
        self._memory: list[Samples] = []

    @property
    def done(self) -> bool:
        """Whether all rounds are done."""
        return self.round >= self.settings.rounds

    @property
    def layers(self) -> Layers:
        """The averaged network as arrays of their own."""
        arrays = [average.numpy().copy() for average in self._averages]
        return tuple(zip(arrays[::2], arrays[1::2], strict=True))

    def learn(self, samples: Samples, tensors: Tensors, loss: Loss, rng: np.random.Generator) -> None:
        """Remembers samples and learns from all in the memory: one round.

        Args:
            samples: the new ones.
            tensors: makes of the samples of a round what is learnt from.
            loss: what is made small.
            rng: decides their order.

        Raises:
            DivergedError: if the loss is not finite.
        """
        settings = self.settings
        self._memory = [*self._memory, samples][-settings.memory :]
        parts = zip(*(tensors(some) for some in self._memory), strict=True)
        everything = [torch.from_numpy(np.concatenate(values)) for values in parts]
        size = len(everything[0])
        batches = max(size // settings.minibatch, 1)
        updates = settings.passes * batches
        weights: list[Tensor] = list(self._network.parameters())
        total, done = 0.0, 0
        for _ in range(settings.passes):
            for index in torch.from_numpy(rng.permutation(size)).split(settings.minibatch)[:batches]:
                rate = settings.learning_rate.at((self.round + done / updates) / settings.rounds)
                for group in self._optimizer.param_groups:
                    group["lr"] = rate
                inputs, *targets = (values[index] for values in everything)
                self._optimizer.zero_grad()
                value = loss(self._network(inputs), targets)
                value.backward()
                self._optimizer.step()
                with torch.no_grad():
                    torch._foreach_lerp_(self._averages, weights, settings.ema)
                total += value.item()
                done += 1
        self.loss = total / done
        if not np.isfinite(total):
            raise DivergedError(f"the loss is {self.loss} in round {self.round + 1}")
        self.round += 1

    def state(self) -> dict[str, Any]:
        """All it takes to go on as if it had never stopped, for `torch.save`."""
        return {
            "round": self.round,
            "loss": self.loss,
            "network": self._network.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "averages": self._averages,
            "memory": [{name: torch.from_numpy(array) for name, array in some.items()} for some in self._memory],
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Goes on from a state."""
        self.round, self.loss = state["round"], state["loss"]
        self._network.load_state_dict(state["network"])
        self._optimizer.load_state_dict(state["optimizer"])
        self._averages = state["averages"]
        self._memory = [{name: array.numpy() for name, array in some.items()} for some in state["memory"]]
