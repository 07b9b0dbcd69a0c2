"""scripts/solve.py from the outside."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import solve as script
from tests.solver.helpers import solved
from yatzy_env import files
from yatzy_env.rules import ruleset
from yatzy_env.solver import store

SCRIPT = Path(script.__file__)


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(files.CACHE_VARIABLE, str(tmp_path / "cache"))


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """Runs the script in this process; its exit status."""
    monkeypatch.setattr(sys, "argv", [str(SCRIPT), *arguments])
    try:
        script.main()
    except SystemExit as leaving:
        return int(leaving.code or 0)
    return 0


def test_json_from_another_folder(tmp_path: Path) -> None:
    command = [sys.executable, str(SCRIPT), "forced", "--json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert list(found) == [
        "ruleset",
        "expected_score",
        "cards",
        "cpu_seconds",
        "seconds",
        "peak_rss_mb",
        "from_cache",
    ]
    solution = solved(ruleset("forced"))
    assert found["ruleset"] == "forced"
    assert found["expected_score"] == solution.expected_score
    assert found["cards"] == solution.cards
    assert found["from_cache"] is False
    assert 20 < found["peak_rss_mb"] < 2000
    assert done.stderr == ""


def test_options_and_cache(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    arguments = ("forced", "--set", "bonus_threshold=63", "--set", "five_alike_is_full_house=true", "--json")
    assert run(monkeypatch, *arguments) == 0
    first = json.loads(capsys.readouterr().out)
    assert first["options"] == {"bonus_threshold": 63, "five_alike_is_full_house": True}
    assert first["expected_score"] == pytest.approx(122.60635350637136, abs=1e-9)
    assert run(monkeypatch, *arguments) == 0
    assert json.loads(capsys.readouterr().out)["from_cache"] is True
    assert run(monkeypatch, *arguments, "--no-cache") == 0
    assert json.loads(capsys.readouterr().out)["from_cache"] is False
    assert run(monkeypatch, *arguments, "--cache-dir", str(tmp_path / "elsewhere")) == 0
    assert json.loads(capsys.readouterr().out)["from_cache"] is False
    assert len(list((tmp_path / "elsewhere").iterdir())) == 1


def test_words_need_no_quotes(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "yacht", "--set", "order=top-down", "--json") == 0
    assert json.loads(capsys.readouterr().out)["options"] == {"order": "top-down"}


def test_table(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "forced", "--set", "bonus_threshold=63") == 0
    text = capsys.readouterr().out
    assert "122.5585273964" in text
    assert "bonus_threshold=63" in text


def test_the_chance_to_beat_a_score(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "forced", "--target", "200", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found)[-2:] == ["target", "probability"]
    assert solved(ruleset("forced")).distribution().at_least(200) < found["probability"] < 0.5
    assert run(monkeypatch, "forced", "--target", "200") == 0
    assert f"{100 * found['probability']:.4f} % of games" in capsys.readouterr().out


def test_several_columns_give_an_interval(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    small = ("yatzy", "--set", 'boxes=["sixes", "yatzy"]', "--set", "columns=[1, 2]", "--set", "bonus_threshold=24")
    assert run(monkeypatch, *small, "--json") == 0
    out, err = capsys.readouterr()
    found = json.loads(out)
    assert err == ""
    assert list(found) == [
        "ruleset",
        "options",
        "lower",
        "upper",
        "method",
        "lower_estimate",
        "lower_estimate_se",
        "games",
        "seed",
        "cpu_seconds",
        "seconds",
        "from_cache",
        "peak_rss_mb",
    ]
    assert found["lower"] < found["lower_estimate"] < found["upper"]
    assert run(monkeypatch, *small) == 0
    assert f"from {found['lower']:.4f} to {found['upper']:.4f}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["forcd"], "did you mean"),
        (["forced", "--set", "bonus"], "wanted KEY=VALUE"),
        (["forced", "--set", "=3"], "wanted KEY=VALUE"),
        (["forced", "--set", "bonus_treshold=3"], "did you mean bonus_threshold"),
        (["forced", "--set", "bonus_threshold=many"], "bonus_threshold"),
        (["forced", "--set", "dice=9"], "dice = 9"),
        (["triple", "--distribution"], "columns"),
        (["triple", "--target", "9"], "one column"),
        (["forced", "--target", "-1"], "target = -1; allowed under ruleset 'forced': 0 to "),
        (["forced", "--target", "1000"], "target = 1000; allowed"),
        (["maxi-danish", "--set", "columns=[1, 2]"], "no interval"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, *arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert message in err


def test_a_damaged_cache_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = store.cache_file(ruleset("forced"))
    path.parent.mkdir()
    path.write_text("not a solution")
    assert run(monkeypatch, "forced", "--json") == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert str(path) in err
    assert "--no-cache" in err
    assert run(monkeypatch, "forced", "--json", "--no-cache") == 0
