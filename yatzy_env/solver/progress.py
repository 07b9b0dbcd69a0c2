"""Progress of work that takes long enough to be waited for: a bar on the terminal, and the share for whoever asks."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial

OnProgress = Callable[[float], None]
"""Called with the share of the work that is done, 0 to 1."""

_SHOW_AFTER = 1.0  # seconds; shorter work gets no progress bar


@contextmanager
def progress_bar(
    text: str, total: int, done_before: int = 0, *, shown: bool = True, on_progress: OnProgress | None = None
) -> Iterator[Callable[[int], None]]:
    """A progress bar that appears on a terminal's stderr once there is something to wait for.

    Args:
        text: what is being done.
        total: how much work there is.
        done_before: how much of it was done earlier.
        shown: whether the bar is to be seen at all.
        on_progress: called with the share that is done whenever it grows.

    Yields:
        A function to be called with the amount of work done since.
    """
    with ExitStack() as stack:
        start = time.perf_counter()
        worked = done_before
        advance: Callable[[float], None] | None = None

        def done(count: int) -> None:
            nonlocal worked, advance
            worked += count
            if on_progress is not None:
                on_progress(worked / total)
            if advance is not None:
                advance(count)
            elif shown and time.perf_counter() - start > _SHOW_AFTER:
                from rich.console import Console
                from rich.progress import Progress

                console = Console(stderr=True)
                bar = stack.enter_context(Progress(console=console, transient=True, disable=not console.is_terminal))
                advance = partial(bar.advance, bar.add_task(text, total=total, completed=worked))

        yield done
