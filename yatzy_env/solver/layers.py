"""Solutions with saved throws on disk: a folder with a file per layer and a header.

`filled-12.f64` holds the values of all cards with 12 filled boxes, little-endian float64 and nothing else, so that it
can be mapped into memory. `header.json` names the ruleset and, for each finished layer, fullest cards first, size and
SHA-256 of its file. Both are written as `files` does: a file under its final name is complete, and a layer that the
header names is finished. So work that was interrupted goes on after the last layer named. One caller works in a folder
at a time, the one that holds its lock file.

Whoever opens the folder checks the header and reads every file in full, to compare its digest. Since that takes seconds
where there are gigabytes, `checked.json` remembers it until the machine starts anew, for files that are unchanged by
their times of change, which no program can set.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy_env.errors import SolutionError
from yatzy_env.files import (
    locked,
    read_json_object,
    read_record,
    remove_abandoned,
    replacing_folder,
    sha256,
    write_bytes,
    write_json,
    write_record,
)
from yatzy_env.rules import Ruleset
from yatzy_env.solver.chunks import in_chunks
from yatzy_env.solver.store import FORMAT, library_version

HEADER = "header.json"
_CHECKED = "checked.json"
_LOCK = "lock"
_BOOT = Path("/proc/sys/kernel/random/boot_id")  # another one after each start of the machine
_SETTLED = 2.0  # seconds; of two changes closer than a tick of the clock the second leaves the same time


class LayerFolder:
    """The layers of one solution on disk, as far as they are finished.

    Attributes:
        path: the folder.
        rules: the ruleset.
        numbers: how many values each layer holds, by filled boxes.
        layers: what the header says of each finished layer, fullest cards first.
    """

    def __init__(self, path: str | Path, rules: Ruleset, numbers: Sequence[int]) -> None:
        self.path = Path(path)
        self.rules = rules
        self.numbers = [int(number) for number in numbers]
        self.layers: list[dict[str, Any]] = []

    @property
    def open_layers(self) -> list[int]:
        """The numbers of filled boxes whose layers are not finished, in the order of the sweep."""
        return list(range(len(self.numbers) - 1 - len(self.layers), -1, -1))

    @property
    def digest(self) -> str:
        """A SHA-256 over the digests of the layers."""
        return sha256("".join(layer["sha256"] for layer in self.layers).encode())

    def total(self, key: str) -> float:
        """The sum of a figure over the finished layers."""
        return float(sum(layer[key] for layer in self.layers))

    def file(self, filled: int) -> Path:
        """The file of a layer."""
        return self.path / f"filled-{filled:02}.f64"

    def read(self, filled: int) -> NDArray[np.float64]:
        """Reads a finished layer into memory."""
        try:
            return np.fromfile(self.file(filled), "<f8").astype(np.float64, copy=False)
        except OSError as error:
            raise SolutionError(f"{self.file(filled)} cannot be read: {error.strerror or error}") from error

    def map(self, filled: int) -> NDArray[np.float64]:
        """Maps a finished layer into memory, read-only."""
        try:
            return np.asarray(np.memmap(self.file(filled), "<f8", mode="r"))
        except (OSError, ValueError) as error:
            raise SolutionError(f"{self.file(filled)} cannot be read: {error}") from error

    def check(self) -> None:
        """Checks the files of the finished layers.

        Raises:
            SolutionError: if one is missing, has another size or other contents.
        """
        boot, known = self._remembered()
        found: dict[str, list[Any]] = {}

        def check_some(start: int, stop: int) -> None:
            for layer in self.layers[start:stop]:
                file = self.file(layer["filled"])
                try:
                    stamp = [layer["sha256"], *_stamp(file)]
                    good = known.get(file.name) == stamp or sha256(file) == layer["sha256"]
                except FileNotFoundError:
                    raise SolutionError(f"{file} is missing") from None
                except OSError as error:
                    raise SolutionError(f"{file} cannot be read: {error.strerror or error}") from error
                if not good:
                    raise SolutionError(f"{file} is damaged: its contents do not match their digest")
                found[file.name] = stamp

        in_chunks(check_some, len(self.layers), 1)
        settled = time.time_ns() - _SETTLED * 1e9
        found = {name: stamp for name, stamp in found.items() if stamp[-1] < settled}
        if boot and found != known:
            with suppress(SolutionError):  # then it is checked again next time
                write_json(self.path / _CHECKED, {"boot": boot, "files": found}, SolutionError, indent=1)

    def _remembered(self) -> tuple[str, dict[str, Any]]:
        """This start of the machine, "" if it has no name, and the files checked since, each with its stamp."""
        try:
            boot = _BOOT.read_text("ascii").strip()
            checked = read_json_object(self.path / _CHECKED, SolutionError)
        except SolutionError:
            return boot, {}
        except OSError:
            return "", {}
        files = checked.get("files")
        return boot, files if checked.get("boot") == boot and isinstance(files, dict) else {}

    def add(self, values: NDArray[np.float64], *, cpu_seconds: float, seconds: float) -> None:
        """Writes the next layer and notes it in the header.

        Args:
            values: the layer's values.
            cpu_seconds: processor time that it took.
            seconds: its wall-clock time.

        Raises:
            SolutionError: if it cannot be written.
        """
        filled = self.open_layers[0]
        file = self.file(filled)
        contents = np.ascontiguousarray(values, "<f8").data
        write_bytes(file, contents, SolutionError)
        layer = {"filled": filled, "bytes": contents.nbytes, "sha256": sha256(contents)}
        self.layers.append(layer | {"cpu_seconds": cpu_seconds, "seconds": seconds})
        self.write_header()

    def write_header(self) -> None:
        """Writes the header, replacing it in one step."""
        header = {
            "format": FORMAT,
            "version": library_version(),
            "ruleset": self.rules.model_dump(mode="json"),
            "layers": self.layers,
        }
        write_record(self.path / HEADER, header, SolutionError, indent=1)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Runs the block while nobody else works in the folder, after taking over what others have finished there.

        Raises:
            SolutionError: if the folder cannot be used.
        """
        with locked(self.path / _LOCK, SolutionError):
            self.layers = open_folder(self.path, self.rules, self.numbers).layers
            yield

    def prepare(self) -> None:
        """Makes the folder, and removes part files that interrupted work left behind.

        Raises:
            SolutionError: if it cannot be made, or the disk has too little room for the layers that are not finished.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            remove_abandoned(self.path)
            free = shutil.disk_usage(self.path).free
        except OSError as error:
            raise SolutionError(f"{self.path} cannot be written: {error.strerror or error}") from error
        if self.missing_bytes > free:
            raise SolutionError(
                f"solving {self.rules.name} needs {self.missing_bytes / 1e6:,.1f} MB of disk in {self.path}, only "
                f"{free / 1e6:,.1f} MB are free"
            )

    @property
    def missing_bytes(self) -> int:
        """Disk that the layers which are not finished will take."""
        return 8 * sum(self.numbers[filled] for filled in self.open_layers)

    def copy(self, path: str | Path) -> None:
        """Copies a finished solution to another folder, in place of the solution that it may hold.

        Raises:
            SolutionError: if it cannot be written, or the folder holds something else.
        """
        path = Path(path)
        if path.exists() and path.samefile(self.path):
            return
        ours = (HEADER, _CHECKED, _LOCK, "filled-??.f64", "*.part")
        others = [file.name for file in path.glob("*") if not any(map(file.match, ours))]
        if others:
            raise SolutionError(f"{path} cannot be written: it holds {others[0]}, which is no part of a solution")
        with replacing_folder(path, SolutionError) as part:
            copy = LayerFolder(part, self.rules, self.numbers)
            copy.prepare()
            for layer in self.layers:
                shutil.copyfile(self.file(layer["filled"]), copy.file(layer["filled"]))
                copy.layers.append(layer)
            copy.write_header()


def _stamp(file: Path) -> list[int]:
    """What is another one once a file has been written to."""
    found = file.stat()
    return [found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns]


def read_header(path: str | Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Reads the header of a folder.

    Args:
        path: the folder.

    Returns:
        The ruleset's fields, and what is noted of each finished layer.

    Raises:
        SolutionError: if the header is missing, damaged or of another format.
    """
    file = Path(path) / HEADER
    if not file.exists():
        raise SolutionError(f"{file} does not exist; write it with Solution.save")
    header = read_record(file, SolutionError)
    try:
        number, ruleset, layers = header["format"], header["ruleset"], header["layers"]
    except KeyError as error:
        raise SolutionError(f"{file} is damaged or not a solution") from error
    if number != FORMAT:
        raise SolutionError(f"{file} has format {number}, this version reads format {FORMAT}")
    return ruleset, layers


