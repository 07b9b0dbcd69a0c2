"""Which seeds of the dice serve what.

Evaluation dice are never training dice: game g under seed S has the key `hash("evaluate", S, g)`, a training env
`hash("train", S, env)`. Among the evaluation seeds one line is drawn:

- below `FINAL`: for looking, as often as one likes: during training, while settings are chosen, in `evaluate.py`;
- from `FINAL` on: for results that are published (model cards, the protocol's table), once per network, when nothing
  is left to choose. Whatever was chosen by the look of a final seed would be fitted to its dice.
"""

from __future__ import annotations

from yatzy_env.errors import YatzyError

FINAL = 1001
"""The first final seed, and the one of model cards."""

TRAINING = 501
"""The seed by which training looks at its own progress unless told otherwise."""


def is_final(seed: int) -> bool:
    """Whether a seed is kept for final results."""
    return seed >= FINAL


def check_training_seed(seed: int) -> None:
    """Keeps final seeds out of training.

    Raises:
        YatzyError: naming the seed and those allowed.
    """
    if is_final(seed):
        raise YatzyError(f"seed = {seed}; allowed before training has ended: below {FINAL}, the rest is for results")
