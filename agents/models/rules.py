"""Which rules a trained agent plays: runs, folders of `models/` and files of weights know their rules."""

from __future__ import annotations

from pathlib import Path

from agents.errors import ModelError
from agents.models.load import model_file
from agents.ppo.weights import read_weights
from agents.values.network import FILE as VALUES
from agents.values.network import read_values
from agents.winning.rests import FILE as WIN
from agents.winning.rests import read_model
from yatzy_env.errors import RulesetError
from yatzy_env.files import read_json_object
from yatzy_env.rules import CATALOGUE, Ruleset, ruleset

_RECORD = "run.json"


def trained_rules(path: Path) -> Ruleset | None:
    """The rules that a run, a folder of `models/` or a file of weights was trained for.

    Returns:
        The rules; None for a network of several rulesets and for a model of other software, which do not say.

    Raises:
        ModelError: if there is no model, it is damaged, or nothing beside it says which rules it was trained for.
    """
    if path.suffix == ".zip":
        return None
    file = model_file(path)
    if file.name == VALUES and file.is_file():
        return read_values(file).rules
    if file.name == WIN and file.is_file():
        return read_model(file).values.rules
    for folder in list(file.parents)[:2]:  # a model stands in its folder, or in a checkpoint of its run
        record = read_json_object(folder / _RECORD, ModelError) if (folder / _RECORD).is_file() else {}
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