def open_folder(path: str | Path, rules: Ruleset, numbers: Sequence[int]) -> LayerFolder:
    """Opens the folder of a ruleset, finished or not, and checks what is there.

    Args:
        path: the folder; nothing needs to be there.
        rules: the ruleset.
        numbers: how many values each layer holds, by filled boxes.

    Returns:
        The folder.

    Raises:
        SolutionError: if it is damaged, or holds the solution of other rules.
    """
    folder = LayerFolder(path, rules, numbers)
    if not (folder.path / HEADER).exists():
        return folder
    fields, layers = read_header(path)
    if fields | {"name": rules.name} != rules.model_dump(mode="json"):
        raise SolutionError(f"{path} holds the solution of other rules")
    expected = [(filled, 8 * folder.numbers[filled]) for filled in folder.open_layers]
    if [(layer["filled"], layer["bytes"]) for layer in layers] != expected[: len(layers)]:
        raise SolutionError(f"{path} is damaged: its layers are not those of its ruleset")
    folder.layers = layers
    folder.check()
    return folder


def is_finished(path: str | Path) -> bool:
    """Whether a folder holds a whole solution, by its header alone."""
    try:
        layers = read_header(path)[1]
    except SolutionError:
        return False
    return len(layers) > 0 and layers[-1]["filled"] == 0
