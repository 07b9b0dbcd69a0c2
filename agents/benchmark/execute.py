"""A task from start to result: train, measure on the way and at the end."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

from agents.benchmark.learn import Evaluations, learn, make_player
from agents.benchmark.tasks import Outcome, Task
from agents.ppo.weights import PolicyWeights, save_weights
from agents.registry import make_agent
from yatzy_env.agent import Agent
from yatzy_env.evaluation.matches import play_match
from yatzy_env.evaluation.provenance import commit, versions
from yatzy_env.evaluation.results import summarise
from yatzy_env.solver import can_solve, solve

FIGURES = ("mean_score", "score_se", "regret_per_game", "regret_se", "expected_score", "percent_of_optimum")


def execute(task: Task, scratch: Path | None = None) -> Outcome:
    """Does a task.

    Args:
        task: the task.
        scratch: a folder of its own for what lets a killed task go on; a temporary one if None.

    Returns:
        Its outcome; figures and network are the same for the same task on the same machine.
    """
    start, cpu = time.perf_counter(), time.process_time()
    rules = task.rules
    solution = solve(rules, progress=False) if can_solve(rules) else None
    settings = task.protocol.evaluation

    def measure(agent: Agent, games: int, seed: int) -> dict[str, float | None]:
        fields = summarise(play_match(agent, rules, games, seed, solution)).fields()
        figures = {name: fields[name] for name in FIGURES}
        rate = getattr(agent, "illegal_rate", None)
        return figures | ({} if rate is None else {"illegal_rate": rate})

    result: dict[str, Any] = {"ruleset": rules.name, "algorithm": task.algorithm, "seed": task.seed}
    network = None
    if task.trains:

        def evaluate(policy: PolicyWeights) -> dict[str, float | None]:
            return measure(make_player(task, rules, policy), settings.curve_games, settings.curve_seed)

        evaluations = Evaluations(evaluate)
        policy, steps_here = learn(task, rules, solution, evaluations, scratch)
        trained = max(time.process_time() - cpu - evaluations.cpu_seconds, 1e-9)
        agent: Agent = make_player(task, rules, policy)
        result |= {"steps": policy.steps, "curve": evaluations.curve}
        timing = {"training_cpu_seconds": round(trained, 1), "steps_per_cpu_second": round(steps_here / trained)}
        network = _bytes(policy)
    else:
        agent = make_agent(task.algorithm, rules, lambda: solve(rules, progress=False))
        result |= {"steps": 0, "curve": []}
        timing = {}
    result["optimum"] = float(solution.expected_score) if solution is not None else None
    result["final"] = measure(agent, settings.games, settings.seed)
    result["timing"] = timing | {"seconds": round(time.perf_counter() - start, 1)}
    result["made_with"] = {"commit": commit(), "versions": versions()}
    return Outcome(result, network)


def _bytes(policy: PolicyWeights) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "network.npz"
        save_weights(policy, path)
        return path.read_bytes()
