"""Updates the card of a model: measures it, computes exact scores where that is quick or asked for, writes both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from agents.models.digest import check_digest
from agents.models.load import load_agent, model_file
from agents.models.record import CURVE_PICTURE, RESULTS, exact_record, kept_exact, read_training
from agents.optimal import OptimalAgent
from agents.reports.card import write_card
from agents.reports.curves import read_curve
from agents.training.runs import CURVE
from agents.values.network import FILE as VALUES
from yatzy_env.agent import Agent
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.by_card import plays_by_card
from yatzy_env.evaluation.evaluate import announced_solution
from yatzy_env.evaluation.exact import check_agent, exact_score
from yatzy_env.evaluation.matches import check_numbers
from yatzy_env.evaluation.provenance import provenance
from yatzy_env.evaluation.results import Evaluation, measure
from yatzy_env.files import replacing, sha256
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.solver import can_solve
from yatzy_env.solver.triple import interval

GAMES = 10_000
SEED = 2001
"""Of the final measurement: no model was measured on it before, and each shipped network is once."""

_GAMES_BY_RULESET = {"maxi-alga": 20_000, "triple": 20_000}  # without exact scores


def update_card(
    folder: Path,
    command: str,
    games: int | None = None,
    seed: int = SEED,
    exact: bool = False,
    say: Callable[[str], None] = lambda line: None,
) -> Path:
    """Measures a model's policy and planner and writes its card, its record and the picture of its training curve.

    Exact scores on record for the same networks are kept.

    Args:
        folder: `models/<ruleset>`; the folder above holds the record of digests.
        command: the command line, for the record.
        games: games to play; None for as many as the ruleset is usually measured with.
        seed: seed of the dice.
        exact: compute the exact scores even where it takes long, wherever the ruleset is not too large for it.
        say: called with lines about what takes long.

    Returns:
        The path of the card.

    Raises:
        YatzyError: in one line, if the model is not as recorded or cannot be measured.
    """
    rules = ruleset(folder.name)
    games = games if games is not None else _GAMES_BY_RULESET.get(rules.name, GAMES)
    check_numbers(games, seed)
    files = {"ppo": model_file(folder), "planner": folder / VALUES}
    for file in files.values():
        check_digest(file, models=folder.parent)
    agents = {name: load_agent(file, rules, trust=True, name=name) for name, file in files.items()}  # just compared
    training, digests = read_training(folder), {name: sha256(file) for name, file in files.items()}
    known = kept_exact(folder / RESULTS, digests)
    for name, agent in agents.items():
        if name not in known and (exact or plays_by_card(agent, rules)) and _has_exact_score(agent, rules, name, say):
            score = exact_score(agent, rules, name=name, say=say)
            known[name] = exact_record(score, digests[name], provenance(command))
    say(f"{rules.name}: {games:,} games")
    evaluation = _measure(agents, rules, games, seed, command)
    evaluation = evaluation.with_exact_scores({name: one["expected_score"] for name, one in known.items()})
    for warning in evaluation.warnings:
        say(f"warning: {warning}")
    _draw_curve(folder, rules)
    return write_card(evaluation, training, folder, known)


def _has_exact_score(agent: Agent, rules: Ruleset, name: str, say: Callable[[str], None]) -> bool:
    """Whether the exact score can be computed; where the ruleset is too large for it, says so."""
    try:
        check_agent(agent, rules, name)
    except YatzyError as error:
        say(str(error))
        return False
    return True


def _measure(agents: Mapping[str, Agent], rules: Ruleset, games: int, seed: int, command: str) -> Evaluation:
    """The games of the model, beside those of the optimal player where there is one."""
    if not can_solve(rules):
        return measure(agents, rules, games, seed, None, command, bounds=interval(rules))
    solution = announced_solution(rules)
    return measure({**agents, "optimal": OptimalAgent(solution)}, rules, games, seed, solution, command)


def _draw_curve(folder: Path, rules: Ruleset) -> None:
    """The training curve as a small picture."""
    from agents.reports.plots import draw_curves
    from agents.reports.themes import LIGHT

    if not (folder / CURVE).is_file():
        raise YatzyError(f"{folder / CURVE}: there is no such file; ship the run again")
    curve = read_curve(folder / CURVE)
    with LIGHT.figure(6.4, 3.2) as figure:
        axes = figure.subplots()
        draw_curves(axes, [curve], LIGHT)
        axes.set_title(f"Training on {rules.name}", pad=18)
        axes.get_legend().remove()  # type: ignore[union-attr]  # `draw_curves` has made one
        with replacing(folder / CURVE_PICTURE) as part:
            figure.savefig(part, format="png", dpi=100, metadata={"Software": None})
