from __future__ import annotations

import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from PIL import Image

from agents.baselines import GreedyAgent
from agents.evaluation.plots import INK, colours, draw
from agents.evaluation.provenance import provenance
from agents.evaluation.report import number, print_table, with_error, write_report
from agents.evaluation.results import Evaluation, evaluate
from tests.evaluation.helpers import TINY, tiny_evaluation, tiny_solution
from yatzy_env.rules import ruleset


def unsolved(games: int = 5) -> Evaluation:
    rules = ruleset("triple")
    return evaluate({"greedy": GreedyAgent(rules)}, rules, games, 1, None, provenance("test"))


class Page(HTMLParser):
    """Collects tags, attributes and text, and notices tags that are never closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for key, value in attrs if key in ("src", "href")]
        if tag not in ("meta", "img", "br", "link"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_terminal_table_shows_every_figure_in_full() -> None:
    for evaluation in (tiny_evaluation(), unsolved()):
        out = io.StringIO()
        print_table(evaluation, out)
        text = out.getvalue()
        assert "…" not in text
        for result in evaluation.results:
            assert f"{result.mean_score:.2f} ± {result.score_se:.2f}" in text
    assert re.search(r"^optimum .* 0\.00 +73\.52 +100\.00", _table(tiny_evaluation()), re.MULTILINE)
    assert not re.search(r"^optimum", _table(unsolved()), re.MULTILINE)


def _table(evaluation: Evaluation) -> str:
    out = io.StringIO()
    print_table(evaluation, out)
    return out.getvalue()


def test_a_report_is_one_page_that_needs_nothing_else(tmp_path: Path) -> None:
    evaluation = tiny_evaluation()
    page_path = write_report(evaluation, tmp_path / "deep" / "folder")
    assert sorted(path.name for path in page_path.parent.iterdir()) == ["index.html", "report.png", "results.json"]
    assert json.loads((page_path.parent / "results.json").read_text())["ruleset"] == "tiny"
    with Image.open(page_path.parent / "report.png") as picture:
        assert picture.width > 1000

    page = Page(page_path.read_text(encoding="utf-8"))
    assert not page.open
    assert all(link.startswith("data:image/png;base64,") for link in page.links)
    assert page.tags.count("img") == 1
    for result in evaluation.results:
        assert f"{result.percent_of_optimum:.2f}" in page.text
    for wanted in ("python scripts/evaluate.py", "numpy", "73.52", f"games 0 to {evaluation.games - 1}", "regret"):
        assert wanted in page.text


def test_everything_in_the_page_is_escaped(tmp_path: Path) -> None:
    nasty = '<script>alert("&")</script>'
    rules = TINY
    evaluation = evaluate(
        {nasty: GreedyAgent(rules), "b": GreedyAgent(rules)}, rules, 8, 1, tiny_solution(), provenance(nasty)
    )
    page = Page(write_report(evaluation, tmp_path).read_text(encoding="utf-8"))
    assert "script" not in page.tags
    assert page.text.count(nasty) >= 3


def test_rulesets_without_an_optimum_and_single_games_have_a_report_too(tmp_path: Path) -> None:
    for games in (5, 1):
        page = Page(write_report(unsolved(games), tmp_path).read_text(encoding="utf-8"))
        assert "not known" in page.text
        assert "nan" not in page.text


def test_the_picture_names_its_axes_and_agents() -> None:
    evaluation = tiny_evaluation()
    figure = draw(evaluation)
    for axes in figure.axes:
        assert axes.get_xlabel()
        assert axes.get_title(loc="left")
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert names == [result.agent for result in evaluation.results]
    assert colours(evaluation.results)[-1] == INK
    assert len(set(colours(evaluation.results))) == len(evaluation.results)


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [(1.234, 0.056, "1.23 ± 0.06"), (-1e-15, 1e-17, "0.00 ± 0.00"), (3.0, None, "3.00"), (None, None, "–")],
)
def test_figures_with_errors(value: float | None, error: float | None, text: str) -> None:
    assert with_error(value, error) == text


def test_negative_figures_stay_negative() -> None:
    assert number(-2.5) == "-2.50"
