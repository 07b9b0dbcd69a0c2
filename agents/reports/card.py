"""The model card: what a shipped model is, how well it plays, where it fails, and how it was made.

Everything on the card comes from an evaluation beside the optimal player on the same dice and from the files training
left with the model, so that a card is renewed by one command and never edited. Where a ruleset has several columns, no
optimum is known, and the certified interval takes its place.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.models.exact_record import ExactRecord
from agents.reports import card_tables
from agents.reports.text import number, with_error
from agents.reports.weaknesses import weak_sides, weak_sides_of_columns
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.matches import Match
from yatzy_env.evaluation.results import AgentResult, Evaluation
from yatzy_env.rules import CATALOGUE, Ruleset

CARD = "README.md"
RESULTS = "results.json"
CURVE_PICTURE = "curve.png"


@dataclass(frozen=True)
class Training:
    """How a model was made, as far as its files say.

    Attributes:
        command: the training command.
        facts: further facts in the order in which they are to be listed: seed, steps, wall time, versions, commit ...
        digests: SHA-256 of each model file by its name.
        pickles: names of the files that hold pickled objects and can run code when they are loaded.
    """

    command: str
    facts: Mapping[str, str]
    digests: Mapping[str, str]
    pickles: Sequence[str] = ()


def write_card(
    evaluation: Evaluation,
    training: Training,
    folder: Path,
    agent: str = "ppo",
    exact: ExactRecord | None = None,
    reused_for: Sequence[str] = (),
) -> Path:
    """Writes `README.md` and `results.json` beside a model.

    Args:
        evaluation: measures the agent and, where there is an optimum, the optimal player.
        training: how the model was made.
        folder: the folder of the model.
        agent: name of the model's agent in the evaluation; the optimal player's is "optimal".
        exact: the exact score of the same weights, if it was computed.
        reused_for: other rulesets that are played with this model.

    Returns:
        The path of the card.
    """
    text = model_card(evaluation, training, agent, exact, reused_for, (folder / CURVE_PICTURE).is_file())
    record = evaluation.record() | {
        "training": {"command": training.command, **training.facts},
        "sha256": dict(training.digests),
    }
    if exact is not None:
        record["exact"] = exact.fields()
    (folder / RESULTS).write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    card = folder / CARD
    card.write_text(text, encoding="utf-8")
    return card


def model_card(
    evaluation: Evaluation,
    training: Training,
    agent: str = "ppo",
    exact: ExactRecord | None = None,
    reused_for: Sequence[str] = (),
    has_curve: bool = False,
) -> str:
    """The card as markdown.

    Raises:
        YatzyError: if an agent is missing, or neither the optimum nor its interval is known.
    """
    origin = evaluation.provenance
    digests = [(f"`{name}`", f"`{digest}`") for name, digest in training.digests.items()]
    measured = {
        "dice": f'`key("evaluate", {evaluation.seed}, game)`, games 0 to {evaluation.games - 1}',
        "date": origin.date,
        "commit": origin.commit or "not in a repository",
        "versions": ", ".join(f"{name} {version}" for name, version in origin.versions.items()),
        "machine": origin.machine,
    }
    if exact is not None:
        measured["exact score"] = exact.describe()
    curve = f"\n![Training curve]({CURVE_PICTURE})\n\n{_CURVE_NOTE}\n" if has_curve else ""
    return f"""<!-- Written by the command under "Measurement". Do not edit. -->

# PPO for `{evaluation.rules.name}`

{_measured(evaluation, agent, reused_for)}

## How it was made

```
{training.command}
```

{_facts(training.facts)}
{curve}
No number from the exact solution entered training: neither loss, reward, starting positions nor the choice of a
checkpoint.

## Files

{card_tables.table(("file", "SHA-256"), digests)}
{_pickles(training.pickles)}
## Measurement

```
{origin.command}
```

{_facts(measured)}
"""


_CURVE_NOTE = (
    "The mean score of the training games, whose actions are drawn; the shipped model takes the best-rated one."
)


def _measured(evaluation: Evaluation, agent: str, reused_for: Sequence[str]) -> str:
    """What the games say, from the lead to the weaknesses."""
    match, result = _find(evaluation, agent)
    rules = _describe(evaluation.rules, reused_for)
    if evaluation.optimum is None:
        return _measured_by_interval(evaluation, match, result, rules)
    best, best_result = _find(evaluation, "optimal")
    return f"""{_lead(evaluation, result)}

