"""Bodies about a game in play: seats, dice, cards, moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from agents.play.ledger import Figure, shown_regret
from agents.play.marks import Mark, Marks
from agents.play.schemas.common import (
    MAX_SEATS,
    Answer,
    Face,
    Level,
    PlayerName,
    Position,
    Request,
    SeatIndex,
    Source,
    Version,
)
from agents.play.schemas.rulesets import par_of
from agents.play.session import Phase, Session
from agents.play.steps import keep_faces, names_of
from yatzy_env.card import open_upper_points

LOG_IN_STATE = 60


class PersonSeat(Request):
    """A seat for a person."""

    kind: Literal["person"]
    name: PlayerName
    agent: None = None


class AgentSeat(Request):
    """A seat for an available agent; the agent's name is shown."""

    kind: Literal["agent"]
    agent: str = Field(max_length=400)
    name: None = None


NewSeat = Annotated[PersonSeat | AgentSeat, Field(discriminator="kind")]


class NewGame(Request):
    """A game to be set up."""

    ruleset: str = Field(max_length=60)
    seats: list[NewSeat] = Field(min_length=1, max_length=MAX_SEATS)
    teams: list[list[SeatIndex]] | None = Field(
        default=None,
        max_length=MAX_SEATS,
        description="seats of each card in the order of play, each seat once; null: a card per seat. A team's members "
        "take the turns of its card in rotation",
    )
    coach: Level = "off"
    real_dice: bool = Field(default=False, description="dice are thrown by hand and typed in")
    hidden_totals: bool = Field(default=False, description="totals are null until the game is finished")


class Seat(Answer):
    """Who sits where."""

    index: int
    kind: Literal["person", "agent"]
    name: str
    agent: str | None
    card: int = Field(description="the card it plays on")

    @classmethod
    def of(cls, session: Session) -> list[Seat]:
        """All seats of a game."""
        setup = session.setup
        return [cls.fill(seat, index=index, card=setup.card_of(index)) for index, seat in enumerate(setup.seats)]


class Turn(Answer):
    """Whose turn it is."""

    seat: int
    card: int
    number: int = Field(description="turn of this card, from 1")
    of: int = Field(description="turns of a card")
    is_agent: bool


class Cell(Answer):
    """A box on a card. `points` null: open."""

    box: str
    points: int | None


class Upper(Answer):
    """The upper section of a column."""

    sum: int
    par: float | None = Field(description="what the closed upper boxes would hold at par; null without bonus")
    ahead: float | None = Field(description="sum minus par")
    status: Literal["secured", "open", "out_of_reach", "none"] = Field(description="none: the rules have no bonus")
    missing: int = Field(description="points still missing to the bonus; 0 once secured or without bonus")
    bonus: int = Field(description="bonus points earned, times the column")

    @classmethod
    def of(cls, session: Session, number: int, column: int) -> Upper:
        """The upper section of a column of a card."""
        card, now = session.tables.card, session.games.now
        total, filled = int(now.upper[number, column]), int(now.filled[number])
        if not card.bonus_threshold:
            return cls(sum=total, par=None, ahead=None, status="none", missing=0, bonus=0)
        par = sum(par_of(session.rules, face) or 0.0 for face in range(1, 7) if card.upper_box[column, face] & filled)
        missing = max(card.bonus_threshold - total, 0)
        in_reach = missing <= open_upper_points(card, filled, column)
        return cls(
            sum=total,
            par=par,
            ahead=total - par,
            status="secured" if not missing else ("open" if in_reach else "out_of_reach"),
            missing=missing,
            bonus=0 if missing else card.bonus_points * int(card.multiplier[column]),
        )


class Card(Answer):
    """A score card. Totals are null while `hidden_totals` hides them."""

    index: int
    seats: list[int] = Field(description="its seats; they take turns")
    cells: list[Cell] = Field(description="as RulesetInfo.boxes")
    upper: list[Upper] = Field(description="per column")
    column_totals: list[int] | None = Field(description="per column, bonus included")
    extra: int = Field(description="points of further yatzys")
    saved_throws: int = Field(description="throws in the pool; 0 where the rules save none")
    total: int | None

    @classmethod
    def of(cls, session: Session, number: int, hidden: bool = False) -> Card:
        """A card of a game; `hidden` leaves its totals out."""
        card, games = session.tables.card, session.games
        written = games.written[number].tolist()
        upper = [Upper.of(session, number, column) for column in range(card.columns)]
        columns = [
            sum(points for box, points in enumerate(written) if points > 0 and card.column[box] == column) + part.bonus
            for column, part in enumerate(upper)
        ]
        saved = 0
        if session.tables.saved_throws and games.now.filled[number] != card.all_boxes:
            made = session.throw if number == session.card else 0
            saved = int(games.now.throws_left[number]) + (not made) - max(session.tables.throws - made, 0)
        names = session.rules.box_names
        return cls(
            index=number,
            seats=list(session.setup.teams[number]),
            cells=[
                Cell(box=name, points=None if points < 0 else points)
                for name, points in zip(names, written, strict=True)
            ],
            upper=upper,
            column_totals=None if hidden else columns,
            extra=session.totals[number] - sum(columns),
            saved_throws=saved,
            total=None if hidden else session.totals[number],
        )


