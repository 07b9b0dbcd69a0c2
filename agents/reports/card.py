"""Model cards: what a shipped model is, how well it plays, where it fails, and how it was made.

Everything on the card comes from an evaluation beside the optimal player on the same dice and from the files training
left with the model, so that a card is renewed by one command and never edited. Where a ruleset has several columns, no
optimum is known, and the certified interval takes its place.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agents.errors import ModelError
from agents.models.record import CARD, CURVE_PICTURE, RESULTS, Training, machine_in_words
from agents.reports.render import render
from agents.reports.weaknesses import by_box, by_column, by_decision, by_turn, weaknesses, weaknesses_of_columns
from agents.training.runs import CURVE
from agents.winning.config import WinConfig
from agents.winning.rests import FILE
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.provenance import Provenance
from yatzy_env.evaluation.results import AgentResult, Evaluation
from yatzy_env.files import read_json_object, sha256, write_json, write_text
from yatzy_env.rules import CATALOGUE


def write_card(
    evaluation: Evaluation,
    training: Training,
    folder: Path,
    agent: str = "ppo",
    exact: Mapping[str, Any] | None = None,
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
    return _write_both(folder, record | ({} if exact is None else {"exact": exact}), text)


def _write_both(folder: Path, record: dict[str, Any], text: str) -> Path:
    write_json(folder / RESULTS, record)
    write_text(folder / CARD, text)
    return folder / CARD


def model_card(
    evaluation: Evaluation,
    training: Training,
    agent: str = "ppo",
    exact: Mapping[str, Any] | None = None,
    reused_for: Sequence[str] = (),
    has_curve: bool = False,
) -> str:
    """The card as markdown.

    Raises:
        YatzyError: if an agent is missing, or neither the optimum nor its interval is known.
    """
    rules = evaluation.rules
    result = _find(evaluation, agent)
    return render(
        "card.md.j2",
        rules=rules,
        in_catalogue=CATALOGUE.get(rules.name) == rules,
        reused_for=reused_for,
        games=evaluation.games,
        result=result,
        **_beside_the_optimum(evaluation, result),
        training=training,
        has_curve=has_curve,
        origin=evaluation.provenance,
        seed=evaluation.seed,
        exact=exact,
    )


def _beside_the_optimum(evaluation: Evaluation, result: AgentResult) -> dict[str, Any]:
    """What the games say beside the optimum, or beside the interval it lies in."""
    bounds, match = evaluation.bounds, result.match
    if evaluation.optimum is not None:
        best = _find(evaluation, "optimal")
        return {
            "bounds": None,
            "optimum": evaluation.optimum,
            "best": best,
            "by_decision": by_decision(match),
            "by_turn": by_turn(match),
            "by_box": by_box(match, best.match),
            "weak": weaknesses(match, best.match),
        }
    if bounds is None:
        raise YatzyError(
            f"ruleset {evaluation.rules.name!r}: a model card needs the optimum or the interval it lies in"
        )
    return {
        "bounds": bounds,
        "margin": 100 * (result.mean_score / bounds.lower - 1),
        "by_column": by_column(match),
        "weak": weaknesses_of_columns(match, bounds),
    }


def _find(evaluation: Evaluation, agent: str) -> AgentResult:
    for result in evaluation.results:
        if result.agent == agent:
            return result
    raise YatzyError(f"a model card needs the agent {agent!r} in its evaluation")


def write_win_card(fields: Mapping[str, Any], origin: Provenance, folder: Path) -> Path:
    """Writes `README.md` and `results.json` of a measurement beside the model that plays for the win.

    Raises:
        ModelError: if the folder does not say how the model was trained.
    """
    training, digests = _read_training(folder), {FILE: sha256(folder / FILE)}
    text = render(
        "win.md.j2",
        found=fields,
        training=training,
        digests=digests,
        origin=origin,
    )
    return _write_both(folder, {**fields, "provenance": origin.fields(), "training": training, "sha256": digests}, text)


def _read_training(folder: Path) -> dict[str, Any]:
    try:
        run = read_json_object(folder / "run.json", ModelError)
        commands = (folder / "command.txt").read_text(encoding="utf-8").splitlines()
        with (folder / CURVE).open(newline="", encoding="utf-8") as file:
            curve = list(csv.DictReader(file))
        return {
            "command": commands[0],
            "seed": WinConfig.read(folder / "config.yaml").seed,
            "seconds": int(curve[-1]["cpu_seconds"]),
            "rounds": len(curve),
            "commit": run["commit"],
            "versions": run["versions"],
            "machine": machine_in_words(run["machine"]),
        }
    except (OSError, ValueError, KeyError, IndexError, ModelError) as error:
        raise ModelError(f"{folder}: does not say how the model was trained ({error})") from error
