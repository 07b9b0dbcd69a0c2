"""Model cards: what a shipped model is, how well it plays, where it fails, and how it was made.

Everything on the card comes from an evaluation beside the optimal player on the same dice and from the files training
left with the model, so that a card is renewed by one command and never edited. Where a ruleset has several columns, no
optimum is known, and the certified interval takes its place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from agents.errors import ModelError
from agents.models.record import CARD, CURVE_PICTURE, RESULTS, Training, best_percent, machine_in_words
from agents.reports.render import render
from agents.reports.text import number, percent, with_error
from agents.reports.weaknesses import by_box, by_column, by_decision, by_turn, weaknesses, weaknesses_of_columns
from agents.training.runs import CURVE, curve_rows
from agents.winning.config import WinConfig
from agents.winning.rests import FILE
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.provenance import Provenance
from yatzy_env.evaluation.results import AgentResult, Evaluation
from yatzy_env.files import read_record, sha256, write_record, write_text
from yatzy_env.rules import CATALOGUE
from yatzy_env.solver.triple import Interval


def write_card(
    evaluation: Evaluation,
    training: Training,
    folder: Path,
    exact: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
) -> Path:
    """Writes `README.md` and `results.json` beside a model.

    Args:
        evaluation: measures the model's agents and, where there is an optimum, the optimal player.
        training: how the model was made.
        folder: the folder of the model.
        exact: the exact scores of the same networks that were computed, by agent.

    Returns:
        The path of the card.
    """
    text = model_card(evaluation, training, exact, (folder / CURVE_PICTURE).is_file())
    record = evaluation.record() | {
        "training": {"command": training.command, **training.facts},
        "sha256": dict(training.digests),
    }
    return _write_both(folder, record | ({"exact": dict(exact)} if exact else {}), text)


def _write_both(folder: Path, record: dict[str, Any], text: str) -> Path:
    write_record(folder / RESULTS, record)
    write_text(folder / CARD, text)
    return folder / CARD


def model_card(
    evaluation: Evaluation,
    training: Training,
    exact: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
    has_curve: bool = False,
) -> str:
    """The card as markdown; the model's agents are all but the optimal player.

    Raises:
        YatzyError: if there is none, or neither the optimum nor its interval is known.
    """
    rules = evaluation.rules
    results = [result for result in evaluation.results if result.agent != "optimal"]
    if not results:
        raise YatzyError("a model card needs an agent of the model in its evaluation")
    return render(
        "card.md.j2",
        rules=rules,
        in_catalogue=CATALOGUE.get(rules.name) == rules,
        games=evaluation.games,
        results=results,
        best_percent=lambda result: best_percent(result.fields(), result.optimum),
        **_beside_the_optimum(evaluation, results),
        training=training,
        has_curve=has_curve,
        origin=evaluation.provenance,
        seed=evaluation.seed,
        exact=exact,
    )


def _beside_the_optimum(evaluation: Evaluation, results: Sequence[AgentResult]) -> dict[str, Any]:
    """What the games say beside the optimum, or beside the interval it lies in."""
    bounds, optimum, matches = evaluation.bounds, evaluation.optimum, [result.match for result in results]
    names = [f"`{result.agent}`" for result in results]
    if optimum is not None:
        best = [result for result in evaluation.results if result.agent == "optimal"]
        if not best:
            raise YatzyError("a model card needs the agent 'optimal' in its evaluation")
        return {
            "bounds": None,
            "optimum": optimum,
            "heads": ["", *names, "optimal player"],
            "figures": _figures([*results, *best], optimum),
            "columns": [text for name in names for text in (f"{name}: regret per game", "share")],
            "points": [f"{name}: points" for name in (*names, "optimal player")],
            "by_decision": by_decision(matches),
            "by_turn": by_turn(matches),
            "by_box": by_box(matches, best[0].match),
            "weak": [weaknesses(match, best[0].match) for match in matches],
        }
    if bounds is None:
        raise YatzyError(
            f"ruleset {evaluation.rules.name!r}: a model card needs the optimum or the interval it lies in"
        )
    return {
        "bounds": bounds,
        "heads": ["", *names],
        "figures": _figures_in(bounds, results),
        "by_column": [by_column(match) for match in matches],
        "weak": [weaknesses_of_columns(match, bounds) for match in matches],
    }


def _figures(results: Sequence[AgentResult], optimum: float) -> list[list[str]]:
    """The figures of some agents, the optimal player last."""
    exact = [optimum if result.agent == "optimal" else result.exact_score for result in results]
    percents = [best_percent(result.fields(), optimum) for result in results]
    rules = results[0].match.rules
    rows = [
        ["exact score", *(number(value, 6) for value in exact)],
        ["% of the optimum", *(number(value, 3) for value in percents)],
        ["regret per game", *(with_error(result.regret_per_game, result.regret_se, 3) for result in results)],
        ["mean score", *(with_error(result.mean_score, result.score_se) for result in results)],
        ["bonus rate", *(f"{percent(result.bonus_rate)} %" for result in results)],
        ["yatzy rate", *(f"{percent(result.yatzy_rate)} %" for result in results)],
    ]
    left_out = ["bonus rate"] * (not rules.bonus_points) + ["yatzy rate"] * ("yatzy" not in rules.boxes)
    return [row for row in rows if row[0] not in left_out]


def _figures_in(bounds: Interval, results: Sequence[AgentResult]) -> list[list[str]]:
    """The figures of some agents beside the interval that the optimum lies in."""
    width = bounds.upper - bounds.lower
    above = [result.mean_score - bounds.lower for result in results]
    return [
        ["mean score", *(with_error(result.mean_score, result.score_se) for result in results)],
        [
            f"above the lower end, {bounds.lower:.2f}",
            *(f"{gain:+.2f}, {100 * gain / bounds.lower:+.2f} %" for gain in above),
        ],
        ["place in the interval, from its lower end", *(f"{100 * gain / width:.1f} % of its width" for gain in above)],
        ["share of the optimum, at least", *(f"{100 * result.mean_score / bounds.upper:.2f} %" for result in results)],
    ]


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
        run = read_record(folder / "run.json", ModelError)
        commands = (folder / "command.txt").read_text(encoding="utf-8").splitlines()
        curve = curve_rows(folder / CURVE)
        return {
            "command": commands[0],
            "seed": WinConfig.read(folder / "config.yaml").seed,
            "seconds": int(curve[-1]["cpu_seconds"]),
            "rounds": len(curve),
            "commit": run["commit"],
            "versions": run["versions"],
            "machine": machine_in_words(run["machine"]),
        }
    except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
        raise ModelError(f"{folder}: does not say how the model was trained ({error})") from error
