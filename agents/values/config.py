"""The settings of a value network's training."""

from __future__ import annotations

from pydantic import Field

from agents.training.config import Count, FitSettings, Number, Ramp, Schedule


class ValuesSettings(FitSettings):
    """How the value network is trained, beside how it is fitted (`agents.values.learner`).

    Attributes:
        games: games played per round; the cards they go through are learnt from.
        cards: cards drawn at random per round, beside them.
        td_lambda: lambda of the returns along a game; 0 takes the mean of the planned turn alone.
        exploration: share of the turns in which the plan is disturbed, so that second-best cards are met too.
    """

    games: Count = 1500
    cards: Count = 25_000
    td_lambda: Schedule = Ramp(start=0.0, end=0.0)
    exploration: Number = Field(default=0.12, ge=0, le=1)
