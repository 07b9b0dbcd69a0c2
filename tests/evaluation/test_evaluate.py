"""The command lines of the evaluation, most of them called in this process; starting Python anew costs seconds."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from agents.registry import NAMES
from scripts import demo, evaluate
from scripts.maintain import card
from tests.evaluation.test_results import FIELDS
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation import evaluate as evaluation
from yatzy_env.evaluation import seeds
from yatzy_env.rules import ruleset
from yatzy_env.solver.store import cache_file

SCRIPT = Path(evaluate.__file__)
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of solutions for this module."""
    return tmp_path_factory.mktemp("solutions")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], cache_folder: Path) -> Run:
    """Calls evaluate.py with arguments; returns its exit status and what it printed."""
    monkeypatch.setenv("YATZY_ENV_CACHE", str(cache_folder))

    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["evaluate.py", *arguments])
        status = 0
        try:
            evaluate.main()
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 1
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return call


def clear_line(err: str) -> str:
    """The only line on stderr."""
    (line,) = err.strip().splitlines()
    assert line.startswith("error: ")
    return line


def test_json_is_one_object_on_stdout_whatever_else_is_written(cache_folder: Path, tmp_path: Path) -> None:
    """As a user runs it, from another folder."""
    arguments = ["greedy", "optimal", "--ruleset", "forced", "--set", "bonus_threshold=63", "--games", "20", "--json"]
    outputs = ["--report", "deep/report", "--plot", "picture.svg"]
    done = subprocess.run(
        [sys.executable, "-W", "error", str(SCRIPT), *arguments, *outputs],
        env=os.environ | {"YATZY_ENV_CACHE": str(cache_folder)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    fields = json.loads(done.stdout)
    assert list(fields) == ["ruleset", "options", "optimum", "agents", "head_to_head"]
    assert fields["head_to_head"][0]["loss_rate"] > 0.5, "greedy against optimal"
    assert fields["ruleset"] == "forced"
    assert fields["options"] == {"bonus_threshold": 63}
    assert fields["optimum"] == pytest.approx(122.55852739642387, abs=1e-9)
    greedy, optimal = fields["agents"]
    assert list(greedy) == list(optimal) == FIELDS
    assert (greedy["agent"], optimal["agent"]) == ("greedy", "optimal")
    assert greedy["regret_per_game"] > 5
    assert abs(optimal["regret_per_game"]) < 1e-9
    assert "solving forced: about a second, 0." in done.stderr
    assert sorted(path.name for path in (tmp_path / "deep/report").iterdir()) == [
        "index.html",
        "report.png",
        "results.json",
        "table.md",
    ]
    assert (tmp_path / "picture.svg").read_text().startswith("<?xml")
    assert "bonus_threshold=63" in (tmp_path / "deep/report/index.html").read_text()


def test_an_unknown_agent_ends_the_program_with_one_line() -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "nosuch"], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert "unknown agent 'nosuch'" in clear_line(done.stderr)


def test_a_table_is_the_default(run: Run) -> None:
    status, out, _ = run("random", "greedy", "--ruleset", "forced", "--games", "5")
    assert status == 0
    assert "forced: 5 games per agent, seed 1" in out
    assert "random" in out
    assert "optimum" in out


def test_seed_and_games_decide_the_figures(run: Run) -> None:
    rest = ("--ruleset", "forced", "--json", "--games")
    figures = [json.loads(run("greedy", *rest, *more)[1])["agents"] for more in (["8"], ["8"], ["8", "--seed", "2"])]
    assert figures[0] == figures[1] != figures[2]


def test_rulesets_of_several_columns_are_measured_beside_a_certified_interval(run: Run) -> None:
    """Few dice and boxes: the interval of the full game takes minutes the first time."""
    small = ("--ruleset", "triple", "--set", "dice=2", "--set", 'boxes=["ones","sixes","yatzy"]')
    status, out, _ = run("greedy", *small, "--set", "bonus_threshold=7", "--games", "3", "--json")
    assert status == 0
    fields = json.loads(out)
    assert fields["optimum"] is None
    assert 0 < fields["lower"] < fields["upper"]
    (agent,) = fields["agents"]
    assert (
        agent["expected_score"] is agent["percent_of_optimum"] is agent["regret_per_game"] is agent["regret_se"] is None
    )
    table = run("greedy", *small, "--set", "bonus_threshold=7", "--games", "3")[1]
    assert f"{fields['lower']:.2f} to {fields['upper']:.2f}" in table


def test_columns_without_an_interval_are_measured_all_the_same(run: Run) -> None:
    status, out, err = run("greedy", "--ruleset", "maxi-alga", "--set", "columns=[1,2]", "--games", "3", "--json")
    assert status == 0
    assert "lower" not in json.loads(out)
    assert "saved throws tie the columns together" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["gredy"], "did you mean greedy"),
        (["ppo+ahead"], "the agent 'planner' has replaced it"),
        ([], "name one AGENT or more"),
        (["greedy", "--ruleset", "yatsy"], "unknown ruleset 'yatsy'; did you mean yatzy"),
        (["greedy", "--games", "0"], "games = 0; allowed: a whole number, 1 or more"),
        (["greedy", "--games", "many"], "argument --games: invalid int value: 'many'"),
        (["greedy", "--seed", "-1"], "seed = -1; allowed: a whole number, 0 or more"),
        (["greedy", "--set", "bonus_treshold=3"], "unknown key 'bonus_treshold'; did you mean bonus_threshold"),
        (["greedy", "--plot", "picture.doc"], "allowed are files ending in .png"),
        (["greedy", "greedy"], "agent 'greedy' is named twice"),
        (["optimal", "--ruleset", "triple"], "'triple' cannot be solved"),
        (["ppo", "--set", "throws=4"], "the model for 'yatzy' cannot play throws = 4; it was trained with 3"),
        (["nosuch.module:factory"], "cannot import 'nosuch.module'"),
    ],
)
def test_bad_input_is_one_clear_line(run: Run, arguments: list[str], message: str) -> None:
    status, out, err = run(*arguments)
    assert status == 2
    assert out == ""
    assert message in clear_line(err)


