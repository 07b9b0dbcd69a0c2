"""Digests of model files: what may be loaded without being asked to trust it.

A shipped model must be the file that `models/digests.json` records, a model of an own run the file that the run's
`manifest.json` records. Anything else is refused unless the caller trusts it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agents.errors import ModelError
from yatzy_env.files import read_record, sha256, write_json

MODELS = Path(__file__).parents[2] / "models"
"""The shipped models: a folder per ruleset."""

RECORD = "digests.json"
MANIFEST = "manifest.json"


def check_digest(path: Path, trust: bool = False, models: Path = MODELS) -> None:
    """Checks that a model file is one on record.

    Args:
        path: the file.
        trust: load it whatever the records say.
        models: the folder of shipped models.

    Raises:
        ModelError: if the file is missing, not on record, or not the recorded one.
    """
    if not path.is_file():
        raise ModelError(f"{path}: there is no such file")
    if trust:
        return
    found = _recorded(path.resolve(), models.resolve())
    if found is None:
        raise ModelError(f"{path}: on no record of known models; --trust loads it all the same")
    record, digest = found
    if sha256(path) != digest:
        raise ModelError(
            f"{path}: damaged or changed, its digest is not the one in {record.name}; --trust loads it all the same"
        )


def _recorded(path: Path, models: Path) -> tuple[Path, str] | None:
    """The record that names a file, and the digest it gives."""
    if path.is_relative_to(models):
        record, name = models / RECORD, path.relative_to(models).as_posix()
        digest = _read(record).get(name)
    else:
        record = next((up / MANIFEST for up in list(path.parents)[:2] if (up / MANIFEST).is_file()), path)
        if record == path:
            return None
        digest = _read(record).get("files", {}).get(path.relative_to(record.parent).as_posix())
    return (record, digest) if isinstance(digest, str) else None


def _read(record: Path) -> dict[str, Any]:
    content = read_record(record, ModelError) if record.is_file() else {}
    if not isinstance(content.get("files", {}), dict):
        raise ModelError(f"{record}: damaged (not a record of digests)")
    return content


def record_digests(files: list[Path], models: Path = MODELS) -> None:
    """Enters files of the models folder into its record, in place of all that were there for their folders."""
    folders = {path.relative_to(models).parts[0] for path in files}
    kept = {name: digest for name, digest in _read(models / RECORD).items() if name.partition("/")[0] not in folders}
    kept |= {path.relative_to(models).as_posix(): sha256(path) for path in files}
    write_json(models / RECORD, kept, ModelError, sort_keys=True)
