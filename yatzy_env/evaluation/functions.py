"""Functions of observations and masks as agents, the way learning libraries have their policies."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy_env.agent import Agent, checked_actions
from yatzy_env.envs.observation import observe
from yatzy_env.errors import YatzyError
from yatzy_env.games import action_masks
from yatzy_env.rules import Ruleset
from yatzy_env.situation import Situations
from yatzy_env.tables import compile_tables


class FunctionAgent:
    """Plays by `function(observations, masks)`, or by `function(observations, masks, rng)` where it draws.

    One that draws is asked about one decision at a time, n = 1, with a generator of its own: `numpy.random.default_rng`
    seeded by the 53 bits of the decision's noise, a hash of seed, game, turn and throw. So a game is the same whatever
    else is played.

    It sees observations only; one that does not draw is taken to answer always alike. Both are declared, so that it can
    be evaluated exactly.

    Args:
        function: takes observations (n, D) float32 and masks (n, actions) int8, returns (n,) whole
            numbers. It gets a generator if a third argument is needed, or one is called `rng`.
        rules: the ruleset it plays.
        name: what to call it instead of its own name.
    """

    merges_upper = True
    digest: str | None = None  # of what it plays by, if somebody knows it: exact evaluations are kept under it

    def __init__(self, function: Callable[..., Any], rules: Ruleset, name: str | None = None) -> None:
        self.name = str(name or getattr(function, "__name__", type(function).__name__))
        self._function, self._draws = function, _draws(function)
        self._by_name = self._draws and "rng" in inspect.signature(function).parameters
        self._tables = compile_tables(rules)

    @property
    def deterministic(self) -> bool:
        """Whether it does without a generator."""
        return not self._draws

    def act(self, situations: Situations, noise: NDArray[np.float64]) -> NDArray[np.int64]:
        """The function's actions; whether they are legal is not looked at here."""
        observations, masks = observe(self._tables, situations), action_masks(self._tables, situations)
        if not self._draws:
            return checked_actions(self._function(observations, masks), self.name, len(noise))
        actions = np.empty(len(noise), np.int64)
        for row, bits in enumerate((noise * 2.0**53).astype(np.int64).tolist()):
            one = slice(row, row + 1)
            rng = np.random.default_rng(bits)
            more, named = ((), {"rng": rng}) if self._by_name else ((rng,), {})
            answer = self._function(observations[one], masks[one], *more, **named)
            actions[one] = checked_actions(answer, self.name, 1)
        return actions


def _draws(function: Callable[..., Any]) -> bool:
    """Whether a function wants a generator."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # not everything that is compiled can say
        return False
    try:
        signature.bind(None, None)
    except TypeError:
        return True
    return "rng" in signature.parameters


def as_agent(agent: Agent | Callable[..., Any], rules: Ruleset, name: str | None = None) -> Agent:
    """An agent from an agent or a function.

    Raises:
        YatzyError: if it is neither.
    """
    if isinstance(agent, Agent) and not isinstance(agent, type):
        return agent
    if callable(agent) and not isinstance(agent, type):
        return FunctionAgent(agent, rules, name)
    raise YatzyError(
        f"agent = {agent!r}; allowed: an object with name and act(situations, noise), or a function of observations "
        "and masks"
    )
