"""A task from start to result: train, measure on the way, and where algorithms are compared."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from agents.benchmark.envs import TrainingEnvs
from agents.benchmark.tasks import Task
from agents.optimal import OptimalAgent
from agents.registry import BASELINES, as_made, find_function
from yatzy_env.agent import Agent
from yatzy_env.evaluation.matches import play_match
from yatzy_env.evaluation.provenance import commit, versions
from yatzy_env.evaluation.results import summarise
from yatzy_env.solver import Solution, solve

MARKS = ("steps", "minutes")
"""Fields of a protocol that say after what algorithms are compared."""

_FIGURES = ("mean_score", "regret_per_game", "regret_se", "expected_score", "percent_of_optimum", "normalized")


def execute(task: Task) -> dict[str, Any]:
    """Does a task.

    Returns:
        Its result as JSON: `agents`, by name ("" for a single one), each with its `curve` and what it was at each of
        the `MARKS` it reached, beside what the run took. Figures by decisions are the same for the same task on the
        same machine.
    """
    rules, protocol = task.rules, task.protocol
    solution = solve(rules, progress=False)
    start = time.perf_counter()
    report = Report(task, solution)
    if task.trains:
        settings = protocol.algorithms[task.algorithm]
        train = find_function(settings.kind, "algorithm")
        made = train(report.make_env, rules, protocol.steps_of(task.algorithm), task.seed, report, **settings.settings)
        report.finish(made)
    else:
        name = task.algorithm
        report.finish(OptimalAgent(solution) if name == "optimal" else BASELINES[name](rules))
    return {
        "ruleset": rules.name,
        "algorithm": task.algorithm,
        "seed": task.seed,
        "optimum": float(solution.expected_score),
        "agents": report.agents,
        "timing": {**report.spent, "seconds": round(time.perf_counter() - start, 1)},
        "made_with": {"commit": commit(), "versions": versions()},
    }


class Report:
    """What a learner tells how far it is, and measures its agents when it is time.

    Attributes:
        make_env: the environments of the run.
        agents: what was found, by the agents' names.
    """

    def __init__(self, task: Task, solution: Solution) -> None:
        """Starts the clock of the training."""
        self.make_env = TrainingEnvs(task.rules, task.seed)
        self.agents: dict[str, dict[str, Any]] = {}
        self._task, self._solution = task, solution
        self._points = points_of(task)
        self._marks = {mark: float(getattr(task.protocol, mark)) for mark in MARKS}
        self._reached: set[str] = set()
        self._decisions = 0
        self._last = -1  # of the points, that was reached
        self._measuring = 0.0
        self._start = time.process_time()

    @property
    def spent(self) -> dict[str, float]:
        """Decisions and minutes of CPU time so far, without those of measuring."""
        minutes = (time.process_time() - self._start - self._measuring) / 60
        return {"steps": self._decisions, "minutes": round(minutes, 4)}

    def __call__(self, make_agent: Callable[[], Any], decisions: int | None = None) -> None:
        """Measures the agent, or the agents by name, that `make_agent` returns, if a point was reached.

        Args:
            make_agent: returns the agent as it is now; called only if it is measured.
            decisions: decisions trained on so far; None for those played in the environments of the run.
        """
        self._decisions = self.make_env.decisions if decisions is None else decisions
        spent = self.spent
        points = [number for number, end in enumerate(self._points) if number > self._last and end <= self._decisions]
        marks = [mark for mark, end in self._marks.items() if mark not in self._reached and spent[mark] >= end]
        if points or marks:
            self._measure(make_agent, spent, marks, points)

    def finish(self, made: Any) -> None:
        """Measures what a learner returns, the end of its curve, and lets it stand for marks that were not reached."""
        self._decisions = max(self._decisions, self.make_env.decisions)
        marks = [mark for mark in MARKS if mark not in self._reached]
        points = [number for number in range(len(self._points)) if number > self._last]
        if marks or points:
            self._measure(lambda: made, self.spent, marks, points)

    def _measure(
        self, make_agent: Callable[[], Any], spent: Mapping[str, float], marks: list[str], points: list[int]
    ) -> None:
        start = time.process_time()
        made = make_agent()
        settings = self._task.protocol.evaluation
        for name, one in made.items() if isinstance(made, Mapping) else [("", made)]:
            agent = as_made(one, self._task.rules, f"{self._task.algorithm} {name}".strip())
            found = self.agents.setdefault(name, {"curve": [], "after": {}})
            if points:
                figures = self._play(agent, settings.curve_games, settings.curve_seed)
                found["curve"].append({"point": points[-1], **spent, **figures})
            if marks:
                figures = self._play(agent, settings.games, settings.seed)
                found["after"] |= {mark: {**spent, **figures} for mark in marks}
        self._reached |= set(marks)
        self._last = max([self._last, *points])
        self._measuring += time.process_time() - start

    def _play(self, agent: Agent, games: int, seed: int) -> dict[str, Any]:
        result = summarise(play_match(agent, self._task.rules, games, seed, self._solution))
        rate = getattr(agent, "illegal_rate", None)
        return {name: getattr(result, name) for name in _FIGURES} | ({} if rate is None else {"illegal_rate": rate})


def points_of(task: Task) -> list[int]:
    """The decisions after which an agent in training is measured: the last at the end, those before by halves."""
    if not task.trains:
        return []
    steps, count = task.protocol.steps_of(task.algorithm), task.protocol.evaluation.curve_points
    return [max(steps >> before, 1) for before in range(count - 1, -1, -1)]
