"""The endpoints of games."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import Annotated, TypeVar

from fastapi import Body, FastAPI, Header, Query
from fastapi import Path as InPath

from agents.play.open_game import OpenGame
from agents.play.schemas.coach import Advice
from agents.play.schemas.game import GameCreated, GameState, LogPage, Move, NewGame, Settings
from agents.play.schemas.records import ExportedGame
from agents.play.schemas.review import Attempt, MistakeList, Review, Verdict
from agents.play.service import GameService

MOST_LOG = 500

Id = Annotated[str, InPath(pattern=r"^[A-Za-z0-9_-]{16}$")]
Token = Annotated[str, Header(alias="X-Game-Token", pattern=r"^[A-Za-z0-9_-]{32}$")]
MistakeNumber = Annotated[int, InPath(ge=0, lt=100)]
Told = TypeVar("Told")


def add_games(app: FastAPI, games: GameService) -> None:
    """Adds the endpoints of games."""

    def ask(game_id: str, token: str, question: Callable[[OpenGame], Told]) -> Told:
        """Finds a game and asks it something while nobody moves it."""
        game = games.find(game_id, token)
        with game.lock:
            return question(game)

    @app.post("/api/games", status_code=201)
    def new_game(wanted: NewGame) -> GameCreated:
        game, token = games.create(wanted)
        Thread(target=game.service.solution, name="load", daemon=True).start()  # before the coach is first asked
        with game.lock:
            return GameCreated(id=game.id, token=token, state=game.state())

    @app.get("/api/games/{game_id}")
    def game_state(game_id: Id, token: Token) -> GameState:
        return ask(game_id, token, OpenGame.state)

    @app.post("/api/games/{game_id}/moves")
    def move(game_id: Id, token: Token, made: Annotated[Move, Body()]) -> GameState:
        return ask(game_id, token, lambda game: games.move(game, made).state())

    @app.post("/api/games/{game_id}/settings")
    def settings(game_id: Id, token: Token, wanted: Settings) -> GameState:
        return ask(game_id, token, lambda game: games.change(game, wanted).state())

    @app.get("/api/games/{game_id}/log")
    def whole_log(game_id: Id, token: Token, start: Annotated[int, Query(ge=0, le=100_000)] = 0) -> LogPage:
        def page(game: OpenGame) -> LogPage:
            return LogPage(start=start, length=len(game.session.entries), entries=game.log(start, MOST_LOG))

        return ask(game_id, token, page)

    @app.get("/api/games/{game_id}/coach")
    def coach(game_id: Id, token: Token) -> Advice:
        return ask(game_id, token, OpenGame.advice)

    @app.get("/api/games/{game_id}/review")
    def review(game_id: Id, token: Token) -> Review:
        return ask(game_id, token, OpenGame.review)

    @app.get("/api/games/{game_id}/mistakes")
    def mistakes(game_id: Id, token: Token) -> MistakeList:
        return ask(game_id, token, OpenGame.mistakes)

    @app.post("/api/games/{game_id}/mistakes/{number}")
    def attempt(game_id: Id, token: Token, number: MistakeNumber, tried: Annotated[Attempt, Body()]) -> Verdict:
        return ask(game_id, token, lambda game: game.attempt(number, tried))

    @app.get("/api/games/{game_id}/mistakes/{number}/answer")
    def answer(game_id: Id, token: Token, number: MistakeNumber) -> Advice:
        return ask(game_id, token, lambda game: game.answer(number))

    @app.get("/api/games/{game_id}/export")
    def export(game_id: Id, token: Token) -> ExportedGame:
        return ask(game_id, token, lambda game: ExportedGame.of(game.session))
