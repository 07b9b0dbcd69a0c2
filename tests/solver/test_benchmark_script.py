"""scripts/benchmark.py from the outside."""

from __future__ import annotations

import json
import sys

import pytest

from scripts import benchmark
from scripts._benchmarks import solver


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["benchmark.py", *arguments])
    try:
        benchmark.main()
    except SystemExit as leaving:
        return int(leaving.code or 0)
    return 0


def test_a_ruleset_in_a_fresh_process(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "solver", "--rulesets", "forced", "--json") == 0
    (result,) = json.loads(capsys.readouterr().out)["results"]
    assert result["ruleset"] == "forced"
    assert result["what"] == "solve"
    assert result["expected_score"] == pytest.approx(150.2167965, abs=1e-6)
    assert 0 < result["cpu_seconds"] < 1
    assert 0 < result["seconds"] < 10
    assert 20 < result["peak_rss_mb"] < 2000


def test_ratios_and_fresh_calls(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """What the processes measure is made up here: the real ones take a minute."""
    figures = {
        "solve": {"cpu_seconds": 2.0, "seconds": 2.0, "peak_rss_mb": 200.0},
        "batch": {"situations_per_second": 1_000_000},
        "turns": {"turns": 2048, "microseconds_per_turn": 4.5},
        "peer": {"cpu_seconds": 20.0, "situations_per_second": 50_000},
    }
    monkeypatch.setattr(solver, "_measure", lambda what, name, threads: dict(figures[what]))
    monkeypatch.setattr(solver, "_fresh_calls", lambda name: {"first_call_seconds": 2.0, "cached_seconds": 0.5})
    assert run(monkeypatch, "solver", "--rulesets", "yatzy", "yahtzee", "--json") == 0
    yatzy, batches, turns, yahtzee = json.loads(capsys.readouterr().out)["results"]
    assert yatzy["ratio"] == yahtzee["ratio"] == 10
    assert yatzy["peer"].startswith("yatzy-solver ")
    assert yatzy["peer_cpu_seconds"] == 20
    assert yatzy["cached_seconds"] == 0.5
    assert batches["what"] == "batch action values"
    assert batches["ratio"] == 20
    assert turns == {"ruleset": "yatzy", "what": "planned turns", "turns": 2048, "microseconds_per_turn": 4.5}
    assert run(monkeypatch, "solver", "--rulesets", "yatzy", "--no-peer") == 0
    text = capsys.readouterr().out
    assert "1,000,000" in text
    assert "ratio" not in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["solvr"], "did you mean solver"), (["solver", "--rulesets", "yatzi"], "did you mean yatzy"),
     (["solver", "--rulesets", "triple"], "columns")],
)  # fmt: skip
def test_bad_input_is_one_line(
    arguments: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, *arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err.splitlines()[-1]
    assert "Traceback" not in err
