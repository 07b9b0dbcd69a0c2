"""The endpoints of games, see `contract`."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Thread
from typing import Annotated

from fastapi import Body, FastAPI, Header, Query
from fastapi import Path as InPath

from agents.play import contract
from agents.play.api_rulesets import optimum_of
from agents.play.coach import Figure, advise, estimate, loss_of
from agents.play.library import Shelf
from agents.play.marks import TIE
from agents.play.room import OpenGame, Room
from agents.play.session import Session
from agents.play.steps import GameError
from agents.play.views import (
    before_decisions,
    export_of,
    lesson_of,
    log_of,
    option_of,
    result_of,
    review_of,
    state_of,
    worst_decisions,
)

MOST_LOG = 500

Id = Annotated[str, InPath(pattern=r"^[A-Za-z0-9_-]{16}$")]
Token = Annotated[str, Header(alias="X-Game-Token", pattern=r"^[A-Za-z0-9_-]{32}$")]
LessonNumber = Annotated[int, InPath(ge=0, lt=100)]


def add_games(app: FastAPI, room: Room) -> None:
    """Adds the endpoints of games that go on."""

    @app.post("/api/games", status_code=201)
    def new_game(wanted: contract.NewGame) -> contract.GameCreated:
        game, token = room.create(wanted)
        Thread(target=game.shelf.solution, name="load", daemon=True).start()  # before the coach is first asked
        return contract.GameCreated(id=game.id, token=token, state=_state(game))

    @app.get("/api/games/{game_id}")
    def game_state(game_id: Id, token: Token) -> contract.GameState:
        return _state(room.find(game_id, token))

    @app.post("/api/games/{game_id}/moves")
    def move(game_id: Id, token: Token, made: Annotated[contract.Move, Body()]) -> contract.GameState:
        game = room.find(game_id, token)
        with game.lock:
            room.move(game, made)
            return _state(game)

    @app.post("/api/games/{game_id}/settings")
    def settings(game_id: Id, token: Token, wanted: contract.Settings) -> contract.GameState:
        game = room.find(game_id, token)
        room.change(game, wanted)
        return _state(game)

    @app.get("/api/games/{game_id}/log")
    def whole_log(game_id: Id, token: Token, start: Annotated[int, Query(ge=0, le=100_000)] = 0) -> contract.LogPage:
        game = room.find(game_id, token)
        with game.lock:
            entries = log_of(game.session, _shown_figures(game), game.shelf.marks, start, MOST_LOG)
            return contract.LogPage(start=start, length=len(game.session.entries), entries=entries)

    @app.get("/api/games/{game_id}/coach")
    def coach(game_id: Id, token: Token) -> contract.Advice:
        game = room.find(game_id, token)
        with game.lock:
            if game.is_finished:
                raise GameError("game_over", "the game is finished; its review is open")
            if game.coach == "off":
                raise GameError("coach_off", "the coach of this game is off")
            return _advice(game, game.session, game.coach)


def _state(game: OpenGame) -> contract.GameState:
    with game.lock:
        return state_of(
            game.id,
            game.session,
            coach=game.coach,
            hidden_totals=game.hidden_totals,
            source=_source(game.shelf),
            figures=_shown_figures(game),
            marks=game.shelf.marks,
        )


def _shown_figures(game: OpenGame) -> Sequence[Figure] | None:
    """The figures of the log, unless the coach is silent."""
    return game.figures() if game.coach != "off" or game.is_finished else None


def _source(shelf: Shelf) -> contract.Source:
    if shelf.is_solved:
        return "exact"
    return "estimate" if not shelf.can_be_solved and shelf.estimator is not None else "none"


def _advice(game: OpenGame, session: Session, level: contract.Level) -> contract.Advice:
    """The coach's answer about the seat on turn."""
    shelf = game.shelf
    solution, chances = shelf.solution(), shelf.chances()
    source: contract.Source = "exact" if solution is not None else _source(shelf)
    choices, expected = [], None
    if session.phase == "decide":
        if solution is not None:
            choices = advise(session, solution, chances)
            expected = choices[0].expected
        elif shelf.estimator is not None and source == "estimate":
            choices = estimate(session, shelf.estimator)
            expected = choices[0].expected
    elif solution is not None:
        game.figures()
        expected = game.ledger.expected(session.card) if game.ledger is not None else None
    forced = len(choices) == 1
    if level == "hints":
        choices = [choice for choice in choices if choice.is_best]
    return contract.Advice(
        version=session.version,
        seat=session.seat,
        source=source,
        estimator=shelf.estimator.name if source == "estimate" and shelf.estimator is not None else None,
        level=level,
        expected=expected,
        options=[option_of(session, choice, shelf.marks, chances) for choice in choices],
        forced=forced,
        chances=shelf.status().chances,
    )


