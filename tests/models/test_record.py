"""What training left beside a model is read back."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from agents.models.record import read_training
from yatzy_env.errors import YatzyError

NETWORKS = ("policy.npz", "values.npz")


def model_folder(folder: Path) -> Path:
    """A model as it is shipped."""
    for name in NETWORKS:
        (folder / name).write_bytes(name.encode())
    (folder / "command.txt").write_text("python scripts/train.py tiny --seed 3\n")
    (folder / "config.yaml").write_text("ruleset: tiny\nseed: 3  # of everything\n")
    run = {
        "versions": {"python": "3.11", "torch": "2.8"},
        "commit": "c0ffee",
        "machine": {"processor": "P", "cores": 2},
    }
    (folder / "run.json").write_text(json.dumps(run))
    (folder / "curve.csv").write_text("stage,round,cpu_seconds\nvalues,1,20.0\nvalues,80,30.0\npolicy,3000,90.0\n")
    return folder


def test_training_is_read_from_the_folder(tmp_path: Path) -> None:
    training = read_training(model_folder(tmp_path))
    assert training.command == "python scripts/train.py tiny --seed 3"
    assert training.facts == {
        "seed": "3",
        "rounds": "80 of the value network, 3,000 of the policy",
        "CPU time": "1.5 minutes",
        "commit": "c0ffee",
        "versions": "python 3.11, torch 2.8",
        "machine": "P, 2 cores",
    }
    assert training.digests == {name: hashlib.sha256(name.encode()).hexdigest() for name in NETWORKS}


def test_what_training_did_not_record_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "weights.npz").write_bytes(b"")
    training = read_training(tmp_path)
    assert {training.command, *training.facts.values()} == {"not recorded"}


@pytest.mark.parametrize(
    ("name", "text"),
    [("run.json", "{"), ("run.json", "[]"), ("curve.csv", "stage,round,cpu_seconds\n"), ("curve.csv", "a\n1\n")],
)
def test_a_damaged_record_is_one_clear_line(tmp_path: Path, name: str, text: str) -> None:
    (model_folder(tmp_path) / name).write_text(text)
    with pytest.raises(YatzyError, match=f"{name}: damaged"):
        read_training(tmp_path)


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(YatzyError, match="holds no model"):
        read_training(tmp_path)
