"""What `scripts/train.py` says and how it ends, and which configurations there are."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from agents.errors import ConfigError
from agents.ppo.config import Config, find_config, override, training_configs
from agents.ppo.policy import PolicyNetwork
from agents.ppo.runs import config_of, folder_name
from agents.training.runs import newest_run, open_run
from agents.values.network import ValueNetwork
from scripts.train import main
from yatzy_env.rules import CATALOGUE
from yatzy_env.solver.layout import lay_out
from yatzy_env.tables import compile_tables

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nosuch"], "unknown ruleset 'nosuch'"),
        (["tiny", "--policy.roundz", "5"], "did you mean policy.rounds"),
        (["tiny", "--values.hiden=5"], "values.hiden"),
        (["tiny", "--policy.games", "many"], "policy.games = 'many'"),
        (["tiny", "--policy.games", "50"], "minibatch = 16 must divide games = 50"),
        (["tiny", "--seed.a.b", "5"], "seed has no keys"),
        (["tiny", "--policy.hidden", "[" * 2000], "is not a YAML value"),
        (["tiny", "--policy.entropy", "0"], "above 0"),
        (["tiny", "stray"], "'stray' follows no --key"),
        (["tiny", "--seed"], "--seed needs a value"),
        (["tiny", "--set", "dice"], "KEY=VALUE"),
        (["tiny", "--set", "dicee=4"], "did you mean dice"),
        (["tiny", "--config", "nosuch.yaml"], "nosuch.yaml: No such file"),
        (["tiny", "--seed", "1", "--seeds", "2", "3"], "exclude each other"),
        (["tiny", "--seeds", "-1"], "seed = -1"),
        (["tiny", "--resume"], "nothing to resume"),
        (["tiny", "--resume", "no/such/run"], "not a run folder"),
        (["tiny", "--resume", "--seeds", "1"], "without --seeds"),
    ],
)
def test_bad_input_is_one_line_and_status_2(
    words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*words, "--runs", str(tmp_path)])
    out, err = capsys.readouterr()
    assert ended.value.code == 2
    assert out == ""
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert said in err
    assert list(tmp_path.iterdir()) == []


def test_a_misspelt_key_in_a_file_ends_the_process_without_a_traceback(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("tiny: {ruleset: yatzy, policy: {minibach: 5}}\n")
    command = [sys.executable, "scripts/train.py", "tiny", "--config", str(path), "--runs", str(tmp_path / "runs")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert "did you mean policy.minibatch" in done.stderr


def test_several_seeds_and_resuming_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--runs", str(tmp_path), "--set", "throws=2", "--values.rounds", "1", "--policy.rounds", "2"]
    main(["tiny", "--seeds", "5", "6", *options])
    out, err = capsys.readouterr()
    folders = [Path(line) for line in out.splitlines()]
    assert [folder.name.rpartition("-")[2] for folder in folders] == ["5", "6"]
    configs = [config_of(open_run(folder)) for folder in folders]
    assert [config.seed for config in configs] == [5, 6]
    assert configs[0].rules[0].throws == 2
    assert folders[0].parent.name == folder_name(configs[0]) != folder_name(find_config("tiny"))
    assert "0 of 3 rounds done, 1 of the value network and 2 of the policy" in err
    assert newest_run(folder_name(configs[0]), tmp_path).folder == folders[1]

    for words, said in (
        (["tiny", "--resume", str(folders[0]), "--policy.games", "32"], "policy cannot change"),
        (["yatzy", "--resume", str(folders[0])], "this is for 'tiny', not 'yatzy'"),
    ):
        with pytest.raises(SystemExit):
            main(words)
        assert said in capsys.readouterr().err
    main(["tiny", "--resume", "--runs", str(tmp_path), "--set", "throws=2"])
    assert "3 of 3 rounds done" in capsys.readouterr().err


def test_a_file_of_a_ruleset_is_trained_and_resumed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "mine.json"
    file.write_text('{"dice": 3, "boxes": ["ones", "sixes", "one_pair"], "bonus_points": 0}')
    options = ["--runs", str(tmp_path / "runs"), "--values.games", "20", "--values.cards", "50", "--policy.games", "32"]
    options += ["--values.rounds", "1", "--policy.rounds", "1", "--policy.minibatch", "32"]
    main([str(file), *options])
    (folder,) = (tmp_path / "runs").glob("mine-*/*")
    assert config_of(open_run(folder)).rules[0].name == "mine"
    main([str(file), "--resume", str(folder)])
    assert "2 of 2 rounds done" in capsys.readouterr().err


def test_runs_of_a_ruleset_of_the_catalogue_are_kept_by_its_name() -> None:
    assert folder_name(find_config("yatzy")) == "yatzy"
    changed = override(find_config("yatzy"), [("options.bonus_threshold", "42")])
    assert folder_name(changed) == f"yatzy-{changed.rules[0].digest[:8]}"


@pytest.mark.parametrize("name", training_configs())
def test_every_configuration_is_valid_and_its_value_network_smaller_than_a_table(name: str) -> None:
    config = find_config(name)
    assert config.name == name
    assert Config.parse(config.model_dump(mode="json")) == config
    shared = ValueNetwork.shared(config.rules)
    sizes = [shared.inputs, *config.values.hidden, shared.outputs]
    weights = sum((narrow + 1) * wide for narrow, wide in pairwise(sizes))
    single = [rules for rules in config.rules if len(rules.columns) == 1]
    cards = sum(lay_out(compile_tables(rules)).reachable for rules in single)
    assert not single or cards < 100_000 or weights <= cards / 10
    assert PolicyNetwork.shared(config.rules).outputs > 0


def test_every_ruleset_of_the_catalogue_has_a_configuration() -> None:
    assert set(CATALOGUE) <= set(training_configs())


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"ruleset": "yatzy", "rulesets": ["yatzy", "forced"]}, "either ruleset or rulesets"),
        ({}, "either ruleset or rulesets"),
        ({"rulesets": ["yatzy", "yatzy"]}, "different rulesets"),
        ({"rulesets": ["yatzy", "nosuch"]}, "unknown ruleset 'nosuch'"),
        ({"ruleset": "yatzy", "policy": {"hidden": []}}, "policy.hidden"),
        ({"ruleset": "yatzy", "policy": {"clip_range": 1.5}}, "policy.clip_range"),
        ({"ruleset": "yatzy", "values": {"exploration": 2}}, "values.exploration"),
        ({"ruleset": "yatzy", "policy": {"entropy": {"start": 1, "end": 0, "shape": "geometric"}}}, "above 0"),
    ],
)
def test_configurations_that_do_not_fit_are_refused(fields: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        Config.parse(fields)
