"""The configuration of training for the win, read from YAML."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from agents.training.config import CONFIGS, Count, FitSettings, Whole
from yatzy_env.rules import Ruleset
from yatzy_env.rules import ruleset as find_ruleset

CONFIG = CONFIGS / "win.yaml"


class WinConfig(FitSettings):
    """Everything that decides what training computes, beside how the network is fitted.

    Attributes:
        ruleset: a name of the catalogue, or a mapping with all fields of a ruleset; one column, no saved throws.
        values: the file or run of the ruleset's value network; the shipped one if None.
        seed: of the weights, the dice, the cards and the order of samples.
        games: games played per round; the cards they go through are learnt from.
        cards: cards drawn at random per round, beside them.
    """

    ruleset: str | dict[str, Any] = "yatzy"
    values: str | None = None
    seed: Whole = Field(default=1, ge=0, lt=2**32)
    games: Count = 400
    cards: Count = 12_000

    @property
    def rules(self) -> Ruleset:
        """The ruleset."""
        return find_ruleset(self.ruleset)
