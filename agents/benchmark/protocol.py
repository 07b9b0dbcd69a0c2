"""The protocol: read from YAML, validated as a whole, identified by a digest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from agents.distilled import DistilledSettings
from agents.ppo.config import Config
from agents.registry import BASELINES
from agents.sb3 import A2CSettings, DQNSettings, UnmaskedPPOSettings
from agents.training.config import CONFIGS, AlgorithmSettings, Count, Settings
from yatzy_env.errors import unknown
from yatzy_env.evaluation.seeds import FINAL
from yatzy_env.files import json_sha256
from yatzy_env.rules import CATALOGUE, Ruleset, options, ruleset

PROTOCOL = CONFIGS / "protocol.yaml"

UNTRAINED = (*BASELINES, "optimal")
"""Agents that do not train, weakest first."""

_FORMAT = 1
"""Part of the digest: raised when results are measured in another way."""

SET_BY_TASK = frozenset({"ruleset", "options", "rulesets", "seed", "total_steps"})
"""Keys of a training configuration that a task decides."""


class PPOSettings(AlgorithmSettings):
    """PPO with masks, as `train.py` trains it.

    Attributes:
        config: name of a file in `configs/`, without ending, that holds the hyper-parameters.
        changes: keys of that file to change.
    """

    kind: Literal["ppo"] = "ppo"
    config: str = "yatzy"
    changes: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _valid(self) -> Self:
        taken = sorted(SET_BY_TASK & {Config.RENAMED.get(key, key) for key in self.changes})
        if taken:
            raise ValueError(f"changes of ppo may not hold {', '.join(taken)}: the protocol sets them")
        if self.base.rulesets:  # or raises for keys and values that do not fit
            raise ValueError(f"config = {self.config!r} is for a network of several rulesets; a task has one")
        return self

    @property
    def base(self) -> Config:
        """The configuration without ruleset, seed and steps of a task."""
        path = CONFIGS / f"{self.config}.yaml"
        changes = {Config.RENAMED.get(key, key): value for key, value in self.changes.items()}
        return Config.parse(Config.read(path).model_dump(mode="json") | changes, f"changes of {path.name}")

    def config_for(self, rules: Ruleset, steps: int, seed: int) -> Config:
        """The configuration of a task."""
        fields = self.base.model_dump(mode="json")
        if rules.name in CATALOGUE:
            fields |= {"ruleset": rules.name, "options": options(rules)}
        else:
            fields |= {"ruleset": rules.model_dump(mode="json"), "options": {}}
        often, never = 1e-6, 1e9  # minutes: every checkpoint is evaluated here; training makes no evaluations itself
        fields |= {"total_steps": steps, "seed": seed, "checkpoint_minutes": often, "eval_minutes": never}
        return Config.parse(fields, "protocol")


class EvalSettings(Settings):
    """How networks are measured.

    Attributes:
        games: games of the final result.
        seed: seed of their dice, a final one.
        curve_points: evaluations of each training run, evenly spaced, the last at its end.
        curve_games: games of each of them.
        curve_seed: seed of their dice, not a final one.
    """

    games: Count = 2000
    seed: Annotated[int, Field(strict=True, ge=FINAL)] = FINAL
    curve_points: Count = 10
    curve_games: Count = 200
    curve_seed: Annotated[int, Field(strict=True, ge=0, lt=FINAL)] = 502


Algorithm = Annotated[
    PPOSettings | UnmaskedPPOSettings | A2CSettings | DQNSettings | DistilledSettings, Field(discriminator="kind")
]


class Protocol(Settings):
    """What the benchmark runs.

    Attributes:
        rulesets: names to play, of the catalogue or of `own`.
        own: further rulesets by name, with all their fields.
        steps: decisions each algorithm trains on, unless it says less itself.
        seeds: how many training runs of each: seeds 1 to this number.
        evaluation: how networks are measured.
        untrained: agents without training to measure beside.
        algorithms: what trains, by the name in the table.
    """

    rulesets: tuple[str, ...] = Field(min_length=1)
    own: dict[str, dict[str, Any]] = Field(default_factory=dict)
    steps: Count
    seeds: Count
    evaluation: EvalSettings = EvalSettings()
    untrained: tuple[str, ...] = UNTRAINED
    algorithms: dict[str, Algorithm] = Field(min_length=1)

    @model_validator(mode="after")
    def _known(self) -> Self:
        for what, names, known in (
            ("ruleset", self.rulesets, [*CATALOGUE, *self.own]),
            ("untrained agent", self.untrained, UNTRAINED),
        ):
            for name in names:
                if name not in known:
                    raise ValueError(unknown(what, name, known))
        for name in self.own:
            self.rules(name)  # or raises for fields that do not fit
        if both := sorted(set(self.untrained) & set(self.algorithms)):
            raise ValueError(f"algorithms: {both[0]} is the name of an agent without training")
        for name, settings in self.algorithms.items():
            if settings.against is not None and settings.against not in self.algorithms:
                raise ValueError(f"{name}.against: {unknown('algorithm', settings.against, self.algorithms)}")
            if settings.against == name:
                raise ValueError(f"{name}.against = {name}: an algorithm is compared with another")
        return self

    def rules(self, name: str) -> Ruleset:
        """The ruleset of a name.

        Raises:
            RulesetError: if its fields do not fit.
        """
        return ruleset({**self.own[name], "name": name} if name in self.own else name)

    @property
    def digest(self) -> str:
        """A SHA-256 over all that results depend on; more seeds, rulesets or algorithms leave finished ones valid."""
        fields = {"format": _FORMAT, "steps": self.steps, "evaluation": self.evaluation.model_dump(mode="json")}
        return json_sha256(fields)

    def only(self, names: Iterable[str]) -> Protocol:
        """The protocol with some of its algorithms; what was compared with another one stands for itself."""
        chosen = {name: self.algorithms[name] for name in dict.fromkeys(names)}
        algorithms = {
            name: settings if settings.against in chosen else settings.model_copy(update={"against": None})
            for name, settings in chosen.items()
        }
        return self.model_copy(update={"algorithms": algorithms})

    def steps_of(self, algorithm: str) -> int:
        """The decisions an algorithm trains on."""
        own = self.algorithms[algorithm].steps
        return self.steps if own is None else min(self.steps, own)

    def settings_digest(self, algorithm: str) -> str:
        """A SHA-256 over the settings of an algorithm, those it reads from other files included."""
        settings = self.algorithms[algorithm]
        fields = settings.as_first_named(settings.model_dump(mode="json", exclude={"steps", "against"}))
        if isinstance(settings, PPOSettings):
            base = settings.base.model_dump(mode="json", exclude={"ruleset", "options", "seed"})
            # `actions` is a key of earlier versions, whose results stay valid.
            fields = {"kind": "ppo", "actions": "keeps"} | without_empty(Config.as_first_named(base))
        return json_sha256(fields)


def without_empty(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that hold something: a key that configurations gain and leave empty keeps finished results valid."""
    return {name: value for name, value in fields.items() if value not in (None, [], {}, "")}
