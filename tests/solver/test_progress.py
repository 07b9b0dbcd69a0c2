"""Progress is for people at a terminal: a pipe gets nothing, however long the work takes."""

from __future__ import annotations

import pytest

from yatzy_env.solver import progress


def test_nothing_is_written_where_nobody_looks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "_SHOW_AFTER", -1.0)
    with progress.progress_bar("work", 10) as done:
        for _ in range(10):
            done(1)
    assert capsys.readouterr() == ("", "")


def test_a_terminal_sees_a_bar(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(progress, "_SHOW_AFTER", -1.0)
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich takes the stream for a terminal
    with progress.progress_bar("work", 10) as done:
        done(5)
    out, err = capsys.readouterr()
    assert out == ""
    assert "work" in err
