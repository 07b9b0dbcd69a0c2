"""An evaluation from names to figures, as the command line runs it: solve what is missing, make the agents, play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache as once

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from agents.registry import make_agent
from yatzy_env.agent import Agent
from yatzy_env.errors import SolutionError, YatzyError
from yatzy_env.evaluation.exact import check_agent, exact_score
from yatzy_env.evaluation.provenance import provenance
from yatzy_env.evaluation.results import Evaluation, evaluate
from yatzy_env.evaluation.statistics import deviates
from yatzy_env.rules import Ruleset
from yatzy_env.solver import Solution, is_cached, solve, solve_cost
from yatzy_env.solver.triple import Interval, interval

_TOO_FAR = 4.5
"""Standard errors by which games may differ from an exact score; more happens by chance once in 100,000 evaluations."""


def measure(
    names: Sequence[str],
    rules: Ruleset,
    games: int,
    seed: int,
    command: str,
    *,
    trust: bool = False,
    cache: bool = True,
    exact: bool = False,
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
        exact: compute the exact score of every agent too; see `yatzy_env.evaluation.exact`.
        console: where progress goes; stderr if None.

    Returns:
        The evaluation. Where the ruleset cannot be solved, it has no regret, but the certified interval of the optimum.

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

    made = {}
    for name in sorted(names, key=lambda name: name == "optimal"):
        made[name] = make_agent(name, rules, solution, trust)
        if exact:
            check_agent(made[name], rules, name)
    agents = {name: made[name] for name in names}
    solved = solution() if can_solve(rules) else None
    bounds = None if solved is not None else _bounds(rules, cache, console)
    evaluation = _play(agents, rules, games, seed, solved, bounds, command, console)
    notices = tuple(notice for agent in agents.values() if (notice := getattr(agent, "notice", "")))
    evaluation = replace(evaluation, warnings=(*notices, *evaluation.warnings))
    if exact:
        evaluation = _with_exact_scores(evaluation, agents, cache, console)
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
    cost = solve_cost(rules)
    kept = f"{cost.disk_bytes / 1e6:,.1f} MB of disk" if cache or rules.saved_throws else "nothing kept on disk"
    kept += " until it ends" if rules.saved_throws and not cache else ""
    return f"solving {rules.name}: about {_duration(cost.seconds)}, {kept}; compiling first takes half a minute once"


def _duration(seconds: float) -> str:
    if seconds < 1:
        return "a second"
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} minutes"


def _with_exact_scores(evaluation: Evaluation, agents: dict[str, Agent], cache: bool, console: Console) -> Evaluation:
    """The evaluation with the exact score of every agent; one that the games contradict is among its warnings."""

    def say(line: str) -> None:
        console.print(line, highlight=False, markup=False, soft_wrap=True)

    results, warnings = [], list(evaluation.warnings)
    for result, match in zip(evaluation.results, evaluation.matches, strict=True):
        exact = exact_score(agents[result.agent], evaluation.rules, name=result.agent, cache=cache, say=say)
        say(exact.summary())
        results.append(replace(result, exact_score=exact.expected_score))
        if match.optimum is not None and deviates(match.optimum - match.game_regret - exact.expected_score, _TOO_FAR):
            warnings.append(
                f"agent {result.agent!r}: the exact score {exact.expected_score:.4f} is more than {_TOO_FAR:g} "
                f"standard errors from the {result.expected_score:.4f} that {match.games} games say"
            )
    return replace(evaluation, results=tuple(results), warnings=tuple(warnings))


def _bounds(rules: Ruleset, cache: bool, console: Console) -> Interval | None:
    """The interval of a ruleset of several columns; it says itself how long it takes. None where it has none."""
    try:
        return interval(rules, cache=cache)
    except SolutionError as error:
        console.print(f"warning: {error}", style="yellow", highlight=False, markup=False, soft_wrap=True)
        return None


def _play(
    agents: dict[str, Agent],
    rules: Ruleset,
    games: int,
    seed: int,
    solution: Solution | None,
    bounds: Interval | None,
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
            bounds=bounds,
        )
