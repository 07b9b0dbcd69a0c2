"""The card of the generalist and its section among the models, from its record."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from agents.ppo.digest import MODELS
from agents.ppo.family import GENERALIST
from scripts._tables import table, with_error

FOLDER = MODELS / GENERALIST


def is_measured(folder: Path = FOLDER) -> bool:
    """Whether there is a record to write about."""
    return (folder / "results.json").is_file()


def generalist_table(folder: Path = FOLDER) -> str:
    """A row per ruleset: the generalist beside the specialist, on the same dice."""
    rows = []
    for case in _record(folder)["cases"]:
        own = case["specialist"] == case["ruleset"]
        rows.append([
            f"`{case['ruleset']}`",
            f"{case['optimum']:.2f}",
            with_error(case["regret_per_game"], case["regret_se"]),
            f"{case['percent_of_optimum']:.2f}",
            with_error(case["specialist_regret"], case["specialist_se"]),
            f"{case['specialist_percent']:.2f}",
            "its own" if own else f"that of `{case['specialist']}`",
        ])  # fmt: skip
    head = (
        "ruleset", "optimum", "regret per game", "% of optimum", "regret of the specialist", "its % of optimum",
        "which specialist",
    )  # fmt: skip
    return table(head, rows)


def generalist_section(folder: Path = FOLDER) -> str:
    """The section of the page about models."""
    if not is_measured(folder):
        return ""
    record = _record(folder)
    return f"""
## One network for many rulesets

`models/generalist` is one network for {len(record["cases"])} rulesets, all with five dice and one column. It reads the
inputs of all of them, boxes by name, and which of them is played (`agents/ppo/family.py`). It made
{record["training"]["steps"]:,} decisions in all, an equal share under each ruleset. `python scripts/evaluate.py
models/generalist --ruleset forced` plays it. {record["games"]:,} games each, on the same dice as the specialist:

{generalist_table(folder)}
"""


def generalist_card(folder: Path = FOLDER) -> str:
    """The card: what it is, how good, how made."""
    record = _record(folder)
    run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    command = (folder / "command.txt").read_text(encoding="utf-8").strip()
    training = record["training"]
    cases = record["cases"]
    worst = min(cases, key=lambda case: case["percent_of_optimum"])
    best = max(cases, key=lambda case: case["percent_of_optimum"])
    files = table(("file", "SHA-256"), [[f"`{name}`", f"`{mark}`"] for name, mark in record["sha256"].items()])
    return f"""<!-- Written by `make docs` from results.json. Do not edit. -->

# One PPO network for {len(cases)} rulesets

Plays every ruleset of the catalogue with five dice and one column, from {worst["percent_of_optimum"]:.2f} %
(`{worst["ruleset"]}`) to {best["percent_of_optimum"]:.2f} % (`{best["ruleset"]}`) of the exact optimum of the ruleset
in play.

## How well it plays

{record["games"]:,} games of each ruleset on dice it never met in training, beside the specialist that is shipped for
the ruleset on the same dice. ± is one standard error.

{generalist_table(folder)}
A specialist saw one ruleset in all of its training, the generalist {training["steps"]:,} decisions in all, an equal
share under each ruleset. It learnt the Yahtzee options themselves; their specialist learnt `yahtzee` alone.

## What it is

Two networks, policy and value, that read the inputs of all rulesets, boxes by name, and one entry per ruleset that
says which is played. What a ruleset does not have reads zero and is never legal. Under one ruleset the entry that names
it is constant, so that the network is an ordinary one with fewer inputs and actions; that is how it is loaded
([`agents/ppo/family.py`](../../agents/ppo/family.py)).

```
python scripts/evaluate.py models/generalist --ruleset half-force
```

## Known weaknesses

- It plays the rulesets it was trained for and no others: a ruleset with changed options is refused.
- It comes from one training run; how far runs with other seeds differ is not measured here.
- It plays for the expected score, and sees no other player's card.

## How it was made

```
{command}
```

- seed: {training["seed"]}
- steps: {training["steps"]:,} over {training["lanes"]:,} lanes
- wall time: {_minutes(folder):.1f} minutes
- commit: {run["commit"]}
- versions: {_versions(run["versions"])}
- machine: {run["machine"]["processor"]}, {run["machine"]["cores"]} cores

No number from the exact solution entered training: neither loss, reward, starting positions nor the choice of a
checkpoint.

## Files

{files}
Plain arrays, read without pickle. A model is loaded only if its digest is on record; `--trust` lifts that.

## Measurement

```
{record["command"]}
```

- dice: `key("evaluate", {record["seed"]}, game)`, games 0 to {record["games"] - 1}
- date: {record["date"]}
- commit: {record["commit"]}
- versions: {_versions(record["versions"])}
"""


def _record(folder: Path) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    return record


def _minutes(folder: Path) -> float:
    with (folder / "curve.csv").open(newline="", encoding="utf-8") as file:
        *_, last = csv.DictReader(file)
    return float(last["seconds"]) / 60


def _versions(found: dict[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in found.items())
