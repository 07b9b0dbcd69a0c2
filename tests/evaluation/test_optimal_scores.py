from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.evaluation.helpers import solved_tiny
from yatzy_env.evaluation import optimal_scores as module
from yatzy_env.evaluation.optimal_scores import optimal_scores
from yatzy_env.solver import Solution


@pytest.fixture
def cache_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty cache."""
    monkeypatch.setenv("YATZY_ENV_CACHE", str(tmp_path))
    return tmp_path


def test_the_distribution_comes_from_the_cache_the_second_time(
    monkeypatch: pytest.MonkeyPatch, cache_folder: Path
) -> None:
    first = optimal_scores(solved_tiny())
    assert first @ np.arange(len(first)) == pytest.approx(solved_tiny().expected_score)

    def compute(self: Solution):
        raise AssertionError("computed again")

    monkeypatch.setattr(Solution, "distribution", compute)
    np.testing.assert_array_equal(optimal_scores(solved_tiny()), first)
    with pytest.raises(AssertionError, match="computed again"):
        optimal_scores(solved_tiny(), cache=False)


def test_a_damaged_file_is_computed_anew(cache_folder: Path) -> None:
    first = optimal_scores(solved_tiny())
    (file,) = cache_folder.glob("*.npy")
    whole = file.read_bytes()
    for damaged in (whole[:200], b"", whole[:-8] + bytes(8) if first[-1] > 1e-9 else whole[:-80]):
        file.write_bytes(damaged)
        np.testing.assert_array_equal(optimal_scores(solved_tiny()), first)
        assert file.read_bytes() == whole


def test_without_the_cache_nothing_is_written(cache_folder: Path) -> None:
    optimal_scores(solved_tiny(), cache=False)
    assert not list(cache_folder.iterdir())


def test_where_cards_are_too_many_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_MOST_CARDS", 10)
    assert optimal_scores(solved_tiny(), cache=False) is None
