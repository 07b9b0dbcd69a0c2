"""The protocol: read from YAML, validated as a whole, identified by a digest.

Nothing here or in `agents.benchmark.execute` knows a learner by name. One is a function of a module,

    def train(make_env, rules, steps, seed, report, **settings):
        ...
        return agent

`make_env()` makes a Gymnasium environment of the ruleset `rules`, `make_env(64)` a vector environment of 64 games
(`agents.benchmark.envs`); their dice are training dice, and what is played in them is counted. The function trains for
`steps` decisions, by `seed` alone, and now and then, after every update or so, calls `report(make_agent)`, which
measures what `make_agent()` returns if it is time, and is quick if it is not. One that does not play in these
environments says itself how many decisions are behind it: `report(make_agent, decisions)`. An agent is what
`evaluate.py` takes from `module:factory`: an `Agent`, a function of observations and masks, or a torch module that
rates the actions; or several of them by name, of one run. `settings` come from the protocol.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from agents.registry import BASELINES
from agents.training.config import CONFIGS, Count, Number, Settings
from yatzy_env.errors import unknown
from yatzy_env.evaluation.seeds import FINAL
from yatzy_env.files import json_sha256
from yatzy_env.rules import CATALOGUE, Ruleset, ruleset
from yatzy_env.solver import can_solve

PROTOCOL = CONFIGS / "protocol.yaml"

UNTRAINED = (*BASELINES, "optimal")
"""Agents that do not train, weakest first."""

_FORMAT = 2
"""Part of the digest: raised when results are measured in another way."""


class AlgorithmSettings(Settings):
    """An algorithm that trains.

    Attributes:
        kind: the learner, `module:function`.
        settings: its keyword arguments beside those that all get.
        steps: decisions to train on; None for as many as the protocol compares after.
        learns_from_optimum: whether figures of the exact solution are in its training; tables say so.
        against: the algorithm it is compared with; nothing that is trained or measured depends on it.
    """

    kind: str
    settings: dict[str, Any] = Field(default_factory=dict)
    steps: Count | None = None
    learns_from_optimum: bool = False
    against: str | None = None


class EvalSettings(Settings):
    """How agents are measured.

    Attributes:
        games: games of the results that count.
        seed: seed of their dice, a final one.
        curve_points: evaluations of each training run, each after twice as many decisions as the one before, the last
            at its end.
        curve_games: games of each of them.
        curve_seed: seed of their dice, not a final one.
    """

    games: Count = 2000
    seed: Annotated[int, Field(strict=True, ge=FINAL)] = FINAL
    curve_points: Count = 10
    curve_games: Count = 200
    curve_seed: Annotated[int, Field(strict=True, ge=0, lt=FINAL)] = 502


class Protocol(Settings):
    """What the benchmark runs.

    Attributes:
        rulesets: names to play, of the catalogue or of `own`, which have to be solvable.
        own: further rulesets by name, with all their fields.
        checks: rulesets that agents without training play too, outside the averages.
        steps: decisions after which algorithms are compared.
        minutes: minutes of CPU time after which they are compared too.
        seeds: how many training runs of each: seeds 1 to this number.
        evaluation: how agents are measured.
        untrained: agents without training to measure beside.
        algorithms: what trains, by the name in the table.
    """

    rulesets: tuple[str, ...] = Field(min_length=1)
    own: dict[str, dict[str, Any]] = Field(default_factory=dict)
    checks: tuple[str, ...] = ()
    steps: Count
    minutes: Number = Field(gt=0)
    seeds: Count
    evaluation: EvalSettings = EvalSettings()
    untrained: tuple[str, ...] = UNTRAINED
    algorithms: dict[str, AlgorithmSettings] = Field(min_length=1)

    @model_validator(mode="after")
    def _known(self) -> Self:
        for what, names, known in (
            ("ruleset", (*self.rulesets, *self.checks), [*CATALOGUE, *self.own]),
            ("untrained agent", self.untrained, UNTRAINED),
        ):
            for name in names:
                if name not in known:
                    raise ValueError(unknown(what, name, known))
        for name in dict.fromkeys((*self.rulesets, *self.checks, *self.own)):
            if not can_solve(self.rules(name)):  # or raises for fields that do not fit
                raise ValueError(f"ruleset {name!r} has no exact optimum to measure by")
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
        measured = {"steps": self.steps, "minutes": self.minutes, "evaluation": self.evaluation.model_dump(mode="json")}
        return json_sha256({"format": _FORMAT, **measured})

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
        return self.algorithms[algorithm].steps or self.steps

    def settings_digest(self, algorithm: str) -> str:
        """A SHA-256 over what an algorithm's results depend on."""
        settings = self.algorithms[algorithm]
        return json_sha256({"kind": settings.kind, "settings": settings.settings, "steps": self.steps_of(algorithm)})
