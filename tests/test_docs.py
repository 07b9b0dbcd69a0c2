"""Documentation that repeats code is written from it, and what the README shows runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.maintain import make_docs

ROOT = Path(__file__).parents[1]


def test_generated_pages_are_up_to_date() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "maintain" / "make_docs.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_the_code_of_the_readme_runs() -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})


def test_files_and_links_the_readme_names_exist() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#]+)\)", text) + re.findall(r"python (scripts/[\w/]+\.py)", text)
    assert len(targets) > 5
    for target in targets:
        assert (ROOT / target).exists(), target


def test_every_make_target_the_readme_names_exists() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"make ([a-z-]+)", readme)):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_a_page_of_results_shows_those_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(make_docs, "DOCS", tmp_path)
    page = "Above.\n<!-- results:begin -->\nold\n<!-- results:end -->\nBelow.\n"
    (tmp_path / "some.md").write_text(page)
    assert make_docs.results_page("some") == page.replace("old", "No results are stored here yet.")


@pytest.mark.parametrize("name", ["ablation", "benchmark"])
def test_stored_results_have_their_picture(name: str) -> None:
    assert (ROOT / "docs" / f"{name}.json").exists() == (ROOT / "docs" / f"{name}.png").exists()
