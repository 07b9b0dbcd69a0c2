"""The one way files are written, digested and read back.

A file or folder is written under a part name of its own beside the final one, synced to disk, renamed in one step, and
the rename is synced. So a reader finds the old content or the new one, whole, whatever is killed and however many
threads and processes write the same name; the last to finish wins. What dead writers left under part names goes when
the same name is written again.

`error` is everywhere the kind of YatzyError that is raised, in one line that names the file and the reason, where the
system refuses, a file is damaged, or a value cannot be written. Missing folders are made.
"""

from __future__ import annotations

import errno
import hashlib
import json
import math
import os
import secrets
import shutil
import time
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from platformdirs import user_cache_path

from yatzy_env.errors import YatzyError, folded

CACHE_VARIABLE = "YATZY_ENV_CACHE"

RESULTS_NUMBER = 1
"""Goes up with every change of what is computed and kept in files; those that do not say theirs have 1."""

ABANDONED = 600
"""Seconds after which a part file or folder that nobody has written to is one of a dead writer."""

_DIGEST = "record_sha256"  # key of a record's digest


@contextmanager
def replacing(path: str | Path, error: type[YatzyError] = YatzyError) -> Iterator[Path]:
    """Replaces a file in one step by the part file that the block writes; if it raises, the file stays as it was."""
    with _beside(path, error) as (path, part):
        try:
            yield part
            _sync(part)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)


@contextmanager
def replacing_folder(path: str | Path, error: type[YatzyError] = YatzyError) -> Iterator[Path]:
    """Replaces a folder by the empty part folder that the block fills; if it raises, the folder stays as it was.

    The old folder goes after the new one stands under its name.
    """
    old: list[Path] = []
    with _beside(path, error) as (path, part):
        if path.is_file():  # asked once: between two questions another writer may move a folder away
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        part.mkdir()
        try:
            yield part
            for inner in sorted(part.rglob("*")):
                _sync(inner)
            _sync(part)
            old = _swap(part, path)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    for folder in old:
        shutil.rmtree(folder, ignore_errors=True)


def write_bytes(path: str | Path, content: bytes | memoryview, error: type[YatzyError] = YatzyError) -> None:
    """Replaces a file in one step by these bytes."""
    with replacing(path, error) as part:
        part.write_bytes(content)


def write_text(path: str | Path, text: str, error: type[YatzyError] = YatzyError) -> None:
    """Replaces a file in one step by this text, in UTF-8 with newlines as they are."""
    write_bytes(path, text.encode(), error)


def append_text(path: str | Path, text: str, error: type[YatzyError] = YatzyError) -> None:
    """Adds text, in UTF-8, to the end of a file of lines, which may end within one if the writer is killed."""
    with _clear(Path(path), error), Path(path).open("a", encoding="utf-8", newline="") as file:
        file.write(text)


def write_json(
    path: str | Path,
    value: object,
    error: type[YatzyError] = YatzyError,
    *,
    indent: int | None = 2,
    sort_keys: bool = False,
) -> None:
    """Replaces a file in one step by a JSON value, without nan and infinities, and a newline; `indent` as `json`'s."""
    try:
        text = json.dumps(value, indent=indent, sort_keys=sort_keys, allow_nan=False)
    except ValueError as reason:
        raise error(f"{path} cannot be written: {reason}") from reason
    write_text(path, text + "\n", error)


def write_npz(path: str | Path, arrays: Mapping[str, ArrayLike], error: type[YatzyError] = YatzyError) -> None:
    """Replaces an `.npz` file in one step by these arrays, none of objects."""
    plain: dict[str, Any] = {name: np.asanyarray(array) for name, array in arrays.items()}
    for name, array in plain.items():
        if array.dtype.hasobject:
            raise error(f"{path} cannot be written: {name} holds objects, which would need pickle")
    with replacing(path, error) as part, part.open("wb") as file:
        np.savez(file, **plain)


