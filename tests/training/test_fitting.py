"""The one fitter: what it learns, what it forgets, and that it goes on as if it had never stopped."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor

from agents.errors import DivergedError
from agents.training.config import FitSettings, Ramp
from agents.training.fitting import Fitter, Samples
from agents.training.networks import run

SETTINGS = FitSettings(
    hidden=(16,), rounds=8, memory=2, passes=2, minibatch=32, learning_rate=Ramp(start=2e-2, end=0), ema=0.1
)


def sums(number: int) -> dict[str, NDArray[Any]]:
    """Points of a round, whose two coordinates are to be added."""
    points = np.random.default_rng(number).random((200, 2)).astype(np.float32)
    return {"points": points, "sum": points.sum(axis=1)}


def tensors(samples: Mapping[str, NDArray[Any]]) -> list[NDArray[np.float32]]:
    return [samples["points"], samples["sum"]]


def loss(outputs: Tensor, targets: list[Tensor]) -> Tensor:
    return (outputs[:, 0] - targets[0]).square().mean()


def learn(fitter: Fitter, rounds: int) -> None:
    for _ in range(rounds):
        fitter.learn(sums(fitter.round), tensors, loss, np.random.default_rng([1, fitter.round]))


def test_untrained_it_answers_zero_and_trained_it_answers_well() -> None:
    fitter = Fitter(SETTINGS, 2, 1, 1)
    points = sums(99)["points"]
    assert (run(fitter.layers, points) == 0).all()
    learn(fitter, SETTINGS.rounds)
    assert fitter.done
    assert np.abs(run(fitter.layers, points)[:, 0] - points.sum(axis=1)).mean() < 0.05


def test_stopped_and_restored_it_goes_on_bit_for_bit() -> None:
    whole, first, then = (Fitter(SETTINGS, 2, 1, seed) for seed in (1, 1, 2))
    learn(whole, 5)
    learn(first, 3)
    file = io.BytesIO()
    torch.save(first.state(), file)
    file.seek(0)
    then.restore(torch.load(file, weights_only=True))
    learn(then, 2)
    assert (then.round, then.loss) == (whole.round, whole.loss)
    for ours, theirs in zip(then.layers, whole.layers, strict=True):
        assert all(np.array_equal(one, other) for one, other in zip(ours, theirs, strict=True))


def test_it_learns_from_the_rounds_in_its_memory_and_no_older_ones() -> None:
    fitter = Fitter(SETTINGS, 2, 1, 1)
    seen: list[list[float]] = []

    def noting(samples: Samples) -> list[NDArray[np.float32]]:
        seen[-1].append(float(samples["points"][0, 0]))
        return tensors(samples)

    for number in range(4):
        seen.append([])
        fitter.learn(sums(number), noting, loss, np.random.default_rng(number))
    marks = [float(sums(number)["points"][0, 0]) for number in range(4)]
    assert seen == [marks[:1], marks[:2], marks[1:3], marks[2:4]]


def test_numbers_that_are_not_finite_stop_training() -> None:
    fitter = Fitter(SETTINGS, 2, 1, 1)
    learn(fitter, 1)
    samples = sums(1) | {"sum": np.full(200, np.nan, np.float32)}
    with pytest.raises(DivergedError, match="round 2"):
        fitter.learn(samples, tensors, loss, np.random.default_rng(1))
    assert fitter.round == 1
