"""Where a figure comes from: the command, the versions, the commit and the machine."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from shlex import quote

from yatzy_env.solver.store import library_version

CHECKOUT = Path(__file__).resolve().parents[2]
"""The folder of the repository."""

PACKAGES = ("numpy", "numba", "scipy", "gymnasium", "torch", "stable-baselines3", "sb3-contrib")
"""What figures can depend on, as far as it is installed."""


@dataclass(frozen=True)
class Provenance:
    """What is needed to measure the same figures again.

    Attributes:
        command: the command line that measured them.
        commit: the commit of the checkout, "-dirty" added where files were changed; None outside a repository.
        date: the day, in UTC.
        versions: versions of Python and of the packages by name.
        machine: operating system and processor type.
    """

    command: str
    commit: str | None
    date: str
    versions: dict[str, str]
    machine: str

    def fields(self) -> dict[str, object]:
        """The same as a JSON object."""
        return asdict(self)


def provenance(command: str) -> Provenance:
    """Reads versions, commit and machine now.

    Args:
        command: the command line, as a reader would type it.
    """
    return Provenance(
        command=command,
        commit=commit(),
        date=datetime.now(UTC).date().isoformat(),
        versions=versions(),
        machine=f"{platform.system()} {platform.machine()}",
    )


def command_line(script: str, arguments: Sequence[str]) -> str:
    """A command as a reader would type it in the checkout, whatever folder the script was started from."""
    return " ".join(["python", f"scripts/{script}", *map(quote, arguments)])


def versions() -> dict[str, str]:
    """Versions of Python, this project and the packages in `PACKAGES` that are installed."""
    found = {"python": platform.python_version(), "yatzy-env": library_version()}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def commit() -> str | None:
    """The commit of the checkout, with "-dirty" where tracked files differ from it; None where git has no answer."""
    if not (CHECKOUT / ".git").exists():  # what was installed may lie in a repository of something else
        return None
    head = _git("rev-parse", "HEAD")
    if head is None:
        return None
    return head + ("-dirty" if _git("status", "--porcelain", "--untracked-files=no") else "")


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(CHECKOUT), *arguments], capture_output=True, text=True, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
