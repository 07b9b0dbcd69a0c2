"""The command line of play."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import play
from scripts.maintain import play_check
from yatzy_env.errors import YatzyError

SCRIPT = Path(play.__file__)


def test_a_busy_port_is_named_with_the_next_free_one() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(YatzyError, match=f"port {port} is busy; port \\d+ is free: --port") as found:
            play.open_socket("127.0.0.1", port)
        offered = int(re.findall(r"--port (\d+)", str(found.value))[0])
        play.open_socket("127.0.0.1", offered).close()


@pytest.mark.parametrize(("host", "port"), [("127.0.0.1", 70000), ("127.0.0.1", -1), ("no such host", 0)])
def test_what_cannot_be_listened_at_is_said(host: str, port: int) -> None:
    with pytest.raises(YatzyError, match=r"--(port|host) "):
        play.open_socket(host, port)


def run(*arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *arguments]
    return subprocess.run(command, input=typed, capture_output=True, text=True, timeout=120, check=False)


def test_errors_are_one_line() -> None:
    for arguments, message in (
        (("yatzee",), "did you mean"),
        (("yatzy", "--opponent", "magnus"), "unknown agent"),
        (("yatzy", "--set", "bonus_threshold=1000"), "out of reach"),
    ):
        done = run(*arguments, "--no-browser")
        assert done.returncode == 2
        (line,) = done.stderr.strip().splitlines()
        assert line.startswith("error: ")
        assert message in line


def test_the_terminal_game_ends_with_its_input(tmp_path: Path) -> None:
    data = str(tmp_path / "games.sqlite")
    done = run("yacht", "--opponent", "greedy", "--terminal", "--data", data, typed="\nbox choice\n")
    assert done.returncode == 0, done.stderr
    assert "Left the game" in done.stdout


def test_a_server_plays_a_game_and_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What `make play-check` runs, against an agent that needs no model."""
    monkeypatch.setenv("YATZY_ENV_CACHE", str(tmp_path / "solutions"))
    monkeypatch.setattr("sys.argv", ["play_check.py", "--opponent", "one-turn"])
    play_check.main()
    assert "played one game (check" in capsys.readouterr().out
