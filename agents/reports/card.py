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
from agents.models.record import CARD, CURVE_PICTURE, RESULTS, ExactRecord, Training, listed, machine_in_words
from agents.reports.regret import by_box, by_column, by_decision, by_turn
from agents.reports.render import render
from agents.reports.weaknesses import weaknesses, weaknesses_of_columns
from agents.training.runs import CURVE
from agents.winning.config import load_config
from agents.winning.network import FILE
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.matches import Match
from yatzy_env.evaluation.provenance import Provenance
from yatzy_env.evaluation.results import AgentResult, Evaluation
from yatzy_env.files import read_json_object, sha256, write_json, write_text
from yatzy_env.rules import CATALOGUE


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
    return write_both(folder, record, text)


def write_both(folder: Path, record: dict[str, Any], text: str) -> Path:
    """Writes record and card of a model; returns the path of the card."""
    write_json(folder / RESULTS, record)
    write_text(folder / CARD, text)
    return folder / CARD


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
    rules = evaluation.rules
    match, result = _find(evaluation, agent)
    measured = measured_facts(evaluation.provenance, evaluation.seed, evaluation.games)
    if exact is not None:
        measured["exact score"] = (
            f"{exact.situations:,} situations on {exact.cards:,} cards, {exact.seconds:.0f} s, {exact.date}, "
            f"commit {exact.commit or 'not in a repository'}"
        )
    return render(
        "card.md.j2",
        rules=rules,
        in_catalogue=CATALOGUE.get(rules.name) == rules,
        reused_for=reused_for,
        games=evaluation.games,
        result=result,
        **_beside_the_optimum(evaluation, match, result),
        training=training,
        has_curve=has_curve,
        command=evaluation.provenance.command,
        measured=measured,
    )


def measured_facts(origin: Provenance, seed: int, games: int) -> dict[str, str]:
    """What a card says about its measurement."""
    return {
        "dice": f'`key("evaluate", {seed}, game)`, games 0 to {games - 1}',
        "date": origin.date,
        "commit": origin.commit or "not in a repository",
        "versions": listed(origin.versions),
        "machine": origin.machine,
    }


def _beside_the_optimum(evaluation: Evaluation, match: Match, result: AgentResult) -> dict[str, Any]:
    """What the games say beside the optimum, or beside the interval it lies in."""
    bounds = evaluation.bounds
    if evaluation.optimum is not None:
        best_match, best = _find(evaluation, "optimal")
        return {
            "bounds": None,
            "optimum": evaluation.optimum,
            "best": best,
            "by_decision": by_decision(match),
            "by_turn": by_turn(match),
            "by_box": by_box(match, best_match),
            "weak": weaknesses(match, best_match),
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


def _find(evaluation: Evaluation, agent: str) -> tuple[Match, AgentResult]:
    for match, result in zip(evaluation.matches, evaluation.results, strict=True):
        if match.agent == agent:
            return match, result
    raise YatzyError(f"a model card needs the agent {agent!r} in its evaluation")


def write_win_card(fields: Mapping[str, Any], origin: Provenance, folder: Path) -> Path:
    """Writes `README.md` and `results.json` beside the model that plays for the win.

    Args:
        fields: the measurement.
        origin: where it comes from.
        folder: the folder of the model.

    Returns:
        The path of the card.

    Raises:
        ModelError: if the folder does not say how the model was trained.
    """
    training, digests = _read_training(folder), {FILE: sha256(folder / FILE)}
    text = render(
        "win.md.j2",
        found=fields,
        training=training,
        listed=listed,
        digests=digests,
        command=origin.command,
        measured=measured_facts(origin, fields["seed"], fields["games"]),
    )
    return write_both(folder, {**fields, "provenance": origin.fields(), "training": training, "sha256": digests}, text)


def _read_training(folder: Path) -> dict[str, Any]:
    try:
        run = read_json_object(folder / "run.json", ModelError)
        commands = (folder / "command.txt").read_text(encoding="utf-8").splitlines()
        with (folder / CURVE).open(newline="", encoding="utf-8") as file:
            curve = list(csv.DictReader(file))
        return {
            "command": commands[0],
            "seed": load_config(folder / "config.yaml").seed,
            "seconds": int(curve[-1]["seconds"]),
            "rounds": len(curve),
            "taken_up_again": len(commands) - 1,
            "commit": run["commit"],
            "versions": run["versions"],
            "machine": machine_in_words(run["machine"]),
        }
    except (OSError, ValueError, KeyError, IndexError, ModelError) as error:
        raise ModelError(f"{folder}: does not say how the model was trained ({error})") from error
