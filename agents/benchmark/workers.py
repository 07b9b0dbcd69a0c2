"""Who does the tasks: worker processes of this machine, of one thread each, or a Ray cluster.

Every node of a cluster needs this checkout and its environment. Its workers share no folder with the driver: they send
back results and networks, and the driver writes them. A task that was cut off there starts again from its beginning.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from agents.benchmark.execute import execute
from agents.benchmark.tasks import Task
from yatzy_env.errors import YatzyError, folded

LOCAL = "local"
"""The address that starts a Ray here."""

ONE_THREAD = {"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
"""The environment of a worker: sums in one order give the same figures on any number of cores."""

Done = Callable[[Task, dict[str, Any]], None]


def run_here(tasks: Sequence[Task], workers: int, done: Done) -> dict[Task, str]:
    """Does tasks in worker processes, in their order; `done` takes the results.

    Returns:
        What went wrong, in one line, by task; the others are done all the same.

    Raises:
        YatzyError: if a worker process is killed from outside.
    """
    failed: dict[Task, str] = {}
    with _environment(ONE_THREAD):
        pool = ProcessPoolExecutor(
            min(workers, max(len(tasks), 1)), multiprocessing.get_context("spawn"), initializer=_start_worker
        )
        others = set(multiprocessing.active_children())
        try:
            waiting: dict[Future[dict[str, Any]], Task] = {pool.submit(execute, task): task for task in tasks}
            while waiting:
                for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                    task = waiting.pop(future)
                    try:
                        done(task, future.result())
                    except BrokenProcessPool as error:
                        raise YatzyError(
                            "a worker process was killed, perhaps for want of memory; the same command goes on"
                        ) from error
                    except Exception as error:  # noqa: BLE001, one failed task must not stop the others
                        failed[task] = folded(f"{type(error).__name__}: {error}")
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in set(multiprocessing.active_children()) - others:
                process.terminate()
            raise
        pool.shutdown()
    return failed


def _start_worker() -> None:
    """Ctrl-C ends a worker at once, and so does the end of the process that started it, however that came about."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    parent = multiprocessing.parent_process()

    def follow() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    """Environment variables for processes started meanwhile."""
    before = {name: os.environ[name] for name in values if name in os.environ}
    os.environ.update(values)
    try:
        yield
    finally:
        for name in values:
            del os.environ[name]
        os.environ.update(before)


def check_ray() -> None:
    """Checks that Ray is there before anything else begins.

    Raises:
        YatzyError: if it is not installed.
    """
    try:
        import ray  # noqa: F401
    except ImportError as error:
        raise YatzyError(
            "--ray needs Ray: python -m pip install --constraint constraints.txt --group cluster"
        ) from error


def run_on_ray(tasks: Sequence[Task], workers: int, address: str, done: Done) -> dict[Task, str]:
    """Does tasks as Ray tasks of one processor each, on the cluster at an address or `workers` at a time on one here.

    Returns:
        What went wrong, in one line, by task.

    Raises:
        YatzyError: if there is no cluster at the address.
    """
    import ray

    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    where: dict[str, Any] = {"address": address}
    if address == LOCAL:
        where |= {"num_cpus": workers, "include_dashboard": False}
    try:
        ray.init(**where, log_to_driver=False, logging_level=logging.ERROR, runtime_env={"env_vars": ONE_THREAD})
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise YatzyError(f"--ray {address}: {folded(error)}") from error
    failed: dict[Task, str] = {}
    try:
        remote = ray.remote(num_cpus=1, max_retries=2)(execute)
        waiting = {remote.remote(task): task for task in tasks}
        while waiting:
            for reference in ray.wait(list(waiting))[0]:
                task = waiting.pop(reference)
                try:
                    result: dict[str, Any] = ray.get(reference)
                except ray.exceptions.RayError as error:
                    failed[task] = str(error).strip().splitlines()[-1]
                else:
                    done(task, result)
    finally:
        ray.shutdown()
    return failed
