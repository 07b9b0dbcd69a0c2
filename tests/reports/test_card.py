from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from agents.baselines import GreedyAgent
from agents.models.record import Training, exact_record, kept_exact
from agents.reports.card import model_card, write_card
from tests.evaluation.helpers import TINY, tiny_evaluation
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.exact import exact_score
from yatzy_env.evaluation.results import measure
from yatzy_env.solver.triple import Interval

TRAINING = Training(
    command="python scripts/train.py tiny",
    facts={"seed": "3", "rounds": "80 of the value network", "CPU time": "2.0 minutes"},
    digests={"policy.npz": "ab" * 32, "values.npz": "cd" * 32},
)


def test_the_card_holds_figures_and_training() -> None:
    evaluation = tiny_evaluation()
    card = model_card(evaluation, TRAINING)
    random, greedy, best = evaluation.results
    for wanted in (
        f"`random` plays at **{random.percent_of_optimum:.3f} % of the exact optimum**",
        f"`greedy` plays at **{greedy.percent_of_optimum:.3f} % of the exact optimum**",
        f"{greedy.regret_per_game:.3f} ± {greedy.regret_se:.3f}",
        f"| bonus rate | {100 * random.bonus_rate:.1f} % | {100 * greedy.bonus_rate:.1f} % | "
        f"{100 * best.bonus_rate:.1f} % |",
        "73.517",
        "| first keep | ",
        "| second keep | ",
        "| choice of box | ",
        "## Known weaknesses",
        "python scripts/train.py tiny",
        "- rounds: 80 of the value network",
        "- CPU time: 2.0 minutes",
        "ab" * 32,
        evaluation.provenance.command,
        "numpy",
    ):
        assert wanted in card
    assert "nan" not in card


def test_the_card_counts_its_shares_to_a_whole() -> None:
    match = tiny_evaluation().matches[1]
    rows = [line.split("|") for line in model_card(tiny_evaluation(), TRAINING).splitlines()]
    for column in (3, 5):
        shares = {row[1].strip(" `"): int(row[column].strip(" %")) for row in rows if len(row) > 6
                  and row[column].endswith("% ") and "±" in row[column - 1]}  # fmt: skip
        groups = [match.kinds, TINY.boxes, [name for name in shares if name not in (*match.kinds, *TINY.boxes)]]
        for names in groups:
            assert sum(shares[name] for name in names) == pytest.approx(100, abs=3), names


def test_the_card_has_a_row_per_box() -> None:
    card, matches = model_card(tiny_evaluation(), TRAINING), tiny_evaluation().matches
    for box, name in enumerate(TINY.boxes):
        (row,) = [line.split("|") for line in card.splitlines() if line.startswith(f"| `{name}` |")]
        for column, match in zip((2, 4), matches, strict=False):
            regret = match.regret_by_box.sum(axis=2).mean(axis=0)
            assert float(row[column].split("±")[0]) == pytest.approx(regret[box], abs=0.0006)
        for column, match in zip((6, 7, 8), matches, strict=True):
            assert float(row[column]) == pytest.approx(match.written[:, box].mean(), abs=0.006)


def test_an_exact_score_stands_on_the_card_and_stays_with_its_weights(tmp_path: Path) -> None:
    evaluation = tiny_evaluation()
    found = exact_score(GreedyAgent(TINY), TINY, cache=False)
    exact = exact_record(found, "ab" * 32, evaluation.provenance)
    results = tuple(
        replace(result, exact_score=found.expected_score) if result.agent == "greedy" else result
        for result in evaluation.results
    )
    card = write_card(replace(evaluation, results=results), TRAINING, tmp_path, exact={"greedy": exact})
    text, share = card.read_text(), 100 * found.expected_score / evaluation.optimum
    assert f"| exact score | – | {found.expected_score:.6f} | {evaluation.optimum:.6f} |" in text
    assert f"`greedy` plays at **{share:.3f} % of the exact optimum**: {found.expected_score:.3f} of" in text
    assert f"- exact score of `greedy`: {found.cards:,} cards" in text
    assert kept_exact(tmp_path / "results.json", {"greedy": "ab" * 32}) == {"greedy": exact}
    assert kept_exact(tmp_path / "results.json", {"greedy": "cd" * 32}) == {}
    assert kept_exact(tmp_path / "nothing.json", {"greedy": "ab" * 32}) == {}
    (tmp_path / "results.json").write_text('{"exact": {"score": 1}}')
    with pytest.raises(YatzyError, match=r"results\.json: damaged"):
        kept_exact(tmp_path / "results.json", "ab" * 32)


def test_several_columns_have_a_place_in_the_interval() -> None:
    rules = TINY.replace(columns=(1, 2))
    bounds = Interval(rules, 200.0, 300.0, "by hand", 220.0, 0.5, 100, 1, 0.0, 0.0, False)
    evaluation = measure({"ppo": GreedyAgent(rules)}, rules, 100, 1, None, "x", bounds=bounds)
    card, (result,) = model_card(evaluation, TRAINING), evaluation.results
    mean = result.mean_score
    for wanted in (
        f"`ppo` scores **{mean:.2f} ± {result.score_se:.2f} points** a game.",
        "The optimum lies between 200.00 and 300.00, proved.",
        f"| above the lower end, 200.00 | {mean - 200:+.2f}, {mean / 2 - 100:+.2f} % |",
        f"| {mean - 200:.1f} % of its width |",
        f"| {100 * mean / 300:.2f} % |",
        "scores 220.00 ± 0.50 on other dice",
        "| x1 | ",
        "| x2 | ",
    ):
        assert wanted in card
    match = evaluation.matches[0]
    points = re.findall(r"^\| x(\d) \| (\S+) ±", card, re.MULTILINE)
    assert sum(int(factor) * float(mean) for factor, mean in points) == pytest.approx(match.score.mean(), abs=0.02)
    with pytest.raises(YatzyError, match="needs the optimum or the interval"):
        model_card(replace(evaluation, bounds=None), TRAINING)


def test_the_card_says_where_the_model_falls_short() -> None:
    card = model_card(tiny_evaluation(), TRAINING)
    assert "It scores less than the optimal player in `yatzy` (-" in card
    assert "earns the bonus" in card


def test_a_card_needs_both_players() -> None:
    evaluation = tiny_evaluation()
    with pytest.raises(YatzyError, match="needs the agent 'optimal'"):
        model_card(replace(evaluation, results=evaluation.results[:2]), TRAINING)
    with pytest.raises(YatzyError, match="needs an agent of the model"):
        model_card(replace(evaluation, results=evaluation.results[2:]), TRAINING)


def test_card_and_results_are_written_beside_the_model(tmp_path: Path) -> None:
    card = write_card(tiny_evaluation(), TRAINING, tmp_path)
    assert card == tmp_path / "README.md"
    results = json.loads((tmp_path / "results.json").read_text())
    assert results["training"] == {"command": TRAINING.command, **TRAINING.facts}
    assert results["sha256"] == TRAINING.digests
    assert results["optimum"] == tiny_evaluation().optimum
