"""Bootstrap intervals of these tests are quick and rough."""

from __future__ import annotations

from functools import partial

import pytest

from agents.benchmark import summary
from yatzy_env.evaluation.statistics import interquartile_mean_interval


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary, "interquartile_mean_interval", partial(interquartile_mean_interval, resamples=100))
