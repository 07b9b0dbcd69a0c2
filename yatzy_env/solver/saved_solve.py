"""Solves a ruleset with saved throws into a folder, going on where an earlier call was interrupted."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
import weakref
from collections.abc import Callable
from functools import cache as once
from pathlib import Path

import numpy as np

from yatzy_env.errors import SolutionError
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.solver.layers import LayerFolder, open_folder
from yatzy_env.solver.layout import Cards, lay_out
from yatzy_env.solver.progress import OnProgress, progress_bar
from yatzy_env.solver.saved import sweep_layer, work_of
from yatzy_env.solver.values import Values
from yatzy_env.tables import Tables, compile_tables

_WORTH_STATING = 10e6  # bytes; smaller solutions are written without a word


def solve_into(
    folder: LayerFolder,
    tables: Tables,
    cards: Cards,
    threads: int | None = None,
    done: Callable[[int], None] | None = None,
) -> bool:
    """Computes the layers that a prepared folder lacks, and says whether there were any.

    A layer that is finished stays whatever happens afterwards. One caller works in a folder at a time; another one
    waits, and takes what has been finished meanwhile. `done` is called now and then with the work done since, see
    `work_of`. A layer that cannot be read or written raises a SolutionError.
    """
    with folder.alone():
        lacking = folder.open_layers
        after = folder.read(lacking[0] + 1) if lacking and folder.layers else np.zeros(0)
        for filled in lacking:
            wall, cpu = time.perf_counter(), time.process_time()
            after = sweep_layer(tables, cards, filled, after, threads, done)
            folder.add(after, cpu_seconds=time.process_time() - cpu, seconds=time.perf_counter() - wall)
    return len(lacking) > 0


def open_values(path: str | Path, rules: Ruleset) -> tuple[Values, LayerFolder]:
    """Opens the folder of a finished solution; one that is damaged or of other rules raises a SolutionError."""
    tables = compile_tables(rules)
    cards = lay_out(tables)
    folder = open_folder(path, rules, cards.numbers)
    if folder.open_layers:
        raise SolutionError(f"{path} is not finished: {len(folder.open_layers)} of its layers are missing")
    return Values(tables, folder, cards.reachable, cards), folder


def solve_saved(
    rules: Ruleset, path: Path | None, progress: bool, threads: int | None, on_progress: OnProgress | None
) -> tuple[Values, LayerFolder, bool]:
    """Solves a ruleset with saved throws, as far as that has not been done.

    Args:
        rules: the ruleset.
        path: the folder for the values; a temporary one if None, removed with the values or when Python ends.
        progress: whether to state the size on stderr before the work starts, and to show a progress bar.
        threads: how many threads work.
        on_progress: called with the share of the work that is done, what was done before included.

    Returns:
        The values, the folder, and whether all of it was there before.

    Raises:
        SolutionError: if there is too little disk, or the folder is damaged or cannot be written.
    """
    tables = compile_tables(rules)
    cards = lay_out(tables)
    temporary = None
    if path is None:
        temporary = path = Path(tempfile.mkdtemp(prefix="yatzy-env-"))
    try:
        try:
            folder = open_folder(path, rules, cards.numbers)
        except SolutionError as error:
            raise SolutionError(f"{error}; delete the folder, or pass --no-cache (cache=False)") from error
        found = not folder.open_layers
        if not found:
            if progress and folder.missing_bytes > _WORTH_STATING:
                print(_statement(folder), file=sys.stderr, flush=True)  # noqa: T201
            folder.prepare()
            _compile_kernels()
            work = [work_of(cards, filled) for filled in range(tables.card.boxes + 1)]
            before = sum(work) - sum(work[filled] for filled in folder.open_layers)
            text = f"solving {rules.name}"
            with progress_bar(text, sum(work), before, shown=progress, on_progress=on_progress) as done:
                found = not solve_into(folder, tables, cards, threads, done)
        values = Values(tables, folder, cards.reachable, cards)
    except BaseException:
        if temporary is not None:
            shutil.rmtree(temporary, ignore_errors=True)
        raise
    if temporary is not None:
        weakref.finalize(values, shutil.rmtree, temporary, ignore_errors=True)
    return values, folder, found


def _statement(folder: LayerFolder) -> str:
    """How much disk the work will take, in one line."""
    finished = f"; {len(folder.layers)} of {len(folder.numbers)} layers are there already" if folder.layers else ""
    return f"solving {folder.rules.name}: {folder.missing_bytes / 1e6:,.1f} MB of disk in {folder.path}{finished}"


@once
def _compile_kernels() -> None:
    """Compiles the kernels, or loads them from numba's cache, on the smallest of games, so that times leave it out."""
    small = ruleset({"dice": 6, "throws": 2, "boxes": ["ones"], "bonus_threshold": 2, "saved_throws": True})
    tables = compile_tables(small)
    cards = lay_out(tables)
    sweep_layer(tables, cards, 0, np.zeros(cards.numbers[1]), threads=1)
