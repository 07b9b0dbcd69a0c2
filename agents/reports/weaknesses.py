"""The figures behind the sentences about an agent's weak sides on its card, most telling first."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.reports.regret import share, span, thirds
from yatzy_env.evaluation.matches import Match
from yatzy_env.evaluation.statistics import Estimate, deviates, estimate, paired
from yatzy_env.solver.triple import Interval

_WORST_BOXES = 3
_CLEARLY = 3.0  # standard errors from which on a difference between boxes is worth a line


def weaknesses(match: Match, best: Match) -> dict[str, Any]:
    """The weak sides of an agent beside the optimal player on the same dice.

    Args:
        match: the agent's match, measured with the exact solution.
        best: the optimal player's match of the same games.

    Returns:
        The decision and the part of the game with the most regret, the games that hold most of it, what it earns less
        often, and the boxes in which it scores clearly less.
    """
    total = float(match.game_regret.mean())
    by_kind = match.regret_by_kind.mean(axis=0)
    kind = int(by_kind.argmax())
    parts = [
        (span(first, last), float(match.regret_by_turn[:, first:last].sum(axis=1).mean()))
        for first, last in thirds(match.regret_by_turn.shape[1])
    ]
    turns, heaviest = max(parts, key=lambda part: part[1])
    ordered = np.sort(match.game_regret)[::-1]
    tenth = max(1, len(ordered) // 10)
    compared = []
    if match.rules.bonus_points:
        compared.append(("earns the bonus", *_compare(match.bonus, best.bonus)))
    if "yatzy" in match.rules.boxes:
        compared.append(("scores in the yatzy box", *_compare(match.yatzy, best.yatzy)))
    return {
        "kind": (match.kinds[kind], by_kind[kind], share(float(by_kind[kind]), total)),
        "turns": (turns, heaviest, share(heaviest, total)),
        "games": (share(float(ordered[:tenth].sum()), float(ordered.sum())), ordered[0], np.median(ordered)),
        "compared": compared,
        "short_boxes": _short_boxes(match, best),
    }


def weaknesses_of_columns(match: Match, bounds: Interval) -> dict[str, Any]:
    """The weak sides of an agent where only an interval of the optimum is known.

    Args:
        match: the agent's match on several columns.
        bounds: the certified interval.

    Returns:
        Its distance to the best policy known, and the column in which it earns the bonus least often.
    """
    score = estimate(match.score)
    error = float(np.hypot(score.error, bounds.lower_estimate_se))
    rates = match.bonus.mean(axis=0)
    column = int(rates.argmin())
    worst = (match.rules.columns[column], 100 * rates[column]) if match.rules.bonus_points else None
    return {"gap": score.mean - bounds.lower_estimate, "gap_error": error, "worst_column": worst}


def _compare(own: NDArray[np.bool_], best: NDArray[np.bool_]) -> tuple[float, float, float, float]:
    """Both rates, their difference and its error, in percent."""
    ours, theirs = own.mean(axis=1), best.mean(axis=1)
    difference = paired(ours, theirs)
    return 100 * ours.mean(), 100 * theirs.mean(), 100 * difference.mean, 100 * difference.error


def _short_boxes(match: Match, best: Match) -> list[tuple[str, Estimate]]:
    """The boxes in which the agent scores clearly less than the optimal player, and by how much."""
    gaps = (match.written - best.written).astype(np.float64)
    means = gaps.mean(axis=0)
    return [
        (match.rules.box_names[box], estimate(gaps[:, box]))
        for box in np.argsort(means)[:_WORST_BOXES].tolist()
        if means[box] < 0 and deviates(gaps[:, box], _CLEARLY)
    ]
