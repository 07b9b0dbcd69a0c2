"""The configuration of training for the win, read from YAML."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field

from agents.training.config import CONFIGS, Count, FitSettings, Number, Settings, Whole
from yatzy_env.rules import Ruleset
from yatzy_env.rules import ruleset as find_ruleset

CONFIG = CONFIGS / "win.yaml"


class PointsStage(FitSettings):
    """Learning what a card is worth in points.

    Attributes:
        games: games played per round, whose cards are learnt from.
        cards: cards drawn at random per round, beside those of the games.
    """

    RENAMED: ClassVar[Mapping[str, str]] = {"averaging": "ema"}

    games: Count
    cards: Whole = Field(ge=0)


class WinStage(FitSettings):
    """Learning the chance of winning.

    Attributes:
        games: games for two per round.
        exploration_noise: standard deviation of what is added to the chances at random when a turn is played, so that
            second-best cards are met too.
    """

    RENAMED: ClassVar[Mapping[str, str]] = {"averaging": "ema", "stray": "exploration_noise"}

    games: Count
    exploration_noise: Number = Field(ge=0)


class WinConfig(Settings):
    """Everything that decides what training computes.

    Attributes:
        ruleset: a name of the catalogue, or a mapping with all fields of a ruleset.
        seed: of the weights, the dice and the order of samples.
        points: the first stage.
        win: the second stage.
    """

    ruleset: str | dict[str, Any] = "yatzy"
    seed: Whole = Field(ge=0, lt=2**32)
    points: PointsStage
    win: WinStage

    @property
    def rules(self) -> Ruleset:
        """The ruleset."""
        return find_ruleset(self.ruleset)
