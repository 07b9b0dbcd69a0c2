"""Where the regret of a model sits, as the rows of tables: by decision, by third of the game, by box; or by column."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from agents.reports.text import UNKNOWN, number, percent, with_error
from yatzy_env.evaluation.matches import Match
from yatzy_env.evaluation.statistics import estimate

Rows = list[tuple[str, ...]]


def by_decision(match: Match) -> Rows:
    """Regret and its share by kind of decision: after the first throw, after the second, and the choice of a box."""
    total = float(match.game_regret.mean())
    return [(kind, *_part(match.regret_by_kind[:, at], total)) for at, kind in enumerate(match.kinds)]


def by_turn(match: Match) -> Rows:
    """Regret and its share in the first, middle and last third of the game."""
    total, regret = float(match.game_regret.mean()), match.regret_by_turn
    return [
        (span(first, last), *_part(regret[:, first:last].sum(axis=1), total)) for first, last in thirds(regret.shape[1])
    ]


def by_box(match: Match, best: Match) -> Rows:
    """Regret of the turns that went to each box, its share, and what stands in the box for both players."""
    total, regret = float(match.game_regret.mean()), match.regret_by_box.sum(axis=2)
    return [
        (
            f"`{name}`",
            *_part(regret[:, box], total),
            number(float(match.written[:, box].mean())),
            number(float(best.written[:, box].mean())),
        )
        for box, name in enumerate(match.rules.box_names)
    ]


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


def thirds(turns: int) -> list[tuple[int, int]]:
    """The thirds of a game as ranges of turns from 0, the end left out; fewer where there are fewer turns."""
    edges = [round(turns * part / 3) for part in range(4)]
    return [(first, last) for first, last in pairwise(edges) if last > first]


def span(first: int, last: int) -> str:
    """A range of turns as a reader counts them."""
    return f"{last}" if last == first + 1 else f"{first + 1} to {last}"


def share(part: float, total: float) -> float:
    """What a part is of the whole, in percent; 0 of nothing."""
    return 100 * part / total if total > 0 else 0.0


def _part(values: np.ndarray, total: float) -> tuple[str, str]:
    found = estimate(values)
    return with_error(found.mean, found.error), f"{share(found.mean, total):.0f} %"
