"""The configuration of a training run: a row of a YAML file, changed on the command line, validated as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Self

import yaml
from pydantic import Field, model_validator

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
from agents.values.config import ValuesSettings
from yatzy_env.errors import unknown
from yatzy_env.rules import CATALOGUE, Ruleset, rulesets
from yatzy_env.rules import ruleset as find_ruleset

CONFIG = CONFIGS / "training.yaml"
"""A row of settings per ruleset."""

GENERALIST = "generalist"
"""What a network of several rulesets is called, and its configuration, its runs and its folder in `models/`."""


class PolicySettings(Settings):
    """How the policy network is trained (`agents.ppo.learner`).

    Attributes:
        hidden: widths of the hidden layers.
        rounds: turns that every game plays.
        games: games played at once.
        copies: how often each turn is played; the first copy goes on.
        minibatch: cards per update of the weights, in all their copies.
        epochs: how often each round's situations are used.
        learning_rate: of Adam, over the rounds.
        entropy: weight of the entropy, in points: actions that are worth this much less end up e times less likely.
        clip_range: how far a probability's ratio may move per round.
        floor: share of the weight that legal actions better than the policy have in any case, divided evenly:
            the softmax gives an action that it hardly ever draws hardly any.
        max_gradient_norm: longer gradients are shortened to this.
        ema: share of the new weights in the averaged weights, per update; the averaged ones play.
        precision: of the matrix products of updates; play is always float32.
    """

    hidden: Widths = (512, 256)
    rounds: Count = 3000
    games: Count = 1024
    copies: Count = 16
    minibatch: Count = 128
    epochs: Count = 1
    learning_rate: Schedule = Ramp(start=2e-3, end=0.0)
    entropy: Schedule = Ramp(start=2.0, end=0.1, shape="geometric")
    clip_range: Number = Field(default=0.2, gt=0, lt=1)
    floor: Schedule = Ramp(start=0.0, end=0.0)
    max_gradient_norm: Number = Field(default=0.5, gt=0)
    ema: Number = Field(default=0.002, gt=0, le=1)
    precision: Literal["bfloat16", "float32"] = "bfloat16"

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.games % self.minibatch:
            raise ValueError(f"minibatch = {self.minibatch} must divide games = {self.games}")
        if not min(self.entropy.start, self.entropy.end) > 0:
            raise ValueError(f"entropy = {self.entropy.start} to {self.entropy.end} must lie above 0")
        return self


class Config(Settings):
    """Everything that decides what a training run computes.

    Attributes:
        ruleset: a name of the catalogue, or a mapping with all fields of a ruleset.
        options: fields of the ruleset to change.
        rulesets: instead of `ruleset`, several of the catalogue that one pair of networks learns.
        seed: of the weights, the dice and everything that is drawn.
        values: how the value network is trained, first.
        policy: how the policy network is trained, by turns planned with the value network.
        checkpoint_minutes: time between checkpoints.
        eval_minutes: time between evaluations for the log.
    """

    ruleset: str | dict[str, Any] | None = None
    options: dict[str, Any] = Field(default_factory=dict)
    rulesets: tuple[str, ...] = ()
    seed: Whole = Field(default=1, ge=0, lt=2**32)
    values: ValuesSettings = ValuesSettings()
    policy: PolicySettings = PolicySettings()
    checkpoint_minutes: Number = Field(default=2.0, gt=0)
    eval_minutes: Number = Field(default=5.0, gt=0)

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        names = [*self.rulesets, *([self.ruleset] if isinstance(self.ruleset, str) else [])]
        for name in names:
            if name not in CATALOGUE:
                raise ValueError(unknown("ruleset", name, CATALOGUE))
        if (self.ruleset is None) == (not self.rulesets):
            raise ValueError("say either ruleset or rulesets")
        if self.rulesets and (self.options or len(set(self.rulesets)) < len(self.rulesets)):
            raise ValueError("rulesets: only different rulesets of the catalogue without options can share networks")
        if self.policy.games < len(self.rulesets):
            raise ValueError(f"policy.games = {self.policy.games} are too few for {len(self.rulesets)} rulesets")
        _ = self.rules  # raises for fields that do not fit
        return self

    @property
    def name(self) -> str:
        """What the run and its networks are called: the ruleset, or `generalist` if there are several."""
        return GENERALIST if self.rulesets else self.rules[0].name

    @property
    def rules(self) -> list[Ruleset]:
        """The rulesets that are learnt."""
        if self.rulesets:
            return [CATALOGUE[name] for name in self.rulesets]
        assert self.ruleset is not None  # validated
        rules = find_ruleset(self.ruleset)
        return [rules.replace(**self.options) if self.options else rules]


def training_configs(path: Path = CONFIG) -> list[str]:
    """The names of the rows of a file: rulesets that have a configuration, and `generalist`."""
    return list(read_yaml(path))


def find_config(name: str, path: Path | None = None) -> Config:
    """The configuration of a ruleset: its row in the file, over the defaults.

    Args:
        name: a row of the file.
        path: the file, a mapping of names to settings; the shipped one if None.

    Raises:
        ConfigError: if there is no such row, or its settings do not fit.
    """
    path = CONFIG if path is None else path
    rows = read_yaml(path)
    if name not in rows:
        others = [other for other in rulesets() if other not in rows]
        if name in others:
            raise ConfigError(
                f"no configuration for ruleset {name!r} in {path}; there are: {', '.join(map(str, rows))}"
            )
        raise ConfigError(f"{path}: {unknown('ruleset', name, [*map(str, rows), *others])}")
    fields = mapping(rows[name] or {}, f"{path}: {name}")
    if not {"ruleset", "rulesets"} & fields.keys():
        fields["ruleset"] = name
    config = Config.parse(fields, f"{path}: {name}")
    if config.name != name:
        raise ConfigError(f"{path}: {name}: this is for {config.name!r}")
    return config


def config_for(rules: Ruleset) -> Config:
    """The configuration of a ruleset: its row if it is one of the catalogue, the defaults if it is one's own."""
    if rules.name in training_configs() and rules == CATALOGUE.get(rules.name):
        return find_config(rules.name)
    return Config(ruleset=rules.model_dump(mode="json"))


def override(config: Config, changes: Sequence[tuple[str, str]]) -> Config:
    """Changes single values, and validates the whole.

    Args:
        config: the configuration.
        changes: dotted keys (`policy.hidden`, dashes count as underscores) with values as YAML text.

    Raises:
        ConfigError: for an unknown key or values that do not fit.
    """
    fields = config.model_dump(mode="json")
    for name, text in changes:
        try:
            value = yaml.safe_load(text)
        except (yaml.YAMLError, RecursionError, ValueError) as error:
            raise ConfigError(f"command line: {name} is not a YAML value: {text[:80]!r}") from error
        *path, last = name.replace("-", "_").split(".")
        place = fields
        for part in path:
            if part not in place:
                raise ConfigError(f"command line: {unknown('key', name, place)}")
            place = place[part]
            if not isinstance(place, dict):
                raise ConfigError(f"command line: {name}: {part} has no keys")
        place[last] = value
    return Config.parse(fields, "command line")
