"""Games on disk: one SQLite file. A step is there for good before anybody hears that it was taken.

A game is its setup and its steps; nothing else has to be kept to go on with it. What a finished game says about its
players is kept in a row per person, so that history and statistics need no replay. A second server on the same file
does no harm: a step has a number, and the file takes each number once.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from platformdirs import user_data_path

from agents.play.steps import SeatPlan, Setup, Step
from yatzy_env.errors import YatzyError, folded
from yatzy_env.rules.ruleset import ruleset_from

FORMAT = 1
_TABLES = """
CREATE TABLE IF NOT EXISTS games (
    id TEXT PRIMARY KEY, token TEXT NOT NULL, setup TEXT NOT NULL, settings TEXT NOT NULL,
    touched TEXT NOT NULL, finished TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS open_games ON games (touched) WHERE finished IS NULL;
CREATE TABLE IF NOT EXISTS steps (
    game TEXT NOT NULL REFERENCES games (id) ON DELETE CASCADE, number INTEGER NOT NULL, step TEXT NOT NULL,
    PRIMARY KEY (game, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS results (
    game TEXT NOT NULL REFERENCES games (id) ON DELETE CASCADE, seat INTEGER NOT NULL, name TEXT NOT NULL,
    finished TEXT NOT NULL, fields TEXT NOT NULL, PRIMARY KEY (game, seat)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS results_of ON results (name, finished);
"""
# In one statement: a second server may be making the tables at this moment.
_WHAT_IS_THERE = "SELECT (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_master)"


class StoreError(YatzyError):
    """The file cannot be used."""


class NumberTakenError(StoreError):
    """Another step with this number is in the file: someone else moved the game on."""


@dataclass(frozen=True)
class StoredGame:
    """A game as it is in the file.

    Attributes:
        setup: what it is.
        steps: all steps, undo included.
        token: SHA-256 of its token.
        settings: JSON values the server keeps with it.
    """

    setup: Setup
    steps: tuple[Step, ...]
    token: str
    settings: dict[str, Any]


@dataclass(frozen=True)
class Result:
    """What a finished game says about one person: JSON values by name, see `service._results`."""

    game: str
    finished: str
    fields: dict[str, Any]


def default_file() -> Path:
    """Where games are kept unless told otherwise: the user's data folder."""
    return user_data_path("yatzy-env") / "games.sqlite"


class Store:
    """The file. Its methods may be called from any thread; each is a transaction, written as a whole or not at all."""

    def __init__(self, path: str | Path) -> None:
        """Opens the file, making it and its folder if need be.

        Args:
            path: the file, or ":memory:" for one that is gone with the program.

        Raises:
            StoreError: if it cannot be opened or holds something else.
        """
        self.path = path
        self._lock = threading.Lock()
        try:
            if str(path) != ":memory:":
                Path(path).parent.mkdir(parents=True, exist_ok=True)
            self._file = sqlite3.connect(path, timeout=10, check_same_thread=False, isolation_level="IMMEDIATE")
            version, things = self._file.execute(_WHAT_IS_THERE).fetchone()
            if version not in (0, FORMAT):
                raise StoreError(f"{path} has format {version}, this version reads {FORMAT}; name another --data")
            if version == 0 and things:
                raise StoreError(f"{path} is the database of another program; name another --data")
            found = self._file.execute("PRAGMA quick_check(1)").fetchone()[0]
            if found != "ok":
                raise StoreError(f"{path} is damaged ({folded(found)}); restore a copy or name another --data")
            self._file.execute("PRAGMA journal_mode = WAL")
            self._file.execute("PRAGMA synchronous = FULL")  # on disk, not only in the hands of the system
            self._file.execute("PRAGMA foreign_keys = ON")
            self._file.executescript(f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version = {FORMAT}; COMMIT;")
        except (sqlite3.Error, OSError) as error:
            raise StoreError(f"{path} cannot be used for games: {error}") from error

    def close(self) -> None:
        """Closes the file."""
        with self._lock:
            self._file.close()

    def add_game(self, game: str, token: str, setup: Setup, settings: dict[str, Any]) -> None:
        """Adds a game without steps."""
        row = (game, token, json.dumps(_plain(setup)), json.dumps(settings), setup.created)
        with self._lock, self._file:
            self._file.execute("INSERT INTO games VALUES (?, ?, ?, ?, ?, NULL)", row)

    def add_step(
        self, game: str, number: int, step: Step, when: str, results: Sequence[dict[str, Any]] | None = None
    ) -> None:
        """Adds a step, and with the last one of a game what the game says about its players.

        Args:
            game: the game.
            number: steps taken before it.
            step: the step.
            when: now, as ISO 8601 text.
            results: for the last step of a game, the fields of its results, which name seat and person.

        Raises:
            NumberTakenError: if the file holds another step of that number.
        """
        try:
            with self._lock, self._file:
                self._file.execute("INSERT INTO steps VALUES (?, ?, ?)", (game, number, json.dumps(step.plain())))
                done = None if results is None else when
                self._file.execute("UPDATE games SET touched = ?, finished = ? WHERE id = ?", (when, done, game))
                for fields in results or ():
                    row = (game, fields["seat"], fields["name"], when, json.dumps(fields))
                    self._file.execute("INSERT INTO results VALUES (?, ?, ?, ?, ?)", row)
        except sqlite3.IntegrityError as error:
            raise NumberTakenError(f"game {game} has been moved on elsewhere") from error

    def change_settings(self, game: str, settings: dict[str, Any]) -> None:
        """Replaces what is kept with a game."""
        with self._lock, self._file:
            self._file.execute("UPDATE games SET settings = ? WHERE id = ?", (json.dumps(settings), game))

    def read(self, game: str) -> StoredGame | None:
        """A game; None if there is none of that id."""
        with self._lock:
            row = self._file.execute("SELECT setup, token, settings FROM games WHERE id = ?", (game,)).fetchone()
            if row is None:
                return None
            steps = self._file.execute("SELECT step FROM steps WHERE game = ? ORDER BY number", (game,)).fetchall()
        setup, token, settings = row
        return StoredGame(
            setup=_setup(json.loads(setup)),
            steps=tuple(Step.from_plain(json.loads(step)) for (step,) in steps),
            token=token,
            settings=json.loads(settings),
        )

    def open_games(self) -> int:
        """How many games are not finished."""
        with self._lock:
            return int(self._file.execute("SELECT count(*) FROM games WHERE finished IS NULL").fetchone()[0])

    def forget_open_games(self, before: str) -> int:
        """Removes unfinished games that nobody touched since a time; returns how many."""
        with self._lock, self._file:
            gone = self._file.execute("DELETE FROM games WHERE finished IS NULL AND touched < ?", (before,))
            return gone.rowcount

    def results(self, name: str, limit: int | None = None) -> list[Result]:
        """The results of a person, newest first."""
        query = "SELECT game, finished, fields FROM results WHERE name = ? ORDER BY finished DESC, game LIMIT ?"
        with self._lock:
            rows = self._file.execute(query, (name, -1 if limit is None else limit)).fetchall()
        return [Result(game, finished, json.loads(fields)) for game, finished, fields in rows]


def _plain(setup: Setup) -> dict[str, Any]:
    return {
        "ruleset": setup.rules.model_dump(mode="json"),
        "seats": [[seat.name, seat.agent] for seat in setup.seats],
        "teams": setup.teams,
        "created": setup.created,
        "seed": setup.seed,
    }


def _setup(fields: dict[str, Any]) -> Setup:
    return Setup(
        rules=ruleset_from(fields["ruleset"]),
        seats=tuple(SeatPlan(name, agent) for name, agent in fields["seats"]),
        teams=tuple(tuple(team) for team in fields["teams"]),
        created=fields["created"],
        seed=fields["seed"],
    )
