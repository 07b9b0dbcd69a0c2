"""Runs know their rules, and a ruleset is a name or a file, wherever a command asks for one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from agents.benchmark.tasks import work_list
from agents.errors import ModelError
from agents.models.digest import MODELS
from agents.models.rules import trained_rules
from agents.observing.weights import PolicyWeights, save_weights
from agents.registry import common_rules
from agents.training.config import Settings
from agents.training.runs import start_run
from agents.values.cards import card_inputs
from agents.values.network import FILE, ValueNetwork
from scripts import benchmark, evaluate, solve
from scripts._cli import read_ruleset, unique_name
from yatzy_env.errors import YatzyError
from yatzy_env.rules import Ruleset, ruleset

MINI = {"dice": 2, "boxes": ["ones", "sixes", "one_pair", "chance", "yatzy"], "bonus_threshold": 7, "bonus_points": 5}
FOUR = ruleset("forced").replace(throws=4, bonus_threshold=30)
Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Command:
    """Calls a script with arguments; returns its exit status and what it printed."""
    monkeypatch.setenv("YATZY_ENV_CACHE", str(tmp_path / "cache"))

    def run(script, *arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["script.py", *arguments])
        status = 0
        try:
            script.main()
        except SystemExit as end:
            status = int(end.code or 0)
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


def new_run(folder: Path, rules: Ruleset) -> Path:
    """A run of these rules with a value network that has learnt nothing."""
    folder.mkdir(parents=True)
    run = start_run(folder, Settings(), [rules], "a command")
    rng = np.random.default_rng(1)
    layer = rng.normal(size=(1, card_inputs(rules).size)).astype(np.float32), np.zeros(1, np.float32)
    with run.saving(1) as part:
        ValueNetwork.save(part / FILE, [rules], (layer,), 1)
    return folder


def weights_of(folder: Path, rules: Ruleset) -> Path:
    """A file of a network over observations."""
    layer = np.zeros((1, 1), np.float32), np.zeros(1, np.float32)
    save_weights(PolicyWeights((layer,), "relu", rules.name, rules.digest, 0), folder / "weights.npz")
    return folder / "weights.npz"


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


# ---------------------------------------------------------------------------------------- runs


def test_a_run_is_evaluated_under_its_own_rules(call: Command, tmp_path: Path) -> None:
    run = new_run(tmp_path / "forced", ruleset("forced"))
    status, out, _ = call(evaluate, str(run), "greedy", "--games", "5", "--json")
    assert status == 0
    assert json.loads(out)["ruleset"] == "forced"
    status, out, _ = call(evaluate, str(MODELS / "forced"), "--games", "5", "--json")
    assert status == 0
    assert json.loads(out)["ruleset"] == "forced"


def test_so_is_a_run_of_changed_rules_and_one_of_rules_in_its_configuration(call: Command, tmp_path: Path) -> None:
    run = new_run(tmp_path / "four", FOUR)
    fields = json.loads(call(evaluate, str(run), "--games", "5", "--json")[1])
    assert fields["ruleset"] == "forced"
    assert fields["options"] == {"throws": 4, "bonus_threshold": 30}
    own = new_run(tmp_path / "own", ruleset({**MINI, "name": "mini"}))
    fields = json.loads(call(evaluate, str(own), "optimal", "--games", "5", "--json")[1])
    assert fields["ruleset"] == "mini"
    assert fields["optimum"] == pytest.approx(73.51676222880124, abs=1e-9)


def test_rules_that_are_named_come_first(call: Command, tmp_path: Path) -> None:
    run = new_run(tmp_path / "four", FOUR)
    status, out, err = call(evaluate, str(run), "--ruleset", "yatzy", "--games", "5")
    assert (status, out) == (2, "")
    assert "was trained for 'forced' and does not fit 'yatzy'" in err
    named = ("--ruleset", "forced", "--set", "throws=4", "--set", "bonus_threshold=30")
    assert call(evaluate, str(run), *named, "--games", "5")[0] == 0


def test_agents_of_different_rules_in_one_command_are_one_clear_line(call: Command, tmp_path: Path) -> None:
    four, forced = new_run(tmp_path / "four", FOUR), new_run(tmp_path / "forced", ruleset("forced"))
    status, out, err = call(evaluate, str(forced), "greedy", str(four))
    assert (status, out) == (2, "")
    (line,) = err.splitlines()
    assert line == (
        f"error: agents '{forced}' and '{four}' were trained for different rules, 'forced' and 'forced' throws=4 "
        "bonus_threshold=30; one command plays one ruleset"
    )
    assert common_rules([str(four), str(new_run(tmp_path / "again", FOUR))]) == FOUR


def test_folders_called_like_agents_are_not_looked_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("ppo", "win", "generalist", "greedy"):
        (tmp_path / name).mkdir()
        assert common_rules([name]) is None


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("forced", "forced"),
        ("forced/values.npz", "forced"),
        ("yatzy-win", "yatzy"),
    ],
)
def test_shipped_models_know_their_rules(model: str, name: str | None) -> None:
    assert trained_rules(MODELS / model) == (None if name is None else ruleset(name))


def test_a_file_of_weights_alone_knows_rules_of_the_catalogue(tmp_path: Path) -> None:
    assert trained_rules(weights_of(tmp_path, ruleset("yacht"))) == ruleset("yacht")
    with pytest.raises(ModelError, match="rules called 'forced' that only its run knows; name the run's folder"):
        trained_rules(weights_of(tmp_path, FOUR))


def test_a_record_that_does_not_fit_is_one_clear_line(tmp_path: Path) -> None:
    file = weights_of(tmp_path, ruleset("yacht"))
    (tmp_path / "run.json").write_text('{"ruleset": {"boxes": ["sevens"]}}')
    with pytest.raises(ModelError, match=r"run\.json: .*unknown box 'sevens'"):
        trained_rules(file)


# ---------------------------------------------------------------------------------------- files


def test_a_ruleset_is_a_name_or_a_file(tmp_path: Path) -> None:
    wanted = ruleset({**MINI, "name": "mini"})
    assert read_ruleset("yacht") == ruleset("yacht")
    assert read_ruleset(str(write(tmp_path / "mini.json", json.dumps(MINI)))) == wanted
    assert read_ruleset(str(write(tmp_path / "Mini.YAML.yml", json.dumps(MINI)))).digest == wanted.digest
    text = "name: mini\ndice: 2\nboxes: [ones, sixes, one_pair, chance, yatzy]\nbonus_threshold: 7\nbonus_points: 5\n"
    assert read_ruleset(str(write(tmp_path / "other.yaml", text))) == wanted
    assert read_ruleset(str(write(tmp_path / "__.json", json.dumps(MINI)))).name == "custom"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("nosuch.json", None, "nosuch.json"),
        ("nosuch.yaml", None, "nosuch.yaml: No such file"),
        ("list.json", "[1]", "list.json"),
        ("list.yaml", "- 1", "list.yaml: not a mapping"),
        ("broken.json", "{", "broken.json: damaged"),
        ("broken.yaml", "a: [", "broken.yaml: not YAML"),
        ("boxes.json", "{}", "boxes.json: boxes is missing"),
        ("dice.yaml", "boxes: [ones]\ndice: 9", "dice.yaml: dice = 9"),
        ("key.yaml", "boxes: [ones]\ndicee: 5", "key.yaml: unknown key 'dicee'; did you mean dice"),
    ],
)
def test_a_file_that_holds_no_ruleset_is_one_clear_line(
    call: Command, tmp_path: Path, name: str, text: str | None, message: str
) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    for script, words in (
        (solve, [str(tmp_path / name)]),
        (evaluate, ["greedy", "--ruleset", str(tmp_path / name)]),
        (benchmark, ["env", "--rulesets", str(tmp_path / name)]),
        (benchmark, ["agents", "--ruleset", str(tmp_path / name)]),
    ):
        status, out, err = call(script, *words)
        assert (status, out) == (2, "")
        (line,) = err.splitlines()
        assert line.startswith("error: ")
        assert message in line


def test_commands_take_a_file_of_a_ruleset(call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = str(write(tmp_path / "mini.json", json.dumps(MINI)))
    found = json.loads(call(solve, file, "--json")[1])
    assert (found["ruleset"], found["expected_score"]) == ("mini", pytest.approx(73.51676222880124, abs=1e-9))
    found = json.loads(call(evaluate, "greedy", "--ruleset", file, "--set", "dice=3", "--games", "5", "--json")[1])
    assert (found["ruleset"], found["options"]) == ("mini", {"dice": 3})
    monkeypatch.setattr("scripts._benchmarks.env._SECONDS", 0.0)
    results = json.loads(call(benchmark, "env", "--rulesets", file, "--lanes", "8", "--json")[1])["results"]
    assert [result["what"] for result in results] == ["single", "batch", "AEC", "batch multiplayer"]
    assert all(result["ruleset"] == "mini" and result["steps_per_second"] > 0 for result in results)
    (result,) = json.loads(call(benchmark, "solver", "--rulesets", file, "--no-peer", "--json")[1])["results"]
    assert result["ruleset"] == "mini"


def test_the_protocol_of_agents_takes_a_file_of_a_ruleset(
    call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Results are kept by the rules, not by the name of the file alone."""
    seen = []

    def run_protocol(protocol, *_):
        seen.append(protocol)
        return {"rows": []}, tmp_path

    monkeypatch.setattr("agents.benchmark.runner.run_protocol", run_protocol)
    file = str(write(tmp_path / "mini.json", json.dumps(MINI)))
    assert call(benchmark, "agents", "--ruleset", file, "forced", "--json")[0] == 0
    (protocol,) = seen
    rules = ruleset({**MINI, "name": f"mini-{ruleset(MINI).digest[:8]}"})
    assert protocol.rulesets == (rules.name, "forced")
    assert {task.rules for task in work_list(protocol) if task.algorithm == "greedy"} == {rules, ruleset("forced")}
    assert unique_name(FOUR) == f"forced-{FOUR.digest[:8]}"


def test_rules_can_be_renamed(call: Command) -> None:
    found = json.loads(call(solve, "forced", "--set", "name=mini", "--json")[1])
    assert (found["ruleset"], found["options"]) == ("mini", {"name": "mini"})
    assert found["expected_score"] == pytest.approx(150.21679651103886, abs=1e-9)
    words = ("ppo", "planner", "--ruleset", "forced", "--set", "name=mini", "--games", "5", "--json")
    assert json.loads(call(evaluate, *words)[1])["ruleset"] == "mini"
    with pytest.raises(YatzyError, match="name = 'My rules'"):
        ruleset("forced").replace(name="My rules")
