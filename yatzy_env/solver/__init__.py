"""The exact optimum of a ruleset: `solve` computes or reads it, a `Solution` answers questions about it."""

from yatzy_env.solver.chances import can_have_chances, has_chances
from yatzy_env.solver.cost import SolveCost, can_solve, solve_cost
from yatzy_env.solver.solution import Solution, is_cached, solve
from yatzy_env.solver.target import Target

__all__ = [
    "Solution",
    "SolveCost",
    "Target",
    "can_have_chances",
    "can_solve",
    "has_chances",
    "is_cached",
    "solve",
    "solve_cost",
]
