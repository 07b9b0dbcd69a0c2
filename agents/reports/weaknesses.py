"""What the games say about an agent's weak sides, in sentences, most telling first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from agents.reports.thirds import share, span, thirds
from yatzy_env.evaluation.matches import Match
from yatzy_env.evaluation.statistics import deviates, estimate, paired
from yatzy_env.solver.triple import Interval

_WORST_BOXES = 3
_CLEARLY = 3.0  # standard errors from which on a difference between boxes is worth a line
_ALWAYS = (
    "It plays for the expected score. It sees neither another player's card nor its own points so far, and takes no "
    "risk to win.",
    "It comes from one training run; how far runs with other seeds differ is not measured here.",
)


def weak_sides(match: Match, best: Match) -> list[str]:
    """The weak sides of an agent beside the optimal player on the same dice.

    Args:
        match: the agent's match, measured with the exact solution.
        best: the optimal player's match of the same games.
    """
    total = float(match.game_regret.mean())
    by_kind = match.regret_by_kind.mean(axis=0)
    kind = int(by_kind.argmax())
    parts = [
        (first, last, float(match.regret_by_turn[:, first:last].sum(axis=1).mean()))
        for first, last in thirds(match.regret_by_turn.shape[1])
    ]
    first, last, heaviest = max(parts, key=lambda part: part[2])
    lines = [
        f"The largest part of its regret falls on the {match.kinds[kind]}: {by_kind[kind]:.2f} points per game, "
        f"{share(float(by_kind[kind]), total):.0f} % of the whole.",
        f"The most expensive part of the game: turns {span(first, last)} with {heaviest:.2f} points "
        f"({share(heaviest, total):.0f} %).",
        _concentration(match.game_regret),
    ]
    if match.rules.bonus_points:
        lines.append(_compare("earns the bonus", match.bonus.mean(axis=1), best.bonus.mean(axis=1)))
    if "yatzy" in match.rules.boxes:
        lines.append(_compare("scores in the yatzy box", match.yatzy.mean(axis=1), best.yatzy.mean(axis=1)))
    return [*lines, _short_boxes(match, best), *_ALWAYS]


def weak_sides_of_columns(match: Match, bounds: Interval) -> list[str]:
    """The weak sides of an agent where only an interval of the optimum is known.

    Args:
        match: the agent's match on several columns.
        bounds: the certified interval.
    """
    score = estimate(match.score)
    gap = score.mean - bounds.lower_estimate
    error = float(np.hypot(score.error, bounds.lower_estimate_se))
    lines = [
        "Where it loses points is not known: with several columns there is no exact solution, and so no regret.",
        f"The best policy known here, a lookahead of one turn with prices for the dice, scores "
        f"{bounds.lower_estimate:.2f} ± {bounds.lower_estimate_se:.2f} on other dice; the model is {abs(gap):.2f} ± "
        f"{error:.2f} points {'below' if gap < 0 else 'above'} it.",
    ]
    if match.rules.bonus_points:
        rates = match.bonus.mean(axis=0)
        column = int(rates.argmin())
        lines.append(
            f"It earns the bonus least often in the column that counts x{match.rules.columns[column]}: in "
            f"{100 * rates[column]:.1f} % of the games."
        )
    return [*lines, *_ALWAYS]


def _concentration(regret: NDArray[np.float64]) -> str:
    ordered = np.sort(regret)[::-1]
    worst = max(1, len(ordered) // 10)
    part = share(float(ordered[:worst].sum()), float(ordered.sum()))
    return (
        f"A tenth of the games holds {part:.0f} % of the regret; the worst game of all lost {ordered[0]:.1f} points, "
        f"the median one {np.median(ordered):.1f}."
    )


def _compare(what: str, own: NDArray[np.float64], best: NDArray[np.float64]) -> str:
    difference = paired(own, best)
    return (
        f"It {what} in {100 * own.mean():.1f} % of the games, the optimal player in {100 * best.mean():.1f} % of the "
        f"same games (difference {100 * difference.mean:+.1f} ± {100 * difference.error:.1f})."
    )


def _short_boxes(match: Match, best: Match) -> str:
    """The boxes in which the agent scores clearly less than the optimal player."""
    gaps = (match.written - best.written).astype(np.float64)
    means = gaps.mean(axis=0)
    worst = [
        box for box in np.argsort(means)[:_WORST_BOXES].tolist() if means[box] < 0 and deviates(gaps[:, box], _CLEARLY)
    ]
    if not worst:
        return "In no single box does it score clearly less than the optimal player."
    parts = []
    for box in worst:
        found = estimate(gaps[:, box])
        parts.append(f"`{match.rules.box_names[box]}` ({found.mean:.2f} ± {found.error:.2f} points per game)")
    return f"It scores less than the optimal player in {', '.join(parts)}."
