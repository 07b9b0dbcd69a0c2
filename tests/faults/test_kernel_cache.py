"""The kernel cache is a convenience: no state of it stops a start or brings an old kernel back."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

import yatzy_env.games  # noqa: F401, its kernels inline those of the card
from yatzy_env import kernel

ROOT = Path(__file__).parents[2]
PROGRAM = """
import os
from yatzy_env import kernel
exec(os.environ["BEFORE"])
@kernel.kernel
def add_one(number):
    return number + 1
print(add_one(2), "compiled" if add_one._cache_misses else "loaded")
"""


def start(tmp_path: Path, before: str = "", **variables: str) -> str:
    """What a program with one kernel says: its answer, and whether the kernel was compiled; warnings behind it."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    where = {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    environment = os.environ | {"BEFORE": before} | where | variables
    command = [sys.executable, str(program)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    said = [line for line in done.stderr.splitlines() if not line.startswith("yatzy_env: compiling")]
    return (done.stdout + "\n".join(said)).strip()


def the_file(folder: Path) -> Path:
    (found,) = folder.rglob("add_one*.kernel")
    return found


def test_a_kernel_is_compiled_once(tmp_path: Path) -> None:
    assert start(tmp_path) == "3 compiled"
    assert start(tmp_path) == "3 loaded"


@pytest.mark.parametrize("size", [0, 10, 1000])
def test_a_file_that_is_cut_is_compiled_anew_and_mended(tmp_path: Path, size: int) -> None:
    start(tmp_path)
    file = the_file(tmp_path / "cache")
    whole = file.read_bytes()
    file.write_bytes(whole[:size])
    assert start(tmp_path) == "3 compiled"
    assert start(tmp_path) == "3 loaded"


def test_no_flipped_bit_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel.config, "CACHE_DIR", str(tmp_path))
    kernel._cache_folders.cache_clear()
    kernel.kernel(add_one)(2)
    file = the_file(tmp_path)
    whole, chance = file.read_bytes(), random.Random(1)
    for _ in range(100):
        damaged = bytearray(whole)
        damaged[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
        file.write_bytes(damaged)
        again = kernel.kernel(add_one)
        assert again(2) == 3
        assert again._cache_misses
    kernel._cache_folders.cache_clear()


def test_the_users_folder_forgets_old_sources_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(kernel.config, "CACHE_DIR", str(tmp_path))
    source = kernel._source
    found = []
    for edit in ("", "# edited"):
        edited = partial(lambda edit, module: source(module) + edit * (module == "yatzy_env.card"), edit)
        monkeypatch.setattr(kernel, "_source", edited)
        kernel._cache_folders.cache_clear()
        found.append(kernel._cache_folders("yatzy_env.games"))
    kernel._cache_folders.cache_clear()
    assert all(folder.is_relative_to(tmp_path) for folder, _ in found)
    assert found[0] != found[1]


def test_where_nothing_can_be_written_it_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    blocked = {"NUMBA_CACHE_DIR": str(tmp_path / "file")}
    assert start(tmp_path, **blocked) == "3 compiled"  # kept among the temporary files
    assert start(tmp_path, **blocked) == "3 loaded"
    (kept,) = tmp_path.glob("yatzy-env-*")
    kept.chmod(0o777)  # others may have put something there
    found = start(tmp_path, **blocked)
    assert found.startswith("3 compiled")
    assert found.count("RuntimeWarning: compiled kernels cannot be kept") == 1


def test_kernels_in_a_package_that_cannot_be_written_are_read(tmp_path: Path) -> None:
    """Without a home and with nothing but a package that holds kernels and takes none."""
    package = tmp_path / "yatzy_env"
    (package / "__pycache__").mkdir(parents=True)
    move = f"kernel.__file__ = {str(package / 'kernel.py')!r}"
    away = {"NUMBA_CACHE_DIR": "", "HOME": str(tmp_path / "file"), "XDG_CACHE_HOME": str(tmp_path / "file")}
    (tmp_path / "file").write_text("")
    assert start(tmp_path, move, **away) == "3 compiled"
    shut = "kernel._write = lambda path, content: False"  # root may write whatever its mode
    assert start(tmp_path, f"{move}; {shut}", **away) == "3 loaded"


def test_numba_cannot_be_told_to_compile_nothing(tmp_path: Path) -> None:
    found = start(tmp_path, NUMBA_DISABLE_JIT="1")
    assert found.startswith("3 compiled")
    assert found.count("RuntimeWarning: NUMBA_DISABLE_JIT is not heeded") == 1


def add_one(number: int) -> int:
    return number + 1
