"""Work in chunks on several threads.

The kernels that do the work release Python's lock, so plain threads serve. Unlike numba's own parallel loops they need
no threading layer, which would break in processes that fork later, and no second compilation. Chunks never share what
they write, so results do not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed

import numpy as np
from numpy.typing import NDArray

from yatzy_env.kernel import config


def default_threads() -> int:
    """One thread per core that this process may use; the environment variable NUMBA_NUM_THREADS sets another number."""
    return int(config.NUMBA_NUM_THREADS)


def in_chunks(
    work: Callable[[int, int], None],
    size: int,
    chunk: int,
    threads: int | None = None,
    done: Callable[[int], None] | None = None,
) -> None:
    """Calls `work(start, stop)` for consecutive chunks of range(size).

    Args:
        work: called once per chunk, several at a time.
        size: how many items there are.
        chunk: how many of them make a chunk.
        threads: how many threads; `default_threads()` if not given.
        done: called in this thread with the size of each finished chunk.
    """
    pieces = [(start, min(start + chunk, size)) for start in range(0, size, chunk)]
    threads = min(threads or default_threads(), len(pieces))
    if threads <= 1:
        for start, stop in pieces:
            work(start, stop)
            if done:
                done(stop - start)
        return
    pool = ThreadPoolExecutor(threads)
    try:
        waiting = {pool.submit(work, *piece): piece for piece in pieces}
        for future in as_completed(waiting):
            future.result()
            if done:
                start, stop = waiting[future]
                done(stop - start)
    finally:
        pool.shutdown(cancel_futures=True)  # after an error or Ctrl-C nothing more is started


def for_states(
    work: Callable[[NDArray[np.int64]], None],
    states: NDArray[np.int64],
    chunk: int,
    threads: int | None = None,
    done: Callable[[int], None] | None = None,
) -> None:
    """Calls `work` with the states of a layer, a chunk at a time; the other arguments are those of `in_chunks`."""
    in_chunks(lambda start, stop: work(states[start:stop]), len(states), chunk, threads, done)
