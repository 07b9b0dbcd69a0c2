"""The exact optimum of a ruleset: `solve` computes or reads it, a `Solution` answers questions about it."""

from yatzy_env.solver.solution import Solution, is_cached, solve

__all__ = ["Solution", "is_cached", "solve"]
