"""Training of both networks: it learns, it goes on after any interruption, and it knows no number of the optimum."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agents.errors import RunError
from agents.ppo.agent import PPOAgent
from agents.ppo.policy import PolicyNetwork
from agents.ppo.runs import check_complete, config_of, create_run
from agents.ppo.training import train
from agents.training.runs import Run, newest_run
from agents.values.network import ValueNetwork
from agents.values.planner import Planner
from tests.ppo.helpers import quiet, tiny_config, trained
from yatzy_env.evaluation.results import quick_evaluation
from yatzy_env.solver import Solution, solve

ROOT = Path(__file__).parents[2]


def networks(run: Run) -> tuple[str, str]:
    """The digests of both networks of a run."""
    folder = run.checked_checkpoint()
    return ValueNetwork.read(folder / "values.npz").digest, PolicyNetwork.read(folder / "policy.npz").digest


def percent(run: Run) -> list[float]:
    """Of the optimum: the planner's and the policy's."""
    folder, (rules,) = run.checked_checkpoint(), config_of(run).rules
    agents = [
        Planner(rules, ValueNetwork.read(folder / "values.npz")),
        PPOAgent(rules, PolicyNetwork.read(folder / "policy.npz")),
    ]
    solution = solve(rules, progress=False)
    return [quick_evaluation(agent, rules, solution, 500, 1)["eval/percent_of_optimum"] for agent in agents]


def test_both_networks_learn_and_neither_does_without_a_learning_rate(tmp_path: Path) -> None:
    planner, policy = percent(trained(tmp_path, tiny_config()))
    assert planner > 99
    assert policy > 97
    still = {"values__learning_rate": 0, "policy__learning_rate": 0, "policy__rounds": 20}
    _, policy = percent(trained(tmp_path, tiny_config(**still)))
    assert policy < 60


def test_training_uses_no_number_of_the_optimum(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("training asked for the solution")

    whole = networks(trained(tmp_path / "free", tiny_config(policy__rounds=4)))
    for place in ("yatzy_env.solver.solve", "yatzy_env.solver.solution.solve", "yatzy_env.solve"):
        monkeypatch.setattr(place, refuse, raising=False)
    monkeypatch.setattr(Solution, "load", refuse)
    monkeypatch.setattr(Solution, "__init__", refuse)
    assert networks(trained(tmp_path / "refused", tiny_config(policy__rounds=4))) == whole


def test_the_same_seed_gives_the_same_networks_and_another_others(tmp_path: Path, short_run: Run) -> None:
    config = config_of(short_run)
    again = trained(tmp_path, config)
    assert networks(again) == networks(short_run)
    other = networks(trained(tmp_path, config.model_copy(update={"seed": 2})))
    assert not set(other) & set(networks(short_run))


@pytest.mark.parametrize("rounds", [1, 2, 3, 4, 6])
def test_an_interrupted_run_goes_on_as_if_nothing_had_happened(
    tmp_path: Path, short_run: Run, rounds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = create_run(config_of(short_run), tmp_path, "command")
    count = 0

    def stop_after(*_: object) -> dict[str, float]:
        nonlocal count
        count += 1
        if count == rounds:
            os.kill(os.getpid(), signal.SIGTERM)
        return {}

    console = quiet()
    config = config_of(run).model_copy(update={"eval_minutes": 1e-9})
    run.config_file.write_text(config.to_yaml())
    with pytest.raises(KeyboardInterrupt):
        train(run, console, stop_after)
    assert f"--resume goes on from round {rounds}" in console.file.getvalue()  # type: ignore[attr-defined]
    assert run.manifest()["steps"] == rounds
    train(run, quiet())
    assert networks(run) == networks(short_run)
    rows = [row.split(",")[:2] for row in (run.folder / "curve.csv").read_text().splitlines()[1:]]
    assert rows == [["values", f"{n}"] for n in (1, 2, 3)] + [["policy", f"{n}"] for n in (1, 2, 3, 4)]


def test_a_killed_process_leaves_a_run_that_goes_on_to_the_same_networks(tmp_path: Path) -> None:
    options = ["--runs", str(tmp_path), "--policy.rounds", "40", "--checkpoint-minutes", "0.0001"]
    command = [sys.executable, "scripts/train.py", "tiny", *options]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 240
        while not any(json.loads(path.read_text())["steps"] > 12 for path in tmp_path.glob("tiny-*/*/manifest.json")):
            assert process.poll() is None, "training ended before it was killed"
            assert time.monotonic() < deadline
            time.sleep(0.02)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    (parent,) = tmp_path.glob("tiny-*")
    run = newest_run(parent.name, tmp_path)
    assert 12 < run.manifest()["steps"] < 48
    train(run, quiet())
    assert networks(run) == networks(trained(tmp_path / "whole", tiny_config(policy__rounds=40)))


def test_a_run_leaves_its_records(short_run: Run) -> None:
    folder = short_run.folder
    assert folder.parent.name.startswith("tiny-")  # no ruleset of the catalogue: the digest of its rules follows
    record = json.loads((folder / "run.json").read_text())
    assert set(record) == {"ruleset", "versions", "commit", "machine", "record_sha256"}
    assert record["ruleset"]["name"] == "tiny"
    assert (folder / "command.txt").read_text().startswith("python scripts/train.py")
    assert {Path(name).name for name in short_run.manifest()["files"]} == {"state.pt", "values.npz", "policy.npz"}
    assert [path.name for path in folder.glob("checkpoint-*")] == ["checkpoint-7"]
    assert list((folder / "tensorboard").iterdir())


def test_a_finished_run_has_nothing_to_resume(tmp_path: Path, short_run: Run) -> None:
    run = Run(shutil.copytree(short_run.folder, tmp_path / "copy"))
    before = networks(run)
    train(run, quiet())
    assert networks(run) == before


@pytest.mark.parametrize("name", ["state.pt", "policy.npz", "values.npz"])
def test_a_damaged_checkpoint_is_not_continued(tmp_path: Path, short_run: Run, name: str) -> None:
    run = Run(shutil.copytree(short_run.folder, tmp_path / "run"))
    path = run.folder / "checkpoint-7" / name
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(RunError, match=name):
        train(run, quiet())


def test_a_lost_manifest_does_not_start_again_over_the_old_curve(tmp_path: Path, short_run: Run) -> None:
    run = Run(shutil.copytree(short_run.folder, tmp_path / "run"))
    (run.folder / "manifest.json").unlink()
    with pytest.raises(RunError, match=r"manifest\.json is missing"):
        train(run, quiet())


def test_two_processes_do_not_train_one_run(tmp_path: Path, short_run: Run) -> None:
    run = Run(shutil.copytree(short_run.folder, tmp_path / "run"))
    said: list[str] = []

    def try_again(*_: object) -> dict[str, float]:
        with pytest.raises(RunError, match=f"process {os.getpid()} is training this run") as refused:
            train(run, quiet())
        said.append(str(refused.value))
        return {}

    run = create_run(config_of(short_run), tmp_path, "command")
    train(run, quiet(), try_again)
    assert said


def test_runs_of_other_versions_are_not_resumed(tmp_path: Path, short_run: Run) -> None:
    run = Run(shutil.copytree(short_run.folder, tmp_path / "run"))
    whole = run.config_file.read_text()
    run.config_file.write_text("\n".join(line for line in whole.splitlines() if "clip_range" not in line))
    with pytest.raises(RunError, match=r"does not say 'policy\.clip_range'"):
        check_complete(run)
    run.config_file.write_text("ruleset: yatzy\ntotal_steps: 16000000\n")
    with pytest.raises(RunError, match="made by version"):
        train(run, quiet())
