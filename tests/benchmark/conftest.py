"""Bootstrap intervals of these tests are quick and rough."""

from __future__ import annotations

from functools import partial

import pytest

from agents.benchmark import summary
from yatzy_env.evaluation.statistics import stratified_interval


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary, "stratified_interval", partial(stratified_interval, resamples=50))
