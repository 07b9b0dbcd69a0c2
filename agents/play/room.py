"""The games of a server: started, found again, moved on, and kept.

A game is known by an id and moved by whoever holds its token. Games in memory are copies of what the store holds, made
by replaying it; a step is stored before it is taken here, so that whatever happens to the program the file knows at
least as much as anybody was told.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from agents.play import contract
from agents.play.coach import Figure, Ledger, balance
from agents.play.library import Library, Shelf
from agents.play.session import Session
from agents.play.steps import GameError, SeatPlan, Step, make_setup
from agents.play.store import NumberTakenError, Result, Store
from agents.play.views import box_choice
from yatzy_env.errors import YatzyError

_IN_MEMORY = 256  # games; more are read from the store again when they are asked for
_FORGET_AFTER = timedelta(days=60)  # unfinished games that nobody touches
_STALE = "the game has moved on since version {made_on}: it is at {version}; fetch it again"


class RoomFullError(GameError):
    """No further game can be started now."""


class NoSuchGameError(GameError):
    """There is no such game, or the token is not its own."""


@dataclass(eq=False)
class OpenGame:
    """A game in memory. Whoever reads or changes it holds its lock."""

    id: str
    token: str  # SHA-256 of it
    session: Session
    shelf: Shelf
    coach: contract.Level
    hidden_totals: bool
    lock: threading.RLock = field(default_factory=threading.RLock)
    ledger: Ledger | None = None

    @property
    def is_finished(self) -> bool:
        """Whether all cards are full."""
        return self.session.phase == "finished"

    @property
    def settings(self) -> dict[str, Any]:
        """What is kept with the game beside its steps."""
        return {"coach": self.coach, "hidden_totals": self.hidden_totals}

    def figures(self) -> list[Figure] | None:
        """The coach's figures of the whole log; None where the ruleset is not solved."""
        if not self.session.entries:
            return []  # a new game does not wait for a solution to be loaded
        if self.ledger is None:
            solution = self.shelf.solution()
            if solution is None:
                return None
            self.ledger = Ledger(solution)
        return self.ledger.update(self.session.entries)


