from __future__ import annotations

import io
import json
import math
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from PIL import Image

from agents.baselines import GreedyAgent
from agents.reports.analysis import analyse
from agents.reports.plots import draw
from agents.reports.render import TEMPLATES
from agents.reports.report import dice_svg, markdown_report, print_table, write_report
from agents.reports.text import number, with_error
from agents.reports.themes import DARK, LIGHT
from tests.evaluation.helpers import TINY, solved_tiny, tiny_evaluation
from yatzy_env.evaluation.results import Evaluation, measure
from yatzy_env.rules import ruleset
from yatzy_env.solver.triple import interval

FILES = ["index.html", "report.png", "results.json", "table.md"]


def unsolved(games: int = 5) -> Evaluation:
    rules = ruleset("triple")
    return measure({"greedy": GreedyAgent(rules)}, rules, games, 1, None, "test")


def bounded() -> Evaluation:
    rules = TINY.replace(columns=(1, 2))
    bounds = interval(rules, games=100, cache=False, progress=False)
    agents = {"greedy": GreedyAgent(rules), "again": GreedyAgent(rules)}
    return measure(agents, rules, 20, 1, None, "test", bounds=bounds)


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
        self.links += [value or "" for key, value in attrs if key in ("src", "srcset", "href")]
        if tag not in ("meta", "img", "source", "br", "link"):
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
    page_path = write_report(evaluation, tmp_path / "deep" / "folder", cache=False)
    assert sorted(path.name for path in page_path.parent.iterdir()) == FILES
    record = json.loads((page_path.parent / "results.json").read_text())
    assert record["ruleset"] == "tiny"
    assert set(record["given_up"]) == set(record["worst_decisions"]) == {"random", "greedy"}
    assert record["worst_decisions"]["greedy"][0]["cost"] > 1
    with Image.open(page_path.parent / "report.png") as picture:
        assert picture.width > 1000

    page = Page(page_path.read_text(encoding="utf-8"))
    assert not page.open
    assert all(link.startswith("data:image/png;base64,") for link in page.links)
    assert page.tags.count("img") == page.tags.count("source") == 6  # ladder, scores, kinds, turns, two heat maps
    assert page.tags.count("article") == 10, "five decisions of two agents"
    for result in evaluation.results:
        assert f"{result.percent_of_optimum:.2f}" in page.text
    for wanted in ("python scripts/evaluate.py", "numpy", "73.52", f"games 0 to {evaluation.games - 1}", "regret"):
        assert wanted in page.text


def test_everything_in_the_page_is_escaped(tmp_path: Path) -> None:
    nasty = '<script>alert("&")</script>'
    rules = TINY
    evaluation = measure({nasty: GreedyAgent(rules), "b": GreedyAgent(rules)}, rules, 8, 1, solved_tiny(), nasty)
    page = Page(write_report(evaluation, tmp_path, cache=False).read_text(encoding="utf-8"))
    assert "script" not in page.tags
    assert page.text.count(nasty) >= 3


def test_rulesets_without_an_optimum_and_single_games_have_a_report_too(tmp_path: Path) -> None:
    for games in (5, 1):
        page = Page(write_report(unsolved(games), tmp_path, cache=False).read_text(encoding="utf-8"))
        assert "not known" in page.text
        assert "nan" not in page.text


def test_several_columns_are_reported_beside_the_interval_of_their_optimum(tmp_path: Path) -> None:
    evaluation = bounded()
    lower, upper = evaluation.bounds.lower, evaluation.bounds.upper
    page = Page(write_report(evaluation, tmp_path, cache=False).read_text(encoding="utf-8"))
    share = f"{100 * evaluation.results[0].mean_score / upper:.2f}"
    for text in (page.text, (tmp_path / "table.md").read_text(encoding="utf-8"), _table(evaluation)):
        assert f"{lower:.2f} to {upper:.2f}" in text
        assert share in text
    assert "Regret by" not in page.text


def test_the_markdown_holds_the_same_tables(tmp_path: Path) -> None:
    evaluation = tiny_evaluation()
    text = markdown_report(evaluation, analyse(evaluation, cache=False))
    for result in evaluation.results:
        assert re.search(rf"^\| {result.agent} \| 200 \| .* \| {result.percent_of_optimum:.2f} \|", text, re.MULTILINE)
    for heading in ("Ladder", "Head to head", "What was given up", "Where the points are missing", "Worst decisions"):
        assert f"## {heading}\n" in text
    assert evaluation.provenance.command in text
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(widths) == 1, block


