"""Files: whole or not at all, synced before they count, and refused where they are damaged."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import threading
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from yatzy_env import files
from yatzy_env.errors import SolutionError, YatzyError

ROOT = Path(__file__).parents[1]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def in_threads(work: Callable[[int], None], count: int = 8) -> None:
    """Runs the work in threads at the same time and raises what one of them raised."""
    failures: list[BaseException] = []
    start = threading.Barrier(count)

    def run(number: int) -> None:
        start.wait()
        try:
            work(number)
        except BaseException as error:  # noqa: BLE001 - raised again below, in the thread that asked
            failures.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def interrupted(context: AbstractContextManager[Path], write: Callable[[Path], object]) -> None:
    """Writes, and is interrupted before the block ends."""

    def work() -> None:
        with context as part:
            write(part)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()


def test_each_writer_writes_what_it_is_given(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    files.write_bytes(folder / "bytes", b"\r\n\x00")
    files.write_text(folder / "text", "größer\r\n")
    files.write_json(folder / "json", {"b": 1.5, "a": [None, True, "ü"]})
    files.write_json(folder / "line", {"b": 1, "a": 2}, indent=None, sort_keys=True)
    files.write_npz(folder / "arrays.npz", {"one": np.arange(3), "text": np.array("about")})
    assert (folder / "bytes").read_bytes() == b"\r\n\x00"
    assert (folder / "text").read_bytes() == "größer\r\n".encode()
    assert files.read_json(folder / "json") == {"b": 1.5, "a": [None, True, "ü"]}
    assert (folder / "line").read_text() == '{"a": 2, "b": 1}\n'
    arrays = files.read_npz(folder / "arrays.npz")
    assert list(arrays) == ["one", "text"]
    assert arrays["one"].tolist() == [0, 1, 2]
    assert names(folder) == ["arrays.npz", "bytes", "json", "line", "text"]


def test_a_writer_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    files.write_text(path, "old")
    interrupted(files.replacing(path), lambda part: part.write_text("half"))
    with (
        pytest.raises(SolutionError, match=r"file cannot be written: .*no space"),
        files.replacing(path, SolutionError),
    ):
        raise OSError(28, "no space left on device")
    assert path.read_text() == "old"
    assert names(tmp_path) == ["file"]
    (tmp_path / "folder").mkdir()
    files.write_text(tmp_path / "folder" / "inner", "old")
    interrupted(files.replacing_folder(tmp_path / "folder"), lambda part: (part / "inner").write_text("half"))
    assert (tmp_path / "folder" / "inner").read_text() == "old"
    assert names(tmp_path) == ["file", "folder"]


def test_a_path_that_cannot_be_written_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for write in (files.write_text, files.write_json):
        with pytest.raises(SolutionError, match=r"file/inner cannot be written: ") as caught:
            write(tmp_path / "file" / "inner", "", SolutionError)
        assert "\n" not in str(caught.value)
    for context in (files.replacing_folder, files.locked):
        with pytest.raises(SolutionError, match="cannot be written"), context(tmp_path / "file" / "a", SolutionError):
            raise AssertionError("nothing can be written there")


def test_content_is_on_disk_before_the_name_and_the_name_before_the_old_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every sync, rename and removal in the order in which they happen."""
    done: list[str] = []

    def plain(path: object) -> str:
        return ".".join(part for part in Path(str(path)).name.split(".") if len(part) != 16)

    def watch(owner: Any, name: str, text: Callable[..., str]) -> None:
        original = getattr(owner, name)

        def watched(*args: Any, **options: Any) -> Any:
            done.append(text(*args))
            return original(*args, **options)

        monkeypatch.setattr(owner, name, watched)

    files.write_text(tmp_path / "folder" / "inner", "old")
    watch(os, "fsync", lambda handle: f"sync {plain(Path(f'/proc/self/fd/{handle}').readlink())}")
    watch(Path, "rename", lambda path, to: f"rename {plain(path)} to {plain(to)}")
    watch(Path, "replace", lambda path, to: f"rename {plain(path)} to {plain(to)}")
    watch(files.shutil, "rmtree", lambda path: f"remove {plain(path)}")
    files.write_text(tmp_path / "file", "new")
    assert done == ["sync file.part", "rename file.part to file", f"sync {tmp_path.name}"]
    done.clear()
    with files.replacing_folder(tmp_path / "folder") as part:
        (part / "inner").write_text("new")
    assert done[:3] == ["sync inner", "sync folder.part", "rename folder to folder.part"]
    assert [line for line in done[3:] if line.startswith("rename")] == ["rename folder.part to folder"]
    assert done[-2:] == [f"sync {tmp_path.name}", "remove folder.part"]
    assert (tmp_path / "folder" / "inner").read_text() == "new"
    assert names(tmp_path) == ["file", "folder"]