class Room:
    """All games of a server."""

    def __init__(self, store: Store, library: Library, most_open: int = 2000) -> None:
        """Opens the room.

        Args:
            store: where games are kept.
            library: what there is to play with.
            most_open: how many unfinished games there may be.
        """
        self.store = store
        self.library = library
        self.most_open = most_open
        self._lock = threading.Lock()
        self._games: OrderedDict[str, OpenGame] = OrderedDict()
        store.forget_open_games((datetime.now(UTC) - _FORGET_AFTER).isoformat(timespec="seconds"))

    def create(self, wanted: contract.NewGame) -> tuple[OpenGame, str]:
        """Starts a game.

        Returns:
            The game and its token.

        Raises:
            GameError: for an unknown ruleset, an agent that cannot play it, or teams that do not fit the seats.
            RoomFullError: if too many games are open.
        """
        shelf = self.library.shelf(wanted.ruleset)
        seats = [_seat(seat) for seat in wanted.seats]
        for seat in seats:
            if seat.agent is not None:
                shelf.agent(seat.agent)
        seed = None if wanted.real_dice else secrets.token_hex(32)
        try:
            setup = make_setup(shelf.rules, seats, wanted.teams, _now(), seed)
        except YatzyError as error:
            raise GameError("bad_teams", str(error)) from error
        with self._lock:
            if self.store.open_games() >= self.most_open:
                raise RoomFullError(
                    "room_full", f"{self.most_open} games are open already; finish one of them, or try again later"
                )
            token, game_id = secrets.token_urlsafe(24), secrets.token_urlsafe(12)
            game = OpenGame(game_id, _hash(token), Session(setup), shelf, wanted.coach, wanted.hidden_totals)
            self.store.add_game(game_id, game.token, setup, game.settings)
            self._put(game)
        return game, token

    def find(self, game_id: str, token: str) -> OpenGame:
        """The game of an id, for who holds its token.

        Raises:
            NoSuchGameError: if there is no such game or the token is another's: the two cannot be told apart.
        """
        with self._lock:
            game = self._games.get(game_id)
        if game is None:
            game = self._read(game_id)
        if game is None or not hmac.compare_digest(game.token, _hash(token)):
            raise NoSuchGameError("no_such_game", "there is no game with this id and token")
        with self._lock:
            if game_id in self._games:
                self._games.move_to_end(game_id)
            else:
                self._put(game)
            return self._games[game_id]

    def move(self, game: OpenGame, move: contract.Move) -> None:
        """Takes a step of a game, and keeps it.

        Raises:
            GameError: if the step was made on another version or is not possible now; then nothing has changed.
        """
        with game.lock:
            session = game.session
            if move.version != session.version:
                raise GameError("stale_version", _STALE.format(made_on=move.version, version=session.version))
            self._take(game, self._step(game, move))

    def change(self, game: OpenGame, settings: contract.Settings) -> None:
        """Changes settings of a game, and keeps them."""
        with game.lock:
            if settings.coach is not None:
                game.coach = settings.coach
            if settings.hidden_totals is not None:
                game.hidden_totals = settings.hidden_totals
            self.store.change_settings(game.id, game.settings)

    def _step(self, game: OpenGame, move: contract.Move) -> Step:
        """The step that a move asks for, checked."""
        session = game.session
        if isinstance(move, contract.UndoMove):
            if not session.can_undo:
                raise GameError("cannot_undo", "nothing can be taken back: dice have been thrown since the last move")
            return Step("undo")
        if isinstance(move, contract.DiceMove):
            if session.phase != "enter":
                raise GameError("illegal_move", "no dice are awaited now")
            return Step("dice", None, tuple(move.dice))
        if isinstance(move, contract.AgentMove):
            return _agent_step(game)
        if session.agent is not None:
            raise GameError("illegal_move", f"on turn is the agent {session.agent!r}: let it move by 'agent'")
        if isinstance(move, contract.ThrowMove):
            return Step("throw")
        if isinstance(move, contract.KeepMove):
            return session.keep_step(move.dice, move.positions)
        step = session.score_step(move.box)
        if not move.confirm_zero and session.choices() > 1 and _writes_zero(session, step):
            raise GameError("confirm_zero", f"box {move.box!r} would get 0 points: confirm_zero is needed")
        return step

    def _take(self, game: OpenGame, step: Step) -> None:
        """Tries a step on a copy of the game, stores it, and only then takes it."""
        session, when = game.session, _now()
        version = session.version
        if step.kind == "score" and session.turns == session.all_turns - 1:
            after = Session.replay(session.setup, [*session.steps, step])
            results = _results(game, after, when)
        else:
            results = None
            _check(session, step)
        try:
            self.store.add_step(game.id, version, step, when, results)
        except NumberTakenError as error:
            with self._lock:
                self._games.pop(game.id, None)
            raise GameError("stale_version", _STALE.format(made_on=version, version="a later one")) from error
        session.apply(step)

    def _read(self, game_id: str) -> OpenGame | None:
        stored = self.store.read(game_id)
        if stored is None:
            return None
        setup = stored.setup
        shelf = self.library.shelves.get(setup.rules.name)
        if shelf is None or shelf.rules.digest != setup.rules.digest:
            shelf = self.library.spare_shelf(setup.rules)
        session = Session.replay(setup, stored.steps)
        return OpenGame(game_id, stored.token, session, shelf, **stored.settings)

    def _put(self, game: OpenGame) -> None:
        self._games[game.id] = game
        while len(self._games) > _IN_MEMORY:
            self._games.popitem(last=False)


def _seat(seat: contract.NewSeat) -> SeatPlan:
    if isinstance(seat, contract.PersonSeat):
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
    actions = np.asarray(game.shelf.agent(session.agent).act(session.lane(), session.noise()))
    return session.action_step(int(actions[0]))


def _writes_zero(session: Session, step: Step) -> bool:
    return box_choice(session, (step.action or 0) - session.tables.keeps).is_zero


