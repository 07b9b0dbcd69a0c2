"""Run folders, checkpoints and continuing after an interruption."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from agents.errors import RunError
from agents.ppo.algorithm import YatzyPPO
from agents.ppo.runs import config_of, create_run
from agents.ppo.training import train
from agents.training import runs
from agents.training.runs import Run, newest_run, open_run
from scripts.train import main
from tests.ppo.helpers import quiet, tiny_config, trained
from tests.ppo.test_algorithm import assert_same, weights_of

ROOT = Path(__file__).parents[2]


def test_a_run_leaves_its_records(short_run: Run) -> None:
    folder = short_run.folder
    assert folder.parent.name == "tiny"
    assert folder.name.endswith("-1")
    record = json.loads((folder / "run.json").read_text())
    assert set(record) == {"ruleset", "versions", "commit", "machine"}
    assert record["ruleset"]["name"] == "tiny"
    assert "torch" in record["versions"]
    assert (folder / "command.txt").read_text().startswith("python scripts/train.py")
    assert config_of(short_run) == tiny_config(total_steps=8192)
    manifest = short_run.manifest()
    assert manifest["steps"] == 8192
    assert {Path(name).name for name in manifest["files"]} == {"model.zip", "weights.npz", "state.npz"}
    assert [path.name for path in folder.glob("checkpoint-*")] == ["checkpoint-8192"]
    curve = (folder / "curve.csv").read_text().splitlines()
    assert curve[0].startswith("steps,seconds,steps_per_second,score")
    assert [row.split(",")[0] for row in curve[1:]] == ["4096", "8192"]
    assert list((folder / "tensorboard").iterdir())


def test_an_interrupted_run_goes_on_as_if_nothing_had_happened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tiny_config(total_steps=24_576, checkpoint_minutes=1e-9)
    _, whole = trained(tmp_path / "whole", config)
    run = create_run(config, tmp_path / "halves", "command")
    update = YatzyPPO.train

    def interrupted(self: YatzyPPO) -> None:
        update(self)
        if self.num_timesteps > 12_288:
            raise KeyboardInterrupt

    monkeypatch.setattr(YatzyPPO, "train", interrupted)
    with pytest.raises(KeyboardInterrupt):
        train(run, quiet())
    monkeypatch.undo()
    assert run.manifest()["steps"] == 12_288
    console = quiet()
    resumed = train(run, console)
    assert "12,288 of 24,576 steps done" in console.file.getvalue()  # type: ignore[attr-defined]
    assert resumed.num_timesteps == whole.num_timesteps == 24_576
    assert_same(weights_of(whole), weights_of(resumed))
    np.testing.assert_array_equal(whole.averages[0].numpy(), resumed.averages[0].numpy())
    steps = [int(row.split(",")[0]) for row in (run.folder / "curve.csv").read_text().splitlines()[1:]]
    assert steps == list(range(4096, 24_577, 4096))


def test_a_killed_process_leaves_a_run_that_can_be_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = [sys.executable, "scripts/train.py", "tiny", "--total-steps", "100000000", "--runs", str(tmp_path)]
    command += ["--checkpoint-minutes", "0.002"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 120
        while not list(tmp_path.glob("tiny/*/manifest.json")):
            assert process.poll() is None, "training ended before its first checkpoint"
            assert time.monotonic() < deadline
            time.sleep(0.05)
        time.sleep(0.5)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    run = newest_run("tiny", tmp_path)
    done = run.manifest()["steps"]
    goal = done + 8192
    main(["tiny", "--resume", "--runs", str(tmp_path), "--total-steps", str(goal)])
    out, err = capsys.readouterr()
    assert f"{done:,} of {goal:,} steps done" in err
    assert out.strip() == str(run.folder)
    assert run.manifest()["steps"] == goal
    assert len((run.folder / "command.txt").read_text().splitlines()) == 2
    assert not list(run.folder.glob("*.part"))


def test_a_finished_run_has_nothing_to_resume(tmp_path: Path, short_run: Run) -> None:
    folder = shutil.copytree(short_run.folder, tmp_path / "tiny" / "copy")
    before = Run(folder).manifest()
    assert train(Run(folder), quiet()).num_timesteps == 8192
    assert Run(folder).manifest() == before


@pytest.mark.parametrize("name", ["model.zip", "state.npz", "weights.npz"])
def test_a_damaged_checkpoint_is_not_continued(tmp_path: Path, short_run: Run, name: str) -> None:
    folder = shutil.copytree(short_run.folder, tmp_path / "run")
    path = folder / "checkpoint-8192" / name
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(RunError, match=name):
        train(Run(folder), quiet())


def test_a_damaged_manifest_is_one_line(tmp_path: Path, short_run: Run) -> None:
    folder = shutil.copytree(short_run.folder, tmp_path / "run")
    (folder / "manifest.json").write_text("{")
    with pytest.raises(RunError, match=r"manifest\.json: damaged"):
        Run(folder).manifest()


def test_an_old_checkpoint_goes_only_when_the_new_one_is_on_disk_and_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def save(steps: int) -> None:
        with run.saving(steps) as folder:
            (folder / "weights.npz").write_text(str(steps))

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    run = Run(tmp_path)
    save(1)
    for owner, name in ((os, "fsync"), (runs, "write_json")):  # before it is on disk, and before it counts
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, interrupt)
            with pytest.raises(KeyboardInterrupt):
                save(2)
        assert (run.checked_checkpoint() / "weights.npz").read_text() == "1"
    done: list[str] = []
    write_json, rmtree = runs.write_json, shutil.rmtree
    monkeypatch.setattr(os, "fsync", lambda handle, plain=os.fsync: (done.append("sync"), plain(handle)))
    monkeypatch.setattr(runs, "write_json", lambda *given: (done.append("counts"), write_json(*given)))
    monkeypatch.setattr(shutil, "rmtree", lambda path, **how: (done.append(path.name), rmtree(path, **how)))
    save(3)
    assert done.index("sync") < done.index("counts") < done.index("checkpoint-1")
    assert done[done.index("counts") + 1 :].count("sync") == 2  # the manifest and its folder
    assert [path.name for path in tmp_path.glob("checkpoint-*")] == ["checkpoint-3"]
    assert (run.checked_checkpoint() / "weights.npz").read_text() == "3"


def test_runs_are_found(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="nothing to resume"):
        newest_run("tiny", tmp_path)
    with pytest.raises(RunError, match="not a run folder"):
        open_run(tmp_path)
    first, second = (create_run(tiny_config(), tmp_path, "command") for _ in range(2))
    assert first.folder != second.folder
    os.utime(first.folder / "config.yaml", ns=(1, 1))
    assert newest_run("tiny", tmp_path) == second == open_run(second.folder)
