"""The chances of boxes, bonus and extra bonus under best play, against games enumerated in plain Python."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from agents.optimal import OptimalAgent
from tests.solver.helpers import solved
from tests.solver.test_plain_agreement import GAMES, random_rules
from yatzy_env.errors import SituationError, SolutionError
from yatzy_env.games import new_games, play
from yatzy_env.multisets import dice_of
from yatzy_env.reference import Card, Dice, Solver, all_alike, bits_of, fill, is_joker, score, throws_of
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.situation import Situation
from yatzy_env.solver import Solution, has_chances, solve
from yatzy_env.solver.chances import chances_file
from yatzy_env.tables import action_names, compile_tables

SMALL_YAHTZEE = ruleset("yahtzee").replace(
    name="small", boxes=["ones", "twos", "small_straight", "yatzy", "chance"], bonus_threshold=8, joker="forced"
)
ROUNDING = 1 / 131070


def of_cards(solution: Solution, filled: int, upper: int) -> np.ndarray:
    """The chances of a card, as they are stored."""
    solution.prepare_chances(progress=False)
    card = np.array([filled]), np.array([upper]), np.zeros(1, np.bool_)
    return solution._chance_table.of_cards(*card)[0]


class PlainChances:
    """The chances under optimal play, by recursion on the plain reading: boxes, bonus, extra bonus."""

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self.solver = Solver(rules)
        self.names = action_names(rules)
        self.of_card = cache(self._of_card)
        self.of_situation = cache(self._of_situation)

    def _of_card(self, card: Card) -> np.ndarray:
        rules = self.rules
        if len(card.filled) == len(rules.boxes):
            earned = rules.bonus_points > 0 and card.upper[0] >= rules.bonus_threshold
            return np.array([*[0.0] * len(rules.boxes), earned, 0.0])
        return sum(share * self.of_situation(card, dice, rules.throws - 1) for dice, share in throws_of(rules.dice))

    def _of_situation(self, card: Card, dice: Dice, throws_left: int) -> np.ndarray:
        values = self.solver.action_values(card, dice, throws_left)
        best = max(values.values())
        action = next(name for name in self.names if values.get(name, -1.0) >= best - 1e-9)
        return self.of_action(card, dice, throws_left, action)

    def of_action(self, card: Card, dice: Dice, throws_left: int, action: str) -> np.ndarray:
        verb, what = action.split(" ", 1)
        if verb == "keep":
            kept = () if what == "nothing" else tuple(map(int, what.split()))
            thrown = throws_of(self.rules.dice - len(kept))
            return sum(
                share * self.of_situation(card, tuple(sorted(kept + new)), throws_left - 1) for new, share in thrown
            )
        _, after = fill(self.rules, card, what, dice)
        now = np.zeros(len(self.rules.boxes) + 2, np.bool_)
        now[self.rules.boxes.index(what)] = score(self.rules, what, dice, is_joker(self.rules, card.filled, dice)) > 0
        now[-1] = self.rules.extra_yatzy_bonus > 0 and card.yatzy_scored and all_alike(dice)
        return np.where(now, 1.0, self.of_card(after))


def compare(rules: Ruleset, seed: int = 1) -> None:
    """Compares all actions in a situation on every card."""
    plain, solution, rng = PlainChances(rules), solved(rules), np.random.default_rng(seed)
    number = {name: action for action, name in enumerate(plain.names)}
    for card in plain.solver.cards():
        if len(card.filled) == len(rules.boxes):
            continue
        dice, left = plain.solver.rolls[rng.integers(len(plain.solver.rolls))], int(rng.integers(rules.throws))
        expected = np.full((len(number), len(rules.boxes) + 2), np.nan)
        for action in plain.solver.action_values(card, dice, left):
            expected[number[action]] = plain.of_action(card, dice, left, action)
        found = solution.chances(Situation(bits_of(rules, card.filled), card.upper, dice, left, card.yatzy_scored))
        assert np.allclose(found, expected, rtol=0, atol=ROUNDING + 1e-6, equal_nan=True), (card, dice, left)


SMALL = [name for name, fields in GAMES.items() if fields.get("dice", 5) <= 3]
QUICK = ("forced joker in order", "no bonus", "one throw", "top-down, yatzy first: True", "free, yatzy first: False")


@pytest.mark.parametrize(
    "game", [pytest.param(name, marks=[] if name in QUICK else pytest.mark.slow) for name in SMALL]
)
def test_small_games(game: str) -> None:
    compare(ruleset(GAMES[game]))


@pytest.mark.parametrize("seed", range(40, 46))
def test_random_rules(seed: int) -> None:
    compare(random_rules(seed, (2,)))


def test_chances_are_what_optimal_play_earns_in_many_games() -> None:
    """Of a whole game, within four standard errors of 20,000 games."""
    rules, games = ruleset("half-force"), 20_000
    solution, tables = solved(rules), compile_tables(rules)
    agent, played = OptimalAgent(solution), new_games(tables, np.arange(games, dtype=np.uint64))
    finished: list[np.ndarray] = []
    while len(played.key):
        play(tables, played, agent.act(played.now, np.zeros(len(played.key))))
        over = played.now.roll < 0
        bonus = played.now.upper[over, :1] >= rules.bonus_threshold
        finished += [np.column_stack([played.written[over] > 0, bonus])]
        played = played.take(~over)
    happened = np.concatenate(finished)
    assert len(happened) == games
    expected = of_cards(solution, 0, 0)[: len(rules.boxes) + 1]
    assert (abs(happened.mean(axis=0) - expected) < 4 * np.sqrt(expected * (1 - expected) / games) + ROUNDING).all()


@pytest.mark.parametrize("rules", [ruleset("half-force"), SMALL_YAHTZEE], ids=lambda rules: rules.name)
def test_a_turn_followed_from_its_rolls_gives_the_chance_of_its_card(rules: Ruleset) -> None:
    """One turn, and the pass over all cards, are two ways to the same number."""
    solution, tables = solved(rules), compile_tables(rules)
    for filled, upper in [(0, 0)] if rules.name == "half-force" else [(0, 0), (0b00001, 3), (0b11101, 4)]:
        mean = np.zeros(len(rules.boxes) + 2)
        for roll in range(tables.rolls):
            faces = dice_of(tables.counts[tables.keeps + roll].tolist())
            situation = Situation(filled, (upper,), faces, tables.throws - 1)
            values = solution.action_values(situation)
            best = int(np.argmax(values >= np.nanmax(values) - 1e-9))
            mean += tables.probability[roll] * solution.chances(situation)[best]
        assert mean == pytest.approx(of_cards(solution, filled, upper), abs=2e-5)


@pytest.mark.parametrize(
    "rules", [ruleset("half-force"), ruleset("full-force"), SMALL_YAHTZEE], ids=lambda one: one.name
)
def test_bonus_and_yatzy_are_those_of_the_moments(rules: Ruleset) -> None:
    moments, found = solved(rules).moments(), of_cards(solved(rules), 0, 0)
    assert found[len(rules.boxes)] == pytest.approx(moments.bonus_rate, abs=ROUNDING + 1e-6)
    assert found[rules.boxes.index("yatzy")] == pytest.approx(moments.yatzy_rate, abs=ROUNDING + 1e-6)


def test_actions_have_chances_where_they_are_legal() -> None:
    solution, situation = solved(ruleset("half-force")), Situation(0, (0,), (1, 2, 3, 4, 5), 1)
    found, values = solution.chances(situation), solution.action_values(situation)
    assert (np.isnan(found) == np.isnan(values)[:, None]).all()
    assert np.nanmin(found) >= 0
    assert np.nanmax(found) <= 1 + 1e-9
    full = Situation((1 << 15) - 1, (40,), (), 0)
    assert np.isnan(solution.chances(full)).all()


def test_a_straight_is_certain_once_it_is_written() -> None:
    rules = ruleset("yacht").replace(name="two-boxes", boxes=["small_straight", "yatzy"])
    found = solved(rules).chances(Situation(0, (0,), (1, 2, 3, 4, 5), 0))
    yatzy = 0.0460286  # in three throws
    assert found[compile_tables(rules).keeps] == pytest.approx([1, yatzy, 0, 0], abs=1e-5)


def test_what_is_refused() -> None:
    saved = ruleset({"dice": 6, "throws": 2, "boxes": ["ones"], "bonus_threshold": 2, "saved_throws": True})
    assert not solved(saved).has_chances
    assert not has_chances(saved)
    for ask in (solved(saved).prepare_chances, lambda: solved(saved).chances(Situation(0, (0,), (1,) * 6, 0))):
        with pytest.raises(SolutionError, match="saved throws"):
            ask()
    with pytest.raises(SituationError, match="cannot be filled first"):
        solved(ruleset("forced")).chances(Situation(2, (0,), (1, 2, 3, 4, 5), 0))


def test_they_are_found_once_and_kept_beside_the_solution(tmp_path: Path) -> None:
    rules, seen = ruleset("forced"), []
    solution = solve(rules, cache_dir=tmp_path, progress=False)
    path = chances_file(rules, tmp_path)
    assert not solution.has_chances
    assert not has_chances(rules, tmp_path)
    solution.prepare_chances(progress=False, on_progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    assert sorted(file.suffix for file in tmp_path.iterdir()) == [".npy", ".npz"]
    assert has_chances(rules, tmp_path)
    before = path.stat().st_mtime_ns
    again = solve(rules, cache_dir=tmp_path, progress=False)
    assert again.has_chances
    situation = Situation(0, (0,), (1, 1, 3, 4, 5), 2)
    assert np.array_equal(again.chances(situation), solution.chances(situation), equal_nan=True)
    assert np.array_equal(again.chances(situation), solved(rules).chances(situation), equal_nan=True)
    assert path.stat().st_mtime_ns == before


@pytest.mark.parametrize("content", [b"nothing", b""])
def test_a_damaged_file_and_one_of_other_rules_are_made_anew(content: bytes, tmp_path: Path) -> None:
    rules = ruleset("forced")
    solve(rules, cache_dir=tmp_path, progress=False)
    path = chances_file(rules, tmp_path)
    if content:
        path.write_bytes(content)
    else:
        np.save(path, np.zeros((3, 4), np.uint16))
    solution = solve(rules, cache_dir=tmp_path, progress=False)
    assert not solution.has_chances
    solution.prepare_chances(progress=False)
    assert solve(rules, cache_dir=tmp_path, progress=False).has_chances
