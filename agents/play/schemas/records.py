"""Bodies of records: history, statistics, an exported game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import Field

from agents.play.schemas.common import Answer
from agents.play.schemas.game import Seat
from agents.play.session import Session
from agents.play.steps import Entry, names_of
from agents.play.store import Result
from yatzy_env.rules import Ruleset

MOST_GAMES = 200


class HistoryGame(Answer):
    """A finished game of a person. Review and export need its token."""

    id: str
    ruleset: str
    finished: str = Field(description="ISO 8601, UTC")
    score: int
    opponents: list[str]
    won: bool = Field(description="highest total, shared or alone; true when alone at the table")
    players: int
    regret: float | None
    luck: float | None
    mean_regret: float | None

    @classmethod
    def of(cls, result: Result) -> HistoryGame:
        """A stored result."""
        fields = result.fields
        known = {name: value for name, value in fields.items() if name in cls.model_fields}
        known |= {"players": fields["cards"], "regret": fields["loss"], "mean_regret": fields["mean_loss"]}
        return cls(id=result.game, finished=result.finished, **known)


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
    mean_regret: float | None = Field(description="points given away per game, over the games where it is known")

    @classmethod
    def of(cls, ruleset: str, rows: Sequence[dict[str, Any]]) -> Statistics:
        """The figures of some results, by their fields."""
        scores = [row["score"] for row in rows]
        contested = [row for row in rows if row["cards"] > 1]
        regrets = [row["loss"] for row in rows if row["loss"] is not None]
        return cls(
            ruleset=ruleset,
            games=len(rows),
            wins=sum(row["won"] for row in contested),
            games_with_opponents=len(contested),
            mean=sum(scores) / len(scores),
            best=max(scores),
            worst=min(scores),
            bonus_rate=_rate([row["bonus"] for row in rows]),
            yatzy_rate=_rate([row["yatzy"] for row in rows]),
            mean_regret=sum(regrets) / len(regrets) if regrets else None,
        )


def _rate(counts: Sequence[Sequence[int]]) -> float | None:
    possible = sum(of for _, of in counts)
    return sum(earned for earned, _ in counts) / possible if possible else None


class PlayerRecord(Answer):
    """History (newest first, at most 200 games) and statistics of a person."""

    name: str
    games: list[HistoryGame]
    statistics: list[Statistics]

    @classmethod
    def of(cls, name: str, results: Sequence[Result]) -> PlayerRecord:
        """The record of a person's results, newest first."""
        by_ruleset: dict[str, list[dict[str, Any]]] = {}
        for one in results:
            by_ruleset.setdefault(one.fields["ruleset"], []).append(one.fields)
        return cls(
            name=name,
            games=[HistoryGame.of(one) for one in results[:MOST_GAMES]],
            statistics=[Statistics.of(ruleset, rows) for ruleset, rows in sorted(by_ruleset.items())],
        )


class ExportedMove(Answer):
    """One decision with the dice it was made on."""

    card: int
    seat: int
    turn: int
    dice: list[int]
    throws_left: int
    action: str = Field(description="'keep 5 5', 'keep nothing', 'score full_house'")

    @classmethod
    def of(cls, rules: Ruleset, entries: Sequence[Entry]) -> list[ExportedMove]:
        """The decisions in a log."""
        names = names_of(rules)
        return [
            cls.fill(entry, entry.situation, turn=entry.turn + 1, dice=sorted(entry.dice), action=names[entry.action])
            for entry in entries
            if entry.action is not None
        ]


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

    @classmethod
    def of(cls, session: Session) -> ExportedGame:
        """A game as a file."""
        return cls.fill(
            session,
            session.setup,
            format="yatzy-env game",
            format_version=1,
            ruleset=session.rules.model_dump(mode="json"),
            seats=Seat.of(session),
            finished=session.is_finished,
            moves=ExportedMove.of(session.rules, session.entries),
        )
