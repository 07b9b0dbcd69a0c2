"""Updates the card of a model: measures it, computes its exact score where that is quick or asked for, writes both."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from agents.models.digest import check_digest
from agents.models.load import load_agent
from agents.models.record import CURVE_PICTURE, RESULTS, exact_record, kept_exact, read_training
from agents.models.reuse import reused_names
from agents.optimal import OptimalAgent
from agents.reports.card import write_card
from agents.reports.curves import Curve, read_curve
from agents.training.runs import CURVE
from yatzy_env.agent import Agent
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.evaluate import announced_solution
from yatzy_env.evaluation.exact import check_agent, exact_score, most_situations
from yatzy_env.evaluation.exact_cards import lay_out_cards
from yatzy_env.evaluation.matches import check_numbers
from yatzy_env.evaluation.provenance import provenance
from yatzy_env.evaluation.results import Evaluation, measure
from yatzy_env.files import sha256
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.solver import can_solve
from yatzy_env.solver.triple import interval
from yatzy_env.tables import compile_tables

GAMES = 10_000
SEED = 1001

_GAMES_BY_RULESET = {"maxi-alga": 2_000}  # its solution fills gigabytes, which are read as they are needed
_QUICK = 5_000_000  # situations up to which the exact score is computed unasked: some 20 seconds


def update_card(
    folder: Path,
    command: str,
    games: int | None = None,
    seed: int = SEED,
    exact: bool = False,
    say: Callable[[str], None] = lambda line: None,
) -> Path:
    """Measures a model and writes its card, its record and the picture of its training curve.

    An exact score on record for the same weights is kept.

    Args:
        folder: `models/<ruleset>`; the folder above holds the record of digests.
        command: the command line, for the record.
        games: games to play; None for as many as the ruleset is usually measured with.
        seed: seed of the dice.
        exact: compute the exact score even where it takes long, wherever the ruleset is not too large for it.
        say: called with lines about what takes long.

    Returns:
        The path of the card.

    Raises:
        YatzyError: in one line, if the model is not as recorded or cannot be measured.
    """
    rules, weights = ruleset(folder.name), folder / "weights.npz"
    games = games if games is not None else _GAMES_BY_RULESET.get(rules.name, GAMES)
    check_numbers(games, seed)
    check_digest(weights, models=folder.parent)
    agent = load_agent(folder, rules, trust=True)  # its digest was just compared
    training = read_training(folder)
    known = kept_exact(folder / RESULTS, sha256(weights))
    if known is None and (exact or _is_quick(rules)):
        known = _exact(agent, rules, sha256(weights), command, say)
    say(f"{rules.name}: {games:,} games")
    evaluation = _measure(agent, rules, games, seed, command)
    if known is not None:
        evaluation = evaluation.with_exact_scores({"ppo": known["expected_score"]})
    for warning in evaluation.warnings:
        say(f"warning: {warning}")
    _draw_curve(folder, evaluation)
    reused_for = [name for name, model in reused_names(folder.parent).items() if model == rules.name]
    return write_card(evaluation, training, folder, exact=known, reused_for=reused_for)


def _is_quick(rules: Ruleset) -> bool:
    """Whether the exact score takes seconds."""
    if not can_solve(rules):
        return False
    tables = compile_tables(rules)
    return most_situations(tables, lay_out_cards(tables, True)) <= _QUICK


def _exact(
    agent: Agent, rules: Ruleset, weights: str, command: str, say: Callable[[str], None]
) -> dict[str, Any] | None:
    """Computes the exact score; where the ruleset is too large for it, says so."""
    try:
        check_agent(agent, rules, "ppo")
    except YatzyError as error:
        say(str(error))
        return None
    return exact_record(exact_score(agent, rules, name="ppo", say=say), weights, provenance(command))


def _measure(agent: Agent, rules: Ruleset, games: int, seed: int, command: str) -> Evaluation:
    """The games of the model, beside those of the optimal player where there is one."""
    if not can_solve(rules):
        return measure({"ppo": agent}, rules, games, seed, None, command, bounds=interval(rules))
    solution = announced_solution(rules)
    return measure({"ppo": agent, "optimal": OptimalAgent(solution)}, rules, games, seed, solution, command)


def _draw_curve(folder: Path, evaluation: Evaluation) -> None:
    """The training curve beside the optimum, or the interval it lies in, as a small picture."""
    from agents.reports.plots import draw_curves
    from agents.reports.themes import LIGHT

    if not (folder / CURVE).is_file():
        raise YatzyError(f"{folder / CURVE}: there is no such file; ship the run again")
    steps, score = read_curve(folder / CURVE)
    with LIGHT.figure(6.4, 3.2) as figure:
        axes = figure.subplots()
        draw_curves(axes, [Curve("ppo", steps, score, score, score, 1)], evaluation.optimum, LIGHT)
        if evaluation.bounds is not None:
            ends = (evaluation.bounds.lower, evaluation.bounds.upper)
            axes.axhspan(*ends, color=LIGHT.grey, alpha=0.25, linewidth=0)
            axes.text(
                0.01, ends[1], "optimum: in the grey band", va="bottom", size=9, transform=axes.get_yaxis_transform()
            )
        axes.set_title(f"Training on {evaluation.rules.name}")
        axes.get_legend().remove()  # type: ignore[union-attr]  # `draw_curves` has made one
        figure.savefig(folder / CURVE_PICTURE, dpi=100, metadata={"Software": None})
