"""The tables of the shipped models, from the records beside them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agents.markdown import table
from agents.models.digest import MODELS
from agents.models.reuse import reused_names, shipped_names
from agents.reports.text import with_error
from scripts.maintain._generalist_docs import generalist_section
from yatzy_env.files import read_json_object
from yatzy_env.rules import CATALOGUE

ROOT = Path(__file__).parents[2]
REUSE = ROOT / "docs" / "reuse.json"
"""What scripts/maintain/reuse.py has measured."""

HEAD = ("ruleset", "optimum", "regret per game", "% of optimum", "exact score", "mean score", "bonus %")


def records(models: Path = MODELS) -> dict[str, dict[str, Any]]:
    """The `results.json` of every model that has one, in the order of the catalogue."""
    files = {name: models / name / "results.json" for name in shipped_names(models)}
    return {name: read_json_object(file) for name, file in files.items() if file.is_file()}


def model_rows(found: dict[str, dict[str, Any]]) -> list[list[str]]:
    """A row per model in the columns of `HEAD`, its name linked to its card."""
    return [[f"[`{name}`](%s{name}/README.md)", *_figures(name, record)] for name, record in found.items()]


def readme_table(models: Path = MODELS) -> str:
    """The short table of all agents, for the README: percentages from the exact score where there is one."""
    rows = []
    for (linked, optimum, regret, percent, exact, *_), record in zip(
        model_rows(found := records(models)), found.values(), strict=True
    ):
        best = f"{100 * float(exact) / record['optimum']:.2f}" if exact else percent
        rows.append([linked % "models/", optimum, regret, best])
    return table(HEAD[:4], rows) + "\n"


_NOTE = """Each is measured on dice it never met, by the command on its card; ± is one standard error. With several
columns (`triple`) the optimum is known to lie in the given interval only, and the model reaches *at least* the
percentage; what it scores above the lower end, which anyone can play, is on its card.
"""


def models_page(notice: str) -> str:
    """The page about the shipped models."""
    found = records()
    made = [
        [
            f"`{name}`",
            record["training"]["steps"],
            record["training"]["wall time"],
            record["training"]["seed"],
            f"{record['games']:,}, seed {record['seed']}",
            f"`{record['sha256']['weights.npz'][:16]}`",
        ]
        for name, record in found.items()
    ]
    rows = [[row[0] % "../models/", *row[1:]] for row in model_rows(found)]
    reused = [[f"`{name}`", f"`{model}`", _rules_difference(name, model)] for name, model in reused_names().items()]
    return f"""{notice}
# Shipped models

A PPO agent for each ruleset, trained by `configs/RULESET.yaml`: the code is the same. `ppo` on the command line is the
model of the ruleset in play. Its folder `models/RULESET/` holds the network as plain arrays (`weights.npz`),
`config.yaml`, `command.txt`, `run.json`, the training curve, `results.json` and a card.

<!-- models:begin -->
{table(HEAD, rows)}
<!-- models:end -->

{_NOTE}
The exact score is computed without dice over every situation the model can come to, where they can be listed
([exact evaluation](exact-evaluation.md)); for the larger rulesets it is missing.

```sh
python -m agents.models.ship runs/RULESET/NAME   # a run's network becomes the shipped model
python scripts/maintain/card.py RULESET                # measure it and write its card; --exact, --all
make docs                                     # renew this page and the table in the README
```

## How they were made

{table(("ruleset", "steps", "wall time", "seed", "games measured", "weights, SHA-256"), made)}

## One model for several rulesets

These rulesets have no model of their own; `models/reuse.json` names the one that plays them:

{table(("ruleset", "plays with the model for", "what is different"), reused)}

The options of a ruleset (`--set`) are played by the model of its name, as long as dice, throws, boxes, columns and
saved throws are the same. The network reads the observation of the rules in play. Where they have no bonus, it reads
that the bonus is secured; where nothing is paid for a further yatzy, that the yatzy box holds no points. A file that is
named explicitly (`evaluate.py models/yatzy --set ...`) is refused under other rules than its own.

{_reuse_text()}{generalist_section()}"""


def _reuse_text() -> str:
    if not REUSE.is_file():
        return "What it costs has not been measured yet: `python scripts/maintain/reuse.py`.\n"
    record = read_json_object(REUSE)
    rows = [
        [
            f"`{case['ruleset']}`" + "".join(f" `{key}={_value(value)}`" for key, value in case["options"].items()),
            f"`{case['model']}`",
            f"{case['optimum']:.2f}",
            f"{case['regret_per_game']:.2f} ± {case['regret_se']:.2f}",
            f"{case['percent_of_optimum']:.2f}",
            f"{case['own_regret']:.2f} ± {case['own_regret_se']:.2f}",
            f"{case['rules_alone']:.2f} ± {case['rules_alone_se']:.2f}",
        ]
        for case in record["cases"]
    ]
    head = (
        "rules in play", "model", "optimum", "regret per game", "% of optimum", "its regret at home",
        "regret of the optimal player of the model's rules",
    )  # fmt: skip
    return f"""What that costs, by regret: {record["games"]:,} games each on dice of seed {record["seed"]}, by

```
{record["command"]}
```

The last column is what playing for the wrong rules costs by itself: the regret of the optimal player of the model's own
rules under the rules in play. Where the observation shows the difference, as it does a `bonus_threshold`, a network can
lose less than that.

{table(head, rows)}
"""


def _figures(name: str, record: dict[str, Any]) -> list[str]:
    agent = next(agent for agent in record["agents"] if agent["agent"] == "ppo")
    score = with_error(agent["mean_score"], agent["score_se"])
    bonus = f"{100 * agent['bonus_rate']:.1f}" if CATALOGUE[name].bonus_points else ""
    if record["optimum"] is None:
        lower, upper = record["lower"], record["upper"]
        least = f"at least {100 * agent['mean_score'] / upper:.2f}"
        return [f"{lower:.2f} to {upper:.2f}", "", least, "", score, bonus]
    exact = agent.get("exact_score")
    return [
        f"{record['optimum']:.2f}",
        with_error(agent["regret_per_game"], agent["regret_se"]),
        f"{agent['percent_of_optimum']:.2f}",
        f"{exact:.4f}" if exact is not None else "",
        score,
        bonus,
    ]


def _rules_difference(name: str, model: str) -> str:
    ours, theirs = (CATALOGUE[which].model_dump(mode="json", exclude={"name"}) for which in (name, model))
    return ", ".join(
        f"`{key}` {_value(ours[key])} for {_value(theirs[key])}" for key in ours if ours[key] != theirs[key]
    )


def _value(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
