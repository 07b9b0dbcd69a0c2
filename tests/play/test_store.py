"""Games on disk: nothing is lost."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest
from starlette.testclient import TestClient

from agents.play.library import Library
from agents.play.server import create_app
from agents.play.steps import Step
from agents.play.store import NumberTakenError, Store, StoreError
from tests.play.conftest import free_config
from tests.play.helpers import Player, Table, new_session, play_out
from yatzy_env.rules import ruleset


def test_a_stored_game_is_the_game(store: Store, rng: Random) -> None:
    session = new_session(ruleset("yahtzee"), seats=3, teams=((0, 1), (2,)))
    store.add_game("g", "t", session.setup, {"coach": "off"})
    for number, step in enumerate(play_out(session, rng)):
        store.add_step("g", number, step, "now")
    found = store.read("g")
    assert found is not None
    assert found.setup == session.setup
    assert list(found.steps) == session.steps
    assert store.read("h") is None


def test_a_step_is_on_disk_when_it_is_answered(tmp_path: Path) -> None:
    """Read by another process while the first one still has the file open and never closes it."""
    path = tmp_path / "games.sqlite"
    store = Store(path)
    store.add_game("g", "t", new_session(ruleset("yatzy")).setup, {})
    store.add_step("g", 0, Step("throw"), "now")
    code = f"import sqlite3; print(sqlite3.connect({str(path)!r}).execute('SELECT step FROM steps').fetchall())"
    seen = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "throw" in seen
    assert store._file.execute("PRAGMA synchronous").fetchone() == (2,)  # full: the disk has it, not the system alone
    store.close()


def test_the_number_of_a_step_is_taken_once(store: Store) -> None:
    store.add_game("g", "t", new_session(ruleset("yatzy")).setup, {})
    store.add_step("g", 0, Step("throw"), "now")
    with pytest.raises(NumberTakenError):
        store.add_step("g", 0, Step("throw"), "now")
    found = store.read("g")
    assert found is not None
    assert len(found.steps) == 1


def test_a_server_restarted_in_mid_game_goes_on_as_if_nothing_had_happened(tmp_path: Path, library: Library) -> None:
    """Two browsers, two games at once, a restart after every few moves."""
    path = tmp_path / "games.sqlite"
    tables: list[Table] = []
    for round_number in range(8):
        store = Store(path)
        with TestClient(create_app(store, library, free_config())) as client:
            player = Player(client)
            if not tables:
                tables = [player.start("forced", ["random"], coach="hints"), player.start("yahtzee", real_dice=True)]
            for table in tables:
                table.player = player
                again = table.get()
                assert {**again, "log": 0} == {**table.state, "log": 0}
                assert [one["dice"] for one in again["log"]] == [one["dice"] for one in table.state["log"]]
                for _ in range(7 if round_number < 7 else 10_000):
                    if table.state["phase"] == "finished":
                        break
                    table.step()
        # The store is left open, as a program that is killed leaves it.
    assert all(table.state["phase"] == "finished" for table in tables)


def test_two_servers_on_one_file_lose_nothing(tmp_path: Path, library: Library) -> None:
    path = tmp_path / "games.sqlite"
    with (
        TestClient(create_app(Store(path), library, free_config())) as one,
        TestClient(create_app(Store(path), library, free_config())) as two,
    ):
        table = Player(one).start("forced")
        other = Table(Player(two), table.path.rsplit("/", 1)[1], table.token, table.state)
        assert other.get()["version"] == 0
        table.move("throw")
        assert other.move("throw", status=409)["code"] == "stale_version"
        assert other.get() == table.state
        other.state = other.get()
        other.step()
        assert table.move("score", status=409, box="ones", confirm_zero=True)["code"] == "stale_version"
        assert table.get() == other.state


def test_games_that_nobody_touches_are_forgotten_and_finished_ones_kept(tmp_path: Path, library: Library) -> None:
    path = tmp_path / "games.sqlite"
    store = Store(path)
    with TestClient(create_app(store, library, free_config())) as client:
        player = Player(client)
        old, new, done = player.start("forced"), player.start("forced"), player.start("forced")
        done.play_out()
    long_ago = (datetime.now(UTC) - timedelta(days=61)).isoformat()
    file = sqlite3.connect(path)
    for table in (old, done):
        file.execute("UPDATE games SET touched = ? WHERE id = ?", (long_ago, table.path.rsplit("/", 1)[1]))
    file.commit()
    file.close()
    store.close()
    with TestClient(create_app(Store(path), library, free_config())) as client:
        player = Player(client)
        assert player.get(old.path, old.token, 404)["code"] == "no_such_game"
        assert player.get(new.path, new.token)["version"] == 0
        assert player.get(done.path, done.token)["phase"] == "finished"


def test_a_file_that_is_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.sqlite").write_text("not a database " * 100)
    with pytest.raises(StoreError, match="cannot be used"):
        Store(tmp_path / "text.sqlite")
    file = sqlite3.connect(tmp_path / "newer.sqlite")
    file.execute("PRAGMA user_version = 99")
    file.close()
    with pytest.raises(StoreError, match="format 99"):
        Store(tmp_path / "newer.sqlite")


def test_a_database_with_garbage_behind_its_first_page_is_refused_and_kept(tmp_path: Path, rng: Random) -> None:
    path = tmp_path / "games.sqlite"
    store = Store(path)
    for name in range(40):
        session = new_session(ruleset("forced"))
        store.add_game(f"g{name}", "t" * 200, session.setup, {"coach": "off"})
        for number, step in enumerate(play_out(session, rng)):
            store.add_step(f"g{name}", number, step, "now")
    store.close()
    damaged = bytearray(path.read_bytes())
    assert len(damaged) > 5 * 4096
    damaged[4096:] = rng.randbytes(len(damaged) - 4096)
    path.write_bytes(damaged)
    with pytest.raises(StoreError, match=r"games\.sqlite.*(damaged|cannot be used)"):
        Store(path)
    assert path.read_bytes() == damaged


def test_the_database_of_another_program_is_left_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    file = sqlite3.connect(path)
    file.execute("CREATE TABLE notes (text)")
    file.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="another program"):
        Store(path)
    assert path.read_bytes() == before
