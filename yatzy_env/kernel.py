"""Compiled functions with a disk cache that knows its sources.

numba's own cache looks only at the file a function stands in. A kernel that has inlined a function of another file
would keep the old one after an edit there, silently. Here a module's kernels are cached in a folder named after a
digest of all the project's sources behind it, so that any edit compiles what it touches and nothing else.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from numba import config as numba_config
from numba import njit
from platformdirs import user_cache_dir

config: Any = numba_config  # numba sets its settings at run time, type checkers do not know them

_IMPORT = re.compile(r"^(?:from|import) ((?:yatzy_env|agents)[\w.]*)", re.MULTILINE)


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compiles a function with numba in nopython mode, cached on disk; use it, with its options, like `numba.njit`."""

    def decorate(plain: Callable[..., Any]) -> Any:
        before = config.CACHE_DIR
        if not before:  # NUMBA_CACHE_DIR is the user's choice and stays
            config.CACHE_DIR = str(_cache_folder(plain.__module__))
        try:
            return njit(cache=True, **options)(plain)
        finally:
            config.CACHE_DIR = before

    return decorate if function is None else decorate(function)


@lru_cache(maxsize=64)
def _cache_folder(module: str) -> Path:
    """The folder for a module's kernels; those of its earlier sources are removed from the package's own cache."""
    digest = hashlib.sha256()
    for name in sorted(_modules_behind(module)):
        digest.update(_source(name).encode())
    folder = f"{module}-{digest.hexdigest()[:12]}"
    parent = Path(__file__).parent / "__pycache__" / "kernels"
    with suppress(OSError):
        parent.mkdir(parents=True, exist_ok=True)
    if not os.access(parent, os.W_OK):
        return Path(user_cache_dir("yatzy-env")) / "kernels" / folder
    for old in parent.glob(f"{module}-*"):
        if old.name != folder:
            shutil.rmtree(old, ignore_errors=True)
    return parent / folder


def _modules_behind(module: str) -> set[str]:
    """A module and all modules of the project that it imports, directly or through others.

    It is asked while the module is being imported; what its kernels call has been imported above them by then.
    """
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in found and name in sys.modules:
            found.add(name)
            waiting += _IMPORT.findall(_source(name))
    return found


@lru_cache(maxsize=256)
def _source(module: str) -> str:
    file = getattr(sys.modules[module], "__file__", None)
    return Path(file).read_text(encoding="utf-8") if file else ""
