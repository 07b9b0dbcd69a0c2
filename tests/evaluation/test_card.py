from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from agents.evaluation.card import Training, model_card, write_card
from agents.evaluation.training_record import read_training
from tests.evaluation.helpers import tiny_evaluation
from yatzy_env.errors import YatzyError

TRAINING = Training(
    command="python scripts/train.py tiny",
    facts={"seed": "3", "steps": "1,000,000", "wall time": "2.0 minutes"},
    digests={"model.zip": "ab" * 32, "weights.npz": "cd" * 32},
    pickles=("model.zip",),
)


def run_folder(folder: Path) -> Path:
    """A run as training leaves it."""
    checkpoint = folder / "checkpoint-1000"
    checkpoint.mkdir(parents=True)
    for name in ("model.zip", "weights.npz", "state.npz"):
        (checkpoint / name).write_bytes(name.encode())
    (folder / "command.txt").write_text("python scripts/train.py tiny --seed 3\n")
    (folder / "config.yaml").write_text("ruleset: tiny\nseed: 3  # of everything\n")
    run = {
        "versions": {"python": "3.11", "torch": "2.8"},
        "commit": "c0ffee",
        "machine": {"processor": "P", "cores": 2},
    }
    (folder / "run.json").write_text(json.dumps(run))
    (folder / "curve.csv").write_text("steps,seconds\n500,30.0\n1000,90.0\n")
    return folder


def test_the_card_holds_figures_training_and_warnings() -> None:
    evaluation = tiny_evaluation()
    card = model_card(evaluation, TRAINING, agent="greedy")
    greedy, best = evaluation.results[1], evaluation.results[2]
    for wanted in (
        f"**{greedy.percent_of_optimum:.2f} % of the exact optimum**",
        f"{greedy.regret_per_game:.2f} ± {greedy.regret_se:.2f}",
        f"| bonus rate | {100 * greedy.bonus_rate:.1f} % | {100 * best.bonus_rate:.1f} % |",
        "| expected score | ",
        "73.52",
        "| first keep | ",
        "| second keep | ",
        "| choice of box | ",
        "## Known weaknesses",
        "python scripts/train.py tiny",
        "- steps: 1,000,000",
        "- wall time: 2.0 minutes",
        "ab" * 32,
        "Loading a pickle can run code",
        evaluation.provenance.command,
        "numpy",
    ):
        assert wanted in card
    assert "nan" not in card


def test_the_card_counts_its_shares_to_a_whole() -> None:
    match = tiny_evaluation().matches[1]
    lines = [
        line for line in model_card(tiny_evaluation(), TRAINING, agent="greedy").splitlines() if line.endswith("% |")
    ]
    shares = {line.split("|")[1].strip(): int(line.split("|")[3].strip(" %")) for line in lines if "±" in line}
    kinds = [shares[kind] for kind in match.kinds]
    assert sum(kinds) == pytest.approx(100, abs=2)
    assert sum(shares.values()) - sum(kinds) == pytest.approx(100, abs=2), "the thirds of the game"


def test_the_card_says_where_the_model_falls_short() -> None:
    card = model_card(tiny_evaluation(), TRAINING, agent="random")
    assert "It scores less than the optimal player in `yatzy` (-" in card
    assert "earns the bonus" in card


def test_a_model_without_pickles_needs_no_warning() -> None:
    training = Training("train", {}, {"weights.npz": "cd" * 32})
    card = model_card(tiny_evaluation(), training, agent="greedy")
    assert "read without pickle" in card
    assert "Loading a pickle can run code" not in card


def test_a_card_needs_both_players() -> None:
    with pytest.raises(YatzyError, match="needs the agent 'ppo'"):
        model_card(tiny_evaluation(), TRAINING)


def test_card_and_results_are_written_beside_the_model(tmp_path: Path) -> None:
    card = write_card(tiny_evaluation(), TRAINING, tmp_path, agent="greedy")
    assert card == tmp_path / "README.md"
    results = json.loads((tmp_path / "results.json").read_text())
    assert results["training"] == {"command": TRAINING.command, **TRAINING.facts}
    assert results["sha256"] == TRAINING.digests
    assert results["optimum"] == tiny_evaluation().optimum


def test_training_is_read_from_the_run(tmp_path: Path) -> None:
    training = read_training(run_folder(tmp_path))
    assert training.command == "python scripts/train.py tiny --seed 3"
    assert training.facts == {
        "seed": "3",
        "steps": "1,000",
        "wall time": "1.5 minutes",
        "commit": "c0ffee",
        "versions": "python 3.11, torch 2.8",
        "machine": "P, 2 cores",
    }
    assert training.digests == {
        f"checkpoint-1000/{name}": hashlib.sha256(name.encode()).hexdigest() for name in ("model.zip", "weights.npz")
    }
    assert training.pickles == ("checkpoint-1000/model.zip",)


def test_what_training_did_not_record_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "weights.npz").write_bytes(b"")
    training = read_training(tmp_path)
    assert {training.command, *training.facts.values()} == {"not recorded"}


@pytest.mark.parametrize(
    ("name", "text"), [("run.json", "{"), ("run.json", "[]"), ("curve.csv", "steps,seconds\n"), ("curve.csv", "a\n1\n")]
)
def test_a_damaged_record_is_one_clear_line(tmp_path: Path, name: str, text: str) -> None:
    (run_folder(tmp_path) / name).write_text(text)
    with pytest.raises(YatzyError, match=f"{name}: damaged"):
        read_training(tmp_path)


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(YatzyError, match="holds no model"):
        read_training(tmp_path)