def test_missing_points_sum_to_the_difference_of_the_scores() -> None:
    evaluation = tiny_evaluation()
    found = analyse(evaluation, cache=False)
    _, greedy, optimal = evaluation.matches
    gaps = found.missing["greedy"]
    assert list(gaps) == [*TINY.box_names, "bonus"]
    assert sum(gap.mean for gap in gaps.values()) == pytest.approx(optimal.score.mean() - greedy.score.mean())


def test_worst_decisions_say_what_was_done_and_what_was_best() -> None:
    evaluation = tiny_evaluation()
    for agent, found in analyse(evaluation, cache=False).worst.items():
        costs = [mistake["cost"] for mistake in found]
        assert costs == sorted(costs, reverse=True)
        match = next(match for match in evaluation.matches if match.agent == agent)
        for mistake in found:
            assert mistake["did"] != mistake["best"]
            assert len(mistake["dice"]) == TINY.dice
            assert len(mistake["open"]) == len(TINY.boxes) - mistake["turn"] + 1
            assert (mistake["did_keep"] is None) == mistake["did"].startswith("score ")
            assert mistake["cost"] <= match.game_regret[mistake["game"]] + 1e-9


def test_the_exact_distribution_lies_behind_the_optimal_player() -> None:
    evaluation = tiny_evaluation()
    chances = analyse(evaluation, cache=False).optimal_scores
    assert chances.sum() == pytest.approx(1)
    assert chances @ range(len(chances)) == pytest.approx(evaluation.optimum)


def test_kept_dice_are_drawn_strongly_and_named() -> None:
    art = dice_svg((2, 5, 5), (5,))
    assert art.count('class="die"') == 1
    assert art.count('class="die thrown"') == 2
    assert 'aria-label="dice 2 5 5, kept: 5"' in art
    assert art.count("<circle") == 12
    assert dice_svg((1, 6)).count("thrown") == 0


def _luminance(colour: str) -> float:
    digits = colour.lstrip("#")
    digits = "".join(2 * digit for digit in digits) if len(digits) == 3 else digits
    parts = [int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _mixed(colour: str, paper: str, share: float) -> str:
    pairs = [(int(text[place : place + 2], 16) for text in (colour, paper)) for place in (1, 3, 5)]
    return "#" + "".join(f"{round(share * one + (1 - share) * other):02x}" for one, other in pairs)


def test_text_stands_out_on_light_and_dark_pages() -> None:
    css = (TEMPLATES / "page.css").read_text(encoding="utf-8")
    light, dark = (dict(re.findall(r"--(\w[\w-]*): (#\w+)", block)) for block in css.split("@media")[:2])
    for colours in (light, light | dark):
        paper = colours["paper"] if len(colours["paper"]) == 7 else "#ffffff"
        on_paper = [(colours[text], paper) for text in ("ink", "soft", "accent")]
        on_panel = [(colours[text], colours["panel"]) for text in ("ink", "soft", "warn")]
        tinted = [(colours["ink"], _mixed(colours["tint"], paper, 0.38)), (colours["ink"], colours["warn-paper"])]
        for text, behind in on_paper + on_panel + tinted:
            assert _contrast(text, behind) >= 4.5, (text, behind)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_text_in_pictures_stands_out(theme) -> None:
    for text in (theme.ink, theme.grey):
        assert _contrast(text, theme.paper) >= 4.5
    for text, behind in zip(theme.kind_text, theme.kinds, strict=True):
        assert _contrast(text, behind) >= 4.4, (text, behind)
    for line in theme.palette:
        assert _contrast(line, theme.paper) >= 2
    assert math.isclose(_contrast("#000", "#ffffff"), 21)


def test_the_picture_names_its_axes_and_agents() -> None:
    evaluation = tiny_evaluation()
    figure = draw(evaluation)
    for axes in figure.axes:
        assert axes.get_xlabel()
        assert axes.get_title(loc="left")
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert names == [result.agent for result in evaluation.results]
    for theme in (LIGHT, DARK):
        colours = theme.colours(evaluation.results)
        assert colours[-1] == theme.ink
        assert len(set(colours)) == len(evaluation.results)


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [(1.234, 0.056, "1.23 ± 0.06"), (-1e-15, 1e-17, "0.00 ± 0.00"), (3.0, None, "3.00"), (None, None, "–")],
)
def test_figures_with_errors(value: float | None, error: float | None, text: str) -> None:
    assert with_error(value, error) == text


def test_negative_figures_stay_negative() -> None:
    assert number(-2.5) == "-2.50"
