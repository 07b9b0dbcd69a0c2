"""The card of the generalist and its section among the models, from its record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agents.markdown import table
from agents.models.digest import MODELS
from agents.models.record import RESULTS, read_training
from agents.ppo.multitask import GENERALIST
from agents.reports.text import with_error
from yatzy_env.files import read_json_object

FOLDER = MODELS / GENERALIST


def is_measured(folder: Path = FOLDER) -> bool:
    """Whether there is a record to write about."""
    return (folder / RESULTS).is_file()


def generalist_table(cases: list[dict[str, Any]]) -> str:
    """A row per ruleset: the generalist beside the specialist, on the same dice."""
    rows = [
        (
            f"`{case['ruleset']}`",
            f"{case['optimum']:.2f}",
            with_error(case["regret_per_game"], case["regret_se"]),
            f"{case['percent_of_optimum']:.2f}",
            with_error(case["specialist_regret"], case["specialist_se"]),
            f"{case['specialist_percent']:.2f}",
            "its own" if case["specialist"] == case["ruleset"] else f"that of `{case['specialist']}`",
        )
        for case in cases
    ]
    head = (
        "ruleset", "optimum", "regret per game", "% of optimum", "regret of the specialist", "its % of optimum",
        "which specialist",
    )  # fmt: skip
    return table(head, rows)


def generalist_section(folder: Path = FOLDER) -> str:
    """The section of the page about models; nothing while there is no record."""
    if not is_measured(folder):
        return ""
    record = read_json_object(folder / RESULTS)
    return f"""
## One network for many rulesets

`models/generalist` is one network for {len(record["cases"])} rulesets with five dice and one column. It reads the
inputs of all of them, boxes by name, and which of them is played (`agents/ppo/multitask.py`). It was trained on
{record["steps"]:,} decisions in all, an equal share under each ruleset. `python scripts/evaluate.py models/generalist
--ruleset forced` plays it. {record["games"]:,} games each, on the same dice as the specialist:

{generalist_table(record["cases"])}
"""


def generalist_card(folder: Path = FOLDER) -> str:
    """The card: what it is, how good, how made."""
    record, training = read_json_object(folder / RESULTS), read_training(folder)
    cases = sorted(record["cases"], key=lambda case: float(case["percent_of_optimum"]))
    worst, best = cases[0], cases[-1]
    facts = "\n".join(f"- {name}: {value}" for name, value in training.facts.items())
    files = table(("file", "SHA-256"), [(f"`{name}`", f"`{mark}`") for name, mark in training.digests.items()])
    versions = ", ".join(f"{name} {version}" for name, version in record["versions"].items())
    return f"""<!-- Written by `make docs` from results.json. Do not edit. -->

# One PPO network for {len(cases)} rulesets

Plays {len(cases)} rulesets with five dice and one column. Of the exact optimum of the ruleset in play it reaches from
{worst["percent_of_optimum"]:.2f} % (`{worst["ruleset"]}`) to {best["percent_of_optimum"]:.2f} % (`{best["ruleset"]}`).

## How well it plays

{record["games"]:,} games of each ruleset on dice it never met in training, beside the specialist that is shipped for
the ruleset, on the same dice. ± is one standard error.

{generalist_table(record["cases"])}

A specialist saw one ruleset in all of its training, the generalist {record["steps"]:,} decisions in all, an equal share
under each. Where the specialist is that of another ruleset, the generalist has learnt the ruleset itself.

## What it is

Two networks, policy and value, that read the inputs of all rulesets, boxes by name, and one entry per ruleset that says
which is played. What a ruleset does not have reads zero and is never legal. Under one ruleset the entry that names it
is constant, so that the network is an ordinary one with fewer inputs and actions; that is how it is loaded
([`agents/ppo/multitask.py`](../../agents/ppo/multitask.py)).

```
python scripts/evaluate.py models/generalist --ruleset half-force
```

## Known weaknesses

- It plays the rulesets it was trained for and no others: a ruleset with changed options is refused.
- It comes from one training run; how far runs with other seeds differ is not measured here.
- It plays for the expected score, and sees no other player's card.

## How it was made

```
{training.command}
```

{facts}

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
- versions: {versions}
"""
