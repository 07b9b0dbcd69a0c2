"""Documentation that repeats code is written from it, and what the README shows runs."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agents.ppo.config import Config
from agents.training.config import CONFIGS
from scripts.maintain import make_docs
from scripts.maintain._ablation_docs import ablation_rows

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
    shutil.copy(ROOT / "docs" / "benchmark.json", tmp_path / "some.json")
    text = make_docs.results_page("some")
    assert "| optimal |" in text
    assert "![Learning curves](some.png)" in text
    assert "old" not in text
    assert text.endswith("<!-- results:end -->\nBelow.\n")


@pytest.mark.parametrize("name", ["ablation", "benchmark"])
def test_stored_results_have_their_picture(name: str) -> None:
    assert (ROOT / "docs" / f"{name}.json").exists() == (ROOT / "docs" / f"{name}.png").exists()


ROWS = """
rulesets: [yatzy]
steps: 1000
seeds: 2
algorithms:
  ppo:             # as it is
    kind: ppo
  short:           # ppo that learns less
    kind: ppo
    against: ppo
    changes: {epochs: 1, entropy: {start: 0.25, end: 0.125}, gae_lambda: 0.5}
  shorter:
    kind: ppo
    against: short
    changes: {epochs: 1, entropy: {start: 0.25, end: 0.125}, gamma: 0.75}
  other:           # something else
    kind: a2c
    against: ppo
  alone:           # with a setting of its own
    kind: a2c
    gamma: 0.5
"""


def test_the_rows_of_an_ablation_come_from_its_protocol(tmp_path: Path) -> None:
    (tmp_path / "rows.yaml").write_text(ROWS)
    yatzy = Config.read(CONFIGS / "yatzy.yaml")
    entropy, lambdas = (f"{ramp.start:g} to {ramp.end:g}" for ramp in (yatzy.entropy, yatzy.gae_lambda))
    former = {"ppo": {"changes": {"gamma": 0.5}}, "x": {"against": "ppo", "changes": {"epochs": 2, "gamma": 0.5}}}
    stored = tmp_path / "rows.json"
    stored.write_text(json.dumps({"protocol": {"algorithms": former}}))
    assert ablation_rows(tmp_path / "rows.yaml", stored) == [
        ["`ppo`", "as it is", "", "nothing"],
        [
            "`short`",
            "ppo that learns less",
            "`ppo`",
            f"`epochs` 1 instead of {yatzy.epochs}; `entropy` 0.25 to 0.125 instead of {entropy}; "
            f"`gae_lambda` 0.5 instead of {lambdas}",
        ],
        [
            "`shorter`",
            "",
            "`short`",
            f"`gae_lambda` {lambdas} instead of 0.5; `gamma` 0.75 instead of {yatzy.gamma:g}",
        ],
        ["`other`", "something else", "`ppo`", "`kind` a2c instead of ppo"],
        ["`alone`", "with a setting of its own", "", "`gamma` 0.5 instead of 0.99"],
        ["`x`", "measured by an earlier version; it can no longer be trained", "`ppo`", "`epochs` 2"],
    ]
