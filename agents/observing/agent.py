# mypy: disallow-untyped-defs=False
"""A network that reads observations as an agent: the best-rated legal action of every situation. Needs numpy alone."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from agents.observing.features import add_features
from agents.observing.weights import PolicyWeights
from yatzy_env.card import legal_boxes
from yatzy_env.envs.observation import observe
from yatzy_env.files import sha256
from yatzy_env.kernel import kernel
from yatzy_env.native import borrow
from yatzy_env.rules import Ruleset
from yatzy_env.situation import Situations
from yatzy_env.tables import compile_tables
from yatzy_env.turn import plan_turn

_ROWS = 1024  # situations that go through the network at once: so few that its layers stay in the processor's cache


@kernel(nogil=True)
def _best(tables, keep, first_keep, now, logits, first, actions):
    """The legal action of the largest logit per situation, the lowest index among equals.

    `keep` and `first_keep` list the keeps of every roll; `logits` begin with action number `first`, and where that is
    not 0 no throws are left.
    """
    tables, now = borrow(tables), borrow(now)
    for row in range(actions.shape[0]):
        roll = now.roll[row]
        chosen, best = np.int64(-1), np.float32(0)
        if now.throws_left[row] > 0:
            for index in range(first_keep[roll], first_keep[roll + 1]):
                if chosen < 0 or logits[row, keep[index]] > best:
                    chosen = keep[index]
                    best = logits[row, chosen]
        legal = legal_boxes(tables.card, now.filled[row], tables.alike[roll])
        for box in range(tables.card.boxes):
            if (legal >> box) & 1:
                value = logits[row, tables.keeps - first + box]
                if chosen < 0 or value > best:
                    chosen = tables.keeps + box
                    best = value
        actions[row] = chosen


class ObservingAgent:
    """Plays the action a policy network rates highest."""

    deterministic = True
    merges_upper = True  # an observation is all it sees

    def __init__(self, rules: Ruleset, policy: PolicyWeights, name: str = "ppo") -> None:
        """Makes the agent.

        Raises:
            ModelError: if the network was trained for other rules.
        """
        policy.check(rules)
        self.name = name
        self.notice = ""  # what a reader of its figures should know
        self.policy = policy
        self._rules = rules
        self._tables = compile_tables(rules)
        self._plan = plan_turn(self._tables)

    @cached_property
    def digest(self) -> str:
        """A SHA-256 over the network."""
        arrays = [array.astype("<f4", copy=False) for layer in self.policy.layers for array in layer]
        pieces = [piece for array in arrays for piece in (f"{array.shape}".encode(), array.tobytes())]
        return sha256(self.policy.activation.encode(), *pieces)

    def act(self, situations: Situations, noise: NDArray[np.float64]) -> NDArray[np.int64]:
        """Chooses a legal action for every situation; `noise` does not matter."""
        actions = np.empty(len(situations.filled), np.int64)
        for start in range(0, len(actions), _ROWS):
            part = slice(start, start + _ROWS)
            some = Situations._make(np.ascontiguousarray(values[part]) for values in situations)
            # Without throws only boxes are legal, and the keeps' share of the last layer is not computed. In small
            # batches it is: BLAS adds up small products in another order, which changes the last bits of a logit.
            only_boxes = len(some.roll) == _ROWS and not some.throws_left.any()
            first = self._tables.keeps if only_boxes else 0
            logits = self._logits(some, first)
            _best(self._tables, self._plan.keep, self._plan.first_keep, some, logits, first, actions[part])
        return actions

    def logits(self, situations: Situations) -> NDArray[np.float32]:
        """(n, actions) what the network makes of every action."""
        return self._logits(situations, 0)

    def _logits(self, situations: Situations, first: int) -> NDArray[np.float32]:
        """Logits from action number `first` on."""
        return self.policy.logits(self._inputs(observe(self._tables, situations)), first)

    def _inputs(self, observations: NDArray[np.float32]) -> NDArray[np.float32]:
        return add_features(self._rules, self.policy.features, observations)
