"""Training: what is learnt, that it can be taken up again, and what is shipped."""

from __future__ import annotations

import io
import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import yaml
from rich.console import Console

from agents.errors import ConfigError, ModelError, RunError
from agents.models.load import WIN_MODEL, load_winner
from agents.models.ship import ship_model
from agents.optimal import OptimalAgent
from agents.reports.card import write_win_card
from agents.training.fitting import Fitter
from agents.winning.config import CONFIG, WinConfig
from agents.winning.env import Turn, play_against, play_alone
from agents.winning.features import input_size
from agents.winning.measure import measure
from agents.winning.points import evaluate_by_turn, sample_cards
from agents.winning.training import open_folder, train
from agents.winning.wins import target, win_round
from scripts.maintain.win import in_words, main
from tests.winning.helpers import SMALL, agent_of, exact_table, small_config
from yatzy_env.evaluation.provenance import provenance
from yatzy_env.rules import ruleset
from yatzy_env.solver import solve


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def quiet() -> Console:
    return Console(file=io.StringIO(), width=200)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "run"
    train(open_folder(folder, small_config(), "python scripts/maintain/win.py train"), quiet())
    return folder


def test_the_shipped_configuration_is_valid() -> None:
    config = WinConfig.read(CONFIG)
    assert config.rules == ruleset("yatzy")


