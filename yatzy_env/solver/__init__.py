"""The exact optimum of a ruleset: `solve` computes or reads it, a `Solution` answers questions about it."""

from yatzy_env.solver.solution import Solution, solve

__all__ = ["Solution", "solve"]
