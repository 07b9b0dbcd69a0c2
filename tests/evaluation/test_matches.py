from __future__ import annotations

import numpy as np
import pytest

from agents.baselines import GreedyAgent, OneTurnAgent, RandomAgent
from tests.evaluation.helpers import TINY, Optimal, PlainSolution, false_dice, tiny_solution
from yatzy_env import dice
from yatzy_env.agent import Agent
from yatzy_env.errors import IllegalActionError, YatzyError
from yatzy_env.evaluation.matches import MeasurementError, check_luck, decision_kinds, game_keys, play_match
from yatzy_env.evaluation.statistics import estimate
from yatzy_env.games import new_games, play
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.situation import Situations
from yatzy_env.tables import compile_tables

GAMES = 400


def agents(rules: Ruleset = TINY) -> list[Agent]:
    return [RandomAgent(rules), GreedyAgent(rules), OneTurnAgent(rules)]


class Player:
    """An agent around a function of situations."""

    name = "player"

    def __init__(self, choose):
        self._choose = choose

    def act(self, situations: Situations, noise: np.ndarray) -> np.ndarray:
        return self._choose(situations)


@pytest.mark.parametrize("agent", [*agents(), Optimal(tiny_solution())], ids=lambda agent: agent.name)
def test_every_game_is_optimum_plus_luck_minus_regret(agent: Agent) -> None:
    match = play_match(agent, TINY, GAMES, 1, tiny_solution())
    assert match.luck is not None
    np.testing.assert_allclose(match.score, match.optimum + match.luck - match.game_regret, rtol=0, atol=1e-9)
    assert (match.regret >= 0).all()
    check_luck(match)


def test_optimal_play_has_no_regret_and_earns_the_optimum() -> None:
    match = play_match(Optimal(tiny_solution()), TINY, 2000, 1, tiny_solution())
    assert np.abs(match.game_regret).max() <= 1e-9
    score = estimate(match.score)
    assert abs(score.mean - match.optimum) < 4 * score.error


def test_the_expected_score_by_regret_agrees_with_the_mean_score_and_is_sharper() -> None:
    match = play_match(OneTurnAgent(TINY), TINY, 2000, 1, tiny_solution())
    score, regret = estimate(match.score), estimate(match.game_regret)
    assert abs(score.mean - (match.optimum - regret.mean)) < 4 * (score.error + regret.error)
    assert regret.error < score.error


@pytest.mark.parametrize("agent", agents(), ids=lambda agent: agent.name)
@pytest.mark.parametrize("batch", [1, 7, GAMES - 1])
def test_results_do_not_depend_on_how_many_games_are_played_together(agent: Agent, batch: int) -> None:
    games = 40 if batch == 1 else GAMES
    together = play_match(agent, TINY, games, 3, tiny_solution())
    apart = play_match(agent, TINY, games, 3, tiny_solution(), batch=batch)
    for field in ("score", "written", "bonus", "decisions", "order", "luck", "regret"):
        np.testing.assert_array_equal(getattr(apart, field), getattr(together, field), err_msg=field)
    for lot in ("first", "worst"):
        some, same = getattr(apart.mistakes, lot), getattr(together.mistakes, lot)
        for field in ("game", "turn", "kind", "action", "best", "regret"):
            np.testing.assert_array_equal(getattr(some, field), getattr(same, field), err_msg=f"{lot} {field}")
    assert apart.mistakes.games == together.mistakes.games


def test_a_longer_match_begins_with_the_games_of_a_shorter_one() -> None:
    short, long = (play_match(RandomAgent(TINY), TINY, games, 5) for games in (30, 90))
    np.testing.assert_array_equal(short.score, long.score[:30])


def test_another_seed_means_other_dice() -> None:
    first, second = (play_match(GreedyAgent(TINY), TINY, GAMES, seed) for seed in (1, 2))
    assert (first.score != second.score).any()


def test_game_keys_are_those_of_the_design() -> None:
    assert game_keys(9, 2, 4).tolist() == [dice.key("evaluate", 9, 2), dice.key("evaluate", 9, 3)]


