"""Bodies of records: history, statistics, an exported game."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from agents.play.contract.common import Answer
from agents.play.contract.game import Seat


class HistoryGame(Answer):
    """A finished game of a person. Review and export need its token."""

    id: str
    ruleset: str
    finished: str = Field(description="ISO 8601, UTC")
    score: int
    opponents: list[str]
    won: bool = Field(description="highest total, shared or alone; true when alone at the table")
    players: int
    loss: float | None
    luck: float | None
    mean_loss: float | None


class Statistics(Answer):
    """A person's figures in one ruleset."""

    ruleset: str
    games: int
    wins: int = Field(description="of the games with opponents")
    games_with_opponents: int
    mean: float
    best: int
    worst: int
    bonus_rate: float | None = Field(description="share of columns that earned the bonus; null without bonus")
    yatzy_rate: float | None = Field(description="share of yatzy boxes that held points; null without that box")
    mean_loss: float | None = Field(description="points given away per game, over the games where it is known")


class PlayerRecord(Answer):
    """History (newest first, at most 200 games) and statistics of a person."""

    name: str
    games: list[HistoryGame]
    statistics: list[Statistics]


class ExportedMove(Answer):
    """One decision with the dice it was made on."""

    card: int
    seat: int
    turn: int
    dice: list[int]
    throws_left: int
    action: str = Field(description="'keep 5 5', 'keep nothing', 'score full_house'")


class ExportedGame(Answer):
    """A game as a file. `scripts/evaluate.py --replay FILE` reads it and measures every decision."""

    format: Literal["yatzy-env game"]
    format_version: Literal[1]
    ruleset: dict[str, int | str | bool | list[int] | list[str]] = Field(description="all fields of the ruleset")
    seats: list[Seat]
    teams: list[list[int]]
    created: str
    finished: bool
    real_dice: bool
    seed_digest: str | None
    seed: str | None = Field(description="null until finished, and with real dice")
    moves: list[ExportedMove]
    totals: list[int]
