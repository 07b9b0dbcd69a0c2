"""Compiled functions with a disk cache that knows its sources.

numba's own cache looks only at the file a function stands in. A kernel that has inlined a function of another file
would keep the old one after an edit there, silently. Here a module's kernels are cached in a folder named after a
digest of all the project's sources behind it, so that any edit compiles what it touches and nothing else.

The cache is a convenience. Kernels are read from each of these folders and written to the first that takes them: the
user's choice NUMBA_CACHE_DIR alone, else the package, the user's cache; then a folder of the user among the temporary
ones. A file that cannot be read, or does not match its digest, is as good as none.

What is not in the cache is compiled when it is first called, half a minute for an environment. The first such call of a
process says so through the logger `yatzy_env`, which Python writes to stderr unless told otherwise.
"""

from __future__ import annotations

import hashlib
import logging
import os
import pickle
import re
import secrets
import shutil
import stat
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from numba import __version__ as numba_version
from numba import config as numba_config
from numba import njit
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps
from platformdirs import user_cache_dir

config: Any = numba_config  # numba sets its settings at run time, type checkers do not know them

if config.DISABLE_JIT:
    warnings.warn("NUMBA_DISABLE_JIT is not heeded: yatzy_env needs compiled kernels", RuntimeWarning, stacklevel=2)
    config.DISABLE_JIT = 0

_IMPORT = re.compile(r"^(?:from|import) ((?:yatzy_env|agents)[\w.]*)", re.MULTILINE)
_DIGEST = 32  # bytes, before the kernel in its file


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Compiles a function with numba in nopython mode, cached on disk; use it, with its options, like `numba.njit`."""

    def decorate(plain: Callable[..., Any]) -> Any:
        compiled = njit(**options)(plain)
        compiled._cache = _Cache(plain)
        return compiled

    return decorate if function is None else decorate(function)


class _Cache(NullCache):
    """What numba asks for a function's kernels, a file for each signature and processor."""

    def __init__(self, plain: Callable[..., Any]) -> None:
        self._plain = plain
        self._folders = _cache_folders(plain.__module__)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        name = self._name(sig, target_context.codegen())
        for folder in _trusted(self._folders):
            with suppress(Exception):  # whatever is wrong with it: the kernel is compiled anew
                content = (folder / name).read_bytes()
                if hashlib.sha256(content[_DIGEST:]).digest() == content[:_DIGEST]:
                    return CompileResult._rebuild(target_context, *pickle.loads(content[_DIGEST:]))
        _say_once()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        if data.library.has_dynamic_globals or any(not lifted.can_cache for lifted in data.lifted):
            return  # holds addresses of this process
        content = dumps(data._reduce())
        content = hashlib.sha256(content).digest() + content
        name = self._name(sig, data.codegen)
        if not any(_write(folder / name, content) for folder in _trusted(self._folders, make=True)):
            _warn_once()

    def _name(self, sig: Any, codegen: Any) -> str:
        code, closure = self._plain.__code__, self._plain.__closure__ or ()
        cells = dumps(tuple(cell.cell_contents for cell in closure))
        key = (str(sig), codegen.magic_tuple(), numba_version, sys.version, code.co_code, cells)
        place = f"{self._plain.__qualname__.replace('<', '').replace('>', '')}-{code.co_firstlineno}"
        return f"{place}-{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}.kernel"


def _write(path: Path, content: bytes) -> bool:
    """Whether a file could be written, whole or not at all."""
    part = path.with_name(f"{secrets.token_hex(8)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(content)
        part.replace(path)
    except OSError:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        return False
    return True


@cache
def _say_once() -> None:
    logging.getLogger("yatzy_env").warning(
        "yatzy_env: compiling what is used for the first time (an environment: half a minute); it is cached"
    )


@cache
def _warn_once() -> None:
    text = "compiled kernels cannot be kept, so each start compiles them anew; NUMBA_CACHE_DIR names a folder for them"
    warnings.warn(text, RuntimeWarning, stacklevel=2)


@lru_cache(maxsize=64)
def _cache_folders(module: str) -> tuple[Path, ...]:
    """The folders for a module's kernels; those of its earlier sources are removed from the package's own cache."""
    digest = hashlib.sha256()
    for name in sorted(_modules_behind(module)):
        digest.update(_source(name).encode())
    folder = f"{module}-{digest.hexdigest()[:12]}"
    package = Path(__file__).parent / "__pycache__" / "kernels"
    for old in package.glob(f"{module}-*"):
        if old.name != folder:
            shutil.rmtree(old, ignore_errors=True)
    parents = [package, Path(user_cache_dir("yatzy-env")) / "kernels"]
    if config.CACHE_DIR:
        parents = [Path(config.CACHE_DIR).absolute()]
    parents.append(Path(tempfile.gettempdir()) / f"yatzy-env-{_user()}")
    return tuple(parent / folder for parent in parents if parent.is_absolute())  # "~/.cache" for who has no home


def _trusted(folders: tuple[Path, ...], make: bool = False) -> Iterator[Path]:
    """The folders; the last one, among the temporary ones, only if nobody else can have put kernels there to be run.

    It is only made if it is asked for.
    """
    *others, temporary = folders
    yield from others
    with suppress(OSError):
        if make:
            temporary.parent.mkdir(mode=0o700, exist_ok=True)
        found = temporary.parent.lstat()
        ours = stat.S_ISDIR(found.st_mode) and found.st_uid == _user() and not found.st_mode & 0o22
        if ours or os.name == "nt":
            yield temporary


def _user() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0


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
