"""The tables of a model card, in markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from agents.reports.text import UNKNOWN, number, with_error
from agents.reports.thirds import share, span, thirds
from yatzy_env.evaluation.matches import Match
from yatzy_env.evaluation.results import AgentResult
from yatzy_env.evaluation.statistics import estimate
from yatzy_env.rules import Ruleset
from yatzy_env.solver.triple import Interval

_PART = ("regret per game", "share")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with words in the first column and figures in the others."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def figures(rules: Ruleset, result: AgentResult, best: AgentResult, optimum: float) -> str:
    """The model's figures beside the optimal player's."""
    rows = [
        ("expected score", number(result.expected_score), number(optimum)),
        ("% of the optimum", number(result.percent_of_optimum), number(100.0)),
        ("regret per game", with_error(result.regret_per_game, result.regret_se), "0"),
        ("mean score", with_error(result.mean_score, result.score_se), with_error(best.mean_score, best.score_se)),
    ]
    if result.exact_score is not None:
        rows.insert(0, ("exact score", f"{result.exact_score:.6f}", f"{optimum:.6f}"))
    if rules.bonus_points:
        rows.append(("bonus rate", _percent(result.bonus_rate), _percent(best.bonus_rate)))
    if "yatzy" in rules.boxes:
        rows.append(("yatzy rate", _percent(result.yatzy_rate), _percent(best.yatzy_rate)))
    return table(("", "this model", "optimal player"), rows)


def place(result: AgentResult, bounds: Interval) -> str:
    """Where a mean score lies in the certified interval of the optimum."""
    width = bounds.upper - bounds.lower
    above = result.mean_score - bounds.lower
    return table(
        ("", "points", "in percent"),
        [
            ("mean score", with_error(result.mean_score, result.score_se), ""),
            ("lower end: columns played one after the other, exact", number(bounds.lower), ""),
            ("upper end: what no player can expect more than", number(bounds.upper), ""),
            ("above the lower end", number(above), f"{100 * above / bounds.lower:+.2f} %"),
            ("place in the interval, from its lower end", number(above), f"{100 * above / width:.1f} % of its width"),
            ("share of the optimum, at least", "", f"{100 * result.mean_score / bounds.upper:.2f} %"),
        ],
    )


def columns(match: Match) -> str:
    """What each column brings, before it is multiplied."""
    boxes = len(match.rules.boxes)
    rows = []
    for column, factor in enumerate(match.rules.columns):
        written = match.written[:, column * boxes : (column + 1) * boxes].sum(axis=1) / factor
        points = estimate(written + match.rules.bonus_points * match.bonus[:, column])
        yatzy = _percent(float(match.yatzy[:, column].mean())) if match.yatzy.size else UNKNOWN
        bonus = _percent(float(match.bonus[:, column].mean()))
        rows.append((f"x{factor}", with_error(points.mean, points.error), bonus, yatzy))
    return table(("column", "points, before the factor", "bonus rate", "yatzy rate"), rows)


def by_throw(match: Match) -> str:
    """The regret by kind of decision: after the first throw, after the second, and the choice of a box."""
    total = float(match.game_regret.mean())
    rows = [(kind, *_part(match.regret_by_kind[:, at], total)) for at, kind in enumerate(match.kinds)]
    return table(("decision", *_PART), rows)


def by_turn(match: Match) -> str:
    """The regret of the first, middle and last third of the game."""
    total, regret = float(match.game_regret.mean()), match.regret_by_turn
    rows = [
        (span(first, last), *_part(regret[:, first:last].sum(axis=1), total)) for first, last in thirds(regret.shape[1])
    ]
    return table(("turns", *_PART), rows)


def by_box(match: Match, best: Match) -> str:
    """The regret of the turns that went to each box, and what stands in it beside what the optimal player writes."""
    total, regret = float(match.game_regret.mean()), match.regret_by_box.sum(axis=2)
    rows = [
        (
            f"`{name}`",
            *_part(regret[:, box], total),
            number(float(match.written[:, box].mean())),
            number(float(best.written[:, box].mean())),
        )
        for box, name in enumerate(match.rules.box_names)
    ]
    return table(("box", *_PART, "points", "optimal player's points"), rows)


def _part(values: np.ndarray, total: float) -> tuple[str, str]:
    found = estimate(values)
    return with_error(found.mean, found.error), f"{share(found.mean, total):.0f} %"


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %"
