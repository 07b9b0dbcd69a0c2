"""The kernel cache must forget what was compiled from older sources."""

from __future__ import annotations

from collections.abc import Iterator

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
