"""One model for several rulesets: which shipped model plays rules that none was trained for, and how it reads them.

A network reads observations and what is added to them. Two rulesets with the same dice, throws and boxes have the same
actions, and inputs that differ in at most three blocks: `upper` and `bonus` are missing where there is no bonus,
`yatzy_fifty` where nothing more is paid for a further yatzy. A reused model reads a missing block as the constant that
says the same (`_MISSING`), and does not see a block it was trained without. Both are changes of its first layer alone,
so that it plays like any other.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from agents.errors import ModelError
from agents.models.digest import MODELS
from agents.ppo.features import PER_COLUMN, input_blocks
from agents.ppo.multitask import GENERALIST
from agents.ppo.weights import PolicyWeights
from yatzy_env.envs.observation import Block
from yatzy_env.files import read_json_object
from yatzy_env.rules import CATALOGUE, Ruleset

TABLE = "reuse.json"
"""In the folder of shipped models: which ruleset's model a ruleset without one of its own reuses."""

_SAME = ("dice", "throws", "boxes", "columns", "saved_throws")  # what decides actions and the sizes of most blocks
_MISSING = {
    "upper": (0.0, 0.0, 1.0, 0.0, 0.0),  # a filled column that has its bonus: upper sums have nothing more to earn
    "bonus": (1.0, *[0.0] * (PER_COLUMN - 1)),  # no points missing
    "yatzy_fifty": (0.0,),  # the yatzy box holds no points: nothing more to earn
}


def shipped_names(models: Path = MODELS) -> list[str]:
    """The rulesets with a shipped model of their own, in the order of the catalogue, others after them."""
    found = {path.parent.name for path in models.glob("*/weights.npz")} - {GENERALIST}
    return [*(name for name in CATALOGUE if name in found), *sorted(found - CATALOGUE.keys())]


def reused_names(models: Path = MODELS) -> dict[str, str]:
    """The table of reuse: by ruleset, the ruleset whose model it plays with.

    Raises:
        ModelError: if the table is damaged.
    """
    path = models / TABLE
    if not path.is_file():
        return {}
    table = read_json_object(path, ModelError)
    if not all(isinstance(model, str) for model in table.values()):
        raise ModelError(f"{path}: damaged (not a table of names)")
    return table


def nearest_model(rules: Ruleset, models: Path = MODELS) -> str:
    """The name of the shipped model that plays a ruleset best: one for these very rules, else one to be reused.

    Args:
        rules: the ruleset; one with changed options goes by the name it was made from.
        models: the folder of shipped models.

    Raises:
        ModelError: if none is shipped, or the one to be reused does not fit.
    """
    names = shipped_names(models)
    same = [name for name in names if name in CATALOGUE and CATALOGUE[name].digest == rules.digest]
    if same:
        return same[0]
    wanted = rules.name if rules.name in names else reused_names(models).get(rules.name, rules.name)
    if wanted not in names:
        planned = f" (it reuses the one for {wanted!r})" if wanted != rules.name else ""
        raise ModelError(
            f"no trained model for ruleset {rules.name!r} is shipped{planned}; there are: {', '.join(names) or 'none'}"
        )
    if wanted in CATALOGUE:  # others were trained for rules that only their run knows: `PPOAgent` compares the digests
        check_reusable(CATALOGUE[wanted], rules)
    return wanted


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


def adapt(weights: PolicyWeights, rules: Ruleset) -> PolicyWeights:
    """A network, trained for a ruleset of the catalogue, that plays other rules.

    Returns:
        The network with a first layer for the observations of `rules`; the same one if it was trained for them.

    Raises:
        ModelError: if it does not fit.
    """
    if weights.ruleset_digest == rules.digest:
        return weights
    own = CATALOGUE.get(weights.ruleset)
    if own is None or own.digest != weights.ruleset_digest:
        raise ModelError(
            f"the model was trained for rules called {weights.ruleset!r} that are not in the catalogue; "
            "only models for rulesets of the catalogue can be reused"
        )
    check_reusable(own, rules)
    weights.check(own)
    layers, values = (
        _adapted(layers, input_blocks(own, weights.features), input_blocks(rules, weights.features))
        for layers in (weights.layers, weights.value_layers)
    )
    return replace(weights, layers=layers, value_layers=values, ruleset=rules.name, ruleset_digest=rules.digest)


def _adapted(layers: tuple, own: list[Block], wanted: list[Block]) -> tuple:
    """The layers with a first one that reads other blocks than its own."""
    if not layers:
        return layers
    (weight, bias), *others = layers
    theirs = {block.name: block for block in wanted}
    reads = np.zeros((len(weight), sum(block.size for block in theirs.values())), np.float32)
    bias = bias.copy()
    for block in own:
        if block.name in theirs:
            reads[:, _entries(theirs[block.name])] = weight[:, _entries(block)]
        else:
            bias += weight[:, _entries(block)] @ np.resize(np.array(_MISSING[block.name], np.float32), block.size)
    return ((reads, bias), *others)


def _entries(block: Block) -> slice:
    return slice(block.start, block.start + block.size)


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
