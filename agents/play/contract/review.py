"""Bodies after the game: the review, and lessons from its worst decisions."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from agents.play.contract.common import Answer, Face, Mark, Request, Source
from agents.play.contract.game import Card, Choices, Result
from agents.play.contract.rulesets import MarkLimits


class SeriesPoint(Answer):
    """The expected final score after something happened."""

    entry: int = Field(description="index in the log; -1 before the first throw")
    turn: int
    kind: Literal["start", "throw", "keep", "score"]
    expected: float


class Tally(Answer):
    """Decisions counted by their marks; forced ones are left out."""

    fine: int
    small: int
    big: int


class SeatReview(Answer):
    """What a seat's decisions gave away. mean_loss = loss / real_decisions (null without any)."""

    seat: int
    loss: float
    decisions: int
    real_decisions: int = Field(description="those with more than one choice")
    mean_loss: float | None
    marks: Tally


class CardReview(Answer):
    """The balance of a card: score = optimum + luck - loss, exact."""

    card: int
    seats: list[int]
    score: int
    luck: float
    loss: float
    luck_adjusted: float = Field(description="score - luck")
    real_decisions: int
    mean_loss: float | None
    marks: Tally
    series: list[SeriesPoint]


class Review(Answer):
    """The balance of a finished game; `cards` and `seats` are empty where `source` is not exact."""

    source: Source
    optimum: float | None
    marks: MarkLimits | None
    cards: list[CardReview]
    seats: list[SeatReview]
    result: Result


class Lesson(Answer):
    """A decision to try again, answer hidden."""

    number: int = Field(description="from 0, worst first")
    entry: int = Field(description="index in the log")
    seat: int
    turn: int
    loss: float = Field(description="what was given away")
    played: str = Field(description="what was done, 'keep 5 5'")
    card: Card = Field(description="the card before the decision")
    dice: list[int]
    throws_left: int
    choices: Choices


class LessonList(Answer):
    """The worst decisions of the persons in a finished game, worst first, at most 10."""

    source: Source
    lessons: list[Lesson]


class KeepAttempt(Request):
    """Try holding dice."""

    type: Literal["keep"]
    dice: list[Face] = Field(max_length=5)


class ScoreAttempt(Request):
    """Try filling a box."""

    type: Literal["score"]
    box: str = Field(max_length=40)


Attempt = Annotated[KeepAttempt | ScoreAttempt, Field(discriminator="type")]


class Verdict(Answer):
    """How good an attempt is. It is accepted where its mark is fine."""

    accepted: bool
    is_best: bool
    loss: float
    mark: Mark
