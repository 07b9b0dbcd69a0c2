"""The games of a server: started, found again, moved on, and kept.

A game is known by an id and moved by whoever holds its token. Games in memory are copies of what the store holds, made
by replaying it; a step is stored before it is taken here, so that whatever happens to the program the file knows at
least as much as anybody was told.
"""

from __future__ import annotations

import hmac
import secrets
import threading
from collections import OrderedDict
from datetime import UTC, datetime, timedelta
from typing import Any

from agents.play.ledger import Ledger, stored_figures, sum_up
from agents.play.library import Library
from agents.play.open_game import OpenGame
from agents.play.players import check_cards, choose
from agents.play.schemas.game import (
    AgentMove,
    BoxChoice,
    DiceMove,
    KeepMove,
    Move,
    NewGame,
    NewSeat,
    PersonSeat,
    Settings,
    ThrowMove,
    UndoMove,
)
from agents.play.session import Session
from agents.play.steps import GameError, SeatPlan, Step, make_setup
from agents.play.store import NumberTakenError, Store
from yatzy_env.errors import YatzyError
from yatzy_env.files import sha256
from yatzy_env.solver import Solution

_IN_MEMORY = 256  # games; more are read from the store again when they are asked for
_FORGET_AFTER = timedelta(days=60)  # unfinished games that nobody touches
_STALE = "the game has moved on since version {made_on}: it is at {version}; fetch it again"


class GameService:
    """All games of a server."""

    def __init__(self, store: Store, library: Library, most_open: int = 2000) -> None:
        """Opens the service for up to `most_open` unfinished games, and forgets those left long ago."""
        self.store = store
        self.library = library
        self.most_open = most_open
        self._lock = threading.Lock()
        self._games: OrderedDict[str, OpenGame] = OrderedDict()
        store.forget_open_games((datetime.now(UTC) - _FORGET_AFTER).isoformat(timespec="seconds"))

    def create(self, wanted: NewGame) -> tuple[OpenGame, str]:
        """Starts a game.

        Returns:
            The game and its token.

        Raises:
            GameError: for an unknown ruleset, an agent that cannot play it, teams that do not fit the seats, or if too
                many games are open.
        """
        service = self.library.service(wanted.ruleset)
        seats = [_seat(seat) for seat in wanted.seats]
        seed = None if wanted.real_dice else secrets.token_hex(32)
        try:
            setup = make_setup(service.rules, seats, wanted.teams, _now(), seed)
        except YatzyError as error:
            raise GameError("bad_teams", str(error)) from error
        for seat in seats:
            if seat.agent is not None:
                check_cards(service.agent(seat.agent), len(setup.teams))
        with self._lock:
            if self.store.open_games() >= self.most_open:
                text = f"{self.most_open} games are open already; finish one of them, or try again later"
                raise GameError("too_many_games", text)
            token, game_id = secrets.token_urlsafe(24), secrets.token_urlsafe(12)
            game = OpenGame(game_id, _hash(token), Session(setup), service, wanted.coach, wanted.hidden_totals)
            self.store.add_game(game_id, game.token, setup, game.settings)
            return self._put(game), token

    def find(self, game_id: str, token: str) -> OpenGame:
        """The game of an id, for who holds its token.

        Raises:
            GameError: if there is no such game or the token is another's: the two cannot be told apart.
        """
        with self._lock:
            known = self._games.get(game_id)
        game = known or self._read(game_id)
        if game is None or not hmac.compare_digest(game.token, _hash(token)):
            raise GameError("no_such_game", "there is no game with this id and token")
        with self._lock:
            return self._put(game)

    def move(self, game: OpenGame, move: Move) -> OpenGame:
        """Takes a step of a game, and keeps it; returns the game.

        Raises:
            GameError: if the step was made on another version or is not possible now; then nothing has changed.
        """
        with game.lock:
            session = game.session
            if move.version != session.version:
                raise GameError("stale_version", _STALE.format(made_on=move.version, version=session.version))
            self._take(game, self._step(game, move))
            return game

    def change(self, game: OpenGame, settings: Settings) -> OpenGame:
        """Changes settings of a game, and keeps them; returns the game."""
        with game.lock:
            if settings.coach is not None:
                game.coach = settings.coach
            if settings.hidden_totals is not None:
                game.hidden_totals = settings.hidden_totals
            self.store.change_settings(game.id, game.settings)
            return game

    def _step(self, game: OpenGame, move: Move) -> Step:
        """The step that a move asks for; what it takes for granted the session checks."""
        session = game.session
        if isinstance(move, UndoMove):
            return Step("undo")
        if isinstance(move, DiceMove):
            return Step("dice", None, tuple(move.dice))
        if isinstance(move, AgentMove):
            return _agent_step(game)
        if session.agent is not None:
            raise GameError("illegal_move", f"on turn is the agent {session.agent!r}: let it move by 'agent'")
        if isinstance(move, ThrowMove):
            return Step("throw")
        if isinstance(move, KeepMove):
            return session.keep_step(move.dice, move.positions)
        step = session.score_step(move.box)
        choice = BoxChoice.of(session, session.rules.box_names.index(move.box))
        if choice.is_zero and not move.confirm_zero and len(session.legal_actions()) > 1:
            raise GameError("confirm_zero", f"box {move.box!r} would get 0 points: confirm_zero is needed")
        return step

    def _take(self, game: OpenGame, step: Step) -> None:
        """Checks a step, stores it, and only then takes it; the last is tried on a copy, for what the game comes to."""
        session, when, results = game.session, _now(), None
        session.check(step)
        if step.kind == "score" and session.turns == session.all_turns - 1:
            results = _results(Session.replay(session.setup, [*session.steps, step]), game.service.solution())
        try:
            self.store.add_step(game.id, session.version, step, when, results)
        except NumberTakenError as error:
            with self._lock:
                self._games.pop(game.id, None)
            raise GameError("stale_version", _STALE.format(made_on=session.version, version="a later one")) from error
        session.apply(step)

    def _read(self, game_id: str) -> OpenGame | None:
        stored = self.store.read(game_id)
        if stored is None:
            return None
        session = Session.replay(stored.setup, stored.steps)
        return OpenGame(game_id, stored.token, session, self.library.service_of(session.rules), **stored.settings)

    def _put(self, game: OpenGame) -> OpenGame:
        """Keeps a game in memory, unless it is there already; returns the one that is."""
        kept = self._games.setdefault(game.id, game)
        self._games.move_to_end(game.id)
        while len(self._games) > _IN_MEMORY:
            self._games.popitem(last=False)
        return kept


