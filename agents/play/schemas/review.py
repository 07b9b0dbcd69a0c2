"""Bodies after the game: the review, and mistakes to try again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from agents.play.ledger import Balance, Figure, shown_regret, sum_up
from agents.play.marks import NEGLIGIBLE, Mark, Marks
from agents.play.schemas.common import Answer, Face, Request, Source
from agents.play.schemas.game import Card, Choices, Result
from agents.play.schemas.rulesets import MarkLimits
from agents.play.session import Session
from agents.play.steps import Entry, names_of


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

    @classmethod
    def of(cls, balance: Balance, marks: Marks | None) -> Tally:
        """The marks of the real decisions; none where limits were not measured."""
        given = [marks.mark(shown_regret(regret)) for regret in balance.regrets] if marks is not None else []
        return cls(fine=given.count("fine"), small=given.count("small"), big=given.count("big"))


class SeatReview(Answer):
    """What a seat's decisions gave away. mean_regret = regret / real_decisions (null without any)."""

    seat: int
    regret: float
    decisions: int
    real_decisions: int = Field(description="those with more than one choice")
    mean_regret: float | None
    marks: Tally


class CardReview(Answer):
    """The balance of a card: score = optimum + luck - regret, exact."""

    card: int
    seats: list[int]
    score: int
    luck: float
    regret: float
    luck_adjusted: float = Field(description="score - luck")
    real_decisions: int
    mean_regret: float | None
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

    @classmethod
    def of(cls, session: Session, figures: Sequence[Figure], optimum: float, marks: Marks | None) -> Review:
        """The balance of a finished game."""
        cards = []
        for card, seats in enumerate(session.setup.teams):
            own = sum_up(session.entries, figures, "card", card)
            series = [SeriesPoint(entry=-1, turn=0, kind="start", expected=optimum)]
            series += [
                SeriesPoint.fill(entry, figure, entry=number, turn=entry.turn + 1)
                for number, (entry, figure) in enumerate(zip(session.entries, figures, strict=True))
                if entry.card == card
            ]
            score, tally = session.totals[card], Tally.of(own, marks)
            cards.append(
                CardReview.fill(
                    own, card=card, seats=seats, score=score, luck_adjusted=score - own.luck, marks=tally, series=series
                )
            )
        balances = [sum_up(session.entries, figures, "seat", seat) for seat in range(len(session.setup.seats))]
        return cls.fill(
            source="exact",
            optimum=optimum,
            marks=marks,
            cards=cards,
            seats=[SeatReview.fill(own, seat=seat, marks=Tally.of(own, marks)) for seat, own in enumerate(balances)],
            result=Result.of(session),
        )


class Mistake(Answer):
    """A decision to try again, answer hidden."""

    number: int = Field(description="from 0, worst first")
    entry: int = Field(description="index in the log")
    seat: int
    turn: int
    regret: float = Field(description="what was given away")
    played: str = Field(description="what was done, 'keep 5 5'")
    card: Card = Field(description="the card before the decision")
    dice: list[int]
    throws_left: int
    choices: Choices

    @classmethod
    def of(cls, before: Session, number: int, decided: Entry, **given: Any) -> Mistake:
        """A decision in the game before it, by its place among the worst; `given` holds `entry` and `regret`."""
        return cls.fill(
            before,
            number=number,
            turn=before.turn + 1,
            played=names_of(before.rules)[decided.action or 0],
            card=Card.of(before, before.card),
            choices=Choices.of(before),
            **given,
        )


class MistakeList(Answer):
    """The worst decisions of the persons in a finished game, worst first, at most 10."""

    source: Source
    mistakes: list[Mistake]


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
    regret: float
    mark: Mark

    @classmethod
    def of(cls, regret: float, marks: Marks | None) -> Verdict:
        """The verdict on an attempt that gives away `regret`; without limits only the best is fine."""
        regret, is_best = shown_regret(regret), regret <= NEGLIGIBLE
        mark: Mark = marks.mark(regret) if marks is not None else ("fine" if is_best else "small")
        return cls(accepted=mark == "fine", is_best=is_best, regret=regret, mark=mark)
