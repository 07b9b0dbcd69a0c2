"""Where a model loses points: rows for the tables of its card, and the figures behind the sentences about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.reports.text import UNKNOWN, number, percent, with_error
from yatzy_env.evaluation.matches import Match
from yatzy_env.evaluation.statistics import Estimate, deviates, estimate, paired
from yatzy_env.solver.triple import Interval

Rows = list[tuple[str, ...]]

_WORST_BOXES = 3
_CLEARLY = 3.0  # standard errors from which on a difference between boxes is worth a line


def by_decision(matches: Sequence[Match]) -> Rows:
    """Regret and its share, match by match, by kind of decision: after each throw, and the choice of a box."""
    return _side_by_side(matches, matches[0].kinds, lambda match: match.regret_by_kind.T)


def by_turn(matches: Sequence[Match]) -> Rows:
    """Regret and its share, match by match, in the first, middle and last third of the game."""
    names = [turns for turns, _ in _thirds(matches[0])]
    return _side_by_side(matches, names, lambda match: [regret for _, regret in _thirds(match)])


def by_box(matches: Sequence[Match], best: Match) -> Rows:
    """Regret of the turns that went to each box, its share, and what stands in the box, also for the optimal player."""
    names = [f"`{name}`" for name in best.rules.box_names]
    written = [[number(value) for value in match.written.mean(axis=0).tolist()] for match in (*matches, best)]
    regrets = _side_by_side(matches, names, lambda match: match.regret_by_box.sum(axis=2).T)
    return [(*row, *points) for row, points in zip(regrets, zip(*written, strict=True), strict=True)]


def _side_by_side(
    matches: Sequence[Match], names: Sequence[str], parts: Callable[[Match], Iterable[NDArray[np.float64]]]
) -> Rows:
    """A row per part of the regret: its name, then regret and share of every match."""
    cells = [[_part(part, float(match.game_regret.mean())) for part in parts(match)] for match in matches]
    rows = zip(names, *cells, strict=True)
    return [(name, *(cell for part in row for cell in part)) for name, *row in rows]


def by_column(match: Match) -> Rows:
    """What each column brings before it is multiplied, and its rates of bonus and yatzy."""
    boxes = len(match.rules.boxes)
    rows: Rows = []
    for column, factor in enumerate(match.rules.columns):
        written = match.written[:, column * boxes : (column + 1) * boxes].sum(axis=1) / factor
        points = estimate(written + match.rules.bonus_points * match.bonus[:, column])
        yatzy = f"{percent(float(match.yatzy[:, column].mean()))} %" if match.yatzy.size else UNKNOWN
        bonus = f"{percent(float(match.bonus[:, column].mean()))} %"
        rows.append((f"x{factor}", with_error(points.mean, points.error), bonus, yatzy))
    return rows


def weaknesses(match: Match, best: Match) -> dict[str, Any]:
    """The weak sides of an agent beside the optimal player on the same dice.

    Returns:
        The decision and the part of the game with the most regret, the games that hold most of it, what it earns less
        often, and the boxes in which it scores clearly less.
    """
    total = float(match.game_regret.mean())
    by_kind = match.regret_by_kind.mean(axis=0)
    kind = int(by_kind.argmax())
    parts = [(turns, float(regret.mean())) for turns, regret in _thirds(match)]
    turns, heaviest = max(parts, key=lambda part: part[1])
    ordered = np.sort(match.game_regret)[::-1]
    tenth = max(1, len(ordered) // 10)
    compared = []
    if match.rules.bonus_points:
        compared.append(("earns the bonus", *_compare(match.bonus, best.bonus)))
    if "yatzy" in match.rules.boxes:
        compared.append(("scores in the yatzy box", *_compare(match.yatzy, best.yatzy)))
    return {
        "kind": (match.kinds[kind], by_kind[kind], _share(float(by_kind[kind]), total)),
        "turns": (turns, heaviest, _share(heaviest, total)),
        "games": (_share(float(ordered[:tenth].sum()), float(ordered.sum())), ordered[0], np.median(ordered)),
        "compared": compared,
        "short_boxes": _short_boxes(match, best),
    }


def weaknesses_of_columns(match: Match, bounds: Interval) -> dict[str, Any]:
    """The weak sides of an agent where only an interval of the optimum is known.

    Returns:
        Its distance to the best policy known, and the column in which it earns the bonus least often.
    """
    score = estimate(match.score if match.luck is None else match.luck_adjusted)
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


def _thirds(match: Match) -> list[tuple[str, NDArray[np.float64]]]:
    """The thirds of a game, as a reader counts turns, with the regret (G,) in each; fewer of a short game."""
    regret = match.regret_by_turn
    edges = [round(regret.shape[1] * part / 3) for part in range(4)]
    return [
        (f"{last}" if last == first + 1 else f"{first + 1} to {last}", regret[:, first:last].sum(axis=1))
        for first, last in pairwise(edges)
        if last > first
    ]


def _share(part: float, total: float) -> float:
    """What a part is of the whole, in percent; 0 of nothing."""
    return 100 * part / total if total > 0 else 0.0


def _part(values: NDArray[np.float64], total: float) -> tuple[str, str]:
    found = estimate(values)
    return with_error(found.mean, found.error, 3), f"{_share(found.mean, total):.0f} %"
