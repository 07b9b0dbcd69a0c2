"""The worked examples of docstrings give what they show."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

import yatzy_env

ROOT = Path(__file__).parents[1]
FILES = sorted(path for path in (ROOT / "yatzy_env").rglob("*.py") if ">>> " in path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_examples_of_a_module(path: Path) -> None:
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize("name", ["Ruleset", "Situation", "Solution", "YatzyEnv", "solve"])
def test_the_first_things_a_reader_meets_have_an_example(name: str) -> None:
    found = getattr(yatzy_env, name, None) or getattr(yatzy_env.envs, name)
    assert ">>> " in found.__doc__
