"""Figures in words: what tables, pages and cards have in common."""

from __future__ import annotations

from yatzy_env.evaluation.results import Evaluation
from yatzy_env.rules import CATALOGUE, options

UNKNOWN = "–"


def number(value: float | None, digits: int = 2) -> str:
    """A figure with fixed digits, a dash where it is unknown."""
    return UNKNOWN if value is None else f"{max(value, 0.0) if abs(value) < 1e-9 else value:.{digits}f}"


def with_error(value: float | None, error: float | None, digits: int = 2) -> str:
    """A figure with its standard error."""
    shown = number(value, digits)
    return shown if value is None or error is None else f"{shown} ± {number(error, digits)}"


def percent(share: float, digits: int = 1) -> str:
    """A share in percent, without the sign."""
    return f"{100 * share:.{digits}f}"


def chance(p_value: float) -> str:
    """A p-value as it is usually printed."""
    return "below 0.001" if p_value < 1e-3 else f"{p_value:.3f}"


def words(name: str) -> str:
    """A name of the code as words."""
    return name.replace("_", " ")


def title(evaluation: Evaluation) -> str:
    """What was measured, in a few words."""
    named = evaluation.rules.name in CATALOGUE
    changed = ", ".join(f"{key}={value}" for key, value in options(evaluation.rules).items()) if named else ""
    return (
        f"{evaluation.rules.name}{f' ({changed})' if changed else ''}: "
        f"{evaluation.games:,} games per agent, seed {evaluation.seed}"
    )


def caption(evaluation: Evaluation) -> str:
    """What is known of the optimum, in a sentence."""
    if evaluation.optimum is not None:
        return f"Exact optimum {evaluation.optimum:.2f}; expected score = optimum - regret."
    bounds = evaluation.bounds
    if bounds is None:
        return "The optimum of this ruleset is not known here, so there is no regret."
    return f"The optimum lies between {bounds.lower:.2f} and {bounds.upper:.2f}, proved; so there is no regret."
