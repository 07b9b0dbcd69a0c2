"""Tasks of every kind: what they find, that it is the same again, and that a killed run goes on to the same table."""

from __future__ import annotations

import importlib.util
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from rich.console import Console

from agents.benchmark import runner
from agents.benchmark.envs import TrainingEnvs
from agents.benchmark.execute import Report, execute
from agents.benchmark.protocol import PROTOCOL, Protocol
from agents.benchmark.runner import run_protocol
from agents.benchmark.tasks import Task, read_result
from agents.benchmark.workers import run_here
from tests.benchmark.helpers import SMALL, fake, small, write_small
from tests.benchmark.learners import first_legal, last_legal
from yatzy_env import solve
from yatzy_env.dice import key
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.functions import as_agent
from yatzy_env.evaluation.matches import play_match
from yatzy_env.evaluation.random_play import random_score
from yatzy_env.evaluation.results import summarise
from yatzy_env.rules import ruleset

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def quiet() -> Console:
    return Console(file=io.StringIO(), width=200)


def lasting(found: Any) -> Any:
    """A result without what depends on the time it took."""
    if isinstance(found, dict):
        taken = ("timing", "made_with", "minutes")
        return {name: lasting(value) for name, value in found.items() if name not in taken}
    return [lasting(value) for value in found] if isinstance(found, list) else found


def test_a_vector_environment_is_counted_and_measured() -> None:
    task = Task(small(), "half-force", "hand", 1)
    result = execute(task)
    assert lasting(result) == lasting(execute(task))
    (found,) = result["agents"].values()
    assert [point["steps"] for point in found["curve"]] == [752, 1504, 3000]
    assert found["after"]["steps"]["steps"] == result["timing"]["steps"] == 3000
    played = [percent(function, 10, 502) for function in (first_legal, last_legal)]
    assert [point["percent_of_optimum"] for point in found["curve"]] == [played[0], played[1], played[1]]
    assert found["after"]["steps"]["percent_of_optimum"] == percent(last_legal, 50, 1001)
    assert found["after"]["minutes"] == found["after"]["steps"]  # over long before the hour it is compared after
    optimum = solve("half-force", progress=False).expected_score
    start = random_score(ruleset("half-force"))
    expected = found["after"]["steps"]["expected_score"]
    assert found["after"]["steps"]["normalized"] == pytest.approx((expected - start) / (optimum - start))
    assert result["optimum"] == optimum


def percent(function: Any, games: int, seed: int) -> float | None:
    rules = ruleset("half-force")
    match = play_match(as_agent(function, rules), rules, games, seed, solve(rules, progress=False))
    return summarise(match).percent_of_optimum


def test_a_single_environment_is_counted_and_seeds_differ() -> None:
    first, second = (execute(Task(small(), "half-force", "one", seed))["agents"][""]["after"] for seed in (1, 2))
    assert first["steps"]["steps"] == second["steps"]["steps"] == 3000
    assert first["steps"]["mean_score"] != second["steps"]["mean_score"]


def test_agents_of_one_run_are_measured_from_when_they_are_there() -> None:
    agents = execute(Task(small(evaluation={"games": 50, "curve_points": 4}), "half-force", "both", 1))["agents"]
    assert [point["steps"] for point in agents["early"]["curve"]] == [400, 800, 1500, 3000]
    assert [point["steps"] for point in agents["late"]["curve"]] == [3000]
    late = small(steps=1000, algorithms={"both": SMALL["algorithms"]["both"] | {"steps": 3000}})
    agents = execute(Task(late, "half-force", "both", 1))["agents"]
    assert set(agents["early"]["after"]) == {"steps", "minutes"}
    assert agents["early"]["after"]["steps"]["steps"] == 1000
    assert set(agents["late"]["after"]) == {"minutes"}


