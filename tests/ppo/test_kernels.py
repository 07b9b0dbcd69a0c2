"""The compiled distribution is that of sb3-contrib."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sb3_contrib.common.maskable.distributions import MaskableCategorical

from agents.ppo import kernels

ROWS, ACTIONS = 300, 40


@pytest.fixture
def batch() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    logits = rng.normal(scale=4, size=(ROWS, ACTIONS)).astype(np.float32)
    masks = (rng.random((ROWS, ACTIONS)) < rng.random((ROWS, 1))).astype(np.int8)
    masks[np.arange(ROWS), rng.integers(ACTIONS, size=ROWS)] = 1  # a legal action in every row
    masks[0] = 1
    masks[1] = 0
    masks[1, -1] = 1
    return logits, masks, rng.random(ROWS)


def test_values_and_gradients_agree(batch: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    logits, masks, noise = batch
    rng = np.random.default_rng(2)
    actions, log_probs, entropies = kernels.sample(logits, masks, noise)
    again, entropies_again, normalisers = kernels.evaluate(logits, masks, actions)
    np.testing.assert_array_equal(log_probs, again)
    np.testing.assert_array_equal(entropies, entropies_again)
    by_log_prob, by_entropy = rng.normal(size=(2, ROWS)).astype(np.float32)
    ours = kernels.gradient(logits, masks, actions, normalisers, entropies, by_log_prob, by_entropy)

    dense = torch.tensor(logits, requires_grad=True)
    theirs = MaskableCategorical(logits=dense, masks=masks)
    their_log_probs, their_entropies = theirs.log_prob(torch.tensor(actions)), theirs.entropy()
    loss = (their_log_probs * torch.tensor(by_log_prob) + their_entropies * torch.tensor(by_entropy)).sum()
    loss.backward()
    np.testing.assert_allclose(log_probs, their_log_probs.detach().numpy(), atol=1e-5)
    np.testing.assert_allclose(entropies, their_entropies.detach().numpy(), atol=1e-5)
    assert dense.grad is not None
    np.testing.assert_allclose(ours, dense.grad.numpy(), atol=1e-5)
    assert (ours[masks == 0] == 0).all()


def test_draws_follow_the_distribution() -> None:
    logits = np.array([[0.0, 5.0, 1.0, -1.0, 0.5]], np.float32)
    masks = np.array([[1, 0, 1, 1, 0]], np.int8)
    n = 40_000
    noise = np.random.default_rng(3).random(n)
    actions, *_ = kernels.sample(np.tile(logits, (n, 1)), np.tile(masks, (n, 1)), noise)
    weights = np.where(masks[0] == 1, np.exp(logits[0]), 0)
    frequencies = np.bincount(actions, minlength=5) / n
    np.testing.assert_allclose(frequencies, weights / weights.sum(), atol=0.01)
    assert frequencies[1] == frequencies[4] == 0


@pytest.mark.parametrize("noise", [0.0, np.nextafter(1.0, 0.0)])
def test_extreme_noise_still_chooses_a_legal_action(
    batch: tuple[np.ndarray, np.ndarray, np.ndarray], noise: float
) -> None:
    logits, masks, _ = batch
    actions, log_probs, _ = kernels.sample(logits, masks, np.full(ROWS, noise))
    assert masks[np.arange(ROWS), actions].all()
    assert np.isfinite(log_probs).all()


def test_best_is_the_first_of_the_largest_legal_logits() -> None:
    logits = np.array([[3.0, 1.0, 2.0, 2.0], [0.0, 0.0, -1.0, 9.0]], np.float32)
    masks = np.array([[0, 1, 1, 1], [1, 1, 1, 0]], np.int8)
    assert kernels.best(logits, masks).tolist() == [2, 0]
