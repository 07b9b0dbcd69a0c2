"""What a game is made of: its setup, the steps that were taken, and the lines of its log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from yatzy_env.envs.multiplayer_rules import checked_teams
from yatzy_env.errors import YatzyError
from yatzy_env.files import sha256
from yatzy_env.multisets import dice_of
from yatzy_env.rules import Ruleset
from yatzy_env.situation import Situation
from yatzy_env.tables import action_names, compile_tables

StepKind = Literal["throw", "keep", "score", "dice", "undo"]


class GameError(YatzyError):
    """A step that the game does not allow now. `code` is for programs, the message for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class SeatPlan:
    """Who sits on a seat: a person, or an agent known by `agent`."""

    name: str
    agent: str | None = None

    @property
    def kind(self) -> Literal["person", "agent"]:
        """Who sits there."""
        return "person" if self.agent is None else "agent"


@dataclass(frozen=True)
class Setup:
    """What a game is, before anything happens.

    Attributes:
        rules: the ruleset.
        seats: one to six seats.
        teams: the seats of each card by number, in the order of play.
        created: when, as ISO 8601 text in UTC.
        seed: text that the dice follow from; None where people throw dice by hand.
    """

    rules: Ruleset
    seats: tuple[SeatPlan, ...]
    teams: tuple[tuple[int, ...], ...]
    created: str
    seed: str | None

    @property
    def real_dice(self) -> bool:
        """Whether dice are thrown by hand and typed in."""
        return self.seed is None

    @property
    def seed_digest(self) -> str | None:
        """The SHA-256 of the seed, which may be shown before the game."""
        return None if self.seed is None else sha256(self.seed.encode("ascii"))

    def card_of(self, seat: int) -> int:
        """The card that a seat plays on."""
        return next(card for card, team in enumerate(self.teams) if seat in team)


@dataclass(frozen=True)
class Step:
    """One step of a game.

    Attributes:
        kind: "throw" the first dice of a turn, "keep" some dice and throw the rest, "score" a box, "dice" typed in,
            "undo" the step before.
        action: of a keep or score, the index in the action space.
        dice: of a keep, the positions of the dice held; of "dice", the faces typed in.
    """

    kind: StepKind
    action: int | None = None
    dice: tuple[int, ...] = ()

    def plain(self) -> list[Any]:
        """The step as JSON values."""
        return [self.kind, self.action, list(self.dice)]

    @staticmethod
    def from_plain(values: Sequence[Any]) -> Step:
        """Reads what `plain` wrote."""
        kind, action, faces = values
        return Step(kind, action, tuple(faces))


@dataclass(frozen=True)
class Entry:
    """One line of the log.

    Attributes:
        kind: "throw", "keep" or "score".
        seat: who did it.
        card: on which card.
        turn: turn of the card, from 0.
        situation: a throw leads to it, a keep or score was decided in it.
        total: points of the card before it.
        dice: the dice of the situation by position.
        thrown: of a throw, which positions were thrown.
        action: of a keep or score, its index in the action space.
        points: of a score, points written.
        gain: of a score, points with bonus and extra bonus.
        choices: of a keep or score, how many different things could have been done.
    """

    kind: Literal["throw", "keep", "score"]
    seat: int
    card: int
    turn: int
    situation: Situation
    total: int
    dice: tuple[int, ...]
    thrown: tuple[bool, ...] = ()
    action: int | None = None
    points: int | None = None
    gain: int | None = None
    choices: int = 0


@lru_cache(maxsize=64)
def names_of(rules: Ruleset) -> tuple[str, ...]:
    """The name of every action, such as "keep 5 5" or "score chance"; `tables.action_names`, made once."""
    return tuple(action_names(rules))


def keep_faces(rules: Ruleset, action: int) -> list[int] | None:
    """The faces a keep holds; None for a box."""
    tables = compile_tables(rules)
    return None if action >= tables.keeps else list(dice_of(tables.counts[action].tolist()))


@lru_cache(maxsize=64)
def action_numbers(rules: Ruleset) -> dict[str, int]:
    """The index of every action by its name."""
    return {name: index for index, name in enumerate(names_of(rules))}


def make_setup(
    rules: Ruleset, seats: Sequence[SeatPlan], teams: Sequence[Sequence[int]] | None, created: str, seed: str | None
) -> Setup:
    """Checks teams and makes a setup.

    Args:
        rules: the ruleset.
        seats: one to six.
        teams: the seats of each card; None gives every seat a card.
        created: when, as ISO 8601 text.
        seed: ASCII text for the dice; None where they are typed in.

    Raises:
        YatzyError: if the teams do not hold every seat once.
    """
    if len(seats) == 1:
        if teams is not None and [list(team) for team in teams] != [[0]]:
            raise YatzyError(f"teams = {teams!r}; allowed with one seat: [[0]]")
        return Setup(rules, tuple(seats), ((0,),), created, seed)
    return Setup(rules, tuple(seats), checked_teams(len(seats), teams), created, seed)
