"""What an agent is: a function from a batch of situations to a batch of actions."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from yatzy_env.errors import IllegalActionError
from yatzy_env.rules import Ruleset
from yatzy_env.situation import Situation, Situations
from yatzy_env.tables import action_names

TIE = 1e-9
"""Values closer than this are equal, and the lowest action index wins."""


@runtime_checkable
class Agent(Protocol):
    """Plays one ruleset, given when it is made.

    An agent sees situations only, never the score or the dice to come. One that chooses at random reads `noise`, so
    that its games depend on their keys alone and not on how many are played together.
    """

    name: str

    def act(self, situations: Situations, noise: NDArray[np.float64]) -> NDArray[np.int64]:
        """Chooses a legal action for every situation; none of them is a full card.

        Args:
            situations: n situations.
            noise: (n,) uniform numbers in [0, 1), a fresh one per decision.

        Returns:
            (n,) int64 action indices.
        """
        ...


def is_deterministic(agent: Agent) -> bool:
    """Whether an agent declares, by the attribute `deterministic`, that its answer depends on the situation alone.

    Such an agent ignores the noise, keeps nothing in mind between calls and answers alike in any company, and can be
    evaluated exactly. Agents that declare nothing are taken to play by chance.
    """
    return getattr(agent, "deterministic", False) is True


def merges_upper(agent: Agent) -> bool:
    """Whether an agent declares, by the attribute `merges_upper`, that it reads upper sums as observations show them.

    Sums that have earned the bonus are then alike to it, and so are sums from which it is out of reach.
    """
    return getattr(agent, "merges_upper", False) is True


def checked_actions(actions: ArrayLike, name: str, size: int) -> NDArray[np.int64]:
    """What an agent of that name answered, (size,) int64, checked for everything but legality.

    Raises:
        IllegalActionError: if it is not one whole number per situation.
    """
    found = np.asarray(actions)
    if found.shape != (size,) or found.dtype.kind not in "iu":
        raise IllegalActionError(
            f"agent {name!r} returned actions of shape {found.shape} and type {found.dtype}; "
            f"allowed: shape {(size,)} of whole numbers"
        )
    return found.astype(np.int64)


def illegal_action(rules: Ruleset, name: str, action: int, situation: Situation) -> IllegalActionError:
    """The error for an action that an agent may not play, with agent, action and situation by name."""
    names = action_names(rules)
    called = f" ({names[action]})" if 0 <= action < len(names) else ""
    return IllegalActionError(f"agent {name!r} played the illegal action {action}{called} in {situation}")


def best_actions(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """The action of largest value per row, (n,) int64, the lowest index among those within `TIE` of it.

    Values are (n, actions) float64, nan where illegal; every row has a legal action.
    """
    best = np.nanmax(values, axis=1, keepdims=True)
    return np.argmax(values >= best - TIE, axis=1).astype(np.int64)
