"""The model card: what a shipped model is, how well it plays, where it fails, and how it was made.

Everything on the card comes from an evaluation beside the optimal player on the same dice and from the files training
left with the model, so that a card is renewed by one command and never edited.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.evaluation.matches import Match
from agents.evaluation.results import AgentResult, Evaluation
from agents.evaluation.statistics import deviates, estimate, paired
from agents.evaluation.text import number, with_error
from yatzy_env.errors import YatzyError
from yatzy_env.rules import CATALOGUE, Ruleset

_WORST_BOXES = 3
_CLEARLY = 3.0  # standard errors from which on a difference between boxes is worth a line


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


def write_card(evaluation: Evaluation, training: Training, folder: Path, agent: str = "ppo") -> Path:
    """Writes `README.md` and `results.json` beside a model.

    Args:
        evaluation: measures the agent and the optimal player.
        training: how the model was made.
        folder: the folder of the model.
        agent: name of the model's agent in the evaluation; the optimal player's is "optimal".

    Returns:
        The path of the card.
    """
    record = evaluation.record() | {
        "training": {"command": training.command, **training.facts},
        "sha256": dict(training.digests),
    }
    (folder / "results.json").write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    card = folder / "README.md"
    card.write_text(model_card(evaluation, training, agent), encoding="utf-8")
    return card


def model_card(evaluation: Evaluation, training: Training, agent: str = "ppo") -> str:
    """The card as markdown.

    Raises:
        YatzyError: if the ruleset was not solved or one of the two agents is missing.
    """
    match, result = _find(evaluation, agent)
    best, best_result = _find(evaluation, "optimal")
    optimum = evaluation.optimum
    if optimum is None:
        raise YatzyError(f"ruleset {evaluation.rules.name!r} was not solved: a model card needs the optimum")
    origin = evaluation.provenance
    games = f"{evaluation.games:,} games on dice it never met in training, beside the optimal player on the same dice"
    digests = [(f"`{name}`", f"`{digest}`") for name, digest in training.digests.items()]
    measured = {
        "dice": f'`key("evaluate", {evaluation.seed}, game)`, games 0 to {evaluation.games - 1}',
        "date": origin.date,
        "commit": origin.commit or "not in a repository",
        "versions": ", ".join(f"{name} {version}" for name, version in origin.versions.items()),
        "machine": origin.machine,
    }
    return f"""<!-- Written by the command under "Measurement". Do not edit. -->

# PPO for `{evaluation.rules.name}`

{_lead(evaluation, result)}

{_describe(evaluation.rules)}

## How well it plays

{games}. ± is one standard error.

{_figures(result, best_result, optimum)}

The expected score is the optimum minus the regret: the value of the best action minus the value of the chosen one,
summed over a game, from the exact solution of this ruleset. It is the sharper estimate; the mean score carries the luck
of the dice.

## Where the regret sits

{_kinds(match)}

{_turns(match)}

## Known weaknesses

{_bullets(_weaknesses(match, best))}

## How it was made

```
{training.command}
```

{_facts(training.facts)}

No number from the exact solution entered training: neither loss, reward, starting positions nor the choice of a
checkpoint.

## Files

{_table(("file", "SHA-256"), digests)}
{_pickles(training.pickles)}
## Measurement

```
{origin.command}
```

