"""Solutions as files: one npz without pickle, checked completely when read.

A file holds `values` (float64), `header` (JSON text as bytes) and `digest`, a SHA-256 over both.
"""

from __future__ import annotations

import json
from functools import cache as once
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy_env.errors import SolutionError
from yatzy_env.files import RESULTS_NUMBER, cache_folder, check_results_number, parse_json, read_npz, sha256, write_npz
from yatzy_env.rules import Ruleset

FORMAT = 1  # goes up with every change of the file or of the order of its values


def cache_file(rules: Ruleset, folder: str | Path | None = None) -> Path:
    """The file in which the solution of a ruleset is cached; rulesets that differ in their name alone share it.

    Under saved throws it is a folder, see `layers`.

    Args:
        rules: the ruleset.
        folder: the cache folder; if not given the environment variable YATZY_ENV_CACHE, else the user's cache.

    Returns:
        The path; nothing needs to be there.

    Raises:
        SolutionError: if the folder names an unknown user by `~`.
    """
    parent = cache_folder("solutions", folder, SolutionError)
    return parent / f"{rules.digest[:16]}-v{FORMAT}.{'saved' if rules.saved_throws else 'npz'}"


@once
def library_version() -> str:
    """The version of this package, for the record."""
    try:
        return version("yatzy-env")
    except PackageNotFoundError:
        return "unknown"


def values_digest(values: NDArray[np.float64]) -> str:
    """A SHA-256 over the bytes of the values."""
    return sha256(values.astype("<f8", copy=False).data)


def write(path: str | Path, header: dict[str, Any], values: NDArray[np.float64]) -> None:
    """Writes a solution; under its final name there is at any time an old file, a complete new one, or none.

    Args:
        path: the file; missing folders are made.
        header: JSON values that describe the solution.
        values: (size,) float64.

    Raises:
        SolutionError: if it cannot be written.
    """
    values = np.ascontiguousarray(values, "<f8")
    text = json.dumps(header | {"format": FORMAT, "results_number": RESULTS_NUMBER}).encode()
    arrays: dict[str, Any] = {
        "header": np.frombuffer(text, np.uint8),
        "values": values,
        "digest": _digest(text, values),
    }
    write_npz(path, arrays, SolutionError)


def read(path: str | Path) -> tuple[dict[str, Any], NDArray[np.float64]]:
    """Reads a solution and checks every byte of it.

    Args:
        path: the file.

    Returns:
        The header and the (size,) float64 values.

    Raises:
        SolutionError: if the file is missing, damaged, of another format or no solution.
    """
    if not Path(path).exists():
        raise SolutionError(f"{path} does not exist; write it with Solution.save")
    members = read_npz(path, SolutionError, "a solution")
    try:
        text, values, digest = members["header"].tobytes(), members["values"], members["digest"]
        header = parse_json(text)
    except (KeyError, ValueError) as error:
        raise SolutionError(f"{path} is damaged or not a solution") from error
    if not isinstance(header, dict) or not isinstance(header.get("format"), int):
        raise SolutionError(f"{path} is damaged or not a solution")
    if header["format"] != FORMAT:
        raise SolutionError(f"{path} has format {header['format']}, this version reads format {FORMAT}")
    if values.dtype != np.dtype("<f8") or values.ndim != 1 or not np.array_equal(digest, _digest(text, values)):
        raise SolutionError(f"{path} is damaged: its contents do not match their digest")
    check_results_number(path, header, SolutionError)
    return header, values.astype(np.float64, copy=False)


def _digest(text: bytes, values: NDArray[np.float64]) -> NDArray[np.uint8]:
    return np.frombuffer(bytes.fromhex(sha256(text, values.data)), np.uint8)