def test_the_shipped_models_configuration_is_read_under_its_old_keys() -> None:
    config = WinConfig.read(WIN_MODEL / "config.yaml")
    written = yaml.safe_load((WIN_MODEL / "config.yaml").read_text())
    assert (config.win.exploration_noise, config.points.ema) == (
        written["win"]["stray"],
        written["points"]["averaging"],
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("seed: 1", "points"),
        ("[", "not YAML"),
        ("seed: 1\nseeed: 2", "seeed"),
        ("seed: 1\nseed: 2", "the key 'seed' is there twice"),
    ],
)
def test_bad_configurations_are_refused(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "win.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=said):
        WinConfig.read(path)


def test_cards_drawn_hold_as_many_boxes_as_asked() -> None:
    filled, upper = sample_cards(SMALL, 500, 2, np.random.default_rng(1))
    assert set(np.bitwise_count(filled).tolist()) == {2, 3}
    assert (np.isfinite(exact_table(SMALL).mean[exact_table(SMALL).place(filled, upper)])).all()


def test_exact_values_are_their_own_target() -> None:
    agent = agent_of(SMALL)
    filled, upper = sample_cards(SMALL, 200, 0, np.random.default_rng(1))
    mean, spread = evaluate_by_turn(agent.points, filled, upper)
    assert mean == pytest.approx(agent.table.mean[agent.table.place(filled, upper)], abs=1e-9)
    goes_on = np.bitwise_count(filled) < agent.tables.card.boxes - 1
    assert (spread[goes_on] > 10).all()  # that of the cards after, and the turn's own
    assert (spread[~goes_on] > 0).all()


def test_the_first_stage_learns_what_cards_are_worth(tmp_path: Path) -> None:
    points = small_config(rounds=12).points.model_copy(update={"passes": 10, "memory": 3})
    config = small_config(rounds=1).model_copy(update={"points": points})
    train(open_folder(tmp_path / "run", config, "train"), quiet())
    table = load_winner(SMALL, tmp_path / "run").table
    assert table.mean[0] == pytest.approx(solve(SMALL, cache=False, progress=False).expected_score, abs=1.5)


def test_the_luck_of_the_opponent_is_noise_of_the_target_and_taking_it_out_leaves_the_mean() -> None:
    agent = agent_of(SMALL)
    size = 6000
    path = play_alone(agent.points, np.arange(size, dtype=np.uint64))
    plain, corrected = [], []
    for turn in play_against(agent, path, np.arange(size, dtype=np.uint64) + 10**6, np.arange(size) % 2 == 0):
        if isinstance(turn, Turn) and turn.number:
            plain.append(turn.plans.mean - agent.values(turn.before))
            corrected.append(target(agent, turn)[2] - agent.values(turn.before))
    for before, after in zip(plain, corrected, strict=True):
        difference = after - before
        assert abs(difference.mean()) < 4 * difference.std() / np.sqrt(size)
        assert after.std() < 0.8 * before.std()


def test_the_second_stage_brings_values_nearer_to_their_targets() -> None:
    config = small_config(rounds=8).win.model_copy(update={"games": 256})
    table = exact_table(SMALL)
    fitter = Fitter(config, input_size(SMALL), 1, 1)
    losses = [win_round(SMALL, table, config, fitter, 1)[1] for _ in range(config.rounds)]
    assert fitter.done
    assert losses[-1] < losses[0]


def test_a_run_goes_on_where_it_stood(run: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    started = open_folder(folder, small_config(), "first")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("agents.winning.training.win_round", interrupted)
        with pytest.raises(KeyboardInterrupt):
            train(started, quiet())
    train(open_folder(folder, small_config(), "second"), quiet())
    assert (folder / "command.txt").read_text() == "first\nsecond\n"
    rows = (folder / "curve.csv").read_text().splitlines()
    assert [row.split(",")[:2] for row in rows[1:]] == [["points", "1"], ["points", "2"], ["win", "1"], ["win", "2"]]
    one, other = (load_winner(SMALL, each) for each in (run, folder))
    assert np.array_equal(one.table.mean, other.table.mean, equal_nan=True)  # the first stage was not interrupted


def test_a_run_of_an_earlier_version_which_has_no_checkpoints_is_taken_up(run: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(run, tmp_path / "run"))
    (checkpoint,) = folder.glob("checkpoint-*")
    for file in checkpoint.iterdir():
        file.rename(folder / file.name)
    checkpoint.rmdir()
    (folder / "manifest.json").unlink()
    assert train(open_folder(folder, small_config(), "again"), quiet()) == folder / "networks.npz"


def interrupted(*arguments: object) -> None:
    raise KeyboardInterrupt


def test_another_configuration_or_a_damaged_state_is_refused(run: Path, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="another configuration"):
        open_folder(run, small_config(rounds=3), "train")
    other = open_folder(tmp_path / "run", small_config(), "train")
    (tmp_path / "run" / "state.pt").write_bytes(b"nothing")
    with pytest.raises(RunError, match="damaged"):
        train(other, quiet())


def test_a_run_is_shipped_and_its_card_says_what_was_measured(run: Path, tmp_path: Path) -> None:
    target_folder = tmp_path / "models" / "yatzy-win"
    assert ship_model(run, tmp_path / "models") == target_folder
    agent = load_winner(SMALL, target_folder / "networks.npz", trust=True)
    duel = measure(agent, OptimalAgent(solve(SMALL, cache=False, progress=False)), SMALL, 200, 5)
    fields = {"ruleset": "small", "agent": "win", "opponent": "optimal", "seed": 5, **duel.fields()}
    card = write_win_card(fields, provenance("python scripts/maintain/win.py measure --card"), target_folder)
    share = f"{100 * duel.pairs.mean():.2f} %"
    assert share in card.read_text()
    assert share in in_words(fields)
    record = json.loads((target_folder / "results.json").read_text())
    assert record["win_share"] == duel.pairs.mean()
    digests = json.loads((tmp_path / "models" / "digests.json").read_text())
    assert digests == {"yatzy-win/networks.npz": record["sha256"]["networks.npz"]}
    with pytest.raises(RunError, match="not a run folder"):
        ship_model(tmp_path, tmp_path / "models")
    (target_folder / "run.json").unlink()
    with pytest.raises(ModelError, match="does not say how"):
        write_win_card(fields, provenance("measure"), target_folder)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["train", "--config", "nosuch.yaml"], "nosuch.yaml: No such file"),
        (["measure", "nosuch"], "no such file"),
        (["measure", "nosuch", "--card"], "leave out MODEL"),
        (["ship", "nosuch"], "not a run folder"),
    ],
)
def test_bad_input_is_one_line_and_status_2(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_the_example_of_the_documentation_runs_and_the_shipped_model_plays() -> None:
    text = (Path(__file__).parents[2] / "docs" / "winning.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert code is not None
    names: dict[str, Any] = {}
    exec(compile(code[1], "winning.md", "exec"), names)
    agent = names["agent"]
    path = play_alone(agent.points, np.arange(8, dtype=np.uint64))
    *_, games = play_against(agent, path, np.arange(8, dtype=np.uint64) + 99, np.arange(8) % 2 == 0)
    assert not isinstance(games, Turn)
    assert 100 < games.total.mean() < 350


@pytest.mark.slow
def test_the_shipped_model_wins_as_its_card_says() -> None:
    rules = ruleset("yatzy")
    record = json.loads((WIN_MODEL / "results.json").read_text())
    fields = measure(load_winner(rules), OptimalAgent(solve(rules)), rules, 4000, 77).fields()
    error = np.hypot(fields["win_share_se"], record["win_share_se"])
    assert abs(fields["win_share"] - record["win_share"]) < 4 * error
