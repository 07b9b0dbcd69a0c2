"""Rules with options of one's own: which shipped model plays them, and how its networks read and answer.

A network's inputs and outputs have keys (`agents.training.shared`). Rulesets with the same dice, throws and boxes share
most of them. What both know keeps its weights. An input that the rules in play lack counts as the constant that says
the same, one that is new is not seen; an end that is new is rated like the nearest one of its box. All are changes of
the first and last layer alone, so that an adapted network plays like any other.
"""

from __future__ import annotations

import json
from collections.abc import Hashable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from agents.errors import ModelError
from agents.models.digest import MODELS
from agents.observing.weights import FILE as WEIGHTS
from agents.ppo.config import GENERALIST
from agents.ppo.policy import FILE as POLICY
from agents.training.ruled import RuledNetwork
from yatzy_env.rules import CATALOGUE, Ruleset

POLICIES = (POLICY, WEIGHTS)
"""Files that play as `ppo`, the first one that is there."""

_SAME = ("dice", "throws", "boxes", "columns", "saved_throws")  # what decides keeps, boxes and most inputs
_Network = TypeVar("_Network", bound=RuledNetwork)


def shipped_names(models: Path = MODELS, files: tuple[str, ...] = POLICIES) -> list[str]:
    """The rulesets with a shipped network in one of some files, in the order of the catalogue, others after them."""
    found = {path.parent.name for file in files for path in models.glob(f"*/{file}")} - {GENERALIST}
    return [*(name for name in CATALOGUE if name in found), *sorted(found - CATALOGUE.keys())]


def nearest_model(rules: Ruleset, models: Path = MODELS, files: tuple[str, ...] = POLICIES) -> str:
    """The name of the shipped model that plays a ruleset best: one for these very rules, else one to be reused.

    Args:
        rules: the ruleset; one with changed options goes by the name it was made from.
        models: the folder of shipped models.
        files: which networks are asked for.

    Raises:
        ModelError: if none is shipped, or the one to be reused does not fit.
    """
    names = shipped_names(models, files)
    same = [name for name in names if name in CATALOGUE and CATALOGUE[name].digest == rules.digest]
    if same:
        return same[0]
    if rules.name not in names:
        what = "trained model" if files == POLICIES else "value network"
        raise ModelError(f"no {what} for ruleset {rules.name!r} is shipped; there are: {', '.join(names) or 'none'}")
    if rules.name in CATALOGUE:  # others were trained for rules that only their run knows
        check_reusable(CATALOGUE[rules.name], rules)
    return rules.name


def check_reusable(own: Ruleset, rules: Ruleset) -> None:
    """Checks that a model can play other rules than its own, for which it was trained.

    Raises:
        ModelError: naming the first field that keeps it from it.
    """
    for field in _SAME:
        ours, theirs = getattr(own, field), getattr(rules, field)
        if ours != theirs:
            raise ModelError(
                f"the model for {own.name!r} cannot play {field} = {_short(theirs)}; it was trained with {_short(ours)}"
            )


def adapt(network: _Network, rules: Ruleset) -> _Network:
    """A network that plays other rules than those it was trained for; the same one if it was trained for them.

    Raises:
        ModelError: if it does not fit.
    """
    own = network.rules
    if own.digest == rules.digest:
        return network
    check_reusable(own, rules)
    (weight, bias), *others = network.layers
    wanted = {key: place for place, key in enumerate(network.input_keys(rules))}
    reads, bias = np.zeros((len(weight), len(wanted)), np.float32), bias.copy()
    for place, key in enumerate(network.input_keys(own)):
        if key in wanted:
            reads[:, wanted[key]] = weight[:, place]
        elif _is_secured(key):
            bias += weight[:, place]
    layers = [(reads, bias), *others]
    known = {key: place for place, key in enumerate(network.output_keys(own))}
    places = [known[_nearest(key, known)] for key in network.output_keys(rules)]
    weight, bias = layers[-1]
    layers[-1] = np.ascontiguousarray(weight[places]), bias[places]
    return type(network)(rules, tuple(layers))


def _is_secured(key: Hashable) -> bool:
    """Whether an input says that a column has its bonus: 1 where there is none to be had, as all others are 0."""
    return isinstance(key, tuple) and key[0] == "bonus" and key[2] == "0"


def _nearest(key: Any, known: dict[Any, int]) -> Any:
    """The same output, or the end of the same box with the nearest points, then extra bonus."""
    if key in known:
        return key
    _, box, points, extra = key
    ends = [other for other in known if other[:2] == ("end", box)]
    return min(ends, key=lambda other: (abs(other[2] - points), abs(other[3] - extra)))


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
