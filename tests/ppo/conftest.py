from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from agents.training.runs import Run
from tests.ppo.helpers import tiny_config, trained


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Training sets one thread for the whole process; other tests get back what they had."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def short_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A finished run of a few rounds; tests that change it copy it."""
    return trained(tmp_path_factory.mktemp("runs") / "runs", tiny_config(values__rounds=3, policy__rounds=4))
