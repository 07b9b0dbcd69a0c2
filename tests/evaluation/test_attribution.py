"""What mistakes gave up, compared with every throw of two dice written out."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest

from agents.baselines import GreedyAgent, OneTurnAgent, RandomAgent
from agents.optimal import OptimalAgent
from tests.evaluation.helpers import TINY, solved_tiny
from yatzy_env.evaluation.attribution import SAME_BOX, attributions, moved, turn_ends
from yatzy_env.evaluation.matches import play_match
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.situation import Situation, batch, single
from yatzy_env.solver import Solution, solve
from yatzy_env.tables import action_names, compile_tables


def written_out(solution: Solution, now: Situation, action: int) -> Counter[str]:
    """The chance of every end of the turn, by its name, found by throwing all dice in all ways."""
    rules = solution.rules
    name = action_names(rules)[action]
    if name.startswith("score "):
        return Counter({name.removeprefix("score "): 1.0})
    kept = tuple(int(face) for face in name.split()[1:] if face != "nothing")
    thrown = rules.dice - len(kept)
    ends: Counter[str] = Counter()
    for faces in product(range(1, 7), repeat=thrown):
        then = Situation(now.filled, now.upper, (*kept, *faces), now.throws_left - 1, now.yatzy_fifty)
        values = solution.action_values(then)
        best = int(np.flatnonzero(values >= np.nanmax(values) - 1e-9)[0])
        for end, chance in written_out(solution, then, best).items():
            ends[end] += chance / 6**thrown
    return ends


def test_ends_of_turns_are_those_of_all_throws_written_out() -> None:
    solution, tables = solved_tiny(), compile_tables(TINY)
    log = play_match(RandomAgent(TINY), TINY, 20, 1, solution).mistakes
    some = log.first.take(np.arange(0, len(log.first), 5))
    assert set(some.situations.throws_left.tolist()) == {0, 1, 2}
    actions = np.column_stack([some.best, some.action])
    ends = turn_ends(solution, tables, some.situations, actions)
    np.testing.assert_allclose(ends[:, :, :-1].sum(axis=2), 1, atol=1e-12)
    for lane in range(len(some)):
        now = single(tables, some.situations, lane)
        for place, action in enumerate(actions[lane].tolist()):
            expected = written_out(solution, now, action)
            found = dict(zip(TINY.box_names, ends[lane, place, :-1].tolist(), strict=True))
            assert {box: chance for box, chance in found.items() if chance} == pytest.approx(dict(expected))


SAVED = ruleset("maxi-alga").replace(boxes=("sixes", "chance"), bonus_threshold=18)


@pytest.mark.parametrize("rules", [TINY, TINY.replace(throws=4), SAVED], ids=["3 throws", "4 throws", "saved throws"])
def test_the_cost_is_what_the_turn_and_the_card_after_it_lose(rules: Ruleset) -> None:
    """By the law of total expectation the points of the turn and the later ones make up the action's value."""
    solution, tables = solve(rules, cache=False, progress=False), compile_tables(rules)
    match = play_match(OneTurnAgent(rules), rules, 20, 1, solution)
    found = attributions(match, solution)
    assert sum(one.regret for one in found) == pytest.approx(match.game_regret.mean())
    assert all(one.regret == pytest.approx(one.this_turn + one.later) for one in found)
    assert [one.regret for one in found] == sorted((one.regret for one in found), reverse=True)
    last = match.mistakes.first.take(match.mistakes.first.turn == len(rules.box_names) - 1)
    ends = turn_ends(solution, tables, last.situations, np.column_stack([last.best, last.action]))
    np.testing.assert_allclose(ends[:, 0, -1] - ends[:, 1, -1], last.regret, atol=1e-9)  # nothing comes later


def test_a_wrong_box_gives_up_the_right_one() -> None:
    rules = ruleset("yacht")
    solution = solve(rules, cache=False, progress=False)
    now = Situation(filled=(1 << 12) - 1 - 1 - (1 << 11), upper=(0,), roll=(6, 6, 6, 6, 6), throws_left=0)
    names = action_names(rules)
    actions = np.array([[names.index("score yatzy"), names.index("score ones")]])
    ends = turn_ends(solution, compile_tables(rules), batch(rules, [now]), actions)
    given, taken = moved((ends[:, 0] - ends[:, 1])[:, :-1])
    assert (rules.box_names[given[0]], rules.box_names[taken[0]]) == ("yatzy", "ones")
    assert ends[0, :, -1].tolist() == [50, 0]


def test_where_no_box_becomes_less_likely_the_dice_are_weaker() -> None:
    given, taken = moved(np.array([[0.0, 1e-12, 0.0], [0.25, -0.5, 0.25], [0.0, -0.1, 0.1]]))
    assert given.tolist() == [-1, 0, 2]
    assert taken.tolist() == [-1, 1, 1]
    given, taken = moved(np.array([[0.5, 0.5 + 1e-15, -0.5, -0.5 - 1e-15]]))
    assert (given.tolist(), taken.tolist()) == ([0], [2]), "of equals, up to rounding, the first"
    rules = TINY.replace(boxes=("chance",), bonus_points=0, bonus_threshold=0)
    solution = solve(rules, cache=False, progress=False)
    (one,) = attributions(play_match(GreedyAgent(rules), rules, 20, 1, solution), solution)
    assert one.box == one.taken == SAME_BOX
    assert one.later == pytest.approx(0)


def test_optimal_play_gives_up_nothing() -> None:
    assert attributions(play_match(OptimalAgent(solved_tiny()), TINY, 20, 1, solved_tiny()), solved_tiny()) == []
