"""An evaluation from names to figures, as the command line runs it: solve what is missing, make the agents, play."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache as once

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from agents.base import Agent
from agents.evaluation.provenance import provenance
from agents.evaluation.results import Evaluation, evaluate
from agents.registry import make_agent
from yatzy_env.errors import YatzyError
from yatzy_env.rules import Ruleset
from yatzy_env.solver import Solution, is_cached, solve
from yatzy_env.solver.layout import lay_out
from yatzy_env.solver.pools import lay_out_pools
from yatzy_env.tables import Tables, compile_tables

_SECONDS_PER_ROW = 3e-9
"""Processor time per card and multiset of dice, on an ordinary core of the 2020s."""

_SECONDS_PER_SAVED_ROW = 1.2e-9
"""The same under saved throws, per card with its pool: one throw of a turn instead of a whole turn."""


def measure(
    names: Sequence[str],
    rules: Ruleset,
    games: int,
    seed: int,
    command: str,
    *,
    trust: bool = False,
    cache: bool = True,
    console: Console | None = None,
) -> Evaluation:
    """Measures agents by their names.

    Args:
        names: what `agents.registry.make_agent` knows.
        rules: the ruleset.
        games: games per agent.
        seed: seed of the dice.
        command: the command line, for the record.
        trust: load models that are on no record.
        cache: whether the solution is read from the cache and kept there.
        console: where progress goes; stderr if None.

    Returns:
        The evaluation. Where the ruleset cannot be solved, it has no regret.

    Raises:
        YatzyError: in one line, for anything the caller can put right. Names are checked before anything is solved.
    """
    console = console if console is not None else Console(stderr=True)
    check_numbers(games, seed)
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise YatzyError(f"agent {', '.join(map(repr, twice))} is named twice")

    @once
    def solution() -> Solution:
        if can_solve(rules) and not (cache and is_cached(rules)):
            console.print(announcement(rules, cache), highlight=False, soft_wrap=True)
        return solve(rules, cache=cache)

    made = {
        name: make_agent(name, rules, solution, trust) for name in sorted(names, key=lambda name: name == "optimal")
    }
    agents = {name: made[name] for name in names}
    solved = solution() if can_solve(rules) else None
    evaluation = _play(agents, rules, games, seed, solved, command, console)
    for warning in evaluation.warnings:
        console.print(f"warning: {warning}", style="yellow", highlight=False, markup=False, soft_wrap=True)
    return evaluation


def can_solve(rules: Ruleset) -> bool:
    """Whether the exact solution of a ruleset is within reach: one column."""
    return len(rules.columns) == 1


def check_numbers(games: int, seed: int) -> None:
    """Checks the numbers of an evaluation before anything expensive begins.

    Raises:
        YatzyError: naming the one that is out of range.
    """
    for name, value, least in (("games", games, 1), ("seed", seed, 0)):
        if value < least:
            raise YatzyError(f"{name} = {value}; allowed: a whole number, {least} or more")


def announcement(rules: Ruleset, cache: bool) -> str:
    """What solving a ruleset will take, in one line."""
    tables = compile_tables(rules)
    cards = lay_out(tables)
    values = int(lay_out_pools(tables, cards).numbers.sum()) if rules.saved_throws else cards.layout.size
    seconds = _expected_seconds(tables, values)
    kept = f"{8 * values / 1e6:,.1f} MB of disk" if cache or rules.saved_throws else "nothing kept on disk"
    kept += " until it ends" if rules.saved_throws and not cache else ""
    return f"solving {rules.name}: about {_duration(seconds)}, {kept}; compiling first takes half a minute once"


def _expected_seconds(tables: Tables, values: int) -> float:
    per_row = _SECONDS_PER_SAVED_ROW if tables.saved_throws else _SECONDS_PER_ROW
    return values * len(tables.size) * per_row / (os.cpu_count() or 1)


def _duration(seconds: float) -> str:
    if seconds < 1:
        return "a second"
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} minutes"


def _play(
    agents: dict[str, Agent],
    rules: Ruleset,
    games: int,
    seed: int,
    solution: Solution | None,
    command: str,
    console: Console,
) -> Evaluation:
    """Plays all games behind progress bars, which only a terminal shows."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        bars = {name: progress.add_task(name, total=games) for name in agents}
        return evaluate(
            agents,
            rules,
            games,
            seed,
            solution,
            provenance(command),
            on_progress=lambda name, finished: progress.advance(bars[name], finished),
        )
