"""The table of the rows of the ablation, from its protocol and from what is stored of rows that it no longer has."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from agents.benchmark.protocol import SET_BY_TASK, Algorithm, PPOSettings, Protocol
from agents.training.config import CONFIGS
from yatzy_env.files import read_json_object

ABLATION = CONFIGS / "ablation.yaml"
STORED = CONFIGS.parent / "docs" / "ablation.json"

HEAD = ("row", "what it is", "compared with", "what differs")


def ablation_rows(path: Path = ABLATION, stored: Path = STORED) -> list[list[str]]:
    """A row per algorithm of a protocol, in the columns of `HEAD`, then those that stored results alone have.

    What it is comes from the comment beside its name, what differs from the settings themselves: from those of the row
    it is compared with, or else from the configuration it changes.
    """
    protocol = Protocol.read(path)
    said = dict(re.findall(r"^  (\S+): +# (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE))
    return [
        [
            f"`{name}`",
            said.get(name, ""),
            f"`{settings.against}`" if settings.against is not None else "",
            "; ".join(differences(protocol, name)) or "nothing",
        ]
        for name, settings in protocol.algorithms.items()
    ] + _former_rows(protocol, stored)


def _former_rows(protocol: Protocol, stored: Path) -> list[list[str]]:
    """Rows that an earlier version measured and this one cannot train."""
    algorithms = read_json_object(stored)["protocol"]["algorithms"] if stored.exists() else {}
    rows = []
    for name, settings in algorithms.items():
        if name not in protocol.algorithms:
            other = algorithms[settings["against"]]["changes"]
            changes = [f"`{key}` {_text(to)}" for key, to in settings["changes"].items() if other.get(key) != to]
            said = "measured by an earlier version; it can no longer be trained"
            rows.append([f"`{name}`", said, f"`{settings['against']}`", "; ".join(changes)])
    return rows


def differences(protocol: Protocol, name: str) -> list[str]:
    """What sets an algorithm apart from the one it is compared with, or from the configuration it changes."""
    settings = protocol.algorithms[name]
    if settings.against is not None:
        other = protocol.algorithms[settings.against]
        if settings.kind != other.kind:
            return [f"`kind` {settings.kind} instead of {other.kind}"]
    else:
        other = settings.model_copy(update={"changes": {}}) if isinstance(settings, PPOSettings) else type(settings)()
    ours, theirs = _values(settings), _values(other)
    return [
        f"`{key}` {_text(value)} instead of {_text(theirs[key])}" for key, value in ours.items() if value != theirs[key]
    ]


def _values(settings: Algorithm) -> dict[str, Any]:
    if not isinstance(settings, PPOSettings):
        return settings.model_dump(mode="json", exclude={"against"})
    return {"steps": settings.steps} | settings.base.model_dump(mode="json", exclude=set(SET_BY_TASK))


def _text(value: object) -> str:
    """A setting in words; a schedule by its ends, or by its value if that never changes."""
    if isinstance(value, dict) and {"start", "end"} <= set(value):
        ends = dict.fromkeys(_text(value[end]) for end in ("start", "end"))
        return " to ".join(ends)
    return f"{value:g}" if isinstance(value, float) else str(value)
