"""The card of the model that plays for the win, from a measurement."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agents.ppo.errors import ModelError
from agents.winning.config import load_config
from agents.winning.network import FILE
from yatzy_env.evaluation.provenance import Provenance
from yatzy_env.files import sha256

CARD = "README.md"
RESULTS = "results.json"


def one_line(fields: Mapping[str, Any]) -> str:
    """A measurement in words."""
    low, high = fields["win_share_interval"]
    return (
        f"{fields['agent']} wins {100 * fields['win_share']:.2f} % of {fields['games']:,} games against "
        f"{fields['opponent']}, draws counted half; 95 % interval {100 * low:.2f} to {100 * high:.2f}"
    )


def write_card(fields: Mapping[str, Any], origin: Provenance, folder: Path) -> Path:
    """Writes `README.md` and `results.json` beside a model.

    Args:
        fields: the measurement.
        origin: where it comes from.
        folder: the folder of the model.

    Returns:
        The path of the card.

    Raises:
        ModelError: if the folder does not say how the model was trained.
    """
    try:
        run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
        commands = (folder / "command.txt").read_text(encoding="utf-8").splitlines()
        with (folder / "curve.csv").open(newline="", encoding="utf-8") as file:
            curve = list(csv.DictReader(file))
        training = {
            "command": commands[0],
            "seed": load_config(folder / "config.yaml").seed,
            "seconds": int(curve[-1]["seconds"]),
            "rounds": len(curve),
            "taken_up_again": len(commands) - 1,
            "commit": run["commit"],
            "versions": run["versions"],
            "machine": run["machine"],
        }
    except (OSError, ValueError, KeyError, IndexError) as error:
        raise ModelError(f"{folder}: does not say how the model was trained ({error})") from error
    digests = {FILE: sha256(folder / FILE)}
    record = {**fields, "provenance": origin.fields(), "training": training, "sha256": digests}
    (folder / RESULTS).write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    card = folder / CARD
    card.write_text(_card(fields, origin, training, digests), encoding="utf-8")
    return card


def _card(
    fields: Mapping[str, Any], origin: Provenance, training: Mapping[str, Any], digests: Mapping[str, str]
) -> str:
    low, high = (100 * end for end in fields["win_share_interval"])
    verdict = "more than an even score" if low > 50 else "less than an even score" if high < 50 else "an even score"
    return f"""<!-- Written by the command under "Measurement". Do not edit. -->

# Yatzy for two, played for the win

Wins **{100 * fields["win_share"]:.2f} %** of its games against the optimal player, draws counted half: {verdict}
(95 % interval {low:.2f} to {high:.2f}). The optimal player maximises its own score exactly and does not look at its
opponent's card; this agent sees both cards and the lead.

Ruleset `{fields["ruleset"]}`, two players. The model plays these rules and no others.

## How well it plays

{fields["games"]:,} games in {fields["games"] // 2:,} pairs. Both games of a pair use the same dice with seats changed:
the optimal player against itself wins exactly half of every pair.

|  | this model | optimal player |
| --- | ---: | ---: |
| games won | {100 * fields["win_rate"]:.2f} % | {100 * fields["loss_rate"]:.2f} % |
| games drawn | {100 * fields["draw_rate"]:.2f} % | {100 * fields["draw_rate"]:.2f} % |
| won, draws counted half | {100 * fields["win_share"]:.2f} ± {100 * fields["win_share_se"]:.2f} % \
| {100 - 100 * fields["win_share"]:.2f} % |
| the same when it moves first | {100 * fields["win_share_moving_first"]:.2f} % \
| {100 - 100 * fields["win_share_moving_second"]:.2f} % |
| the same when it moves second | {100 * fields["win_share_moving_second"]:.2f} % \
| {100 - 100 * fields["win_share_moving_first"]:.2f} % |
| mean score | {fields["mean_score"]:.2f} | {fields["opponent_mean_score"]:.2f} |

± is one standard error. On the same dice it scores {-fields["score_difference"]:.2f} ± \
{fields["score_difference_se"]:.2f} points less than the optimal player:
points it gives up for wins.

## Known weaknesses

- It takes its opponent to play for points. One that plays for the win too is not what it was trained against.
- Two players only, and rules with one column and no saved throws.
- Its judgement of cards in points is a network's, not exact; the exact solution was not used in training.

## How it was made

```
{training["command"]}
```

- seed: {training["seed"]}
- rounds: {training["rounds"]} in all, `curve.csv` has them
- taken up again: {training["taken_up_again"]} times; the order of samples depends on it
- wall time: {training["seconds"] / 60:.1f} minutes, the machine shared with other work
- commit: {training["commit"]}
- versions: {_listed(training["versions"])}
- machine: {training["machine"]}

No number from the exact solution entered training: neither opponent, target, starting position nor the choice of a
round. [How it works](../../docs/winning.md).

## Files

| file | SHA-256 |
| --- | --- |
| `{FILE}` | `{digests[FILE]}` |

Plain arrays, read without pickle.

## Measurement

```
{origin.command}
```

- dice: `key("evaluate", {fields["seed"]}, game)`, games 0 to {fields["games"] - 1}
- date: {origin.date}
- commit: {origin.commit or "not in a repository"}
- versions: {_listed(origin.versions)}
- machine: {origin.machine}
"""


def _listed(versions: Mapping[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions.items())