def _seat(seat: NewSeat) -> SeatPlan:
    if isinstance(seat, PersonSeat):
        return SeatPlan(seat.name.strip())
    return SeatPlan(seat.agent, seat.agent)


def _agent_step(game: OpenGame) -> Step:
    session = game.session
    if session.agent is None:
        raise GameError("illegal_move", "it is not an agent's turn")
    if session.phase == "throw":
        return Step("throw")
    if session.phase != "decide":
        raise GameError("illegal_move", "the agent waits for its dice to be typed in")
    return choose(game.service.agent(session.agent), session)


def _results(session: Session, solution: Solution | None) -> list[dict[str, Any]]:
    """What a finished game says about the persons in it."""
    setup, totals = session.setup, session.totals
    figures = Ledger(solution).update(session.entries) if solution is not None else None
    found = []
    for seat, plan in enumerate(setup.seats):
        if plan.agent is not None:
            continue
        card = setup.card_of(seat)
        own = sum_up(session.entries, figures, "seat", seat) if figures is not None else None
        others = [team for number, team in enumerate(setup.teams) if number != card]
        found.append(
            {
                "seat": seat,
                "name": plan.name,
                "ruleset": session.rules.name,
                "score": totals[card],
                "opponents": [setup.seats[other].name for team in others for other in team],
                "won": totals[card] == max(totals),
                "cards": len(totals),
                **stored_figures(own),
                **_earned(session, card),
            }
        )
    return found


def _earned(session: Session, card: int) -> dict[str, list[int]]:
    """How many columns earned their bonus, and how many yatzy boxes hold points; each with how many could."""
    threshold, upper = session.tables.card.bonus_threshold, session.games.now.upper[card]
    boxes = [box for box, name in enumerate(session.rules.box_names) if name.partition("@")[0] == "yatzy"]
    return {
        "bonus": [int((upper >= threshold).sum()), len(upper)] if threshold else [0, 0],
        "yatzy": [int((session.games.written[card, boxes] > 0).sum()), len(boxes)],
    }


def _hash(token: str) -> str:
    return sha256(token.encode())


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
