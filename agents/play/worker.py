"""Work in the background while people play: one piece at a time, with progress."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from yatzy_env.errors import YatzyError

OnProgress = Callable[[float], None]

_NICENESS = 10  # the work gives way to the game that is being played beside it


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
                self._thread = threading.Thread(target=self._run, name="worker", daemon=True)
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
