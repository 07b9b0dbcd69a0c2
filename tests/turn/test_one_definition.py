"""The step of a turn, one more die at a time, is written in one module; whoever needs a turn calls it."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from tests.turn.helpers import chances
from yatzy_env.rules import ruleset
from yatzy_env.tables import compile_tables
from yatzy_env.turn import throw_chances

ROOT = Path(__file__).parents[2]
ONE_MORE_DIE = re.compile(r"\badd\[|peek\((?:\w+\.)*add\b")
"""How code reads which multiset one more die makes: without it no keep can be valued and no chance sent on."""

READERS = {
    "yatzy_env/tables.py",  # makes the table
    "yatzy_env/games.py",  # throws dice
    "yatzy_env/turn/steps.py",  # the definition: `throw` backwards, `flow_throw` forwards
}


def test_the_turn_is_written_once() -> None:
    files = [path for folder in ("yatzy_env", "agents", "scripts") for path in (ROOT / folder).rglob("*.py")]
    found = {path.relative_to(ROOT).as_posix() for path in files if ONE_MORE_DIE.search(path.read_text("utf-8"))}
    assert found == READERS


def test_chances_of_a_throw() -> None:
    for name in ("yatzy", "maxi-danish"):
        tables = compile_tables(ruleset(name))
        assert np.allclose(throw_chances(tables), chances(tables.dice), rtol=0, atol=1e-12)
