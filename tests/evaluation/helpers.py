"""What the tests of the evaluation share: a tiny game, its plain recursive solution, agents to measure, false dice."""

from __future__ import annotations

from functools import cache

import numpy as np

from agents.baselines import GreedyAgent, RandomAgent
from agents.optimal import OptimalAgent
from yatzy_env.agent import best_actions
from yatzy_env.card import bonus_step, extra_step, fifty_after, is_joker, legal_boxes
from yatzy_env.evaluation.provenance import command_line, provenance
from yatzy_env.evaluation.results import Evaluation, evaluate
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.situation import Situations
from yatzy_env.solver import Solution, solve
from yatzy_env.tables import Tables, compile_tables

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
    """The exact solution of a tiny ruleset of one column by plain recursion, as far as the evaluation asks for it."""

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        tables = compile_tables(rules)
        card = tables.card

        @cache
        def card_value(filled: int, upper: int, fifty: bool) -> float:
            return 0.0 if filled == card.all_boxes else throw_value(filled, upper, fifty, 0, tables.throws)

        @cache
        def throw_value(filled: int, upper: int, fifty: bool, held: int, throws: int) -> float:
            """Dice are thrown one after the other until the roll is complete; `throws` are left before this one."""
            if held >= tables.keeps:
                return max(v for v in actions(filled, upper, fifty, held - tables.keeps, throws - 1) if v == v)
            more = tables.add[held].tolist()
            return sum(throw_value(filled, upper, fifty, bigger, throws) for bigger in more) / 6

        @cache
        def actions(filled: int, upper: int, fifty: bool, roll: int, throws_left: int) -> tuple[float, ...]:
            values = [float("nan")] * tables.actions
            for keep in range(tables.keeps):
                if throws_left and tables.within[roll, keep]:
                    values[keep] = throw_value(filled, upper, fifty, keep, throws_left)
            same = int(tables.alike[roll])
            for box in range(card.boxes):
                if legal_boxes(card, filled, same) >> box & 1:
                    points = int(tables.points[int(is_joker(card, filled, same)), box, roll])
                    upper_after = upper + (points if card.face[box] else 0)
                    after = (filled | 1 << box, upper_after, bool(fifty_after(card, fifty, box, points)))
                    gained = points + bonus_step(card, box, points, upper) + extra_step(card, fifty, same)
                    values[tables.keeps + box] = gained + card_value(*after)
            return tuple(values)

        self._card, self._actions = card_value, actions
        self.expected_score = card_value(0, 0, False)

    def card_values(self, filled: np.ndarray, upper: np.ndarray, fifty: np.ndarray) -> np.ndarray:
        cards = zip(filled.tolist(), upper.tolist(), fifty.tolist(), strict=True)
        return np.array([self._card(*card) for card in cards], np.float64)

    def batch_action_values(self, situations: Situations) -> np.ndarray:
        lanes = [values.tolist() for values in situations._replace(upper=situations.upper[:, 0])]
        rows = [self._actions(*lane) for lane in zip(*lanes, strict=True)]
        return np.array(rows, np.float64).reshape(-1, compile_tables(self.rules).actions)


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
    return evaluate(agents, TINY, 200, 1, solved_tiny(), provenance(command))
