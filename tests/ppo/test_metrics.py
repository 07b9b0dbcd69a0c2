"""The page about training explains every metric that training logs."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_logged_metric_is_explained() -> None:
    sources = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "agents" / "ppo").glob("*.py"))
    logged = set(re.findall(r'"((?:train|rollout|time)/\w+)"', sources))
    assert len(logged) >= 8
    names = re.search(r'names = \(\s*("policy_loss"[^)]*)\)', sources)
    assert names is not None
    logged |= {f"train/{name}" for name in re.findall(r'"(\w+)"', names.group(1))}
    explained = set(
        re.findall(r"`((?:train|rollout|time)/\w+)`", (ROOT / "docs" / "training.md").read_text(encoding="utf-8"))
    )
    assert logged <= explained
