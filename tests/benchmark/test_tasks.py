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
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from rich.console import Console

from agents.benchmark import execute as execution
from agents.benchmark import runner
from agents.benchmark.execute import execute
from agents.benchmark.runner import run_protocol
from agents.benchmark.summary import markdown, speeds, summarise_results
from agents.benchmark.tasks import Outcome, Task, read_result, save_outcome
from agents.benchmark.workers import run_here
from agents.models.load import load_agent
from agents.ppo.weights import PolicyWeights
from agents.sb3 import UnmaskedAgent
from tests.benchmark.helpers import SMALL, fake, small, write_small
from yatzy_env.envs.observation import observation_size
from yatzy_env.errors import YatzyError
from yatzy_env.games import action_masks, new_games
from yatzy_env.rules import ruleset
from yatzy_env.tables import compile_tables

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def quiet() -> Console:
    return Console(file=io.StringIO(), width=200)


def lasting(outcome: Outcome) -> dict[str, Any]:
    return {key: value for key, value in outcome.result.items() if key not in ("timing", "made_with")}


@pytest.mark.parametrize("algorithm", SMALL["algorithms"])
def test_a_task_trains_looks_and_measures_and_does_so_again(algorithm: str, tmp_path: Path) -> None:
    protocol = small()
    task = Task(protocol, "forced", algorithm, 1)
    outcome = execute(task, tmp_path / "one")
    again = execute(task)
    assert lasting(outcome) == lasting(again)
    assert outcome.network == again.network
    other = execute(Task(protocol, "forced", algorithm, 2))
    assert lasting(outcome)["final"] != lasting(other)["final"]

    result = outcome.result
    assert protocol.steps <= result["steps"] < protocol.steps + 3000
    assert [look["steps"] for look in result["curve"]][-1] == result["steps"]
    assert len(result["curve"]) == 2
    assert 0 < result["final"]["percent_of_optimum"] < 100
    assert ("illegal_rate" in result["final"]) == (algorithm in ("ppo-unmasked", "a2c", "dqn"))
    save_outcome(task, outcome, tmp_path)
    assert read_result(task, tmp_path) == result
    rules = ruleset("forced")
    load_agent(task.result_file(tmp_path).with_suffix(".npz"), rules, trust=True)


@pytest.mark.parametrize("agent", ["human", "optimal"])
def test_a_task_without_training(agent: str) -> None:
    outcome = execute(Task(small(), "forced", agent, 0))
    assert outcome.network is None
    assert outcome.result["curve"] == []
    assert (outcome.result["final"]["regret_per_game"] < 1e-9) == (agent == "optimal")


def test_ppo_goes_on_from_its_checkpoint_to_the_same_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    protocol = small(steps=5000)
    task = Task(protocol, "forced", "ppo", 1)
    whole = execute(task, tmp_path / "whole")

    class KilledError(Exception):
        pass

    commits = []
    saving = execution.Run.saving

    @contextmanager
    def save_and_die(run: Any, steps: int) -> Iterator[Path]:
        with saving(run, steps) as folder:
            yield folder
        commits.append(steps)
        if len(commits) == 3:
            raise KilledError

    monkeypatch.setattr(execution.Run, "saving", save_and_die)
    with pytest.raises(KilledError):
        execute(task, tmp_path / "killed")
    resumed = execute(task, tmp_path / "killed")
    assert commits == [1024, 2048, 3072, 4096, 5120]
    assert lasting(resumed) == lasting(whole)
    assert resumed.network == whole.network


def test_what_another_version_left_unfinished_is_begun_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task = Task(small(steps=2000), "forced", "ppo", 1)
    train = execution.train_ppo

    def killed(run: Any, console: Console) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(execution, "train_ppo", killed)
    with pytest.raises(KeyboardInterrupt):
        execute(task, tmp_path)
    (config,) = tmp_path.glob("**/config.yaml")
    lines = config.read_text().splitlines()
    config.write_text("\n".join(line for line in lines if not line.startswith("rulesets")))
    monkeypatch.setattr(execution, "train_ppo", train)
    assert execute(task, tmp_path).result["steps"] == 2048


def test_the_unmasked_agent_plays_legally_and_counts() -> None:
    rules = ruleset("forced")
    tables = compile_tables(rules)
    size = observation_size(tables)
    bias = np.zeros(tables.actions, np.float32)
    bias[-1] = 1.0  # always wants the last box, which no order but the last turn allows
    weights = PolicyWeights(
        ((np.zeros((tables.actions, size), np.float32), bias),), "relu", rules.name, rules.digest, 0
    )
    agent = UnmaskedAgent(rules, weights, "stubborn")
    assert agent.illegal_rate == 0
    now = new_games(tables, np.arange(8, dtype=np.uint64)).now
    actions = agent.act(now, np.zeros(8))
    assert (action_masks(tables, now)[np.arange(8), actions] == 1).all()
    assert (agent.illegal_rate, agent.decisions) == (1.0, 8)
    now.filled[:4] = tables.card.all_boxes >> 1
    agent.act(now, np.zeros(8))
    assert agent.illegal_rate == 12 / 16


# The work list.


