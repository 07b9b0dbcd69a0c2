"""Which rules a trained agent plays: runs, folders of `models/` and files of networks know their rules."""

from __future__ import annotations

from pathlib import Path

from agents.errors import ModelError
from agents.models.load import model_file
from agents.observing.weights import read_weights
from agents.ppo.policy import FILE as POLICY
from agents.ppo.policy import PolicyNetwork
from agents.values.network import FILE as VALUES
from agents.values.network import ValueNetwork
from agents.winning.rests import FILE as WIN
from agents.winning.rests import read_model
from yatzy_env.errors import RulesetError
from yatzy_env.files import read_record
from yatzy_env.rules import CATALOGUE, Ruleset, ruleset

_RECORD = "run.json"
_KINDS = {POLICY: PolicyNetwork, VALUES: ValueNetwork}


def trained_rules(path: Path) -> Ruleset | None:
    """The rules that a run, a folder of `models/` or a file of a network was trained for.

    Returns:
        The rules; None for a network of several rulesets and for a model of other software, which do not say.

    Raises:
        ModelError: if there is no model, it is damaged, or nothing beside it says which rules it was trained for.
    """
    if path.suffix == ".zip":
        return None
    file = model_file(path)
    if file.name in _KINDS and file.is_file():
        rulesets, _ = _KINDS[file.name].read_layers(file)
        return rulesets[0] if len(rulesets) == 1 else None
    if file.name == WIN and file.is_file():
        return read_model(file).rules
    for folder in list(file.parents)[:2]:  # a model stands in its folder, or in a checkpoint of its run
        record = read_record(folder / _RECORD, ModelError) if (folder / _RECORD).is_file() else {}
        if "rulesets" in record:
            return None
        if "ruleset" in record:
            try:
                return ruleset(record["ruleset"])
            except RulesetError as error:
                raise ModelError(f"{folder / _RECORD}: {error}") from error
    return _by_digest(file)


def _by_digest(file: Path) -> Ruleset | None:
    """The ruleset of the catalogue that a file without a record was trained for."""
    weights = read_weights(file)
    if weights.rulesets:
        return None
    found = [rules for rules in CATALOGUE.values() if rules.digest == weights.ruleset_digest]
    if not found:
        raise ModelError(
            f"{file}: trained for rules called {weights.ruleset!r} that only its run knows; name the run's folder"
        )
    return found[0]