def test_a_damaged_cache_is_one_clear_line(run: Run) -> None:
    few = ("greedy", "--ruleset", "forced-yatzy-first", "--games", "2")
    assert run(*few)[0] == 0
    file = cache_file(ruleset("forced-yatzy-first"))
    content = file.read_bytes()
    for damaged in (content[:1000], content[:-300] + bytes(300), b""):
        file.write_bytes(damaged)
        status, out, err = run(*few)
        assert (status, out) == (2, "")
        assert "damaged" in clear_line(err)
        assert "--no-cache" in err
    assert run(*few, "--no-cache")[0] == 0


def test_a_truncated_model_is_one_clear_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "weights.npz").write_bytes(b"PK\x03\x04 half of a model")
    status, _, err = run(str(tmp_path), "--trust")
    assert status == 2
    assert "damaged" in clear_line(err)


def test_names_are_checked_before_anything_is_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    def solve(*_, **__):
        raise AssertionError("solved too early")

    monkeypatch.setattr(evaluation, "solve", solve)
    with pytest.raises(YatzyError, match="unknown agent 'nosuch'"):
        evaluate.measure_by_name(["optimal", "nosuch"], ruleset("forced"), 1, 1, "test", cache=False)


def test_time_and_disk_are_said_before_solving() -> None:
    assert evaluation.announcement(ruleset("yatzy"), cache=True).startswith(
        "solving yatzy: about a second, 8.6 MB of disk"
    )
    assert "nothing kept on disk" in evaluation.announcement(ruleset("forced"), cache=False)


@pytest.mark.parametrize("script", [evaluate, demo, card], ids=lambda script: Path(script.__file__).stem)
def test_every_script_explains_itself(
    script, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["script", "--help"])
    with pytest.raises(SystemExit) as end:
        script.main()
    assert end.value.code == 0
    assert "usage:" in capsys.readouterr().out


def test_model_cards_use_the_final_seed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.argv", ["card.py", "--help"])
    with pytest.raises(SystemExit):
        card.main()
    (default,) = re.findall(r"\(default: (\d+)\)", capsys.readouterr().out)
    assert int(default) > seeds.FINAL  # the first final seed has measured the models of before


def test_the_demo_shows_every_agent_with_a_name() -> None:
    assert set(demo.AGENTS) == set(NAMES)
