"""A run becomes a shipped model, and its card is renewed from a measurement."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agents.errors import ModelError, RunError
from agents.models.digest import record_digests
from agents.models.ship import ship_model
from agents.reports.update_card import update_card
from agents.training.runs import Run
from scripts.maintain import card
from tests.ppo.helpers import tiny_config, trained
from yatzy_env.errors import YatzyError
from yatzy_env.files import write_record

FEW = 40


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The shortest run of a ruleset of the catalogue that has an exact score at once."""
    root = tmp_path_factory.mktemp("runs")
    return trained(root, tiny_config(ruleset="forced", values__rounds=2, policy__rounds=3))


@pytest.fixture
def folder(run: Run, tmp_path: Path) -> Path:
    return ship_model(run.folder, tmp_path / "models")


def test_a_card_is_renewed_and_keeps_the_exact_score(folder: Path) -> None:
    said: list[str] = []
    written = update_card(folder, "python scripts/maintain/card.py forced --games 40", FEW, say=said.append)
    first = json.loads((folder / "results.json").read_text())
    assert written == folder / "README.md"
    assert "python scripts/maintain/card.py forced --games 40" in written.read_text()
    assert "![Training curve](curve.png)" in written.read_text()
    assert 1000 < (folder / "curve.png").stat().st_size < 40_000
    assert said[-1] == "forced: 40 games"
    assert [agent["agent"] for agent in first["agents"]] == ["ppo", "planner", "optimal"]
    for agent in first["agents"][:2]:
        exact = agent["exact_score"]
        assert exact == first["exact"][agent["agent"]]["expected_score"]
        assert abs(exact - agent["expected_score"]) < 5 * agent["regret_se"] + 1e-3
    kept = {name: one | {"date": "2001-01-01"} for name, one in first["exact"].items()}  # not computed again
    changed = first | {"exact": kept}
    write_record(folder / "results.json", {key: value for key, value in changed.items() if key != "record_sha256"})
    update_card(folder, "again", games=30, seed=5)
    second = json.loads((folder / "results.json").read_text())
    assert second["exact"] == changed["exact"]
    assert (second["games"], second["seed"]) == (30, 5)


def test_other_weights_take_the_card_away(run: Run, folder: Path) -> None:
    update_card(folder, "x", FEW)
    ship_model(run.folder, folder.parent)
    assert (folder / "README.md").exists(), "the same weights"
    (folder / "values.npz").write_bytes(b"older weights")
    (folder / "weights.npz").write_bytes(b"a network over observations")
    ship_model(run.folder, folder.parent)
    left = {path.name for path in folder.iterdir()}
    assert left == {"policy.npz", "values.npz", "config.yaml", "command.txt", "run.json", "curve.csv"}


def test_a_curve_ends_where_the_weights_were_saved(run: Run, tmp_path: Path) -> None:
    curve = run.folder / "curve.csv"
    before = curve.read_text()
    last = before.splitlines()[-1]
    curve.write_text(before + last.replace(",3,", ",99999999,", 1) + "\n")
    try:
        shipped = ship_model(run.folder, tmp_path) / "curve.csv"
    finally:
        curve.write_text(before)
    assert shipped.read_text().splitlines()[-1] == last


def test_a_network_that_is_too_large_is_not_shipped(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agents.models.ship.LARGEST", 1000)
    with pytest.raises(RunError, match="allowed: up to 1,000"):
        ship_model(run.folder, tmp_path)
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_measured_is_one_clear_line(folder: Path) -> None:
    with pytest.raises(YatzyError, match="games = 0; allowed"):
        update_card(folder, "x", games=0)
    (folder / "curve.csv").unlink()
    with pytest.raises(YatzyError, match=r"curve\.csv: there is no such file"):
        update_card(folder, "x", FEW)
    (folder / "policy.npz").write_bytes(b"changed")
    with pytest.raises(ModelError, match=r"digests\.json"):
        update_card(folder, "x", FEW)
    record_digests([folder / "policy.npz", folder / "values.npz"], folder.parent)
    with pytest.raises(ModelError, match="damaged or not a model"):
        update_card(folder, "x", FEW)


def test_all_cards_of_no_model_are_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["card.py", "--all", "--models", str(tmp_path)])
    with pytest.raises(SystemExit) as end:
        card.main()
    assert end.value.code == 2
    assert capsys.readouterr().err == f"error: {tmp_path} holds no model\n"