{_facts(measured)}
"""


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


def _describe(rules: Ruleset) -> str:
    bonus = f"bonus {rules.bonus_points} at {rules.bonus_threshold}" if rules.bonus_points else "no bonus"
    known = "" if CATALOGUE.get(rules.name) == rules else " with changed options"
    return (
        f"Ruleset `{rules.name}`{known}: {rules.dice} dice, {len(rules.box_names)} boxes, {bonus}, order {rules.order}."
        f" The model plays these rules and no others (rules digest `{rules.digest[:16]}`)."
    )


def _figures(result: AgentResult, best: AgentResult, optimum: float) -> str:
    rows = [
        ("expected score", number(result.expected_score), number(optimum)),
        ("% of the optimum", number(result.percent_of_optimum), number(100.0)),
        ("regret per game", with_error(result.regret_per_game, result.regret_se), "0"),
        (
            "mean score",
            with_error(result.mean_score, result.score_se),
            with_error(best.mean_score, best.score_se),
        ),
        ("bonus rate", f"{100 * result.bonus_rate:.1f} %", f"{100 * best.bonus_rate:.1f} %"),
        ("yatzy rate", f"{100 * result.yatzy_rate:.1f} %", f"{100 * best.yatzy_rate:.1f} %"),
    ]
    return _table(("", "this model", "optimal player"), rows)


def _kinds(match: Match) -> str:
    total = float(match.game_regret.mean())
    rows = []
    for place, kind in enumerate(match.kinds):
        found = estimate(match.regret_by_kind[:, place])
        rows.append((kind, with_error(found.mean, found.error), f"{_share(found.mean, total):.0f} %"))
    return _table(("decision", "regret per game", "share"), rows)


def _turns(match: Match) -> str:
    """The regret of the first, middle and last third of the game."""
    total = float(match.game_regret.mean())
    rows = []
    for first, last in _thirds(match.regret_by_turn.shape[1]):
        found = estimate(match.regret_by_turn[:, first:last].sum(axis=1))
        rows.append((_span(first, last), with_error(found.mean, found.error), f"{_share(found.mean, total):.0f} %"))
    return _table(("turns", "regret per game", "share"), rows)


def _span(first: int, last: int) -> str:
    return f"{last}" if last == first + 1 else f"{first + 1} to {last}"


def _thirds(turns: int) -> list[tuple[int, int]]:
    edges = [round(turns * part / 3) for part in range(4)]
    return [(first, last) for first, last in pairwise(edges) if last > first]


def _share(part: float, total: float) -> float:
    return 100 * part / total if total > 0 else 0.0


def _weaknesses(match: Match, best: Match) -> list[str]:
    """What the games say about the model's weak sides, most telling first."""
    total = float(match.game_regret.mean())
    by_kind = match.regret_by_kind.mean(axis=0)
    kind = int(by_kind.argmax())
    thirds = [(first, last, float(match.regret_by_turn[:, first:last].sum(axis=1).mean()))
              for first, last in _thirds(match.regret_by_turn.shape[1])]  # fmt: skip
    first, last, heaviest = max(thirds, key=lambda third: third[2])
    lines = [
        f"The largest part of its regret falls on the {match.kinds[kind]}: {by_kind[kind]:.2f} points per game, "
        f"{_share(float(by_kind[kind]), total):.0f} % of the whole.",
        f"The most expensive part of the game: turns {_span(first, last)} with {heaviest:.2f} points "
        f"({_share(heaviest, total):.0f} %).",
        _concentration(match.game_regret),
    ]
    if match.rules.bonus_points:
        lines.append(_compare("earns the bonus", match.bonus.mean(axis=1), best.bonus.mean(axis=1)))
    if "yatzy" in match.rules.boxes:
        lines.append(_compare("scores in the yatzy box", match.yatzy.mean(axis=1), best.yatzy.mean(axis=1)))
    return lines + _short_boxes(match, best)


def _concentration(regret: NDArray[np.float64]) -> str:
    ordered = np.sort(regret)[::-1]
    worst = max(1, len(ordered) // 10)
    share = _share(float(ordered[:worst].sum()), float(ordered.sum()))
    return (
        f"A tenth of the games holds {share:.0f} % of the regret; the worst game of all lost {ordered[0]:.1f} points, "
        f"the median one {np.median(ordered):.1f}."
    )


def _compare(what: str, own: NDArray[np.float64], best: NDArray[np.float64]) -> str:
    difference = paired(own, best)
    return (
        f"It {what} in {100 * own.mean():.1f} % of the games, the optimal player in {100 * best.mean():.1f} % of the "
        f"same games (difference {100 * difference.mean:+.1f} ± {100 * difference.error:.1f})."
    )


def _short_boxes(match: Match, best: Match) -> list[str]:
    """The boxes in which the model scores clearly less than the optimal player."""
    gaps = (match.written - best.written).astype(np.float64)
    means = gaps.mean(axis=0)
    worst = [
        box for box in np.argsort(means)[:_WORST_BOXES].tolist() if means[box] < 0 and deviates(gaps[:, box], _CLEARLY)
    ]
    if not worst:
        return ["In no single box does it score clearly less than the optimal player."]
    parts = []
    for box in worst:
        found = estimate(gaps[:, box])
        parts.append(f"`{match.rules.box_names[box]}` ({found.mean:.2f} ± {found.error:.2f} points per game)")
    return [f"It scores less than the optimal player in {', '.join(parts)}."]


def _pickles(names: Sequence[str]) -> str:
    if not names:
        return (
            "\nPlain arrays, read without pickle. The checkpoint they were taken from, a zip of Stable-Baselines3, is\n"
            "not shipped: such zips hold pickles, and loading a pickle from a stranger can run any code. A model is\n"
            "loaded only if its digest is on record; `--trust` lifts that.\n"
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


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
