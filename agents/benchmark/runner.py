"""The work list from start to table: what has a result is not done again."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from agents.benchmark.protocol import Protocol
from agents.benchmark.summary import summarise_results
from agents.benchmark.tables import write_report
from agents.benchmark.tasks import Task, read_result, work_list
from agents.benchmark.workers import check_ray, run_here, run_on_ray
from agents.registry import find_function
from yatzy_env.errors import YatzyError
from yatzy_env.files import write_record
from yatzy_env.solver import solve


def run_protocol(
    protocol: Protocol, root: Path, console: Console, workers: int = 2, ray: str | None = None
) -> tuple[dict[str, Any], Path]:
    """Does all tasks of a protocol that have no result yet, and writes the report.

    Args:
        protocol: the protocol.
        root: the folder of all benchmarks.
        console: where progress goes.
        workers: how many tasks at a time, on this machine or on a Ray started here.
        ray: address of a Ray cluster, or `workers.LOCAL`; None runs processes of this machine.

    Returns:
        The summary, and the folder of the report.

    Raises:
        YatzyError: in one line, if an algorithm cannot be found or called, if tasks failed (the others are done and
            kept) or if Ray cannot be used.
    """
    check_algorithms(protocol)
    if ray is not None:
        check_ray()
    tasks = work_list(protocol)
    missing = [task for task in tasks if read_result(task, root) is None]
    folder = root / protocol.digest[:12]
    console.print(f"{folder}: {len(tasks) - len(missing)} of {len(tasks)} tasks have a result", highlight=False)
    if missing:
        for name in dict.fromkeys(task.ruleset for task in missing):
            solve(protocol.rules(name), progress=False)  # once here, from the cache in every worker
        _do(missing, len(tasks), root, console, workers, ray)
    results = {task: result for task in tasks if (result := read_result(task, root)) is not None}
    summary = summarise_results(protocol, results)
    report = folder / ("report-" + "-".join([*protocol.rulesets, f"{protocol.seeds}-seeds"]))
    write_report(summary, report)
    return summary, report


def check_algorithms(protocol: Protocol) -> None:
    """Checks that every algorithm is there and takes its settings, before anything else begins.

    Raises:
        YatzyError: in one line, if not.
    """
    for name, settings in protocol.algorithms.items():
        train = find_function(settings.kind, f"algorithms.{name}.kind")
        try:
            inspect.signature(train).bind("make_env", "rules", "steps", "seed", "report", **settings.settings)
        except TypeError as error:
            raise YatzyError(
                f"algorithms.{name}: {settings.kind} is called with make_env, rules, steps, seed, report and the "
                f"settings: {error}"
            ) from error


def _do(tasks: Sequence[Task], total: int, root: Path, console: Console, workers: int, ray: str | None) -> None:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        bar = progress.add_task("tasks", total=total, completed=total - len(tasks))

        def done(task: Task, result: dict[str, Any]) -> None:
            write_record(task.result_file(root), result, indent=1)
            progress.advance(bar)
            console.print(_line(task, result), highlight=False, soft_wrap=True)

        failed = run_here(tasks, workers, done) if ray is None else run_on_ray(tasks, workers, ray, done)
    if failed:
        task, problem = next(iter(failed.items()))
        raise YatzyError(
            f"{len(failed)} of {len(tasks)} tasks failed, the first: {task.algorithm} on {task.ruleset}, "
            f"seed {task.seed}: {problem}"
        )


def _line(task: Task, result: dict[str, Any]) -> str:
    name = f"{task.ruleset} {task.algorithm}" + (f" seed {task.seed}" if task.trains else "")
    reached = ", ".join(
        f"{agent} {figures['percent_of_optimum']:.2f} %".strip()
        for agent, found in result["agents"].items()
        for figures in list(found["after"].values())[-1:]
    )
    timing = result["timing"]
    return f"{name}: {reached} of the optimum, {timing['steps']:,} decisions in {timing['minutes']:.1f} CPU minutes"