def run_fakes(protocol: Any, root: Path, fail: set[tuple[str, int]], monkeypatch: pytest.MonkeyPatch) -> list[Task]:
    """Runs a protocol with outcomes made up, some of which fail, and returns what was done."""
    worked: list[Task] = []

    def here(tasks: Any, workers: int, scratch: Any, done: Any) -> dict[Task, str]:
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
    with pytest.raises(YatzyError, match="1 of 16 tasks failed, the first: a2c on forced, seed 2: RuntimeError: out"):
        run_fakes(protocol, tmp_path / "b", {("a2c", 2)}, monkeypatch)
    task = Task(protocol, "forced", "ppo", 1)
    task.result_file(tmp_path / "b").write_text('{"half')  # as no killed run leaves it, but a full disk may
    assert [(done.algorithm, done.seed) for done in run_fakes(protocol, tmp_path / "b", set(), monkeypatch)] == [
        ("ppo", 1),
        ("a2c", 2),
    ]
    assert run_fakes(protocol, tmp_path / "b", set(), monkeypatch) == []
    assert len(run_fakes(small(seeds=3), tmp_path / "b", set(), monkeypatch)) == 5


def test_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    protocol = small(rulesets=("forced", "yatzy"))
    run_fakes(protocol, tmp_path, set(), monkeypatch)
    folder = tmp_path / protocol.digest[:12] / "report-forced-yatzy-2-seeds"
    assert {path.name for path in folder.iterdir()} == {"benchmark.json", "benchmark.md", "benchmark.png"}
    found = json.loads((folder / "benchmark.json").read_text())
    rows = {(row["ruleset"], row["agent"]): row for row in found["rows"]}
    a2c = rows["forced", "a2c"]
    assert (a2c["seeds"], a2c["percent_of_optimum"], a2c["percent_iqm"]) == (2, 68.0, 68.0)
    assert (a2c["percent_low"], a2c["percent_high"], a2c["interval_over"]) == (63.0, 73.0, "seeds")
    greedy = rows["forced", "greedy"]
    assert greedy["interval_over"] == "games"
    assert greedy["percent_low"] < greedy["percent_of_optimum"] < greedy["percent_high"]
    assert rows["all", "a2c"]["percent_iqm"] == 68.0
    assert {row["agent"] for row in found["rows"] if row["ruleset"] == "all"} == set(protocol.algorithms)
    scores = [row["expected_score"] for row in found["rows"] if row["ruleset"] == "yatzy"]
    assert scores == sorted(scores)
    text = (folder / "benchmark.md").read_text()
    assert "| distilled (learns from the optimum) | 2 | 74.00 | 74.00 | 69.00 to 79.00 |" in text
    assert "### Over all rulesets" in text
    assert text == markdown(found)
    assert f"Trained for {protocol.steps:,} decisions" in text
    assert "under seeds 1 to 2." in text
    assert "| a2c | 150 | 150 |" in speeds(found)


def test_the_order_of_results_does_not_matter() -> None:
    protocol = small()
    tasks = [Task(protocol, "forced", name, seed) for name in protocol.algorithms for seed in (1, 2)]
    results = {task: fake(task).result for task in tasks}
    backwards = dict(reversed(results.items()))
    one, other = summarise_results(protocol, results), summarise_results(protocol, backwards)
    assert one["rows"] == other["rows"]


@pytest.mark.slow
def test_workers_do_the_same_as_this_process(tmp_path: Path) -> None:
    protocol = small()
    tasks = [Task(protocol, "forced", "a2c", 1), Task(protocol, "forced", "distilled", 1)]
    found: dict[Task, Outcome] = {}
    broken = Task(protocol, "forced", "nosuch", 0)
    failed = run_here([*tasks, broken], 2, lambda task: tmp_path / str(task.algorithm), found.__setitem__)
    assert list(failed) == [broken]
    assert "unknown agent 'nosuch'" in failed[broken]
    assert {task: lasting(outcome) for task, outcome in found.items()} == {
        task: lasting(execute(task)) for task in tasks
    }


def command(*more: str) -> list[str]:
    return [sys.executable, str(ROOT / "scripts" / "benchmark.py"), "agents", "--json", *more]


@pytest.mark.slow
def test_a_killed_command_goes_on_and_gives_the_same_table(tmp_path: Path) -> None:
    protocol = write_small(tmp_path / "p.yaml", untrained=["random", "human"])
    options = ("--protocol", str(protocol), "--results")
    whole = subprocess.run(command(*options, str(tmp_path / "whole")), capture_output=True, text=True, check=True)
    process = subprocess.Popen(
        command(*options, str(tmp_path / "killed")), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while len(list((tmp_path / "killed").rglob("seed-*.json"))) < 3:
        assert process.poll() is None
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    resumed = subprocess.run(command(*options, str(tmp_path / "killed")), capture_output=True, text=True, check=True)
    assert ": 0 of 12 tasks have a result" in whole.stderr
    assert ": 0 of 12 tasks have a result" not in resumed.stderr
    assert json.loads(resumed.stdout)["results"] == json.loads(whole.stdout)["results"]


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="ray is in the dependency group cluster")
def test_ray_gives_the_same_table(tmp_path: Path) -> None:
    protocol = write_small(tmp_path / "p.yaml", untrained=["human"])
    options = ("--protocol", str(protocol), "--algorithms", "ppo", "a2c", "--results")
    here = subprocess.run(command(*options, str(tmp_path / "here")), capture_output=True, text=True, check=True)
    ray = subprocess.run(command(*options, str(tmp_path / "ray"), "--ray"), capture_output=True, text=True, check=True)
    assert json.loads(ray.stdout)["results"] == json.loads(here.stdout)["results"]


def test_without_ray_the_command_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(YatzyError, match="--group cluster"):
        run_protocol(small(), tmp_path, quiet(), ray="local")
    assert not list(tmp_path.iterdir())
