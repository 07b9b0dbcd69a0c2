"""What the tests of the evaluation share: a tiny game, its plain recursive solution, agents to measure, false dice."""

from __future__ import annotations

from functools import cache

import numpy as np

from agents.baselines import GreedyAgent, RandomAgent
from agents.optimal import OptimalAgent
from yatzy_env.agent import best_actions
from yatzy_env.evaluation.provenance import command_line
from yatzy_env.evaluation.results import Evaluation, measure
from yatzy_env.reference import Card, Solver, empty_card, names_of
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.situation import Situations
from yatzy_env.solver import Solution, solve
from yatzy_env.tables import Tables, action_names, compile_tables

TINY = ruleset(
    {
        "name": "tiny",
        "dice": 2,
        "boxes": ["ones", "sixes", "one_pair", "chance", "yatzy"],
        "bonus_threshold": 7,
        "bonus_points": 5,
    }
)


class PlainSolution:
    """The exact solution of a tiny ruleset by the plain reading, as far as the evaluation asks for it."""

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self._solver = Solver(rules)
        self._number = {name: action for action, name in enumerate(action_names(rules))}
        self.expected_score = self._solver.card_value(empty_card(rules))

    def _card(self, filled: int, upper: int, scored: bool) -> Card:
        return Card(frozenset(names_of(self.rules, filled)), (upper,), scored)

    def card_values(self, filled: np.ndarray, upper: np.ndarray, yatzy_scored: np.ndarray) -> np.ndarray:
        cards = zip(filled.tolist(), upper.tolist(), yatzy_scored.tolist(), strict=True)
        return np.array([self._solver.card_value(self._card(*card)) for card in cards], np.float64)

    def batch_action_values(self, situations: Situations) -> np.ndarray:
        now = [values.tolist() for values in situations._replace(upper=situations.upper[:, 0])]
        rows = np.full((len(situations.roll), len(self._number)), np.nan)
        for row, (filled, upper, scored, roll, throws_left) in zip(rows, zip(*now, strict=True), strict=True):
            card, dice = self._card(filled, upper, scored), self._solver.rolls[roll]
            for name, value in self._solver.action_values(card, dice, throws_left).items():
                row[self._number[name]] = value
        return rows


@cache
def tiny_solution() -> PlainSolution:
    return PlainSolution(TINY)


class Optimal:
    """Plays by a plain solution."""

    name = "optimal"

    def __init__(self, solution: PlainSolution) -> None:
        self._solution = solution

    def act(self, situations: Situations, noise: np.ndarray) -> np.ndarray:
        return best_actions(self._solution.batch_action_values(situations))


def false_dice(rules: Ruleset) -> Tables:
    """Tables under which a die never shows a one: it shows a six instead."""
    tables = compile_tables(rules)
    add = tables.add.copy()
    add[:, 0] = add[:, 5]
    add.flags.writeable = False
    return tables._replace(add=add)


@cache
def solved_tiny() -> Solution:
    """The tiny game as the solver solves it."""
    return solve(TINY, cache=False, progress=False)


@cache
def tiny_evaluation() -> Evaluation:
    """Three agents on the tiny game."""
    agents = {"random": RandomAgent(TINY), "greedy": GreedyAgent(TINY), "optimal": OptimalAgent(solved_tiny())}
    command = command_line("evaluate.py", [*agents])
    return measure(agents, TINY, 200, 1, solved_tiny(), command)