def test_threads_that_write_one_name_never_share_a_part(tmp_path: Path) -> None:
    def write(number: int) -> None:
        for _ in range(20):
            files.write_bytes(tmp_path / "file", bytes([number]) * 10_000)
            with files.replacing_folder(tmp_path / "folder") as part:
                (part / "inner").write_bytes(bytes([number]) * 100)

    in_threads(write)
    assert len(set((tmp_path / "file").read_bytes())) == 1
    assert len((tmp_path / "file").read_bytes()) == 10_000
    assert len(set((tmp_path / "folder" / "inner").read_bytes())) == 1
    assert names(tmp_path) == ["file", "folder"]


def test_what_dead_writers_left_goes_and_what_living_ones_write_stays(tmp_path: Path) -> None:
    old, fresh = (f"fi[l]e.{'0' * 15}{number}.part" for number in (1, 2))
    others = ["file.0000.part", "fi[l]e.txt"]
    for name in (old, fresh, *others):
        (tmp_path / name).write_text("")
    (tmp_path / "fi[l]e.3.part").mkdir()
    (tmp_path / "fi[l]e.3.part" / "inner").write_text("")
    for path in (tmp_path / old, *(tmp_path / name for name in others), tmp_path / "fi[l]e.3.part"):
        os.utime(path, (time.time() - files.ABANDONED - 10,) * 2)
    files.write_text(tmp_path / "fi[l]e", "")
    assert names(tmp_path) == sorted([fresh, *others, "fi[l]e", "fi[l]e.3.part"])  # the folder's inner file is new
    os.utime(tmp_path / "fi[l]e.3.part" / "inner", (0, 0))
    files.remove_abandoned(tmp_path)
    assert names(tmp_path) == sorted([fresh, "fi[l]e.txt", "fi[l]e"])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "Expecting value"),
        ('{"a": 1', "Expecting"),
        ("[1, NaN]", "NaN is not a finite number"),
        ('{"a": -Infinity}', "-Infinity is not a finite number"),
        ("1e999", "1e999 is not a finite number"),
        ('{"a": {"b": 1, "b": 2}}', "the key 'b' is there twice"),
        ("[" * 100_000, "nested too deeply"),
        (b"\xff\xfe", "utf-8"),
    ],
)
def test_json_that_is_refused(text: str | bytes, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(SolutionError, match=f"file.json: damaged .*{reason}") as caught:
        files.read_json(path, SolutionError)
    assert "\n" not in str(caught.value)


def test_other_ways_in_which_json_is_not_what_it_should_be(tmp_path: Path) -> None:
    with pytest.raises(SolutionError, match=r"file\.json: there is no such file"):
        files.read_json(tmp_path / "file.json", SolutionError)
    with pytest.raises(SolutionError, match="cannot be read"):
        files.read_json(tmp_path, SolutionError)
    files.write_json(tmp_path / "list", [1])
    with pytest.raises(SolutionError, match=r"list: damaged .not a JSON object"):
        files.read_json_object(tmp_path / "list", SolutionError)
    for value in (float("nan"), {"a": [float("inf")]}):
        with pytest.raises(SolutionError, match=r"list cannot be written: .*float"):
            files.write_json(tmp_path / "list", value, SolutionError)
    assert files.read_json(tmp_path / "list") == [1]


def test_arrays_that_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "arrays.npz"
    with pytest.raises(YatzyError, match="objects"):
        files.write_npz(path, {"bad": np.array([{}], object)})
    with pytest.raises(YatzyError, match="there is no such file"):
        files.read_npz(path)
    files.write_npz(path, {"one": np.arange(1000)})
    whole = path.read_bytes()
    flipped = bytearray(whole)
    flipped[500] ^= 1
    with path.open("wb") as file:
        np.savez(file, bad=np.array([{}], object))
    pickled = path.read_bytes()
    for content in (b"", b"hello", b"PK\x03\x04", whole[:100], whole[:-30], bytes(flipped), pickled):
        path.write_bytes(content)
        with pytest.raises(SolutionError, match="damaged or not a model") as caught:
            files.read_npz(path, SolutionError, "a model")
        assert "\n" not in str(caught.value)


HEADER = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }"


def npy(header: str = HEADER, version: bytes = b"\x01\x00", data: bytes = bytes(12)) -> bytes:
    """An array as it stands in an archive, with a header of any kind."""
    text = header.ljust(117 - len(header) % 64 + len(header)).encode() + b"\n"
    return b"\x93NUMPY" + version + len(text).to_bytes(2, "little") + text + data


def archive(path: Path, content: bytes, change: Callable[[bytearray], object] = lambda content: None) -> None:
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("one.npy", content)
    changed = bytearray(path.read_bytes())
    change(changed)
    path.write_bytes(changed)


def in_directory(offset: int, value: bytes) -> Callable[[bytearray], object]:
    """Changes a field of the archive's directory."""

    def change(content: bytearray) -> None:
        start = content.index(b"PK\x01\x02") + offset
        content[start : start + len(value)] = value

    return change


