"""Run folders: where a training run keeps its configuration, its checkpoint and the record of its files.

    config.yaml       the whole configuration
    command.txt       the commands that worked on it
    run.json          rulesets, versions, commit, machine
    manifest.json     the checkpoint that counts, with the SHA-256 digest of each of its files
    checkpoint-N/     what it takes to go on after N steps or rounds, and the networks for play
    curve.csv         the training curve

A checkpoint is written beside the old one and counts from the moment `manifest.json` is replaced, so that a process
killed at any time leaves a run that can be continued.
"""

from __future__ import annotations

import csv
import io
import os
import platform
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.errors import RunError
from agents.training.config import Settings, with_digest
from yatzy_env.errors import folded
from yatzy_env.evaluation.provenance import commit, versions
from yatzy_env.files import (
    append_text,
    read_record,
    replacing,
    replacing_folder,
    sha256,
    write_record,
    write_text,
)
from yatzy_env.rules import Ruleset

CURVE = "curve.csv"


@dataclass(frozen=True)
class Run:
    """One run folder."""

    folder: Path

    @property
    def config_file(self) -> Path:
        """The configuration it was started with."""
        return self.folder / "config.yaml"

    def manifest(self) -> dict[str, Any]:
        """What `manifest.json` says; empty before the first checkpoint.

        Raises:
            RunError: if the file cannot be read.
        """
        path = self.folder / "manifest.json"
        if not path.exists():
            return {}
        manifest = read_record(path, RunError)
        try:
            return {
                "steps": int(manifest["steps"]),
                "checkpoint": str(manifest["checkpoint"]),
                "files": dict(manifest["files"]),
            }
        except (ValueError, KeyError, TypeError) as error:
            raise RunError(f"{path}: damaged ({folded(error)})") from error

    def checkpoint(self) -> Path | None:
        """The checkpoint that counts, if there is one."""
        manifest = self.manifest()
        return self.folder / manifest["checkpoint"] if manifest else None

    def checked_checkpoint(self) -> Path:
        """The checkpoint that counts.

        Raises:
            RunError: if there is none, or its files are not those on record.
        """
        manifest = self.manifest()
        if not manifest:
            raise RunError(f"{self.folder} has no checkpoint")
        for name, digest in manifest["files"].items():
            path = self.folder / name
            if not path.is_file() or sha256(path) != digest:
                raise RunError(f"{path}: missing or not the file that manifest.json records")
        return self.folder / str(manifest["checkpoint"])

    @contextmanager
    def saving(self, steps: int) -> Iterator[Path]:
        """Makes what the block writes to an empty folder the checkpoint that counts, and removes the others.

        Steps are the steps, or rounds, it is made after.
        """
        final = self.folder / f"checkpoint-{steps}"
        with replacing_folder(final, RunError) as part:
            yield part
        files = {f"{final.name}/{path.name}": sha256(path) for path in sorted(final.iterdir())}
        record = {"steps": steps, "checkpoint": final.name, "files": files}
        write_record(self.folder / "manifest.json", record, RunError, results=False)
        for other in self.folder.glob("checkpoint-*"):
            if other != final:
                shutil.rmtree(other)

    def change(self, config: Settings, command: str) -> None:
        """Gives the run a configuration, and adds the command to its record."""
        append_text(self.folder / "command.txt", command + "\n", RunError)
        write_text(self.config_file, with_digest(config.to_yaml()), RunError)


def start_run(folder: Path, config: Settings, rulesets: Sequence[Ruleset], command: str) -> Run:
    """Writes the records of a new run, with its rulesets and the command line, into its folder."""
    fields = [rules.model_dump(mode="json") for rules in rulesets]
    record = {
        **({"ruleset": fields[0]} if len(fields) == 1 else {"rulesets": fields}),
        "versions": versions(),
        "commit": commit(),
        "machine": _machine(),
    }
    write_record(folder / "run.json", record, RunError, results=False)
    run = Run(folder)
    run.change(config, command)
    return run


def open_run(folder: Path) -> Run:
    """An existing run.

    Raises:
        RunError: if the folder is not a run.
    """
    if not (folder / "config.yaml").is_file():
        raise RunError(f"{folder} is not a run folder: it has no config.yaml")
    return Run(folder)


def newest_run(name: str, root: Path) -> Run:
    """The run of that name that was started last.

    Raises:
        RunError: if there is none.
    """
    runs = [Run(path) for path in (root / name).glob("*") if (path / "config.yaml").is_file()]
    if not runs:
        raise RunError(f"no run of {name!r} in {root}: nothing to resume")
    return max(runs, key=lambda run: run.config_file.stat().st_mtime_ns)


def start_curve(path: Path, columns: Sequence[str], is_kept: Callable[[Mapping[str, str]], bool]) -> None:
    """Starts the file of a curve, or drops the rows that were written after the checkpoint that is continued.

    Which rows stay, `is_kept` says, given each by column.
    """
    rows: list[list[str]] = []
    for number, row in enumerate(curve_rows(path) if path.exists() else [], 2):
        whole = [row.get(column) for column in columns]
        try:
            if None not in whole and None not in row and is_kept(row):  # a killed writer leaves half a row
                rows.append([str(cell) for cell in whole])
        except (ValueError, KeyError) as error:
            raise RunError(f"{path}: damaged in line {number} ({folded(error)})") from error
    with replacing(path, RunError) as part, part.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([columns, *rows])


def add_to_curve(path: Path, row: Sequence[object]) -> None:
    """Adds a row to the file of a curve; a RunError if the disk is full."""
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(row)
    append_text(path, line.getvalue(), RunError)


def curve_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a curve by column; the cells are text, or None where a row ends early.

    Raises:
        RunError: if it is no such file.
    """
    try:
        with path.open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))
    except (OSError, csv.Error, UnicodeDecodeError) as error:
        raise RunError(f"{path}: damaged ({folded(error)})") from error


def _machine() -> dict[str, Any]:
    return {"system": f"{platform.system()} {platform.machine()}", "processor": _processor(), "cores": os.cpu_count()}


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or sys.platform
