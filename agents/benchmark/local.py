"""Tasks on this machine: worker processes of one thread each."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path

from agents.benchmark.execute import execute
from agents.benchmark.tasks import Outcome, Task
from yatzy_env.errors import YatzyError

ONE_THREAD = {"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
"""The environment of a worker: sums in one order give the same figures on any number of cores."""

Done = Callable[[Task, Outcome], None]


def run_here(tasks: Sequence[Task], workers: int, scratch: Callable[[Task], Path], done: Done) -> dict[Task, str]:
    """Does tasks in worker processes, in their order.

    Args:
        tasks: the tasks.
        workers: how many at a time.
        scratch: gives each task its folder.
        done: called with every outcome as it arrives.

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
            waiting: dict[Future[Outcome], Task] = {pool.submit(execute, task, scratch(task)): task for task in tasks}
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
                        failed[task] = " ".join(f"{type(error).__name__}: {error}".split())
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
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