def test_minutes_are_those_of_the_processor_without_measuring(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "process_time", lambda: now[0])
    protocol = small(minutes=2, evaluation={"games": 10, "curve_points": 1, "curve_games": 10})
    report = Report(Task(protocol, "half-force", "hand", 1), solve("half-force", progress=False))

    def measured() -> Any:
        now[0] += 1000
        return first_legal

    for decisions in (100, 200, 300, 3000):
        now[0] += 50
        report(measured, decisions)
    after = report.agents[""]["after"]
    assert (after["minutes"]["steps"], after["minutes"]["minutes"]) == (300, 2.5)
    assert (after["steps"]["steps"], after["steps"]["minutes"]) == (3000, 3.3333)


@pytest.mark.parametrize("agent", ["human", "one-turn", "optimal"])
def test_a_task_without_training(agent: str) -> None:
    result = execute(Task(small(checks=["forced"]), "forced", agent, 0))
    (found,) = result["agents"].values()
    assert found["curve"] == []
    assert (found["after"]["steps"]["regret_per_game"] < 1e-6) == (agent != "human")  # turns decouple


def test_training_never_throws_evaluation_dice() -> None:
    rules = ruleset("yacht")
    envs = TrainingEnvs(rules, 7)
    keys = []
    for env in (envs(500), envs(500)):
        for seed in (None, 3, 4):
            env.reset(seed=seed)
            keys += env.state()["key"].tolist()
    assert len(set(keys)) == 2 * 500 + 500 + 1  # the same seed means the same dice, in both
    evaluation = {key("evaluate", seed, game) for seed in (7, 1002) for game in range(3000)}
    assert not evaluation & set(keys)
    singles = [envs(), envs()]
    starts = [env.reset()[0] for env in singles]
    assert not np.array_equal(*starts)
    np.testing.assert_array_equal(singles[0].reset(seed=3)[0], singles[1].reset(seed=3)[0])


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", Protocol.read(PROTOCOL).algorithms)
def test_shipped_algorithms_train_and_do_so_again(algorithm: str) -> None:
    fields = Protocol.read(PROTOCOL).model_dump(mode="json")
    fields |= {"steps": 12_000, "minutes": 60, "evaluation": {"games": 50, "curve_points": 2, "curve_games": 10}}
    fields["algorithms"] = {algorithm: fields["algorithms"][algorithm] | {"steps": None}}
    task = Task(Protocol.parse(fields), "half-force", algorithm, 1)
    result = execute(task)
    assert lasting(result) == lasting(execute(task))
    for found in result["agents"].values():
        assert 15 < found["after"]["minutes"]["percent_of_optimum"] < 100
        assert ("illegal_rate" in found["after"]["minutes"]) == (algorithm == "unmasked-ppo")
    assert 10_000 < result["timing"]["steps"] < 25_000


# The work list.


def run_fakes(protocol: Any, root: Path, fail: set[tuple[str, int]], monkeypatch: pytest.MonkeyPatch) -> list[Task]:
    """Runs a protocol with results made up, some of which fail, and returns what was done."""
    worked: list[Task] = []

    def here(tasks: Any, workers: int, done: Any) -> dict[Task, str]:
        for task in tasks:
            if (task.algorithm, task.seed) not in fail:
                worked.append(task)
                done(task, fake(task))
        return {task: "RuntimeError: out of luck" for task in tasks if (task.algorithm, task.seed) in fail}

    monkeypatch.setattr(runner, "run_here", here)
    run_protocol(protocol, root, quiet())
    return worked


def test_only_what_has_no_result_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    protocol = small()
    with pytest.raises(YatzyError, match="1 of 12 tasks failed, the first: one on half-force, seed 2: RuntimeError: o"):
        run_fakes(protocol, tmp_path / "b", {("one", 2)}, monkeypatch)
    task = Task(protocol, "half-force", "hand", 1)
    assert read_result(task, tmp_path / "b") == fake(task)
    task.result_file(tmp_path / "b").write_text('{"half')  # as no killed run leaves it, but a full disk may
    assert [(done.algorithm, done.seed) for done in run_fakes(protocol, tmp_path / "b", set(), monkeypatch)] == [
        ("hand", 1),
        ("one", 2),
    ]
    assert run_fakes(protocol, tmp_path / "b", set(), monkeypatch) == []
    assert len(run_fakes(small(seeds=3), tmp_path / "b", set(), monkeypatch)) == 3


