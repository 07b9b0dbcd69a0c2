"""The configuration of a value network's training, read from YAML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import Field

from agents.errors import ConfigError
from agents.training.config import (
    CONFIGS,
    Count,
    FitSettings,
    Number,
    Ramp,
    Schedule,
    Whole,
    mapping,
    read_yaml,
)
from yatzy_env.errors import unknown
from yatzy_env.rules import Ruleset
from yatzy_env.rules import ruleset as find_ruleset

CONFIG = CONFIGS / "values.yaml"
"""A row of settings per ruleset."""


class ValuesConfig(FitSettings):
    """Everything that decides what training computes, beside how the network is fitted.

    Attributes:
        ruleset: a name of the catalogue, or a mapping with all fields of a ruleset.
        seed: of the weights, the dice, the cards and the order of samples.
        games: games played per round; the cards they go through are learnt from.
        cards: cards drawn at random per round, beside them.
        td_lambda: lambda of the returns along a game; 0 takes the mean of the planned turn alone.
        exploration: share of the turns in which the plan is disturbed, so that second-best cards are met too.
        checkpoint_minutes: time between checkpoints.
    """

    ruleset: str | dict[str, Any]
    seed: Whole = Field(default=1, ge=0, lt=2**32)
    games: Count = 1500
    cards: Count = 25_000
    td_lambda: Schedule = Ramp(start=0.0, end=0.0)
    exploration: Number = Field(default=0.12, ge=0, le=1)
    checkpoint_minutes: Number = Field(default=1.0, gt=0)

    @property
    def rules(self) -> Ruleset:
        """The ruleset."""
        return find_ruleset(self.ruleset)


def values_config(name: str, seed: int = 1, path: Path = CONFIG) -> ValuesConfig:
    """The configuration of a ruleset: its row in the file, over the defaults.

    Args:
        name: a ruleset of the catalogue.
        seed: of everything that is drawn.
        path: the file, a mapping of rulesets to settings.

    Raises:
        ConfigError: if there is no such row, or its settings do not fit.
    """
    rows = read_yaml(path)
    if name not in rows:
        raise ConfigError(f"{path}: {unknown('ruleset', name, rows)}")
    return ValuesConfig.parse({"ruleset": name, "seed": seed, **mapping(rows[name] or {}, name)}, f"{path}: {name}")
