"""Networks in training: Adam, averaged weights, and samples of the last rounds that they are fitted to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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


class AveragedNetwork:
    """A network of rectified layers, its optimizer, and the average of its weights, which is what plays."""

    def __init__(self, inputs: int, hidden: Sequence[int], outputs: int, seed: int, ema: float) -> None:
        """Makes an untrained network of weights that the seed decides; its last layer starts at zero.

        Args:
            inputs: entries that it reads.
            hidden: widths of the hidden layers.
            outputs: entries that it answers.
            seed: of the weights.
            ema: share of the new weights in the average, per update.
        """
        torch.manual_seed(seed)
        layers: list[nn.Module] = []
        for narrow, wide in pairwise([inputs, *hidden]):
            layers += [nn.Linear(narrow, wide), nn.ReLU()]
        last = nn.Linear(hidden[-1], outputs)
        nn.init.zeros_(last.weight)
        nn.init.zeros_(last.bias)
        self.answer = nn.Sequential(*layers, last)
        self._weights: list[Tensor] = list(self.answer.parameters())
        self._optimizer = torch.optim.Adam(self.answer.parameters())
        self._averages = [weights.detach().clone() for weights in self._weights]
        self._ema = ema

    @property
    def layers(self) -> Layers:
        """The average as arrays of their own."""
        arrays = [average.numpy().copy() for average in self._averages]
        return tuple(zip(arrays[::2], arrays[1::2], strict=True))

    def update(self, learning_rate: float, backward: Callable[[], object], longest: float = np.inf) -> float:
        """A step of Adam against the gradient that `backward` leaves, shortened to `longest`; returns its length."""
        for group in self._optimizer.param_groups:
            group["lr"] = learning_rate
        self._optimizer.zero_grad()
        backward()
        norm = float(nn.utils.clip_grad_norm_(self._weights, longest)) if np.isfinite(longest) else 0.0
        self._optimizer.step()
        with torch.no_grad():
            torch._foreach_lerp_(self._averages, self._weights, self._ema)
        return norm

    def state(self) -> dict[str, Any]:
        """All it takes to go on, for `torch.save`."""
        return {
            "network": self.answer.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "averages": self._averages,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Goes on from a state."""
        self.answer.load_state_dict(state["network"])
        self._optimizer.load_state_dict(state["optimizer"])
        self._averages = state["averages"]


class Fitter:
    """Fits a network to the samples of the last rounds.

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
        self._network = AveragedNetwork(inputs, settings.hidden, outputs, seed, settings.ema)
        self._memory: list[Samples] = []

    @property
    def done(self) -> bool:
        """Whether all rounds are done."""
        return self.round >= self.settings.rounds

    @property
    def layers(self) -> Layers:
        """The averaged network as arrays of their own."""
        return self._network.layers

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
        total, done = 0.0, 0
        for _ in range(settings.passes):
            for index in torch.from_numpy(rng.permutation(size)).split(settings.minibatch)[:batches]:
                rate = settings.learning_rate.at((self.round + done / updates) / settings.rounds)
                inputs, *targets = (values[index] for values in everything)
                value = loss(self._network.answer(inputs), targets)
                self._network.update(rate, value.backward)
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
            **self._network.state(),
            "memory": [{name: torch.from_numpy(array) for name, array in some.items()} for some in self._memory],
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Goes on from a state."""
        self.round, self.loss = state["round"], state["loss"]
        self._network.restore(state)
        self._memory = [{name: array.numpy() for name, array in some.items()} for some in state["memory"]]