def test_scores_are_those_of_the_game() -> None:
    """One game at a time, played by hand, gives the same scores, boxes and bonuses."""
    tables = compile_tables(TINY)
    agent = GreedyAgent(TINY)
    match = play_match(agent, TINY, 25, 4)
    for number in range(25):
        games = new_games(tables, game_keys(4, number, number + 1))
        decisions = 0
        while games.now.roll[0] >= 0:
            play(tables, games, agent.act(games.now.copy(), np.zeros(1)))
            decisions += 1
        assert match.score[number] == games.total[0]
        assert match.decisions[number] == decisions
        assert match.written[number].tolist() == games.written[0].tolist()
        assert match.bonus[number].tolist() == [games.now.upper[0, 0] >= TINY.bonus_threshold]
        assert match.yatzy[number].tolist() == [games.written[0, TINY.box_index("yatzy")] > 0]
        total = games.written[0].sum() + TINY.bonus_points * match.bonus[number, 0]
        assert match.score[number] == total


def test_regret_belongs_to_the_kind_of_decision() -> None:
    """An agent that is perfect but for its choice of box has regret there and nowhere else, and so on."""
    tables = compile_tables(TINY)
    perfect, careless = Optimal(tiny_solution()), RandomAgent(TINY)
    for kind, left in enumerate((2, 1, 0)):

        class Mixed:
            name = "mixed"

            def act(self, situations: Situations, noise: np.ndarray, left: int = left) -> np.ndarray:
                mistakes = careless.act(situations, noise)
                return np.where(situations.throws_left == left, mistakes, perfect.act(situations, noise))

        match = play_match(Mixed(), TINY, 60, 1, tiny_solution())
        by_kind = match.regret_by_kind.mean(axis=0)
        assert by_kind[kind] > 0.1
        assert np.delete(by_kind, kind).max() < 1e-9
    assert match.regret_by_turn.shape == (60, tables.card.boxes)
    np.testing.assert_allclose(match.regret_by_turn.sum(axis=1), match.game_regret)


def test_regret_by_box_moves_each_turn_to_the_box_it_filled() -> None:
    match = play_match(GreedyAgent(TINY), TINY, 30, 1, tiny_solution())
    assert np.sort(match.order, axis=1).tolist() == [list(range(5))] * 30, "every box is filled once"
    for game, turn, kind in np.argwhere(match.regret > 0).tolist():
        assert match.regret_by_box[game, match.order[game, turn], kind] == match.regret[game, turn, kind]
    assert match.regret_by_box.sum() == pytest.approx(match.regret.sum())


def test_luck_adjusted_scores_are_the_optimum_minus_the_regret() -> None:
    match = play_match(GreedyAgent(TINY), TINY, 50, 1, tiny_solution())
    np.testing.assert_allclose(match.luck_adjusted, match.optimum - match.game_regret, rtol=0, atol=1e-9)
    assert match.luck_adjusted.std() < match.score.std()


def test_kinds_of_decision_follow_the_number_of_throws() -> None:
    assert decision_kinds(ruleset("yatzy")) == ("first keep", "second keep", "choice of box")
    assert decision_kinds(ruleset("yatzy").replace(throws=1)) == ("choice of box",)


@pytest.mark.parametrize("throws", [1, 2, 4])
def test_turns_with_other_numbers_of_throws(throws: int) -> None:
    rules = TINY.replace(throws=throws, boxes=("ones", "sixes", "chance"))
    match = play_match(RandomAgent(rules), rules, 50, 1, PlainSolution(rules))
    assert match.regret_by_kind.shape == (50, throws)
    assert match.decisions.max() <= throws * 3


def test_joker_and_extra_bonuses_fit_the_identity() -> None:
    rules = TINY.replace(boxes=("ones", "sixes", "chance", "yatzy"), joker="forced", extra_yatzy_bonus=20)
    match = play_match(RandomAgent(rules), rules, 300, 1, PlainSolution(rules))
    assert (match.score > match.written.sum(axis=1) + rules.bonus_points * match.bonus[:, 0]).any(), "no extra bonus"
    check_luck(match)


