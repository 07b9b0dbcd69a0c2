"""Solving a ruleset while people play: one piece of work at a time, in the background, with progress."""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from yatzy_env.errors import YatzyError
from yatzy_env.rules import Ruleset
from yatzy_env.solver import Solution, store
from yatzy_env.solver.chunks import default_threads
from yatzy_env.solver.layers import open_folder
from yatzy_env.solver.layout import lay_out
from yatzy_env.solver.pools import lay_out_pools
from yatzy_env.solver.saved import work_of
from yatzy_env.solver.saved_solve import solve_into
from yatzy_env.solver.sweep import sweep
from yatzy_env.solver.values import ValuesInMemory
from yatzy_env.tables import compile_tables

OnProgress = Callable[[float], None]

_SECONDS_PER_ROW = 3e-9  # processor time per card and multiset of dice, as `agents.session` reckons
_SECONDS_PER_SAVED_ROW = 1.2e-9
_NICENESS = 10  # the work gives way to the game that is being played beside it


def number_of_values(rules: Ruleset) -> int:
    """How many values the solution of a ruleset of one column holds; seconds of work with six dice."""
    tables = compile_tables(rules)
    cards = lay_out(tables)
    return int(lay_out_pools(tables, cards).numbers.sum()) if rules.saved_throws else cards.layout.size


def cost(rules: Ruleset, values: int) -> tuple[float, float]:
    """Roughly what solving a ruleset takes: seconds on this machine, and MB of disk.

    Args:
        rules: the ruleset.
        values: how many values its solution holds.
    """
    per_row = _SECONDS_PER_SAVED_ROW if rules.saved_throws else _SECONDS_PER_ROW
    return values * len(compile_tables(rules).size) * per_row / _threads(), 8 * values / 1e6


def solve_into_cache(rules: Ruleset, on_progress: OnProgress, threads: int | None = None) -> None:
    """Solves a ruleset and stores the solution where `solve` finds it.

    Args:
        rules: a ruleset of one column.
        on_progress: called with the share of the work that is done.
        threads: how many threads work; all but one core's if not given.

    Raises:
        YatzyError: if it cannot be solved or stored.
    """
    threads = threads or _threads()
    tables, path = compile_tables(rules), store.cache_file(rules)
    cards = lay_out(tables)
    wall, cpu = time.perf_counter(), time.process_time()
    if rules.saved_throws:
        pools = lay_out_pools(tables, cards)
        folder = open_folder(path, rules, pools.numbers.tolist())
        folder.prepare()
        work = [work_of(cards, pools, filled) for filled in range(tables.card.boxes + 1)]
        before = sum(work) - sum(work[filled] for filled in folder.open_layers)
        solve_into(folder, tables, cards, pools, threads, _share(on_progress, sum(work), before))
        return
    values = sweep(tables, cards, threads, _share(on_progress, len(cards.states)))
    in_memory = ValuesInMemory(tables, values, cards.reachable, cards.layout)
    times = {"cpu_seconds": time.process_time() - cpu, "seconds": time.perf_counter() - wall}
    Solution(rules, in_memory, **times, from_cache=False).save(path)


def _threads() -> int:
    return max(1, default_threads() - 1)


def _share(on_progress: OnProgress, total: int, before: int = 0) -> Callable[[int], None]:
    finished = before

    def done(count: int) -> None:
        nonlocal finished
        finished += count
        on_progress(finished / total)

    return done


@dataclass
class Job:
    """A piece of work. `state` is "waiting", "working", "done" or "failed"."""

    work: Callable[[OnProgress], None]
    state: str = "waiting"
    progress: float = 0.0
    message: str = ""

    def note(self, share: float) -> None:
        """Notes how much of the work is done."""
        self.progress = min(share, 1.0)

    @property
    def is_open(self) -> bool:
        """Whether it still has to be waited for."""
        return self.state in ("waiting", "working")


class Worker:
    """Does jobs one after the other in a thread of low priority, which ends with the program."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: dict[str, Job] = {}
        self._queue: deque[Job] = deque()
        self._thread: threading.Thread | None = None

    def start(self, name: str, work: Callable[[OnProgress], None]) -> Job:
        """Adds a job, unless one of that name is waiting or being done."""
        with self._lock:
            known = self._jobs.get(name)
            if known is not None and known.is_open:
                return known
            job = self._jobs[name] = Job(work)
            self._queue.append(job)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="solving", daemon=True)
                self._thread.start()
            return job

    def job(self, name: str) -> Job | None:
        """The last job of that name."""
        with self._lock:
            return self._jobs.get(name)

    def _run(self) -> None:
        with suppress(AttributeError, OSError):  # Linux counts a thread as a process here; elsewhere it stays as it is
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)
        while True:
            with self._lock:
                if not self._queue:
                    self._thread = None
                    return
                job = self._queue.popleft()
            job.state = "working"
            try:
                job.work(job.note)
            except (YatzyError, OSError, MemoryError) as error:
                job.message = str(error) or type(error).__name__
                job.state = "failed"
            else:
                job.progress = 1.0
                job.state = "done"
