"""Training: what is learnt, that it can be taken up again, and what is shipped."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.errors import ConfigError, ModelError, RunError
from agents.models.load import WIN_MODEL, load_winner
from agents.models.rules import trained_rules
from agents.models.ship import ship_model
from agents.reports.card import write_win_card
from agents.values.network import ValueNetwork
from agents.winning.config import CONFIG, WinConfig
from agents.winning.games import play_against, play_alone
from agents.winning.measure import measure
from agents.winning.training import open_folder, train
from scripts.maintain.win import in_words, main
from tests.winning.helpers import SMALL, random_layers, small_config
from yatzy_env.evaluation.provenance import provenance
from yatzy_env.rules import ruleset
from yatzy_env.turn import Cards


def values() -> ValueNetwork:
    return ValueNetwork(SMALL, random_layers(SMALL, 1, 1))


def quiet(line: str) -> None:
    pass


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "run"
    train(open_folder(folder, small_config(), values, "python scripts/maintain/win.py train"), quiet)
    return folder


def test_the_shipped_configuration_is_valid() -> None:
    assert WinConfig.read(CONFIG).rules == ruleset("yatzy")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("cards: 0", "cards"),
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


def test_it_learns_how_the_score_of_the_planner_is_distributed(run: Path) -> None:
    """Whatever the value network says: what is learnt is the distribution that play by it has."""
    network = load_winner(SMALL, run).network
    played = play_alone(SMALL, network.values.card_values, np.arange(40_000, dtype=np.uint64) + 10**9)
    for number in (1, 2):
        card = Cards._make(values[number, :1] for values in played.cards)
        same = (played.cards.filled[number] == card.filled) & (played.cards.upper[number] == card.upper)[:, 0]
        rests = np.sort((played.total[-1] - played.total[number])[same])
        _, found = network.card_rests(card)
        assert len(rests) > 300
        assert found[0].std() == pytest.approx(rests.std(), rel=0.1)


def stop(after: int) -> Any:
    def on_round(done: int) -> None:
        if done == after:
            raise KeyboardInterrupt

    return on_round


def test_training_that_was_stopped_goes_on_as_if_it_had_not(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agents.winning.training.CHECKPOINT_MINUTES", 1e-9)
    for command, after in (("first", 3), ("second", 8)):
        with pytest.raises(KeyboardInterrupt):
            train(open_folder(tmp_path / "run", small_config(), values, command), quiet, stop(after))
    parts = train(open_folder(tmp_path / "run", small_config(), values, "third"), quiet)
    assert (tmp_path / "run" / "command.txt").read_text() == "first\nsecond\nthird\n"
    whole = load_winner(SMALL, run).network
    for ours, theirs in zip(parts.layers, whole.layers, strict=True):
        assert all(np.array_equal(one, other) for one, other in zip(ours, theirs, strict=True))


def test_what_does_not_fit_is_refused(run: Path, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="another configuration"):
        open_folder(run, small_config(rounds=3), values, "train")
    other = ValueNetwork(ruleset("yatzy"), random_layers(ruleset("yatzy"), 1, 1))
    with pytest.raises(RunError, match="does not fit 'small'"):
        open_folder(tmp_path / "run", small_config(), lambda: other, "train")
    assert trained_rules(run) == SMALL


def test_a_run_is_shipped_and_its_card_says_what_was_measured(run: Path, tmp_path: Path) -> None:
    target_folder = tmp_path / "models" / "yatzy-win"
    assert ship_model(run, tmp_path / "models") == target_folder
    agent = load_winner(SMALL, target_folder / "networks.npz", trust=True)
    duel = measure(agent, agent.network.values.card_values, 200, 5)
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
    keys, every = np.arange(8, dtype=np.uint64), np.arange(8)
    path = play_alone(agent.network.values.rules, agent.network.values.card_values, keys)
    assert 100 < play_against(agent, path, every, keys + 99, every % 2 == 0).total.mean() < 350


@pytest.mark.slow
def test_the_shipped_model_wins_as_its_card_says() -> None:
    rules = ruleset("yatzy")
    record = json.loads((WIN_MODEL / "results.json").read_text())
    agent = load_winner(rules)
    fields = measure(agent, agent.network.values.card_values, 4000, 77).fields()
    error = np.hypot(fields["win_share_se"], record["win_share_se"])
    assert abs(fields["win_share"] - record["win_share"]) < 4 * error
