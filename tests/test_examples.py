"""The examples of the documentation run, and print what the page says."""

from __future__ import annotations

import io
import re
from contextlib import redirect_stdout
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "examples.md"
BLOCKS = re.findall(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", PAGE.read_text(encoding="utf-8"), re.DOTALL)
HEADS = [re.search(r"(?:from|import) (\S+)", code).group(1) for code, _ in BLOCKS]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("code", "output"), BLOCKS, ids=[f"{number}-{head}" for number, head in enumerate(HEADS, start=1)]
)
def test_an_example_prints_what_the_page_says(code: str, output: str) -> None:
    if "sb3_contrib" in code:  # the only one that needs more than the library
        pytest.importorskip("torch")
        pytest.importorskip("sb3_contrib")
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(code, str(PAGE), "exec"), {"__name__": "example"})
    assert printed.getvalue() == output


def test_every_example_shows_its_output() -> None:
    assert len(BLOCKS) >= 5
    assert all(output for _, output in BLOCKS)