def add_after_game(app: FastAPI, room: Room) -> None:
    """Adds the endpoints about what can be learnt from a game."""

    def finished(game_id: str, token: str) -> OpenGame:
        game = room.find(game_id, token)
        if not game.is_finished:
            raise GameError("not_finished", "that is for finished games; this one goes on")
        return game

    def lesson(game: OpenGame, number: int) -> tuple[int, Session]:
        """The log index of a lesson, and the game before it."""
        figures = game.figures()
        worst = worst_decisions(game.session, figures) if figures is not None else []
        if number >= len(worst):
            raise GameError("no_such_lesson", f"there is no lesson {number}; this game has {len(worst)}")
        return next(before_decisions(game.session, [worst[number]]))

    @app.get("/api/games/{game_id}/review")
    def review(game_id: Id, token: Token) -> contract.Review:
        game = finished(game_id, token)
        with game.lock:
            figures, optimum = game.figures(), optimum_of(game.shelf)
            if figures is None or optimum is None:
                source = _source(game.shelf)
                return contract.Review(
                    source=source, optimum=None, marks=None, cards=[], seats=[], result=result_of(game.session)
                )
            return review_of(game.session, figures, optimum, game.shelf.marks)

    @app.get("/api/games/{game_id}/lessons")
    def lessons(game_id: Id, token: Token) -> contract.LessonList:
        game = finished(game_id, token)
        with game.lock:
            figures = game.figures()
            if figures is None:
                return contract.LessonList(source=_source(game.shelf), lessons=[])
            worst = worst_decisions(game.session, figures)
            found = [
                lesson_of(before, worst.index(entry), entry, game.session.entries[entry], figures[entry].loss)
                for entry, before in before_decisions(game.session, worst)
            ]
            return contract.LessonList(source="exact", lessons=sorted(found, key=lambda one: one.number))

    @app.post("/api/games/{game_id}/lessons/{number}")
    def attempt(
        game_id: Id, token: Token, number: LessonNumber, tried: Annotated[contract.Attempt, Body()]
    ) -> contract.Verdict:
        game = finished(game_id, token)
        with game.lock:
            _, before = lesson(game, number)
            keeps = isinstance(tried, contract.KeepAttempt)
            step = before.keep_step(tried.dice) if keeps else before.score_step(tried.box)  # type: ignore[union-attr]
            solution, marks = game.shelf.solution(), game.shelf.marks
            if solution is None or step.action is None:
                raise GameError("not_solved", f"ruleset {game.shelf.rules.name!r} is not solved")
            loss = loss_of(solution, before.situation, step.action)
            mark = marks.mark(loss) if marks is not None else ("fine" if loss <= TIE else "small")
            return contract.Verdict(accepted=mark == "fine", is_best=loss <= TIE, loss=loss, mark=mark)

    @app.get("/api/games/{game_id}/lessons/{number}/answer")
    def answer(game_id: Id, token: Token, number: LessonNumber) -> contract.Advice:
        game = finished(game_id, token)
        with game.lock:
            return _advice(game, lesson(game, number)[1], "full")

    @app.get("/api/games/{game_id}/export")
    def export(game_id: Id, token: Token) -> contract.ExportedGame:
        game = room.find(game_id, token)
        with game.lock:
            return export_of(game.session)
