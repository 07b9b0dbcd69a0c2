"""An agent measured in one call, its ruleset solved first where need be."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from rich.console import Console

from yatzy_env.agent import Agent
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.functions import as_agent
from yatzy_env.evaluation.matches import CardValues, check_numbers
from yatzy_env.evaluation.results import AgentResult, measure
from yatzy_env.evaluation.statistics import scipy_stats
from yatzy_env.rules import Ruleset
from yatzy_env.rules import ruleset as find_ruleset
from yatzy_env.solver import Solution, can_solve, is_cached, solve, solve_cost


def evaluate(
    agent: Agent | Callable[..., Any],
    ruleset: str | dict[str, Any] | Ruleset = "yatzy",
    games: int = 1000,
    seed: int = 1,
    *,
    solution: Solution | bool | None = None,
    card_values: CardValues | None = None,
    name: str | None = None,
    progress: bool = True,
) -> AgentResult:
    """Lets an agent play and measures it against the exact optimum of its ruleset.

    Every decision is compared with the best one by the exact solution; what it gives away is its regret. The optimum
    minus the mean regret is the agent's expected score, many times sharper than its mean score. The solution is read
    from the cache, or solved and kept there, saying first what that takes.

        >>> import yatzy_env
        >>> def first_legal(observations, masks):  # throws all dice again, then fills the first open box
        ...     return masks.argmax(axis=1)
        >>> result = yatzy_env.evaluate(first_legal, "forced", games=100, seed=1)
        >>> print(f"{result.percent_of_optimum:.2f} % of {result.optimum:.2f}")
        36.30 % of 150.22

    Args:
        agent: an `Agent` made for this ruleset; or a function `(observations, masks) -> actions` of observations
            (n, D) float32 and masks (n, actions) int8, which returns (n,) whole numbers; or one that draws,
            `(observations, masks, rng) -> actions`. That one is asked about one decision at a time (n = 1), with a
            `numpy.random.Generator` seeded by a hash of seed, game, turn and throw, so that a game does not depend on
            what else is played.
        ruleset: a name of the catalogue, a dict of fields or a Ruleset.
        games: how many games.
        seed: seed of the dice, not negative; every agent meets the same dice under the same seed.
        solution: the exact solution, if it is at hand; False measures scores alone.
        card_values: what score cards are worth, n `yatzy_env.turn.Cards` to (n,) float64 and 0 for full ones, in place
            of a solution. Luck is then measured by turns planned with these values. Its mean is zero however good they
            are, so `luck_adjusted_score` is the mean score with less noise, and an estimate like it.
        name: what to call the agent instead of its own name.
        progress: say what solving takes, and show progress on a terminal.

    Returns:
        The result; printed, it is a short table. Rulesets of several columns cannot be solved and have scores alone.

    Raises:
        RulesetError: for an unknown or invalid ruleset.
        IllegalActionError: if the agent plays an illegal action, naming agent, action and situation, or if it does not
            return one whole number per situation.
        YatzyError: for any other argument that is wrong, and where scipy is missing, which the extra `evaluate` brings.
        MeasurementError: if score, luck and regret of a game do not add up.
    """
    scipy_stats()  # where it is missing, nothing is solved and played in vain
    rules = find_ruleset(ruleset)
    check_numbers(games, seed)
    player = as_agent(agent, rules, name)
    if card_values is not None and not callable(card_values):
        raise YatzyError(f"card_values = {card_values!r}; allowed: None or a function of score cards")
    if solution is None and card_values is not None:
        solved = None
    elif solution is None:
        solved = announced_solution(rules, progress=progress) if can_solve(rules) else None
    elif solution is False or isinstance(solution, Solution):
        solved = solution or None
    else:
        raise YatzyError(f"solution = {solution!r}; allowed: None, False or a Solution")
    found = measure(
        {name or player.name: player}, rules, games, seed, solved, card_values=card_values, progress=progress
    )
    for warning in found.warnings:
        warnings.warn(warning, RuntimeWarning, stacklevel=2)
    return found.results[0]


def announced_solution(rules: Ruleset, cache: bool = True, progress: bool = True) -> Solution:
    """Reads or solves a ruleset; what solving will take is said on stderr before it begins.

    Raises:
        SolutionError: as `solve` does.
    """
    if progress and can_solve(rules) and not (cache and is_cached(rules)):
        Console(stderr=True).print(announcement(rules, cache), highlight=False, soft_wrap=True)
    return solve(rules, cache=cache, progress=progress)


def announcement(rules: Ruleset, cache: bool) -> str:
    """What solving a ruleset will take, in one line."""
    cost = solve_cost(rules)
    kept = f"{cost.disk_bytes / 1e6:,.1f} MB of disk" if cache or rules.saved_throws else "nothing kept on disk"
    kept += " until it ends" if rules.saved_throws and not cache else ""
    return f"solving {rules.name}: about {_duration(cost.seconds)}, {kept}; compiling first takes half a minute once"


def _duration(seconds: float) -> str:
    if seconds < 1:
        return "a second"
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} minutes"