def read_npz(
    path: str | Path, error: type[YatzyError] = YatzyError, what: str = "a file of arrays"
) -> dict[str, NDArray[Any]]:
    """Reads the arrays of an `.npz` file by name, without pickle; `what` it should be is for the message.

    Archives are not compressed, so that no array is larger than the file.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            if sum(member.file_size for member in members) > Path(path).stat().st_size:
                raise ValueError("it is compressed, or not whole")
            return {member.filename.removesuffix(".npy"): _array(archive, member) for member in members}
    except OSError as reason:
        raise error(_unreadable(path, reason)) from reason
    except Exception as reason:  # the readers of archives, headers and texts have a dozen kinds of error
        raise error(f"{path}: damaged or not {what} ({folded(reason) or type(reason).__name__})") from reason


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> NDArray[Any]:
    with archive.open(member) as stream:
        headers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
        shape, _, dtype = headers[np.lib.format.read_magic(stream)](stream)
        if stream.tell() + math.prod(shape) * dtype.itemsize != member.file_size or min(shape, default=0) < 0:
            raise ValueError(f"{member.filename} has not the size that its header says")
    with archive.open(member) as stream:  # the whole member is read, so its checksum is compared
        array: NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
        stream.read()
        return array


@contextmanager
def replacing_npy(
    path: str | Path, shape: tuple[int, ...], dtype: type[np.generic], error: type[YatzyError] = YatzyError
) -> Iterator[NDArray[Any]]:
    """Replaces an `.npy` file in one step by the array on disk that the block fills, and its digest behind it."""
    with replacing(path, error) as part:
        array = np.lib.format.open_memmap(part, "w+", dtype, shape)
        yield array
        array.flush()
        trailer = json.dumps(_trailer(part)).encode()
        with part.open("ab") as file:
            file.write(trailer)


def read_npy(path: str | Path, error: type[YatzyError] = YatzyError) -> NDArray[Any]:
    """Maps an `.npy` file that `replacing_npy` wrote into memory, read-only, and checks it.

    One without a digest was written by version 0.1.0 and is taken as it is.
    """
    try:
        array = np.lib.format.open_memmap(path, "r")
        content = np.memmap(path, np.uint8, "r")
        end = array.offset + array.nbytes
        trailer = content[end:].tobytes()
        note = parse_json(trailer) if trailer else {}
        check_results_number(path, note, error)
        if trailer and note != _trailer(content[:end].data):
            raise ValueError("its contents do not match their digest")
        return array
    except YatzyError:
        raise
    except OSError as reason:
        raise error(_unreadable(path, reason)) from reason
    except Exception as reason:  # as in `read_npz`
        raise error(f"{path}: damaged ({folded(reason) or type(reason).__name__})") from reason


def _trailer(content: Path | memoryview) -> dict[str, Any]:
    return {"results_number": RESULTS_NUMBER, "sha256": sha256(content)}


def check_results_number(path: str | Path, fields: Mapping[str, Any], error: type[YatzyError] = YatzyError) -> None:
    """Refuses what says that it was computed under another `RESULTS_NUMBER`."""
    found = fields.get("results_number", 1)
    if found != RESULTS_NUMBER:
        raise error(f"{path} holds results of number {found}, this version computes those of number {RESULTS_NUMBER}")


def parse_json(text: str | bytes) -> Any:
    """The value of JSON text; bytes are UTF-8.

    Raises:
        ValueError: if it is no JSON, holds a number that is not finite (nan, an infinity, 1e999), or an object has a
            key twice.
    """
    plain = text if isinstance(text, str) else text.decode("utf-8")
    try:
        return json.loads(plain, object_pairs_hook=_object, parse_float=_finite, parse_constant=_finite)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def read_json(path: str | Path, error: type[YatzyError] = YatzyError) -> Any:
    """Reads a JSON file as `parse_json` does."""
    try:
        return parse_json(Path(path).read_bytes())
    except OSError as reason:
        raise error(_unreadable(path, reason)) from reason
    except ValueError as reason:
        raise error(f"{path}: damaged ({folded(reason)})") from reason


def read_json_object(path: str | Path, error: type[YatzyError] = YatzyError) -> dict[str, Any]:
    """Reads a JSON file that holds an object."""
    value = read_json(path, error)
    if not isinstance(value, dict):
        raise error(f"{path}: damaged (not a JSON object)")
    return value


def write_record(
    path: str | Path,
    fields: Mapping[str, Any],
    error: type[YatzyError] = YatzyError,
    *,
    indent: int | None = 2,
    results: bool = True,
) -> None:
    """Replaces a file in one step by a JSON object with a digest of it in it, and of results with their number."""
    number = {"results_number": RESULTS_NUMBER} if results else {}
    try:
        plain = parse_json(json.dumps({**fields, **number}))  # what will be read
    except ValueError as reason:
        raise error(f"{path} cannot be written: {reason}") from reason
    write_json(path, plain | {_DIGEST: json_sha256(plain)}, error, indent=indent)


def read_record(path: str | Path, error: type[YatzyError] = YatzyError) -> dict[str, Any]:
    """Reads a JSON object that `write_record` wrote, without what that added, and checks it.

    One without a digest was written by version 0.1.0, or by hand, and is taken as it is.
    """
    fields = read_json_object(path, error)
    check_results_number(path, fields, error)
    earlier = isinstance(fields.get("sha256"), str)  # in headers and intervals of version 0.1.0
    digest = fields.pop("sha256" if earlier else _DIGEST, None)
    if (digest is not None or "results_number" in fields) and digest != json_sha256(fields):
        raise error(f"{path} is damaged: its contents do not match their digest")
    fields.pop("results_number", None)
    return fields


def cache_folder(kind: str, chosen: str | Path | None = None, error: type[YatzyError] = YatzyError) -> Path:
    """The chosen folder, else that of the environment variable YATZY_ENV_CACHE, else `kind` in the user's cache.

    Nothing needs to be there.
    """
    chosen = chosen or os.environ.get(CACHE_VARIABLE)
    try:
        return Path(chosen).expanduser() if chosen else user_cache_path("yatzy-env") / kind
    except RuntimeError as reason:
        raise error(f"the cache folder {str(chosen)!r} names an unknown user") from reason


def sha256(*content: Path | bytes | memoryview) -> str:
    """The SHA-256 of files and bytes, one after the other, in hexadecimal.

    Raises:
        OSError: if a file cannot be read.
    """
    digest = hashlib.sha256()
    for piece in content:
        if isinstance(piece, Path):
            with piece.open("rb", buffering=0) as file:
                hashlib.file_digest(file, lambda: digest)
        else:
            digest.update(piece)
    return digest.hexdigest()


def json_sha256(value: object) -> str:
    """The SHA-256 of a value as JSON with sorted keys, in hexadecimal."""
    return sha256(json.dumps(value, sort_keys=True).encode())


@contextmanager
def locked(path: str | Path, error: type[YatzyError] = YatzyError) -> Iterator[None]:
    """Runs the block while no other thread or process holds the same lock file, waiting for its turn.

    The operating system lets go of the lock when its holder ends, however it ends, so none outlives its holder. The
    file stays.
    """
    from filelock import FileLock

    path = Path(path)
    with _clear(path, error):
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def remove_abandoned(folder: str | Path, name: str | None = None) -> None:
    """Removes part files and folders, meant for any final name or one, not written to for `ABANDONED` seconds."""
    pattern = "*.part" if name is None else f"{escape(name)}.*.part"
    for part in Path(folder).glob(pattern):
        with suppress(OSError):  # its writer may be finishing just now
            newest = max(each.stat().st_mtime for each in [part, *part.rglob("*")])
            if time.time() - newest > ABANDONED:
                shutil.rmtree(part) if part.is_dir() else part.unlink()


@contextmanager
def _clear(path: Path, error: type[YatzyError]) -> Iterator[None]:
    """Turns an OSError into one line that names the file."""
    try:
        yield
    except OSError as reason:
        raise error(f"{path} cannot be written: {reason.strerror or reason}") from reason


@contextmanager
def _beside(path: str | Path, error: type[YatzyError]) -> Iterator[tuple[Path, Path]]:
    """Where to write and the part name beside it; syncs the rename that the block does."""
    path = Path(path).resolve()  # a link stays, what it points to is replaced
    with _clear(path, error):
        path.parent.mkdir(parents=True, exist_ok=True)
        remove_abandoned(path.parent, path.name)
        yield path, _part_of(path)
        _sync(path.parent)


def _part_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.{secrets.token_hex(8)}.part")


def _sync(path: Path) -> None:
    """Syncs a file, or the names in a folder where the system can."""
    if not path.is_dir():
        with path.open("r+b") as stream:
            os.fsync(stream.fileno())
    elif os.name != "nt":
        handle = os.open(path, os.O_RDONLY)
        try:
            with suppress(OSError):  # some file systems have no sync of folders
                os.fsync(handle)
        finally:
            os.close(handle)


def _swap(part: Path, path: Path) -> list[Path]:
    """Gives a folder its final name; returns the old ones, moved aside."""
    old: list[Path] = []
    while True:
        aside = _part_of(path)
        with suppress(FileNotFoundError):
            path.rename(aside)
            old.append(aside)
        try:
            part.rename(path)
            return old
        except OSError as reason:
            if reason.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                if old:
                    old.pop().rename(path)
                raise
            # somebody else's folder has come there meanwhile: it is the old one now


def _unreadable(path: str | Path, reason: OSError) -> str:
    if isinstance(reason, FileNotFoundError):
        return f"{path}: there is no such file"
    return f"{path} cannot be read: {reason.strerror or reason}"


def _object(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r} is there twice")
        found[key] = value
    return found


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text} is not a finite number")
    return number
