"""The configuration of a training run: read from YAML, changed on the command line, validated as a whole."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import yaml
from pydantic import Field, model_validator

from agents.errors import ConfigError
from agents.ppo.features import Features
from agents.ppo.multitask import GENERALIST, MultiTask, multi_task
from agents.training.config import (
    CONFIGS,
    Count,
    Number,
    Ramp,
    Schedule,
    Settings,
    Whole,
    Widths,
)
from yatzy_env.errors import RulesetError, unknown
from yatzy_env.rules import CATALOGUE, Ruleset, rulesets
from yatzy_env.rules import ruleset as find_ruleset


class Network(Settings):
    """The two networks, of one shape each for policy and value.

    Attributes:
        hidden: widths of the hidden layers.
        activation: the function between layers.
    """

    hidden: Widths = (256, 256)
    activation: Literal["relu", "tanh", "elu", "silu"] = "relu"


class Config(Settings):
    """Everything that decides what a training run computes.

    Attributes:
        ruleset: a name of the catalogue, or a mapping with all fields of a ruleset.
        options: fields of the ruleset to change.
        rulesets: instead of `ruleset`, several of the catalogue that one network learns (`agents.ppo.multitask`).
        seed: of the weights, the dice and the choices.
        total_steps: decisions to train on; the run ends with the first rollout that reaches them.
        num_envs: games played at once.
        rollout_steps: decisions per env between updates.
        minibatch: decisions per update of the weights.
        epochs: how often each decision is used.
        learning_rate: of Adam.
        entropy: weight of the entropy bonus.
        gae_lambda: lambda of generalised advantage estimation.
        chance_samples: throws per decision that its luck is estimated with (`agents.ppo.luck`); 0 leaves the luck in.
        improvement_share: share of the decisions with a policy improvement loss (`agents.ppo.improvement`).
        improvement_weight: weight of that loss.
        improvement_temperature: points that make an action e times as likely in its targets.
        gamma: discount; 1, as the score counts the same whenever it is made.
        clip_range: how far the probability ratio may move per rollout.
        value_weight: weight of the value loss.
        max_gradient_norm: longer gradients are shortened to this.
        reward_scale: rewards are points times this.
        features: what the networks read: the `observation`, or also the edge of the `bonus` (`agents.ppo.features`).
        network: the networks.
        precision: of the matrix products; `auto` takes bfloat16 where the processor has instructions for it.
        microbatch: rows that go through the networks at once during an update.
        ema: share of the new weights in their exponential moving average, per update.
        checkpoint_minutes: time between checkpoints.
        eval_minutes: time between evaluations of the network for the log.
    """

    RENAMED: ClassVar[Mapping[str, str]] = {
        "lanes": "num_envs",
        "throws": "chance_samples",
        "slice_rows": "microbatch",
        "averaging": "ema",
        "look_minutes": "eval_minutes",
        "lesson_share": "improvement_share",
        "lesson_weight": "improvement_weight",
        "lesson_temperature": "improvement_temperature",
    }

    ruleset: str | dict[str, Any] | None = None
    options: dict[str, Any] = Field(default_factory=dict)
    rulesets: tuple[str, ...] = ()
    seed: Whole = Field(default=1, ge=0, lt=2**32)
    total_steps: Count
    num_envs: Whole = Field(default=1024, ge=1, le=1 << 20)
    rollout_steps: Whole = Field(default=16, ge=1, le=1 << 20)
    minibatch: Whole = Field(default=512, ge=2)
    epochs: Whole = Field(default=3, ge=1, le=100)
    learning_rate: Schedule = Ramp(start=2e-3, end=0.0)
    entropy: Schedule = Ramp(start=0.05, end=0.0)
    gae_lambda: Schedule = Ramp(start=0.9, end=0.4)
    chance_samples: Whole = Field(default=8, ge=0, le=256)
    improvement_share: Number = Field(default=0.05, ge=0, le=1)
    improvement_weight: Number = Field(default=0.5, ge=0)
    improvement_temperature: Schedule = Ramp(start=2.0, end=0.2)
    gamma: Number = Field(default=1.0, gt=0, le=1)
    clip_range: Number = Field(default=0.2, gt=0, lt=1)
    value_weight: Number = Field(default=0.5, gt=0)
    max_gradient_norm: Number = Field(default=0.5, gt=0)
    reward_scale: Number = Field(default=0.02, gt=0)
    features: Features = "bonus"
    network: Network = Network()
    precision: Literal["auto", "bfloat16", "float32"] = "auto"
    microbatch: Count = 512
    ema: Number = Field(default=0.001, gt=0, le=1)
    checkpoint_minutes: Number = Field(default=5.0, gt=0)
    eval_minutes: Number = Field(default=5.0, gt=0)

    @classmethod
    def modernise(cls, fields: Mapping[Any, Any]) -> dict[Any, Any]:
        """The fields with the keys of today; a list of one ruleset is that ruleset, and where none is said, yatzy."""
        fields = super().modernise(fields)
        if (actions := fields.pop("actions", "keeps")) != "keeps":
            raise ConfigError(f"actions = {actions!r}; allowed: 'keeps', as keeps are named by the dice kept")
        several = fields.get("rulesets") or []
        if "beside" in fields:
            others = fields.pop("beside")
            if not isinstance(others, list | tuple):
                raise ConfigError(f"beside = {others!r}; allowed: a list of rulesets")
            several = [fields.get("ruleset") or (several or ["yatzy"])[0], *others]
            fields |= {"ruleset": None, "rulesets": several}
        if fields.get("ruleset") is None and len(several) < 2:
            fields |= {"ruleset": several[0] if several else "yatzy", "rulesets": []}
        return fields

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        rollout = self.num_envs * self.rollout_steps
        if rollout % self.minibatch:
            raise ValueError(f"minibatch = {self.minibatch} must divide num_envs x rollout_steps = {rollout}")
        if max(self.gae_lambda.start, self.gae_lambda.end) > 1:
            raise ValueError(f"gae_lambda = {self.gae_lambda.start} to {self.gae_lambda.end} must lie in 0..1")
        if not min(self.improvement_temperature.start, self.improvement_temperature.end) > 0:
            ends = f"{self.improvement_temperature.start} to {self.improvement_temperature.end}"
            raise ValueError(f"improvement_temperature = {ends} must lie above 0")
        if self.rulesets:
            self._check_rulesets()
        elif isinstance(self.ruleset, str) and self.ruleset not in CATALOGUE:
            raise ValueError(unknown("ruleset", self.ruleset, CATALOGUE))
        _ = self.rules  # raises for fields that do not fit
        return self

    def _check_rulesets(self) -> None:
        for name in self.rulesets:
            if name not in CATALOGUE:
                raise ValueError(f"rulesets: {unknown('ruleset', name, CATALOGUE)}")
        if self.ruleset is not None:
            raise ValueError(f"ruleset = {self.ruleset!r} and rulesets exclude each other")
        if self.options:
            raise ValueError("rulesets: only rulesets of the catalogue without options can share a network")
        if self.num_envs < len(self.rulesets):
            raise ValueError(f"num_envs = {self.num_envs} are too few for {len(self.rulesets)} rulesets")
        try:
            _ = self.tasks
        except RulesetError as error:
            raise ValueError(f"rulesets: {error}") from error

    @property
    def name(self) -> str:
        """What the run and its network are called: the ruleset, or `generalist` if there are several."""
        return GENERALIST if self.rulesets else self.rules.name

    @property
    def rules(self) -> Ruleset:
        """The ruleset with its options; the first one if there are several."""
        rules = find_ruleset(self.rulesets[0] if self.ruleset is None else self.ruleset)
        return rules.replace(**self.options) if self.options else rules

    @property
    def tasks(self) -> MultiTask:
        """All rulesets that the network learns, and how they share its inputs and actions."""
        rulesets = tuple(CATALOGUE[name] for name in self.rulesets) if self.rulesets else (self.rules,)
        return multi_task(rulesets, self.features)

    @property
    def rollout(self) -> int:
        """Decisions per rollout."""
        return self.num_envs * self.rollout_steps


def training_configs(folder: Path = CONFIGS) -> list[str]:
    """The names of the configurations in a folder that are for `train.py`: those that say how many steps to train."""
    steps = re.compile(r"^total_steps:", re.MULTILINE)
    return sorted(path.stem for path in folder.glob("*.yaml") if steps.search(path.read_text(encoding="utf-8")))


def find_config(name: str, folder: Path = CONFIGS) -> Path:
    """The configuration file of a ruleset.

    Raises:
        ConfigError: if there is none.
    """
    names = training_configs(folder)
    if name in names:
        return folder / f"{name}.yaml"
    if name in rulesets():
        raise ConfigError(
            f"no configuration for ruleset {name!r} in {folder}; there are: {', '.join(names) or 'none'} "
            "(--config FILE names another one)"
        )
    raise ConfigError(unknown("ruleset", name, [*names, *(other for other in rulesets() if other not in names)]))


def override(config: Config, changes: Sequence[tuple[str, str]]) -> Config:
    """Changes single values, and validates the whole.

    Args:
        config: the configuration.
        changes: dotted keys (`network.hidden`, dashes count as underscores) with values as YAML text.

    Raises:
        ConfigError: for an unknown key or values that do not fit.
    """
    fields = config.model_dump(mode="json")
    for name, text in changes:
        first, dot, rest = name.replace("-", "_").partition(".")
        key = Config.RENAMED.get(first, first) + dot + rest
        try:
            value = yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise ConfigError(f"command line: {name} = {text!r} is not a YAML value") from error
        *path, last = key.split(".")
        place = fields
        for part in path:
            if part not in place:
                raise ConfigError(f"command line: {unknown('key', name, place)}")
            place = place[part]
            if not isinstance(place, dict):
                raise ConfigError(f"command line: {name}: {part} has no keys")
        place[last] = value
    return Config.parse(fields, "command line")
