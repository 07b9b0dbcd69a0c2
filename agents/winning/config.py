"""The configuration of training for the win, read from YAML."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agents.ppo.config import CONFIGS, Number, Schedule, Whole
from agents.ppo.errors import ConfigError
from yatzy_env.errors import one_line
from yatzy_env.rules import Ruleset
from yatzy_env.rules import ruleset as find_ruleset

CONFIG = CONFIGS / "win.yaml"

_Widths = Annotated[tuple[Annotated[Whole, Field(ge=1, le=4096)], ...], Field(min_length=1, max_length=8)]


class Stage(BaseModel):
    """What both stages of training have in common.

    Attributes:
        hidden: widths of the hidden layers of the network.
        rounds: how often new samples are made and learnt from.
        memory: rounds whose samples are learnt from.
        passes: how often the memory is gone through per round.
        minibatch: samples per update of the weights.
        learning_rate: of Adam, over the rounds.
        averaging: share of the new weights in the averaged weights, per update; the averaged ones play.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    hidden: _Widths
    rounds: Whole = Field(ge=1)
    memory: Whole = Field(ge=1)
    passes: Whole = Field(ge=1)
    minibatch: Whole = Field(ge=1)
    learning_rate: Schedule
    averaging: Number = Field(gt=0, le=1)


class PointsStage(Stage):
    """Learning what a card is worth in points.

    Attributes:
        games: games played per round, whose cards are learnt from.
        cards: cards drawn at random per round, beside those of the games.
    """

    games: Whole = Field(ge=1)
    cards: Whole = Field(ge=0)


class WinStage(Stage):
    """Learning the chance of winning.

    Attributes:
        games: games for two per round.
        stray: standard deviation of what is added to the chances at random when a turn is played, so that second-best
            cards are met too.
    """

    games: Whole = Field(ge=1)
    stray: Number = Field(ge=0)


class WinConfig(BaseModel):
    """Everything that decides what training computes.

    Attributes:
        ruleset: a name of the catalogue, or a mapping with all fields of a ruleset.
        seed: of the weights, the dice and the order of samples.
        points: the first stage.
        win: the second stage.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    ruleset: str | dict[str, Any] = "yatzy"
    seed: Whole = Field(ge=0, lt=2**32)
    points: PointsStage
    win: WinStage

    @property
    def rules(self) -> Ruleset:
        """The ruleset."""
        return find_ruleset(self.ruleset)


def load_config(path: Path = CONFIG) -> WinConfig:
    """Reads a configuration.

    Raises:
        ConfigError: if the file does not exist, is not YAML or not a valid configuration.
    """
    try:
        return WinConfig.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not YAML: {' '.join(str(error).split())}") from error
    except ValidationError as error:
        raise ConfigError(f"{path}: {one_line(error)}") from error