@pytest.mark.parametrize(
    ("content", "change"),
    [
        (npy(), in_directory(8, b"\x01\x00")),  # encrypted: RuntimeError
        (npy(), in_directory(8, b"\x20\x00")),  # patched data: NotImplementedError
        (npy(), in_directory(8, b"\x40\x00")),  # strong encryption: NotImplementedError
        (npy(), in_directory(10, b"\x63\x00")),  # a method nobody knows: NotImplementedError
        (npy(), in_directory(6, b"\xff\x00")),  # for a later version: NotImplementedError
        (npy(), in_directory(20, b"\xff\xff\xff\x7f" * 2)),  # two gigabytes in a small file
        (npy(version=b"\x07\x00"), None),
        (npy("{'descr': '<f4', 'shape': (3,"), None),  # TokenError
        (npy("(" * 60), None),  # MemoryError
        (npy("[" * 60), None),
        (npy(HEADER.replace("(3,)", "(-3,)")), None),
        (npy(HEADER.replace("(3,)", "(10**30,)")), None),
        (npy(HEADER.replace("(3,)", f"({10**30}, 0)")), None),
        (npy(HEADER.replace("(3,)", "(900000000,)")), None),
        (npy(HEADER.replace("<f4", "|O")), None),
        (npy(HEADER.replace("<f4", "junk")), None),
        (b"\x93NUM", None),
        (b"", None),
    ],
)
def test_archives_of_all_bad_kinds(
    content: bytes, change: Callable[[bytearray], object] | None, tmp_path: Path
) -> None:
    path = tmp_path / "arrays.npz"
    archive(path, npy())
    assert files.read_npz(path)["one"].tolist() == [0, 0, 0]
    archive(path, content, change or (lambda content: None))
    with pytest.raises(SolutionError, match="damaged or not a model") as caught:
        files.read_npz(path, SolutionError, "a model")
    assert "\n" not in str(caught.value)


def test_a_compressed_archive_is_refused_before_it_grows(tmp_path: Path) -> None:
    path = tmp_path / "arrays.npz"
    np.savez_compressed(path, one=np.zeros(10_000_000))
    tracemalloc.start()
    with pytest.raises(YatzyError, match="it is compressed, or not whole"):
        files.read_npz(path)
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()


def test_a_cache_of_an_unknown_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("YATZY_ENV_CACHE", "~nosuchuser/x")
    with pytest.raises(SolutionError, match="the cache folder '~nosuchuser/x' names an unknown user"):
        files.cache_folder("solutions", error=SolutionError)
    assert files.cache_folder("solutions", tmp_path) == tmp_path


def test_a_full_disk_is_named_with_the_file(tmp_path: Path) -> None:
    files.append_text(tmp_path / "lines", "one\n")
    files.append_text(tmp_path / "lines", "two\n")
    assert (tmp_path / "lines").read_text() == "one\ntwo\n"
    with pytest.raises(SolutionError, match="/dev/full cannot be written: No space left on device"):
        files.append_text("/dev/full", "more\n", SolutionError)


def test_digests(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"abc" * 100_000)
    expected = hashlib.sha256(b"abc" * 100_000).hexdigest()
    assert files.sha256(tmp_path / "file") == files.sha256(b"abc" * 100_000) == expected
    assert files.sha256(b"abc", tmp_path / "file", memoryview(b"d")) == files.sha256(b"abc" * 100_001 + b"d")
    assert files.json_sha256({"b": 1, "a": 2}) == hashlib.sha256(b'{"a": 2, "b": 1}').hexdigest()


def test_one_holder_of_a_lock_at_a_time(tmp_path: Path) -> None:
    inside: list[int] = []

    def work(number: int) -> None:
        with files.locked(tmp_path / "lock"):
            inside.append(number)
            time.sleep(0.01)
            assert inside == [number]
            inside.clear()

    in_threads(work)


def test_a_lock_does_not_outlive_its_holder(tmp_path: Path) -> None:
    code = (
        "import sys, time\nfrom yatzy_env.files import locked\n"
        "with locked(sys.argv[1]):\n    print('held', flush=True)\n    time.sleep(600)\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "lock")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        process.kill()
    with files.locked(tmp_path / "lock"):
        pass


WRITERS = re.compile(
    r"(?<!files)\.write_(text|bytes)\(|np\.save|json\.dump\(|open_memmap|os\.(fsync|rename|replace)\(|\.rename\(|hashlib\.sha256"
)
INSIDE = {"yatzy_env/kernel.py"}
"""The cache of kernels, which stands below files."""


def test_no_module_writes_files_or_digests_by_itself() -> None:
    sources = {path for package in ("yatzy_env", "agents", "scripts") for path in (ROOT / package).rglob("*.py")}
    found = {path.relative_to(ROOT).as_posix() for path in sources if WRITERS.search(path.read_text("utf-8"))}
    assert found == {"yatzy_env/files.py", *INSIDE}