{rules}

## How well it plays

{evaluation.games:,} games on dice it never met in training, beside the optimal player on the same dice.
± is one standard error.

{card_tables.figures(evaluation.rules, result, best_result, evaluation.optimum)}

The expected score is the optimum minus the regret: the value of the best action minus the value of the chosen one,
summed over a game, from the exact solution of this ruleset. It is the sharper estimate; the mean score carries the luck
of the dice.{_EXACT_NOTE if result.exact_score is not None else ""}

## Where the regret sits

By decision: after the first throw, after the second, and at the choice of a box.

{card_tables.by_throw(match)}

{card_tables.by_turn(match)}

By the box that the turn went to, with the points that stand in it in the end:

{card_tables.by_box(match, best)}

## Known weaknesses

{_bullets(weak_sides(match, best))}"""


_EXACT_NOTE = """ The exact score is computed over every situation the model can come to, without dice
([how](../../docs/exact-evaluation.md))."""


def _measured_by_interval(evaluation: Evaluation, match: Match, result: AgentResult, rules: str) -> str:
    bounds = evaluation.bounds
    if bounds is None:
        raise YatzyError(
            f"ruleset {evaluation.rules.name!r}: a model card needs the optimum or the interval it lies in"
        )
    margin = 100 * (result.mean_score / bounds.lower - 1)
    return f"""Scores **{with_error(result.mean_score, result.score_se)} points** per game, {abs(margin):.2f} % \
{"above" if margin >= 0 else "below"} the {number(bounds.lower)} of its columns played one after the other.
The optimum lies between {number(bounds.lower)} and {number(bounds.upper)}, proved.

{rules}

## How well it plays

{evaluation.games:,} games on dice it never met in training. ± is one standard error.

{card_tables.place(result, bounds)}

The cards of several columns are too many to be solved, so there is neither an optimum nor regret, but an interval
([how](../../docs/solver.md#triple-yatzy)). Its lower end is what an optimal player of one column earns who plays the
columns one after the other: a policy that anyone can follow, and exact.

{card_tables.columns(match)}

## Known weaknesses

{_bullets(weak_sides_of_columns(match, bounds))}"""


def _find(evaluation: Evaluation, agent: str) -> tuple[Match, AgentResult]:
    for match, result in zip(evaluation.matches, evaluation.results, strict=True):
        if match.agent == agent:
            return match, result
    raise YatzyError(f"a model card needs the agent {agent!r} in its evaluation")


def _lead(evaluation: Evaluation, result: AgentResult) -> str:
    return (
        f"Plays at **{number(result.percent_of_optimum)} % of the exact optimum**: an expected "
        f"{number(result.expected_score)} of {number(evaluation.optimum)} points, a regret of "
        f"{with_error(result.regret_per_game, result.regret_se)} points per game."
    )


def _describe(rules: Ruleset, reused_for: Sequence[str]) -> str:
    bonus = f"bonus {rules.bonus_points} at {rules.bonus_threshold}" if rules.bonus_points else "no bonus"
    known = "" if CATALOGUE.get(rules.name) == rules else " with changed options"
    also = (
        f" {', '.join(f'`{name}`' for name in reused_for)} reuse it ([what that costs](../../docs/models.md))."
        if reused_for
        else ""
    )
    return (
        f"Ruleset `{rules.name}`{known}: {rules.dice} dice, {len(rules.box_names)} boxes, {bonus}, order {rules.order}."
        f" The model was trained for these rules alone (rules digest `{rules.digest[:16]}`).{also}"
    )


def _pickles(names: Sequence[str]) -> str:
    if not names:
        return (
            "\nPlain arrays, read without pickle. The training checkpoints are zips of Stable-Baselines3, which hold\n"
            "pickles, and loading a pickle from a stranger can run any code: they are not shipped. A model is loaded\n"
            "only if its digest is on record; `--trust` lifts that.\n"
        )
    listed = ", ".join(f"`{name}`" for name in names)
    return (
        f"\n{listed}: made by Stable-Baselines3, with Python pickles inside. **Loading a pickle can run code.** "
        "A model is\nloaded only if its digest is on record; `--trust` lifts that.\n"
    )


def _facts(facts: Mapping[str, Any]) -> str:
    return "\n".join(f"- {name}: {value}" for name, value in facts.items())


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
