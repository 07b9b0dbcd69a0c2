"""The policy that learns from the optimum."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from agents import distilled
from agents.ppo.agent import PPOAgent
from yatzy_env import Solution, solve
from yatzy_env.evaluation.matches import play_match
from yatzy_env.rules import ruleset

SMALL = ruleset({"name": "small", "dice": 3, "boxes": ["ones", "sixes", "one_pair", "chance"], "bonus_threshold": 9})


def test_it_comes_close_to_the_optimum_on_a_small_game(monkeypatch: pytest.MonkeyPatch) -> None:
    before = torch.get_num_threads()
    solution = solve(SMALL, cache=False, progress=False)
    monkeypatch.setattr(distilled, "solve", lambda rules, progress: solution)
    seen: list[tuple[int, PPOAgent]] = []

    def report(make_agent: Callable[[], PPOAgent], decisions: int) -> None:
        if len(seen) < 1 or decisions >= 46_080:
            seen.append((decisions, make_agent()))

    small = {"games": 64, "copies": 2, "minibatch": 16, "hidden": (32,), "precision": "float32", "ema": 0.05}
    last = distilled.train(None, SMALL, 46_080, 1, report, **small)
    torch.set_num_threads(before)
    assert [decisions for decisions, _ in seen] == [384, 46_080]
    assert seen[1][1].digest == last.digest
    first, final = (regret(agent, solution) for agent in (seen[0][1], last))
    assert final < 0.02 * solution.expected_score
    assert final < first / 2


def regret(agent: PPOAgent, solution: Solution) -> float:
    return float(play_match(agent, SMALL, 500, 1, solution).game_regret.mean())
