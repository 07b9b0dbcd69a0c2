# mypy: disallow-untyped-defs=False
r"""What other dice would have shown: the situations that a decision could have led to.

An action leaves a card and some dice, then dice are thrown. With $V$ the value network, $s'$ the situation that came of
it and $\bar V$ the mean of $V$ over all throws that could have come instead, the luck of the throw is
$\gamma (V(s') - \bar V)$. Its mean is zero whatever $V$ is, since dice ask nobody. So taking it out of an advantage
changes the noise of the advantage and not its mean: with the decision's own residual
$\bar\delta_t = r_t + \gamma \bar V_{t+1} - V(s_t)$,

$$A_t = \bar\delta_t + \gamma\lambda A_{t+1}$$

is generalised advantage estimation without the luck. $\bar V$ is estimated by a few throws per decision, spread evenly
over the distribution (systematic sampling), which has no bias either. Only the chances of dice are used, which the
rules state; nothing here knows good play.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from yatzy_env.card import is_joker
from yatzy_env.envs.observation import compile_rows
from yatzy_env.kernel import kernel
from yatzy_env.rules import Ruleset
from yatzy_env.situation import Situations
from yatzy_env.tables import compile_tables


@lru_cache(maxsize=64)
def throw_chances(rules: Ruleset) -> NDArray[np.float64]:
    """The chance of every roll from every keep. Worked out once per ruleset and process.

    Args:
        rules: the ruleset.

    Returns:
        (K, R) float64, read-only; rows add up to 1.
    """
    tables = compile_tables(rules)
    chances = np.zeros((tables.keeps + tables.rolls, tables.rolls))
    chances[tables.keeps :] = np.eye(tables.rolls)
    for keep in reversed(range(tables.keeps)):
        chances[keep] = chances[tables.add[keep]].mean(axis=0)
    chances.flags.writeable = False
    return chances[: tables.keeps]


class OtherThrows:
    """Draws throws that a decision could have met, as observations."""

    def __init__(self, rules: Ruleset, throws: int) -> None:
        """Prepares the distribution of every keep.

        Args:
            rules: the ruleset.
            throws: how many throws are drawn per decision.
        """
        self.throws = throws
        self._tables = compile_tables(rules)
        self._rows = compile_rows(rules)
        self._below = np.cumsum(throw_chances(rules), axis=1).astype(np.float32)
        self._below[:, -1] = 2.0  # rounding may leave the sum a little short of 1

    def observations(
        self,
        shown: NDArray[np.float32],
        situations: Situations,
        actions: NDArray[np.int64],
        noise: NDArray[np.float32],
    ) -> NDArray[np.float32]:
        """Observations after other throws of the same dice.

        Args:
            shown: (n, D) observations after the throws that came.
            situations: those n situations; only the dice are not looked at.
            actions: (n,) the actions that led there. A box is followed by a throw of all dice.
            noise: (n,) uniform numbers in [0, 1).

        Returns:
            (n, throws, D) float32.
        """
        out = np.empty((len(shown), self.throws, shown.shape[1]), np.float32)
        _throw_again(self._tables, self._rows, self._below, shown, situations.filled, actions, noise, out)
        return out


@lru_cache(maxsize=64)
def other_throws(rules: Ruleset, throws: int) -> OtherThrows:
    """`OtherThrows` of a ruleset, prepared once per process."""
    return OtherThrows(rules, throws)


@kernel
def _throw_again(tables, rows, below, shown, filled, actions, noise, out):
    throws = out.shape[1]
    for env in range(out.shape[0]):
        keep = actions[env] if actions[env] < tables.keeps else 0
        is_open = tables.card.all_boxes & ~filled[env]
        roll = 0
        for index in range(throws):
            while below[keep, roll] <= (index + noise[env]) / throws:
                roll += 1
            row = out[env, index]
            row[:] = shown[env]
            for entry in range(rows.throws_at):
                row[entry] = rows.dice[(1 + roll) * rows.dice_padded + entry]
            joker = 1 if is_joker(tables.card, filled[env], tables.alike[roll]) else 0
            for box in range(tables.card.boxes):
                if (is_open >> box) & 1:
                    row[rows.pays_at + box] = tables.share[joker, roll, box]