class BoxChoice(Answer):
    """A box that may be filled now."""

    box: str
    points: int = Field(description="what would be written, times its column")
    gain: int = Field(description="points with bonus and extra yatzy bonus")
    is_zero: bool = Field(description="ask before writing it: `score` then needs confirm_zero")
    is_joker: bool = Field(description="scored by the joker rule")

    @classmethod
    def of(cls, session: Session, box: int) -> BoxChoice:
        """What filling a legal box would do now."""
        tables, card, roll = session.tables, session.tables.card, session.games.now.roll[session.card]
        plain = int(tables.points[int(session.is_joker), box, roll])
        return cls(
            box=session.rules.box_names[box],
            points=plain * int(card.multiplier[card.column[box]]),
            gain=int(session.gains()[box]),
            is_zero=plain == 0,
            is_joker=session.is_joker and plain != int(tables.points[0, box, roll]),
        )


class Choices(Answer):
    """What may be done now (phase `decide`)."""

    may_throw: bool = Field(description="whether a keep is legal; any part of the dice but not all may be held")
    boxes: list[BoxChoice]
    lone_box: str | None = Field(description="the only legal box when nothing else may be done: offer it at once")
    is_joker: bool = Field(description="the dice are a joker")

    @classmethod
    def of(cls, session: Session) -> Choices | None:
        """The choices in a game; None unless a decision is awaited."""
        if session.phase != "decide":
            return None
        boxes = [BoxChoice.of(session, int(box)) for box in np.flatnonzero(session.gains() >= 0)]
        may_throw = session.throws_left > 0
        lone = boxes[0].box if len(boxes) == 1 and not may_throw else None
        return cls.fill(session, may_throw=may_throw, boxes=boxes, lone_box=lone)


class LogEntry(Answer):
    """One thing that happened. `regret`, `luck`, `mark`, `best` are null in a game without coach until its end."""

    index: int
    seat: int
    card: int
    turn: int = Field(description="of the card, from 1")
    kind: Literal["throw", "keep", "score"]
    dice: list[int] = Field(description="throw: all dice after it; keep, score: the dice decided on")
    thrown: list[bool] = Field(description="throw: which of the dice were thrown; empty otherwise")
    keep: list[int] | None = Field(description="keep: the faces held")
    box: str | None = Field(description="score: the box")
    points: int | None = Field(description="score: points written")
    gain: int | None = Field(description="score: with bonus and extra")
    luck: float | None = Field(description="throw: what it changed the expected final score by")
    regret: float | None = Field(description="keep, score: points below the best choice; 0 within 0.01")
    mark: Mark | None = Field(description="keep, score; null where forced (only one choice)")
    best: str | None = Field(description="keep, score: a best choice, 'keep 5 5', 'keep nothing' or 'score chance'")

    @classmethod
    def of(cls, session: Session, number: int, figure: Figure | None, marks: Marks | None) -> LogEntry:
        """An entry of a game's log; without its figures where they are not given."""
        entry, names = session.entries[number], names_of(session.rules)
        decided = entry.action is not None
        regret = shown_regret(figure.regret) if figure is not None and decided else None
        name = names[entry.action] if entry.action is not None else ""
        return cls.fill(
            entry,
            index=number,
            turn=entry.turn + 1,
            keep=keep_faces(session.rules, entry.action) if entry.action is not None else None,
            box=name.removeprefix("score ") if entry.kind == "score" else None,
            luck=figure.luck if figure is not None and not decided else None,
            regret=regret,
            mark=marks.mark(regret) if marks is not None and regret is not None and entry.choices > 1 else None,
            best=names[figure.best] if figure is not None and figure.best is not None else None,
        )

    @classmethod
    def page(
        cls, session: Session, figures: Sequence[Figure] | None, marks: Marks | None, start: int, most: int
    ) -> list[LogEntry]:
        """Entries of the log from `start` on, with figures where they are given."""
        numbers = range(len(session.entries))[start : start + most]
        return [cls.of(session, number, figures[number] if figures is not None else None, marks) for number in numbers]


