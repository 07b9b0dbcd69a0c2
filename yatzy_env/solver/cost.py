"""What solving takes, reckoned before it is begun: the only place with figures about the speed of a machine."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

from yatzy_env.errors import SolutionError
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.solver.chunks import default_threads
from yatzy_env.solver.layout import lay_out
from yatzy_env.tables import compile_tables

# Processor time on an ordinary core of the 2020s.
_SECONDS_PER_ROW = 3e-9  # per card and multiset of dice
_SECONDS_PER_SAVED_ROW = 1.2e-9  # under saved throws, per card with its pool: one throw instead of a whole turn
SECONDS_PER_BOUND = 1e-6  # per value of a column and set of open boxes in `triple`


class SolveCost(NamedTuple):
    """Roughly what solving a ruleset takes.

    Attributes:
        seconds: wall-clock time on this machine, without compilation.
        disk_bytes: of the stored solution.
        memory_bytes: what values take in memory at the most; under saved throws, where they go to disk, two layers.
    """

    seconds: float
    disk_bytes: int
    memory_bytes: int


def solve_cost(rules: str | dict[str, Any] | Ruleset, *, threads: int | None = None) -> SolveCost:
    """Reckons what `solve` will take; under six dice counting the cards takes a second.

    Args:
        rules: a name of the catalogue, a dict of fields or a ruleset; of one column.
        threads: how many threads will work; one per core if not given.

    Returns:
        The cost.

    Raises:
        RulesetError: if there is no such ruleset or its fields do not fit.
        SolutionError: if the ruleset cannot be solved.
    """
    rules = ruleset(rules)
    check_solvable(rules)
    tables = compile_tables(rules)
    cards = lay_out(tables)
    values = held = cards.layout.size
    if rules.saved_throws:
        held = max(map(sum, pairwise(cards.numbers)))
    per_row = _SECONDS_PER_SAVED_ROW if rules.saved_throws else _SECONDS_PER_ROW
    seconds = values * len(tables.size) * per_row / (threads or default_threads())
    return SolveCost(seconds, 8 * values, 8 * held)


def can_solve(rules: Ruleset) -> bool:
    """Whether the exact solution of a ruleset is within reach: one column."""
    return len(rules.columns) == 1


def check_solvable(rules: Ruleset) -> None:
    """Refuses rulesets that have too many cards.

    Raises:
        SolutionError: if the ruleset has several columns.
    """
    if not can_solve(rules):
        raise SolutionError(
            f"ruleset {rules.name!r} cannot be solved exactly: {len(rules.columns)} columns have too many cards, one "
            "column can be solved; yatzy_env.solver.triple.interval bounds the optimum of several"
        )
