# mypy: disallow-untyped-defs=False
r"""The masked categorical distribution, computed over the legal actions of each row alone.

With logits $z$ and legal actions $L$: $\log p_a = z_a - \log \sum_{b \in L} e^{z_b}$ and
$H = -\sum_{a \in L} p_a \log p_a$. A few dozen of the 225 actions are legal at a time, so looping over them costs a
fraction of what dense tensor operations do. The gradients are written out:

$$\partial \log p_a / \partial z_b = [a = b] - p_b, \qquad \partial H / \partial z_b = -p_b (\log p_b + H).$$

Every row needs a legal action.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from yatzy_env.kernel import kernel


@kernel(inline="always")
def _list_legal(mask, legal):
    """Lists the legal actions in `legal` and returns how many there are; free of branches, which would mispredict."""
    count = 0
    for action in range(len(mask)):
        legal[count] = action
        count += mask[action] != 0
    return count


@kernel(inline="always")
def _normaliser_and_entropy(logits, legal, count):
    r"""With $m$ the largest logit and $S = \sum e^{z - m}$: $m + \log S$ and $\log S - \sum e^{z - m} (z - m) / S$."""
    highest = logits[legal[0]]
    for i in range(1, count):
        highest = max(highest, logits[legal[i]])
    total = np.float32(0)
    weighted = np.float32(0)
    for i in range(count):
        below = logits[legal[i]] - highest
        weight = math.exp(below)
        total += weight
        weighted += weight * below
    log_total = np.float32(math.log(total))
    return highest + log_total, log_total - weighted / total


@kernel
def _sample(logits, masks, noise, actions, log_probs, entropies):
    legal = np.empty(masks.shape[1] + 1, np.int32)
    for row in range(len(actions)):
        count = _list_legal(masks[row], legal)
        normaliser, entropies[row] = _normaliser_and_entropy(logits[row], legal, count)
        left = noise[row]
        chosen = legal[count - 1]  # rounding may leave a little of the noise after the last action
        for i in range(count - 1):
            left -= math.exp(logits[row, legal[i]] - normaliser)
            if left < 0:
                chosen = legal[i]
                break
        actions[row] = chosen
        log_probs[row] = logits[row, chosen] - normaliser


@kernel
def _best(logits, masks, actions):
    for row in range(len(actions)):
        chosen = -1
        for action in range(masks.shape[1]):
            if masks[row, action] and (chosen < 0 or logits[row, action] > logits[row, chosen]):
                chosen = action
        actions[row] = chosen


@kernel
def _evaluate(logits, masks, actions, normalisers, log_probs, entropies):
    legal = np.empty(masks.shape[1] + 1, np.int32)
    for row in range(len(actions)):
        count = _list_legal(masks[row], legal)
        normalisers[row], entropies[row] = _normaliser_and_entropy(logits[row], legal, count)
        log_probs[row] = logits[row, actions[row]] - normalisers[row]


@kernel
def _gradient(logits, masks, actions, normalisers, entropies, by_log_prob, by_entropy, out):
    legal = np.empty(masks.shape[1] + 1, np.int32)
    out[:] = 0
    for row in range(len(actions)):
        for i in range(_list_legal(masks[row], legal)):
            action = legal[i]
            log_prob = logits[row, action] - normalisers[row]
            pull = by_log_prob[row] + by_entropy[row] * (log_prob + entropies[row])
            out[row, action] = -math.exp(log_prob) * pull
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
