r"""The masked categorical distribution, computed over the legal actions of each row alone.

With logits $z$ and legal actions $L$: $\log p_a = z_a - \log \sum_{b \in L} e^{z_b}$ and $H = -\sum_{a \in L} p_a \log p_a$.
A few dozen of the 225 actions are legal at a time, so looping over them costs a fraction of what dense tensor operations
do. The gradients are written out:

$$\partial \log p_a / \partial z_b = [a = b] - p_b, \qquad \partial H / \partial z_b = -p_b (\log p_b + H).$$

Every row needs a legal action.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(cache=True)
def _log_normaliser(logits, mask):
    highest = np.float32(-np.inf)
    for action in range(len(mask)):
        if mask[action] and logits[action] > highest:
            highest = logits[action]
    total = np.float32(0)
    for action in range(len(mask)):
        if mask[action]:
            total += math.exp(logits[action] - highest)
    return highest + np.float32(math.log(total))


@njit(cache=True)
def _entropy(logits, mask, normaliser):
    entropy = np.float32(0)
    for action in range(len(mask)):
        if mask[action]:
            log_prob = logits[action] - normaliser
            entropy -= log_prob * math.exp(log_prob)
    return entropy


@njit(cache=True)
def _sample(logits, masks, noise, actions, log_probs, entropies):
    for row in range(len(actions)):
        mask = masks[row]
        normaliser = _log_normaliser(logits[row], mask)
        left = noise[row]
        chosen = -1
        for action in range(len(mask)):
            if mask[action]:
                chosen = action
                left -= math.exp(logits[row, action] - normaliser)
                if left < 0:
                    break
        actions[row] = chosen
        log_probs[row] = logits[row, chosen] - normaliser
        entropies[row] = _entropy(logits[row], mask, normaliser)


@njit(cache=True)
def _best(logits, masks, actions):
    for row in range(len(actions)):
        chosen = -1
        for action in range(masks.shape[1]):
            if masks[row, action] and (chosen < 0 or logits[row, action] > logits[row, chosen]):
                chosen = action
        actions[row] = chosen


@njit(cache=True)
def _evaluate(logits, masks, actions, normalisers, log_probs, entropies):
    for row in range(len(actions)):
        normalisers[row] = _log_normaliser(logits[row], masks[row])
        log_probs[row] = logits[row, actions[row]] - normalisers[row]
        entropies[row] = _entropy(logits[row], masks[row], normalisers[row])


@njit(cache=True)
def _gradient(logits, masks, actions, normalisers, entropies, by_log_prob, by_entropy, out):
    for row in range(len(actions)):
        for action in range(masks.shape[1]):
            if masks[row, action]:
                log_prob = logits[row, action] - normalisers[row]
                prob = math.exp(log_prob)
                out[row, action] = -prob * (by_log_prob[row] + by_entropy[row] * (log_prob + entropies[row]))
            else:
                out[row, action] = 0
        out[row, actions[row]] += by_log_prob[row]


def sample(
    logits: NDArray[np.float32], masks: NDArray[np.int8], noise: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.float32]]:
    """Draws a legal action per row by inverting the distribution function.

    Args:
        logits: (n, actions).
        masks: (n, actions), nonzero where legal.
        noise: (n,) uniform numbers in [0, 1).

    Returns:
        (n,) actions, (n,) their log-probabilities, (n,) entropies.
    """
    actions = np.empty(len(logits), np.int64)
    log_probs = np.empty(len(logits), np.float32)
    entropies = np.empty(len(logits), np.float32)
    _sample(logits, masks, noise, actions, log_probs, entropies)
    return actions, log_probs, entropies


def best(logits: NDArray[np.float32], masks: NDArray[np.int8]) -> NDArray[np.int64]:
    """The legal action of the largest logit per row, the lowest index among equals.

    Args:
        logits: (n, actions).
        masks: (n, actions), nonzero where legal.

    Returns:
        (n,) actions.
    """
    actions = np.empty(len(logits), np.int64)
    _best(logits, masks, actions)
    return actions


def evaluate(
    logits: NDArray[np.float32], masks: NDArray[np.int8], actions: NDArray[np.int64]
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Evaluates given actions.

    Args:
        logits: (n, actions).
        masks: (n, actions), nonzero where legal.
        actions: (n,) legal actions.

    Returns:
        (n,) log-probabilities, (n,) entropies, (n,) logarithms of the normalising sums, which `gradient` wants.
    """
    normalisers = np.empty(len(logits), np.float32)
    log_probs = np.empty(len(logits), np.float32)
    entropies = np.empty(len(logits), np.float32)
    _evaluate(logits, masks, actions, normalisers, log_probs, entropies)
    return log_probs, entropies, normalisers


def gradient(
    logits: NDArray[np.float32],
    masks: NDArray[np.int8],
    actions: NDArray[np.int64],
    normalisers: NDArray[np.float32],
    entropies: NDArray[np.float32],
    by_log_prob: NDArray[np.float32],
    by_entropy: NDArray[np.float32],
) -> NDArray[np.float32]:
    """Pulls gradients with respect to log-probabilities and entropies back to the logits.

    Args:
        logits: (n, actions).
        masks: (n, actions), nonzero where legal.
        actions: (n,) the evaluated actions.
        normalisers: (n,) from `evaluate`.
        entropies: (n,) from `evaluate`.
        by_log_prob: (n,) gradient of the loss by the log-probabilities.
        by_entropy: (n,) gradient of the loss by the entropies.

    Returns:
        (n, actions) gradient by the logits, zero where illegal.
    """
    out = np.empty(logits.shape, np.float32)
    _gradient(logits, masks, actions, normalisers, entropies, by_log_prob, by_entropy, out)
    return out
