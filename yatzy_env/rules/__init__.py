"""Rules as data: boxes and what they pay, rulesets, and the catalogue of named ones."""

from yatzy_env.rules.boxes import BOXES
from yatzy_env.rules.catalogue import CATALOGUE, options, ruleset, rulesets
from yatzy_env.rules.ruleset import Ruleset

__all__ = ["BOXES", "CATALOGUE", "Ruleset", "options", "ruleset", "rulesets"]
