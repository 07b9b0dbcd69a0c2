"""The configuration of a value network's training, read from YAML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import Field

from agents.errors import ConfigError
from agents.training.config import (
    CONFIGS,
    Count,
    Number,
    Ramp,
    Schedule,
    Settings,
    Whole,
    Widths,
    mapping,
    read_yaml,
)
from yatzy_env.errors import unknown
from yatzy_env.rules import Ruleset
from yatzy_env.rules import ruleset as find_ruleset

CONFIG = CONFIGS / "values.yaml"
"""A row of settings per ruleset."""


class ValuesConfig(Settings):
    """Everything that decides what training computes.

    Attributes:
        ruleset: a name of the catalogue, or a mapping with all fields of a ruleset.
        seed: of the weights, the dice, the cards and the order of samples.
        hidden: widths of the hidden layers.
        rounds: how often new samples are made and learnt from.
        games: games played per round; the cards they go through are learnt from.
        cards: cards drawn at random per round, beside them.
        memory: rounds whose samples are learnt from.
        passes: how often the memory is gone through per round.
        minibatch: samples per update of the weights.
        learning_rate: of Adam, over the rounds.
        ema: share of the new weights in the averaged weights, per update; the averaged ones play.
        td_lambda: lambda of the returns along a game; 0 takes the mean of the planned turn alone.
        exploration: share of the turns in which the plan is disturbed, so that second-best cards are met too.
        checkpoint_minutes: time between checkpoints.
    """

    ruleset: str | dict[str, Any]
    seed: Whole = Field(default=1, ge=0, lt=2**32)
    hidden: Widths = (256, 256)
    rounds: Count = 80
    games: Count = 1500
    cards: Count = 25_000
    memory: Count = 4
    passes: Count = 2
    minibatch: Count = 512
    learning_rate: Schedule = Ramp(start=2e-3, end=0.0)
    ema: Number = Field(default=0.01, gt=0, le=1)
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
