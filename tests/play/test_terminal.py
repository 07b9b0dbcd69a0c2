"""The game in the terminal, its answers typed by the test."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from agents.play.library import Library
from agents.play.schemas.records import PlayerRecord
from agents.play.service import GameService
from agents.play.store import Store
from agents.play.terminal import play
from yatzy_env.errors import YatzyError
from yatzy_env.rules import ruleset


class Typist:
    """Types prepared lines at the prompt and Enter at every other question; then fills the boxes in order, or stops."""

    def __init__(self, lines: list[str], boxes: tuple[str, ...] = ()) -> None:
        self.lines = list(lines)
        self.boxes = list(boxes)
        self.asked: list[str] = []

    def __call__(self, question: str) -> str:
        self.asked.append(question)
        if "Write the zero?" in question:
            return "y"
        if question != "> ":
            return self.lines.pop(0) if self.lines and self.lines[0] == "undo" else ""
        if self.lines:
            return self.lines.pop(0)
        if not self.boxes:
            raise EOFError
        return f"box {self.boxes.pop(0)}"


@pytest.fixture
def seen(tmp_path: Any, library: Library) -> Callable[..., str]:
    """Plays in a terminal and returns what it showed."""

    def call(
        typist: Typist, name: str = "forced", level: Any = "full", opponents: tuple[str, ...] = ("random",)
    ) -> str:
        out = StringIO()
        games = GameService(Store(tmp_path / "games.sqlite"), library)
        play(library.service(name), opponents, "Ann", level, games, Console(file=out, width=140), typist)
        return out.getvalue()

    return call


def test_a_whole_game_with_coach_and_review(seen: Callable[..., str], tmp_path: Any) -> None:
    text = seen(Typist(["6 6 6 6 6", "0", "hint", "help"], ruleset("forced").boxes))
    assert "holding all dice" in text or "cannot hold" in text
    assert "Ann: keep nothing" in text
    assert "expected score" in text
    assert "loss per real decision" in text
    assert "The seed was" in text
    store = Store(tmp_path / "games.sqlite")
    (game,) = PlayerRecord.of("Ann", store.results("Ann")).games
    store.close()
    assert f"{game.score}" in text


def test_a_box_is_taken_back_before_the_agent_throws(seen: Callable[..., str]) -> None:
    typist = Typist(["box chance", "undo", "box chance"])
    text = seen(typist, "yacht", "off")
    assert [question for question in typist.asked if "undo takes the box back" in question]
    assert text.count("Ann: Choice for") == 2
    assert "Left the game" in text


def test_what_is_not_understood_is_said(seen: Callable[..., str]) -> None:
    text = seen(Typist(["box s", "7", "nonsense", "box nothing"]), "yatzy", "off")
    assert "which box? sixes, small_straight" in text
    assert "hold up to five dice that show 1 to 6" in text
    assert "'nonsense' is not understood" in text
    assert "which box? ones, twos" in text


def test_without_a_solution_the_coach_says_how_to_get_one(seen: Callable[..., str]) -> None:
    assert "python scripts/solve.py maxi-tactic" in seen(Typist(["hint"]), "maxi-tactic", "hints")
    assert "The view of the agent" in seen(Typist(["hint"]), "triple", "hints")


def test_saved_throws_and_columns_are_shown(seen: Callable[..., str]) -> None:
    assert "Saved throws" in seen(Typist(["0"]), "maxi-alga", "off")
    text = seen(Typist(["0"]), "triple", "off")
    assert "Chance ×3" in text
    assert "Bonus ×2" in text


def test_too_many_opponents_are_refused(seen: Callable[..., str]) -> None:
    with pytest.raises(YatzyError, match="with 6 opponents"):
        seen(Typist([]), opponents=("random",) * 6)
