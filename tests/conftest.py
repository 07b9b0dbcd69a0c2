"""Fixtures shared by all tests."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from yatzy_env.rules import Ruleset, ruleset, rulesets
from yatzy_env.tables import Tables, compile_tables


@pytest.fixture(params=rulesets())
def each_ruleset(request: pytest.FixtureRequest) -> Ruleset:
    """Every ruleset of the catalogue, one test each."""
    return ruleset(request.param)


@pytest.fixture
def each_tables(each_ruleset: Ruleset) -> Tables:
    """The tables of `each_ruleset`."""
    return compile_tables(each_ruleset)


@pytest.fixture
def all_rulesets() -> tuple[Ruleset, ...]:
    """The whole catalogue at once."""
    return tuple(ruleset(name) for name in rulesets())


@pytest.fixture
def rng() -> Iterator[Random]:
    """A generator that is the same in every run."""
    return Random(20261129)
