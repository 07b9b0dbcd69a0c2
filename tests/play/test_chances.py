"""The chances of bonus, straights and yatzy under best play."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agents.optimal import OptimalAgent
from agents.play.chances import Chances, can_have_chances, chances_file, find_chances, kinds, write_chances
from yatzy_env.errors import SolutionError
from yatzy_env.games import new_games, play
from yatzy_env.multisets import dice_of
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.situation import Situation
from yatzy_env.solver import Solution, solve
from yatzy_env.solver.layout import lay_out
from yatzy_env.tables import compile_tables

SMALL_YAHTZEE = ruleset("yahtzee").replace(
    name="small", boxes=["ones", "twos", "small_straight", "yatzy", "chance"], bonus_threshold=8, joker="forced"
)


def solved(rules: Ruleset) -> Solution:
    return solve(rules, progress=False)


def values_of(rules: Ruleset) -> np.ndarray:
    cards = lay_out(compile_tables(rules))
    from yatzy_env.solver.sweep import sweep

    return sweep(compile_tables(rules), cards)


@pytest.mark.parametrize("rules", [ruleset("half-force"), SMALL_YAHTZEE], ids=lambda rules: rules.name)
def test_bonus_and_yatzy_agree_with_the_moments_of_the_solver(rules: Ruleset) -> None:
    """Two implementations: the solver's follows bonus and yatzy for its own figures."""
    moments = solved(rules).moments()
    out = np.zeros((lay_out(compile_tables(rules)).layout.size, len(kinds(rules))), np.uint16)
    found = dict(zip(kinds(rules), find_chances(rules, values_of(rules), out), strict=True))
    assert found["bonus"] == pytest.approx(moments.bonus_rate, abs=1e-12)
    assert found["yatzy"] == pytest.approx(moments.yatzy_rate, abs=1e-12)
    assert out[-1] / 65535 == pytest.approx(list(found.values()), abs=1 / 131070)


def test_chances_are_what_optimal_play_earns_in_many_games() -> None:
    """The straights, which nothing else computes, within four standard errors of 20,000 games."""
    rules = ruleset("half-force")
    tables, agent, games = compile_tables(rules), OptimalAgent(solved(rules)), 20_000
    chances = Chances(rules, solved(rules), write_chances(rules))
    lanes = new_games(tables, np.arange(games, dtype=np.uint64))
    while (lanes.now.roll >= 0).any():
        playing = np.flatnonzero(lanes.now.roll >= 0)
        part = lanes.take(playing)
        play(tables, part, agent.act(part.now, np.zeros(len(playing))))
        for name in lanes._fields[1:]:
            getattr(lanes, name)[playing] = getattr(part, name)
        for whole, some in zip(lanes.now, part.now, strict=True):
            whole[playing] = some
    empty = np.zeros(1, np.int64)
    expected = chances.of_cards(empty, empty, np.zeros(1, np.bool_))[0]
    for kind, chance in zip(chances.kinds, expected.tolist(), strict=True):
        if kind == "bonus":
            happened = lanes.now.upper[:, 0] >= rules.bonus_threshold
        else:
            happened = lanes.written[:, rules.boxes.index(kind)] > 0
        assert abs(happened.mean() - chance) < 4 * np.sqrt(chance * (1 - chance) / games)


@pytest.mark.parametrize("rules", [ruleset("half-force"), SMALL_YAHTZEE], ids=lambda rules: rules.name)
def test_a_turn_followed_from_its_rolls_gives_the_chance_of_its_card(rules: Ruleset) -> None:
    """`of_actions` and the backward pass are two ways to the same number."""
    solution, tables = solved(rules), compile_tables(rules)
    chances = Chances(rules, solution, write_chances(rules))
    cards = [(0, 0)] if rules.name == "half-force" else [(0, 0), (0b00001, 3), (0b11101, 4)]
    for filled, upper in cards:
        mean = np.zeros(len(chances.kinds))
        for roll in range(tables.rolls):
            faces = dice_of(tables.counts[tables.keeps + roll].tolist())
            situation = Situation(filled, (upper,), faces, tables.throws - 1)
            values = solution.action_values(situation)
            best = int(np.argmax(values >= np.nanmax(values) - 1e-9))
            mean += tables.probability[roll] * chances.of_actions(situation)[best]
        card = (np.array([filled]), np.array([upper]), np.zeros(1, np.bool_))
        assert mean == pytest.approx(chances.of_cards(*card)[0], abs=3e-5)


def test_actions_have_chances_where_they_are_legal() -> None:
    rules = ruleset("half-force")
    chances, solution = Chances(rules, solved(rules), write_chances(rules)), solved(rules)
    situation = Situation(0, (0,), (1, 2, 3, 4, 5), 1)
    found = chances.of_actions(situation)
    np.testing.assert_array_equal(np.isnan(found[:, 0]), np.isnan(solution.action_values(situation)))
    assert np.nanmin(found) >= 0
    assert np.nanmax(found) <= 1 + 1e-9


def test_a_straight_is_certain_once_it_is_written() -> None:
    rules = ruleset("yacht").replace(name="two-boxes", boxes=["small_straight", "yatzy"])
    chances = Chances(rules, solved(rules), write_chances(rules))
    found = chances.of_actions(Situation(0, (0,), (1, 2, 3, 4, 5), 0))
    assert found[compile_tables(rules).keeps] == pytest.approx([1.0, 0.0460286], abs=1e-5)  # a yatzy in three throws


def test_rulesets_without_chances_are_refused(tmp_path: Path) -> None:
    assert not can_have_chances(ruleset("triple"))
    assert not can_have_chances(ruleset("maxi-alga"))
    with pytest.raises(SolutionError, match="one column without saved throws"):
        write_chances(ruleset("maxi-alga"), tmp_path / "none.npy")


def test_a_file_of_other_rules_is_refused(tmp_path: Path) -> None:
    rules = ruleset("forced")
    np.save(tmp_path / "wrong.npy", np.zeros((3, 4), np.uint16))
    with pytest.raises(SolutionError, match="does not fit"):
        Chances(rules, solved(rules), tmp_path / "wrong.npy")
    (tmp_path / "damaged.npy").write_bytes(b"nothing")
    with pytest.raises(SolutionError, match="cannot be read"):
        Chances(rules, solved(rules), tmp_path / "damaged.npy")


def test_progress_ends_at_one_and_the_file_is_complete_or_not_there(tmp_path: Path) -> None:
    rules, seen = ruleset("forced"), []
    path = write_chances(rules, tmp_path / "made.npy", on_progress=seen.append)
    assert seen[-1] == 1.0
    assert list(tmp_path.iterdir()) == [path]
    assert chances_file(rules).parent == chances_file(ruleset("yatzy")).parent
