"""The work list from start to table: what has a result is not done again."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from agents.benchmark.protocol import Protocol
from agents.benchmark.summary import summarise_results, write_report
from agents.benchmark.tasks import Outcome, Task, read_result, save_outcome, work_list
from agents.benchmark.workers import check_ray, run_here, run_on_ray
from yatzy_env.errors import YatzyError
from yatzy_env.solver import can_solve, solve


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
        YatzyError: in one line, if tasks failed (the others are done and kept) or Ray cannot be used.
    """
    if ray is not None:
        check_ray()
    tasks = work_list(protocol, lambda name: can_solve(protocol.rules(name)))
    missing = [task for task in tasks if read_result(task, root) is None]
    folder = root / protocol.digest[:12]
    console.print(f"{folder}: {len(tasks) - len(missing)} of {len(tasks)} tasks have a result", highlight=False)
    if missing:
        for name in dict.fromkeys(task.ruleset for task in missing):
            if can_solve(protocol.rules(name)):
                solve(protocol.rules(name), progress=False)  # once here, from the cache in every worker
        _do(missing, len(tasks), root, console, workers, ray)
    results = {task: result for task in tasks if (result := read_result(task, root)) is not None}
    summary = summarise_results(protocol, results)
    report = folder / ("report-" + "-".join([*protocol.rulesets, f"{protocol.seeds}-seeds"]))
    write_report(summary, report)
    return summary, report


def _do(tasks: Sequence[Task], total: int, root: Path, console: Console, workers: int, ray: str | None) -> None:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        bar = progress.add_task("tasks", total=total, completed=total - len(tasks))

        def done(task: Task, outcome: Outcome) -> None:
            save_outcome(task, outcome, root)
            shutil.rmtree(_scratch(task, root), ignore_errors=True)
            progress.advance(bar)
            console.print(_line(task, outcome), highlight=False, soft_wrap=True)

        if ray is not None:
            failed = run_on_ray(tasks, workers, ray, done)
        else:
            failed = run_here(tasks, workers, lambda task: _scratch(task, root), done)
    if failed:
        task, problem = next(iter(failed.items()))
        raise YatzyError(
            f"{len(failed)} of {len(tasks)} tasks failed, the first: {task.algorithm} on {task.ruleset}, "
            f"seed {task.seed}: {problem}"
        )


def _scratch(task: Task, root: Path) -> Path:
    return task.result_file(root).with_suffix(".unfinished")


def _line(task: Task, outcome: Outcome) -> str:
    final, timing = outcome.result["final"], outcome.result["timing"]
    name = f"{task.ruleset} {task.algorithm}" + (f" seed {task.seed}" if task.trains else "")
    percent = final["percent_of_optimum"]
    reached = f"{percent:.2f} % of the optimum" if percent is not None else f"score {final['mean_score']:.1f}"
    speed = f", {timing['steps_per_cpu_second']:,} steps per CPU second" if "steps_per_cpu_second" in timing else ""
    return f"{name}: {reached} in {timing['seconds']:.0f} s{speed}"
