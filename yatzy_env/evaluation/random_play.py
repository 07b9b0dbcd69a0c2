"""What the random player scores on average under the named rulesets: where the normalised score has its zero."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from yatzy_env.files import read_json_object
from yatzy_env.rules import Ruleset

FILE = Path(__file__).with_name("random_play.json")
"""Exact expected scores, written by `scripts/maintain/random_play.py`."""


@cache
def _scores() -> dict[str, float]:
    return {row["digest"]: row["expected_score"] for row in read_json_object(FILE)["rulesets"].values()}


def random_score(rules: Ruleset) -> float | None:
    """The expected score of the player that takes every legal action with equal chance; None where it is not known."""
    return _scores().get(rules.digest)
