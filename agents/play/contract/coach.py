"""Bodies of the coach: options with their values and what they lead to."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from agents.play.contract.common import Answer, Level, Mark, Source


class Chance(Answer):
    """The chance, under best play from there, that something is earned in the end."""

    what: Literal["bonus", "box"]
    box: str | None = Field(description="straights and yatzy: the box that would hold points; null for the bonus")
    column: int = Field(description="column of the bonus, from 0")
    probability: float = Field(ge=0, le=1, description="1 or 0 where it is decided")


class Option(Answer):
    """Something that may be done now. Keeps that hold the same dice are one option."""

    type: Literal["keep", "score"]
    name: str = Field(description="'keep 5 5', 'keep nothing', 'score chance'")
    keep: list[int] | None
    box: str | None
    gain: int | None = Field(description="score: points gained at once")
    expected: float | None = Field(
        description="expected final score of this card; null where an agent only has preferences (source estimate)"
    )
    loss: float | None = Field(description="points below the best option; 0 within 0.01")
    weight: float | None = Field(description="source estimate: how strongly the agent prefers it, 0 to 1; else null")
    is_best: bool = Field(description="loss within 0.01; several options can be best")
    mark: Mark | None = Field(description="what choosing it would be marked")
    chances: list[Chance] = Field(description="the why; [] while chances are not ready (SolveStatus.chances)")


class Advice(Answer):
    """The coach's answer.

    `source` exact: from the stored optimum. estimate: from `estimator` (an agent's own view), to be labelled as that.
    none: nothing is known; the page offers to solve. With level `hints` only the best options are listed.
    """

    version: int
    seat: int
    source: Source
    estimator: str | None = Field(description="agent whose estimate this is")
    level: Level
    expected: float | None = Field(description="expected final score before the decision, under best play from here")
    options: list[Option] = Field(description="best first")
    forced: bool = Field(description="there is only one option")
    chances: Literal["ready", "missing", "working", "impossible"]