def test_the_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    protocol = small()
    run_fakes(protocol, tmp_path, set(), monkeypatch)
    folder = tmp_path / protocol.digest[:12] / "report-half-force-2-seeds"
    assert {path.name for path in folder.iterdir()} == {"benchmark.json", "benchmark.md", "benchmark.png"}
    assert json.loads((folder / "benchmark.json").read_text())["digest"] == protocol.digest
    assert "### `half-force` after 60 CPU minutes" in (folder / "benchmark.md").read_text()


@pytest.mark.slow
def test_workers_do_the_same_as_this_process() -> None:
    rows = {"hand": SMALL["algorithms"]["hand"], "broken": {"kind": "tests.benchmark.learners:broken"}}
    protocol = small(algorithms=rows)
    task, broken = (Task(protocol, "half-force", name, 1) for name in rows)
    found: dict[Task, Any] = {}
    failed = run_here([task, broken], 2, found.__setitem__)
    assert failed == {broken: "RuntimeError: out of luck"}
    assert lasting(found) == {task: lasting(execute(task))}


def command(*more: str) -> list[str]:
    return [sys.executable, str(ROOT / "scripts" / "benchmark.py"), "agents", *more]


@pytest.mark.slow
def test_an_algorithm_from_elsewhere_in_one_command_that_is_killed_and_goes_on(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "def train(make_env, rules, steps, seed, report):\n"
        "    env = make_env(10)\n"
        "    env.reset()\n"
        "    for _ in range(steps // 10):\n"
        "        env.step(env.action_masks().argmax(axis=1))\n"
        "    return lambda observations, masks: (masks * (seed + 1)).argmax(axis=1)\n"
    )
    file = write_small(tmp_path / "p.yaml", untrained=["random", "human"])
    options = ["--json", "--protocol", str(file), "--add", "mine=mine:train", "--results"]
    call: dict[str, Any] = {"cwd": tmp_path, "text": True}
    whole = subprocess.run(command(*options, "whole"), capture_output=True, check=True, **call)
    process = subprocess.Popen(
        command(*options, "killed"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **call
    )
    while len(list((tmp_path / "killed").rglob("seed-*.json"))) < 3:
        assert process.poll() is None
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    resumed = subprocess.run(command(*options, "killed"), capture_output=True, check=True, **call)
    assert ": 0 of 10 tasks have a result" in whole.stderr
    assert ": 0 of 10 tasks have a result" not in resumed.stderr
    tables = [lasting(json.loads(done.stdout)["results"]) for done in (whole, resumed)]
    assert tables[0] == tables[1]
    assert {row["agent"] for row in tables[0]} == {"random", "human", "hand", "one", "both/early", "both/late", "mine"}


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="ray is in the dependency group cluster")
def test_ray_gives_the_same_table(tmp_path: Path) -> None:
    protocol = write_small(tmp_path / "p.yaml", untrained=["human"])
    options = ("--json", "--protocol", str(protocol), "--algorithms", "hand", "--results")
    here = subprocess.run(command(*options, str(tmp_path / "here")), capture_output=True, text=True, check=True)
    ray = subprocess.run(command(*options, str(tmp_path / "ray"), "--ray"), capture_output=True, text=True, check=True)
    assert lasting(json.loads(ray.stdout)["results"]) == lasting(json.loads(here.stdout)["results"])


def test_without_ray_the_command_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(YatzyError, match="--group cluster"):
        run_protocol(small(), tmp_path, quiet(), ray="local")
    assert not list(tmp_path.iterdir())