def _check(session: Session, step: Step) -> None:
    """Raises what `session.apply(step)` would raise. Steps made by `Room._step` have passed all but the phase."""
    wanted = {"throw": "throw", "keep": "decide", "score": "decide", "dice": "enter"}
    if step.kind == "undo":
        return
    if session.phase == "finished":
        raise GameError("game_over", "the game is finished")
    if session.phase != wanted[step.kind]:
        raise GameError("illegal_move", f"no {step.kind} is possible now: the phase is {session.phase!r}")
    if step.kind == "dice" and len(step.dice) != session.awaited:
        raise GameError("illegal_move", f"{session.awaited} dice are awaited, got {len(step.dice)}")


def _results(game: OpenGame, session: Session, when: str) -> list[Result]:
    """What a finished game says about the persons in it."""
    totals = session.games.total.tolist()
    solution = game.shelf.solution()
    figures = Ledger(solution).update(session.entries) if solution is not None else None
    found = []
    for seat, plan in enumerate(session.setup.seats):
        if plan.agent is not None:
            continue
        card = next(number for number, team in enumerate(session.setup.teams) if seat in team)
        own = balance(session.entries, figures, "seat", seat) if figures is not None else None
        others = [number for number in range(len(totals)) if number != card]
        fields = {
            "seat": seat,
            "name": plan.name,
            "ruleset": session.rules.name,
            "score": totals[card],
            "opponents": [
                session.setup.seats[other].name for number in others for other in session.setup.teams[number]
            ],
            "won": totals[card] == max(totals),
            "cards": len(totals),
            "loss": own.loss if own is not None else None,
            "luck": own.luck if own is not None else None,
            "mean_loss": own.mean_loss if own is not None else None,
            "bonus": _earned_bonuses(session, card),
            "yatzy": _earned_yatzys(session, card),
        }
        found.append(Result(game.id, when, fields))
    return found


def _earned_bonuses(session: Session, card: int) -> list[int]:
    """How many columns earned their bonus, and how many could."""
    threshold = session.tables.card.bonus_threshold
    if not threshold:
        return [0, 0]
    upper = session.games.now.upper[card]
    return [int((upper >= threshold).sum()), len(upper)]


def _earned_yatzys(session: Session, card: int) -> list[int]:
    """How many yatzy boxes hold points, and how many there are."""
    boxes = [box for box, name in enumerate(session.rules.box_names) if name.partition("@")[0] == "yatzy"]
    return [int((session.games.written[card, boxes] > 0).sum()), len(boxes)]


def record(store: Store, name: str, most: int = 200) -> contract.PlayerRecord:
    """History and statistics of a person."""
    results = store.results(name)
    by_ruleset: dict[str, list[dict[str, Any]]] = {}
    for one in results:
        by_ruleset.setdefault(one.fields["ruleset"], []).append(one.fields)
    return contract.PlayerRecord(
        name=name,
        games=[_history(one) for one in results[:most]],
        statistics=[_statistics(ruleset, rows) for ruleset, rows in sorted(by_ruleset.items())],
    )


def _history(one: Result) -> contract.HistoryGame:
    fields = one.fields
    return contract.HistoryGame(
        id=one.game,
        finished=one.finished,
        players=fields["cards"],
        **{key: fields[key] for key in ("ruleset", "score", "opponents", "won", "loss", "luck", "mean_loss")},
    )


def _statistics(ruleset: str, rows: Sequence[dict[str, Any]]) -> contract.Statistics:
    scores = [row["score"] for row in rows]
    contested = [row for row in rows if row["cards"] > 1]
    losses = [row["loss"] for row in rows if row["loss"] is not None]
    return contract.Statistics(
        ruleset=ruleset,
        games=len(rows),
        wins=sum(row["won"] for row in contested),
        games_with_opponents=len(contested),
        mean=sum(scores) / len(scores),
        best=max(scores),
        worst=min(scores),
        bonus_rate=_rate([row["bonus"] for row in rows]),
        yatzy_rate=_rate([row["yatzy"] for row in rows]),
        mean_loss=sum(losses) / len(losses) if losses else None,
    )


def _rate(counts: Sequence[Sequence[int]]) -> float | None:
    possible = sum(of for _, of in counts)
    return sum(earned for earned, _ in counts) / possible if possible else None


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