@pytest.mark.parametrize("name", ["triple", "maxi-alga"])
def test_rulesets_without_a_solution_are_played_all_the_same(name: str) -> None:
    rules = ruleset(name)
    match = play_match(GreedyAgent(rules), rules, 20, 1)
    assert match.optimum is match.luck is match.regret is None
    assert match.bonus.shape == match.yatzy.shape == (20, len(rules.columns))
    with pytest.raises(YatzyError, match="was not solved"):
        _ = match.game_regret
    with pytest.raises(YatzyError, match="was not solved"):
        check_luck(match)


def test_false_dice_make_the_luck_check_fail() -> None:
    match = play_match(GreedyAgent(TINY), TINY, GAMES, 1, tiny_solution(), tables=false_dice(TINY))
    with pytest.raises(MeasurementError, match=r"mean luck \+\d+\.\d+ per game.*400 games.*standard errors from 0"):
        check_luck(match)


def test_one_game_cannot_convict_dice() -> None:
    check_luck(play_match(GreedyAgent(TINY), TINY, 1, 1, tiny_solution(), tables=false_dice(TINY)))


def test_a_solution_with_wrong_values_is_noticed() -> None:
    class Wrong(PlainSolution):
        def batch_action_values(self, situations: Situations) -> np.ndarray:
            return super().batch_action_values(situations) + 0.001 * (situations.throws_left == 0)[:, None]

    message = r"'greedy', game \d+ of seed 1: the score \d+ is -2\.00e-03 away from"
    with pytest.raises(MeasurementError, match=message):
        play_match(GreedyAgent(TINY), TINY, 20, 1, Wrong(TINY))


def test_a_solution_of_another_ruleset_is_refused() -> None:
    other = TINY.replace(yatzy_points=49)
    with pytest.raises(YatzyError, match="does not fit"):
        play_match(GreedyAgent(other), other, 5, 1, tiny_solution())


def test_an_illegal_action_names_agent_action_and_situation() -> None:
    tables = compile_tables(TINY)
    stubborn = Player(lambda situations: np.full(len(situations.roll), tables.keeps + 1))
    with pytest.raises(
        IllegalActionError,
        match=r"agent 'player' played the illegal action \d+ \(score sixes\) in Situation\(filled=2,",
    ):
        play_match(stubborn, TINY, 5, 1)


@pytest.mark.parametrize(
    ("choose", "message"),
    [
        (lambda situations: np.zeros(3, np.int64), "shape"),
        (lambda situations: np.zeros(len(situations.roll)), "whole numbers"),
        (lambda situations: np.full(len(situations.roll), 999), "illegal action 999 in Situation"),
        (lambda situations: np.full(len(situations.roll), -1), "illegal action -1 in Situation"),
    ],
)
def test_answers_that_are_no_actions_are_refused(choose, message: str) -> None:
    with pytest.raises(IllegalActionError, match=message):
        play_match(Player(choose), TINY, 5, 1)


def test_an_agent_cannot_change_the_games() -> None:
    def cheat(situations: Situations) -> np.ndarray:
        actions = GreedyAgent(TINY).act(situations.copy(), np.zeros(len(situations.roll)))
        situations.roll[:] = 20
        situations.filled[:] = 0
        return actions

    honest = play_match(GreedyAgent(TINY), TINY, 20, 1)
    np.testing.assert_array_equal(play_match(Player(cheat), TINY, 20, 1).score, honest.score)


@pytest.mark.parametrize(("games", "seed", "batch"), [(0, 1, 8), (-3, 1, 8), (5, -1, 8), (5, 1, 0), (2.5, 1, 8)])
def test_numbers_out_of_range_are_refused(games, seed: int, batch: int) -> None:
    with pytest.raises(YatzyError, match="allowed: a whole number"):
        play_match(GreedyAgent(TINY), TINY, games, seed, batch=batch)


def test_progress_adds_up_to_the_games() -> None:
    seen: list[int] = []
    play_match(RandomAgent(TINY), TINY, 100, 1, batch=30, on_progress=seen.append)
    assert sum(seen) == 100
