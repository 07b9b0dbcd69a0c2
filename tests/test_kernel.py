"""The kernel cache must forget what was compiled from older sources."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import yatzy_env.envs.single  # noqa: F401, loads the modules whose folders are compared
from yatzy_env import kernel


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    kernel._cache_folders.cache_clear()
    yield
    kernel._cache_folders.cache_clear()


def folders(monkeypatch: pytest.MonkeyPatch, edited: str) -> dict[str, bool]:
    """Which modules get another cache folder when one source file is edited."""
    modules = ["yatzy_env.dice", "yatzy_env.card", "yatzy_env.games", "yatzy_env.envs.single"]
    monkeypatch.setattr(kernel.shutil, "rmtree", lambda *args, **kwargs: None)
    kernel._cache_folders.cache_clear()
    before = {module: kernel._cache_folders(module) for module in modules}
    source = kernel._source
    with monkeypatch.context() as patch:
        patch.setattr(kernel, "_source", lambda module: source(module) + ("# edited" if module == edited else ""))
        kernel._cache_folders.cache_clear()
        return {module: kernel._cache_folders(module) != before[module] for module in modules}


def test_an_edit_reaches_all_modules_above_it_and_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    assert folders(monkeypatch, "yatzy_env.card") == {
        "yatzy_env.dice": False,
        "yatzy_env.card": True,
        "yatzy_env.games": True,
        "yatzy_env.envs.single": True,
    }
    assert folders(monkeypatch, "yatzy_env.envs.observation")["yatzy_env.games"] is False
    assert folders(monkeypatch, "yatzy_env.envs.observation")["yatzy_env.envs.single"] is True


def test_compiling_is_said_once_and_only_where_something_is_compiled(tmp_path: Path) -> None:
    code = (
        "from yatzy_env import compile_tables, ruleset; from yatzy_env.card import follows_order, legal_boxes;"
        "card = compile_tables(ruleset('yatzy')).card; follows_order(card, 0); legal_boxes(card, 0, 0)"
    )
    said = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout == ""
        said.append(done.stderr.splitlines())
    assert [line[:20] for line in said[0]] == ["yatzy_env: compiling"]
    assert said[1] == []
