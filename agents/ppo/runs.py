"""Run folders: where a training run keeps its configuration, its checkpoint and the record of its files.

    runs/NAME/<time>-<seed>/    NAME: the ruleset, or generalist
        config.yaml       the whole configuration
        command.txt       the command that started it
        run.json          versions, commit, machine
        manifest.json     the checkpoint that counts, with the SHA-256 digest of each of its files
        checkpoint-N/     model.zip (networks and optimizer), weights.npz (for play), state.npz (everything else)
        curve.csv         the training curve
        tensorboard/      logs

A checkpoint is written beside the old one and counts from the moment `manifest.json` is replaced, so that a process
killed at any time leaves a run that can be continued.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from agents.ppo.config import Config, load, modernise
from agents.ppo.errors import RunError
from yatzy_env.evaluation.provenance import commit, versions
from yatzy_env.files import sha256

_FIXED = (
    *("ruleset", "options", "rulesets", "seed", "lanes", "rollout_steps", "network", "features", "gamma"),
    "reward_scale",
)


@dataclass(frozen=True)
class Run:
    """One run folder."""

    folder: Path

    @property
    def config(self) -> Config:
        """The configuration it was started with."""
        return load(self.folder / "config.yaml")

    def manifest(self) -> dict[str, Any]:
        """What `manifest.json` says; empty before the first checkpoint.

        Raises:
            RunError: if the file cannot be read.
        """
        path = self.folder / "manifest.json"
        if not path.exists():
            return {}
        try:
            manifest = json.loads(path.read_text(encoding="utf-8"))
            return {
                "steps": int(manifest["steps"]),
                "checkpoint": str(manifest["checkpoint"]),
                "files": dict(manifest["files"]),
            }
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise RunError(f"{path}: damaged ({' '.join(str(error).split())})") from error

    def checkpoint(self) -> Path | None:
        """The checkpoint that counts, if there is one."""
        manifest = self.manifest()
        return self.folder / manifest["checkpoint"] if manifest else None

    def commit(self, written: Path, steps: int) -> None:
        """Makes a completely written folder the checkpoint that counts, and removes the others.

        Args:
            written: a folder inside the run.
            steps: the steps it was made after.
        """
        name = f"checkpoint-{steps}"
        final = self.folder / name
        if final.exists():
            shutil.rmtree(final)
        written.rename(final)
        files = {f"{name}/{path.name}": sha256(path) for path in sorted(final.iterdir())}
        record = {"steps": steps, "checkpoint": name, "files": files}
        write_atomically(self.folder / "manifest.json", json.dumps(record, indent=2) + "\n")
        for other in self.folder.glob("checkpoint-*"):
            if other != final:
                shutil.rmtree(other)


def create_run(config: Config, root: Path, command: str) -> Run:
    """Makes a new run folder.

    Args:
        config: what to train.
        root: the folder of all runs.
        command: the command line, for the record.
    """
    name = f"{time.strftime('%Y%m%d-%H%M%S')}-{config.seed}"
    parent = root / config.name
    parent.mkdir(parents=True, exist_ok=True)
    folder = parent / name
    for attempt in range(2, 100):
        try:
            folder.mkdir()
            break
        except FileExistsError:
            folder = parent / f"{name}-{attempt}"
    (folder / "command.txt").write_text(command + "\n", encoding="utf-8")
    rulesets = [json.loads(rules.to_json()) for rules in config.tasks.rulesets]
    record = {
        **({"rulesets": rulesets} if config.rulesets else {"ruleset": rulesets[0]}),
        "versions": versions(),
        "commit": commit(),
        "machine": _machine(),
    }
    write_atomically(folder / "run.json", json.dumps(record, indent=2) + "\n")
    write_atomically(folder / "config.yaml", config.to_yaml())
    return Run(folder)


def change_run(run: Run, config: Config, command: str) -> None:
    """Gives an existing run a changed configuration, and adds the command to its record.

    Raises:
        RunError: if the change would make it another run.
    """
    check_complete(run)
    before, after = run.config.model_dump(), config.model_dump()
    changed = [key for key in _FIXED if before[key] != after[key]]
    if changed:
        raise RunError(
            f"{changed[0]} = {after[changed[0]]!r} cannot change when a run is resumed; it is {before[changed[0]]!r}"
        )
    with (run.folder / "command.txt").open("a", encoding="utf-8") as file:
        file.write(command + "\n")
    write_atomically(run.folder / "config.yaml", config.to_yaml())


def check_complete(run: Run) -> None:
    """Checks that the run's configuration says everything: defaults of another version would make it another run.

    Raises:
        RunError: if a key is missing.
    """
    path = run.folder / "config.yaml"
    written = modernise(yaml.safe_load(path.read_text(encoding="utf-8")), str(path))
    missing = [key for key in Config.model_fields if key not in written]
    if missing:
        raise RunError(f"{path} does not say {missing[0]!r}: only the version that started the run can resume it")


def open_run(folder: Path) -> Run:
    """An existing run.

    Raises:
        RunError: if the folder is not a run.
    """
    if not (folder / "config.yaml").is_file():
        raise RunError(f"{folder} is not a run folder: it has no config.yaml")
    return Run(folder)


def newest_run(name: str, root: Path) -> Run:
    """The run of a ruleset that was started last.

    Raises:
        RunError: if there is none.
    """
    folders = [path for path in (root / name).glob("*") if (path / "config.yaml").is_file()]
    if not folders:
        raise RunError(f"no run of {name!r} in {root}: nothing to resume")
    return Run(max(folders, key=lambda path: (path / "config.yaml").stat().st_mtime_ns))


def write_atomically(path: Path, text: str) -> None:
    """Replaces a file in one step, so that no reader ever sees half of it."""
    partial = path.with_name(f".{path.name}.partial")
    with partial.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)


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
