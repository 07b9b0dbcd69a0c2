"""Bodies of the coach: options with their values and what they lead to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from agents.play.marks import Mark
from agents.play.schemas.common import Answer, Level, Source
from agents.play.schemas.rulesets import ChancesState
from agents.play.session import Session
from agents.play.steps import keep_faces, names_of


class Chance(Answer):
    """The chance, under best play from there, that something is earned in the end."""

    what: Literal["bonus", "box"]
    box: str | None = Field(description="straights and yatzy: the box that would hold points; null for the bonus")
    column: int = Field(description="column of the bonus, from 0")
    probability: float = Field(ge=0, le=1, description="1 or 0 where it is decided")

    @classmethod
    def of(cls, kinds: Sequence[str], chances: NDArray[np.float64]) -> list[Chance]:
        """The chances of all kinds after an action; what rounding put outside of 0 to 1 is put back."""
        return [
            cls(
                what="bonus" if kind == "bonus" else "box",
                box=None if kind == "bonus" else kind,
                column=0,
                probability=chance,
            )
            for kind, chance in zip(kinds, np.clip(chances, 0.0, 1.0).tolist(), strict=True)
        ]


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
    regret: float | None = Field(description="points below the best option; 0 within 0.01")
    weight: float | None = Field(description="source estimate: how strongly the agent prefers it, 0 to 1; else null")
    is_best: bool = Field(description="regret within 0.01; several options can be best")
    mark: Mark | None = Field(description="what choosing it would be marked")
    chances: list[Chance] = Field(description="the why; [] while chances are not ready (SolveStatus.chances)")

    @classmethod
    def of(cls, session: Session, action: int, *, is_best: bool, **known: Any) -> Option:
        """A legal action; `known` holds what is known of its worth: expected, regret, mark and chances, or weight."""
        name, keeps = names_of(session.rules)[action], session.tables.keeps
        scores = action >= keeps
        nothing: dict[str, Any] = {"expected": None, "regret": None, "weight": None, "mark": None, "chances": []}
        return cls(
            type="score" if scores else "keep",
            name=name,
            keep=keep_faces(session.rules, action),
            box=name.removeprefix("score ") if scores else None,
            gain=int(session.gains()[action - keeps]) if scores else None,
            is_best=is_best,
            **nothing | known,
        )


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
    chances: ChancesState
