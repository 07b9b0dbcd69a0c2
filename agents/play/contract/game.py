"""Bodies about a game in play: seats, dice, cards, moves."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from agents.play.contract.common import (
    MAX_SEATS,
    Answer,
    Face,
    Level,
    Mark,
    Phase,
    PlayerName,
    Position,
    Request,
    SeatIndex,
    Source,
    Version,
)


class PersonSeat(Request):
    """A seat for a person."""

    kind: Literal["person"]
    name: PlayerName
    agent: None = None


class AgentSeat(Request):
    """A seat for an available agent; the agent's name is shown."""

    kind: Literal["agent"]
    agent: str = Field(max_length=40)
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


class BoxChoice(Answer):
    """A box that may be filled now."""

    box: str
    points: int = Field(description="what would be written, times its column")
    gain: int = Field(description="points with bonus and extra yatzy bonus")
    is_zero: bool = Field(description="ask before writing it: `score` then needs confirm_zero")
    is_joker: bool = Field(description="scored by the joker rule")


class Choices(Answer):
    """What may be done now (phase `decide`)."""

    may_throw: bool = Field(description="whether a keep is legal; any part of the dice but not all may be held")
    boxes: list[BoxChoice]
    lone_box: str | None = Field(description="the only legal box when nothing else may be done: offer it at once")
    is_joker: bool = Field(description="the dice are a joker")


class LogEntry(Answer):
    """One thing that happened. `loss`, `luck`, `mark`, `best` are null while the coach is off and the game goes on."""

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
    loss: float | None = Field(description="keep, score: points below the best choice; 0 within 0.01")
    mark: Mark | None = Field(description="keep, score; null where forced (only one choice)")
    best: str | None = Field(description="keep, score: a best choice, 'keep 5 5', 'keep nothing' or 'score chance'")


class Result(Answer):
    """How a finished game ended."""

    totals: list[int] = Field(description="by card")
    winners: list[int] = Field(description="cards with the highest total")


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


class GameCreated(Answer):
    """A new game and the key to it."""

    id: str
    token: str = Field(description="secret: send it as X-Game-Token with every request about this game")
    state: GameState


class ThrowMove(Request):
    """The first throw of a person's turn (phase `throw`)."""

    type: Literal["throw"]
    version: Version


class KeepMove(Request):
    """Hold some of the dice and throw the rest (phase `decide`)."""

    type: Literal["keep"]
    version: Version
    dice: list[Face] = Field(max_length=5, description="faces held, any order; fewer than all dice")
    positions: list[Position] | None = Field(
        default=None,
        max_length=5,
        description="where the held dice lie, so that they stay there; must show the same faces. Optional",
    )


class ScoreMove(Request):
    """Fill a box (phase `decide`)."""

    type: Literal["score"]
    version: Version
    box: str = Field(max_length=40)
    confirm_zero: bool = Field(default=False, description="needed to write a zero, except in a lone box")


class DiceMove(Request):
    """The faces of dice thrown by hand (phase `enter`): as many as are awaited."""

    type: Literal["dice"]
    version: Version
    dice: list[Face] = Field(min_length=1, max_length=6)


class UndoMove(Request):
    """Take back the last move."""

    type: Literal["undo"]
    version: Version


class AgentMove(Request):
    """Let the agent on turn make its next step."""

    type: Literal["agent"]
    version: Version


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
