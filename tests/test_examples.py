"""The examples of the documentation run, and print what the page says."""

from __future__ import annotations

import io
import re
import runpy
from contextlib import redirect_stdout
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "examples.md"
FILES = PAGE.with_suffix("")
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


def test_the_loop_of_one_file_learns() -> None:
    pytest.importorskip("torch")
    train = runpy.run_path(str(FILES / "cleanrl_ppo.py"))["train"]
    means = train({"boxes": ["fives", "sixes", "chance"], "bonus_points": 0}, total_steps=24_576)
    assert means[-1] > means[0] + 4


@pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested")
def test_torchrl_plays_a_game_and_a_game_for_two() -> None:
    pytest.importorskip("torchrl", reason="TorchRL is not among the packages of the project")
    example = runpy.run_path(str(FILES / "torchrl_rollout.py"))
    single = example["one_player"]()
    assert single["next", "terminated"][-1].item()
    assert not single["next", "terminated"][:-1].any()
    assert 0 <= single["next", "reward"].sum().item() <= 374
    both = example["two_players"]()
    assert both["next", "player_1", "terminated"][-1].all()
