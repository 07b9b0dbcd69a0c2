"""A network that is fitted to samples: Adam, averaged weights, a memory of the last rounds, and its state on disk."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.errors import DivergedError
from agents.training.networks import Layers
from agents.winning.config import Stage

Loss = Callable[[Tensor, list[Tensor]], Tensor]
"""From the network's outputs and the targets that belong to them to a mean loss."""


class Learner:
    """Fits a network of rectified layers to the samples of the last rounds.

    Attributes:
        round: rounds done.
    """

    def __init__(self, stage: Stage, inputs: int, outputs: int, seed: int) -> None:
        """Makes an untrained network, its last layer zero; the seed decides weights and the order of samples."""
        self.stage = stage
        self.round = 0
        torch.manual_seed(seed)
        widths = [inputs, *stage.hidden, outputs]
        layers: list[nn.Module] = []
        for narrow, wide in pairwise(widths):
            layers += [nn.Linear(narrow, wide), nn.ReLU()]
        self.network = nn.Sequential(*layers[:-1])
        last = layers[-2]
        assert isinstance(last, nn.Linear)
        nn.init.zeros_(last.weight)
        nn.init.zeros_(last.bias)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=1e-3)
        self.averages = [weights.detach().clone() for weights in self.network.parameters()]
        self._rng = np.random.default_rng(seed)
        self._memory: list[list[Tensor]] = []

    @property
    def done(self) -> bool:
        """Whether all rounds are done."""
        return self.round >= self.stage.rounds

    @property
    def layers(self) -> Layers:
        """The averaged network as arrays of their own."""
        arrays = [average.numpy().copy() for average in self.averages]
        return tuple(zip(arrays[::2], arrays[1::2], strict=True))

    def learn(self, samples: list[NDArray[np.float32]], loss: Loss) -> float:
        """Remembers samples, inputs and targets with a row each, and learns from all in the memory: one round.

        Returns:
            The mean loss.

        Raises:
            DivergedError: if it is not finite.
        """
        stage = self.stage
        self._memory = [*self._memory, [torch.from_numpy(values) for values in samples]][-stage.memory :]
        everything = [torch.cat(parts) for parts in zip(*self._memory, strict=True)]
        updates = stage.passes * (len(everything[0]) // stage.minibatch or 1)
        weights: list[Tensor] = list(self.network.parameters())
        total, done = 0.0, 0
        for _ in range(stage.passes):
            order = torch.from_numpy(self._rng.permutation(len(everything[0])))
            for index in order.split(stage.minibatch)[: updates // stage.passes]:
                rate = stage.learning_rate.at((self.round + done / updates) / stage.rounds)
                for group in self.optimizer.param_groups:
                    group["lr"] = rate
                inputs, *targets = (values[index] for values in everything)
                self.optimizer.zero_grad()
                value = loss(self.network(inputs), targets)
                value.backward()
                self.optimizer.step()
                with torch.no_grad():
                    torch._foreach_lerp_(self.averages, weights, stage.ema)
                total += value.item()
                done += 1
        if not np.isfinite(total):
            raise DivergedError(f"the loss is {total / done} in round {self.round + 1}")
        self.round += 1
        return total / done

    def state(self) -> dict[str, Any]:
        """Everything but the memory, for `torch.save`."""
        return {
            "round": self.round,
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "averages": self.averages,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Goes on from a state; the memory starts empty."""
        self.round = state["round"]
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.averages = state["averages"]
        self._rng = np.random.default_rng([self.round, len(self.averages)])