class Result(Answer):
    """How a finished game ended."""

    totals: list[int] = Field(description="by card")
    winners: list[int] = Field(description="cards with the highest total")

    @classmethod
    def of(cls, session: Session) -> Result:
        """How a game ended."""
        totals = session.totals
        return cls.fill(session, winners=[card for card, total in enumerate(totals) if total == max(totals)])


class GameState(Answer):
    """A game as it stands."""

    id: str
    ruleset: str
    version: int
    created: str = Field(description="ISO 8601, UTC")
    phase: Phase
    turn: Turn | None = Field(description="null when finished")
    seats: list[Seat]
    cards: list[Card]
    dice: list[int] = Field(description="faces on the table by position; kept dice stay where they are; [] if none")
    thrown: list[bool] = Field(description="which of them the last throw threw")
    held: list[int] = Field(description="phase enter: faces that stay on the table; otherwise []")
    awaited: int = Field(description="phase enter: how many faces are awaited; otherwise 0")
    throw: int = Field(description="throws made this turn")
    throws_left: int = Field(description="throws still possible this turn, saved ones included")
    choices: Choices | None = Field(description="phase decide, persons and agents alike")
    can_undo: bool
    coach: Level
    real_dice: bool
    hidden_totals: bool
    source: Source = Field(description="where the coach's figures come from for this ruleset, now")
    seed_digest: str | None = Field(description="SHA-256 of the seed; null with real dice")
    seed: str | None = Field(description="null until finished, and with real dice")
    log: list[LogEntry] = Field(description="the last 60 entries")
    log_length: int
    result: Result | None

    @classmethod
    def of(
        cls, session: Session, figures: Sequence[Figure] | None, marks: Marks | None, hidden_totals: bool, **given: Any
    ) -> GameState:
        """A game as the page shows it.

        Args:
            session: the game.
            figures: figures of the log, None to leave them out.
            marks: limits of the marks.
            hidden_totals: whether totals are hidden while it goes on.
            given: what the game itself does not know: `id`, `coach`, `source`.
        """
        finished, waiting = session.is_finished, session.phase == "enter"
        lying = [face for face in session.dice if face]
        boxes, is_agent = session.tables.card.boxes, session.agent is not None
        return cls.fill(
            session,
            session.setup,
            ruleset=session.rules.name,
            turn=None if finished else Turn.fill(session, number=session.turn + 1, of=boxes, is_agent=is_agent),
            seats=Seat.of(session),
            cards=[
                Card.of(session, number, hidden_totals and not finished) for number in range(len(session.setup.teams))
            ],
            dice=lying if waiting else session.dice,
            thrown=[] if waiting else session.thrown,
            held=lying if waiting else [],
            choices=Choices.of(session),
            hidden_totals=hidden_totals,
            log=LogEntry.page(session, figures, marks, max(len(session.entries) - LOG_IN_STATE, 0), LOG_IN_STATE),
            log_length=len(session.entries),
            result=Result.of(session) if finished else None,
            **given,
        )


class GameCreated(Answer):
    """A new game and the key to it."""

    id: str
    token: str = Field(description="secret: send it as X-Game-Token with every request about this game")
    state: GameState


class AnyMove(Request):
    """What all moves have: the version of the game they were made on."""

    version: Version


class ThrowMove(AnyMove):
    """The first throw of a person's turn (phase `throw`)."""

    type: Literal["throw"]


class KeepMove(AnyMove):
    """Hold some of the dice and throw the rest (phase `decide`)."""

    type: Literal["keep"]
    dice: list[Face] = Field(max_length=5, description="faces held, any order; fewer than all dice")
    positions: list[Position] | None = Field(
        default=None,
        max_length=5,
        description="where the held dice lie, so that they stay there; must show the same faces. Optional",
    )


class ScoreMove(AnyMove):
    """Fill a box (phase `decide`)."""

    type: Literal["score"]
    box: str = Field(max_length=40)
    confirm_zero: bool = Field(default=False, description="needed to write a zero, except in a lone box")


class DiceMove(AnyMove):
    """The faces of dice thrown by hand (phase `enter`): as many as are awaited."""

    type: Literal["dice"]
    dice: list[Face] = Field(min_length=1, max_length=6)


class UndoMove(AnyMove):
    """Take back the last move."""

    type: Literal["undo"]


class AgentMove(AnyMove):
    """Let the agent on turn make its next step."""

    type: Literal["agent"]


Move = Annotated[
    ThrowMove | KeepMove | ScoreMove | DiceMove | UndoMove | AgentMove,
    Field(discriminator="type"),
]


class Settings(Request):
    """Settings of a running game; fields left out stay. They change no version."""

    coach: Level | None = None
    hidden_totals: bool | None = None


class LogPage(Answer):
    """Log entries from `start` on, at most 500."""

    start: int
    length: int = Field(description="entries of the whole log")
    entries: list[LogEntry]
