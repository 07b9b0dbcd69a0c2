"""The game as a machine of steps."""

from __future__ import annotations

import hashlib
from random import Random

import numpy as np
import pytest

from agents.play.session import Session
from agents.play.steps import GameError, SeatPlan, Step, make_setup
from tests.play.helpers import SEED, new_session, play_out, random_step
from yatzy_env import dice, multiplayer
from yatzy_env.errors import YatzyError
from yatzy_env.rules import Ruleset, ruleset


def test_random_games_end_with_the_total_of_the_plain_scorer(each_ruleset: Ruleset, rng: Random) -> None:
    """Every box is scored again by `rules.score`, joker values apart; bonus and extra are added up by hand."""
    session = new_session(each_ruleset, seats=2)
    play_out(session, rng)
    for card in range(2):
        total, upper, yatzy_scored, filled = 0, [0] * len(each_ruleset.columns), False, set()
        scored = [entry for entry in session.entries if entry.kind == "score" and entry.card == card]
        assert len(scored) == len(each_ruleset.box_names)
        for entry in scored:
            box = each_ruleset.box_names[(entry.action or 0) - session.tables.keeps]
            plain, _, column = box.partition("@")
            place = int(column or 1) - 1
            alike = len(set(entry.dice)) == 1
            joker = alike and "yatzy" in filled and each_ruleset.joker != "none"
            face_box = ("ones", "twos", "threes", "fours", "fives", "sixes")[entry.dice[0] - 1]
            points = each_ruleset.score(plain, entry.dice)
            if joker and face_box in filled and plain in ("full_house", "small_straight", "large_straight"):
                points = {"full_house": 25, "small_straight": 30, "large_straight": 40}[plain]
            total += points * each_ruleset.columns[place]
            if alike and yatzy_scored:
                total += each_ruleset.extra_yatzy_bonus
            if plain in ("ones", "twos", "threes", "fours", "fives", "sixes"):
                upper[place] += points
            yatzy_scored = yatzy_scored or (plain == "yatzy" and points > 0)
            filled.add(plain)
        earned = [part >= each_ruleset.bonus_threshold for part in upper]
        total += sum(
            each_ruleset.bonus_points * factor for factor, has in zip(each_ruleset.columns, earned, strict=True) if has
        )
        assert session.games.total[card] == total


def test_the_same_steps_lead_to_the_same_game(each_ruleset: Ruleset, rng: Random) -> None:
    session = new_session(each_ruleset, seats=2)
    steps = play_out(session, rng)
    again = Session.replay(session.setup, [Step.from_plain(step.plain()) for step in steps])
    assert again.entries == session.entries
    assert again.version == session.version == len(steps)
    np.testing.assert_array_equal(again.games.written, session.games.written)


def test_dice_are_those_of_the_multiplayer_environment(each_ruleset: Ruleset, rng: Random) -> None:
    session = new_session(each_ruleset, seats=3, teams=((0, 2), (1,)))
    env = multiplayer(each_ruleset, 3, teams=((0, 2), (1,)), strict=True)
    env.reset(seed=dice.key("play", SEED))
    for _ in range(60):
        if session.phase == "finished":
            break
        if session.phase == "throw":
            session.apply(Step("throw"))
        assert env.agent_selection == f"player_{session.seat}"
        assert session.situation == env.unwrapped.situation
        step = random_step(session, rng)
        session.apply(step)
        env.step(step.action)


def test_the_digest_fixes_the_seed_before_the_game() -> None:
    setup = new_session(ruleset("yatzy")).setup
    assert setup.seed_digest == hashlib.sha256(SEED.encode()).hexdigest()


def test_a_box_is_taken_back_until_dice_are_thrown() -> None:
    session = new_session(ruleset("yatzy"), seats=2)
    session.apply(Step("throw"))
    before = (list(session.dice), session.entries[:], session.situation)
    session.apply(session.score_step("chance"))
    assert session.can_undo
    assert (session.seat, session.games.total[0]) == (1, sum(before[0]))
    session.apply(Step("undo"))
    assert (session.dice, session.entries, session.situation) == before
    assert (session.seat, session.games.total[0], session.version) == (0, 0, 3)
    session.apply(session.score_step("ones"))
    session.apply(Step("throw"))
    assert not session.can_undo
    with pytest.raises(GameError, match="dice have been thrown"):
        session.apply(Step("undo"))


def test_a_keep_cannot_be_taken_back_because_it_throws() -> None:
    session = new_session(ruleset("yatzy"))
    session.apply(Step("throw"))
    session.apply(session.keep_step(session.dice[:2]))
    assert not session.can_undo


def test_the_last_box_of_a_game_stays_because_the_seed_is_shown(rng: Random) -> None:
    session = new_session(ruleset("yacht"))
    play_out(session, rng)
    assert not session.can_undo


def test_undo_leads_to_games_that_undo_nothing(rng: Random) -> None:
    """A game with boxes taken back and filled again is the game of the steps that count."""
    session = new_session(ruleset("yahtzee"), seats=2)
    taken_back = 0
    while session.phase != "finished":
        session.apply(random_step(session, rng))
        if session.can_undo and rng.random() < 0.5:
            session.apply(Step("undo"))
            taken_back += 1
    assert taken_back > 5
    again = Session.replay(session.setup, session.steps)
    assert again.entries == session.entries
    assert again.version == session.version - 2 * taken_back


def test_kept_dice_stay_in_their_places() -> None:
    session = new_session(ruleset("yatzy"))
    session.apply(Step("throw"))
    shown = list(session.dice)
    session.apply(session.keep_step([shown[1], shown[4]], [1, 4]))
    assert (session.dice[1], session.dice[4]) == (shown[1], shown[4])
    assert session.thrown == [True, False, True, True, False]


def test_members_of_a_team_take_turns_on_their_card() -> None:
    session = new_session(ruleset("yatzy"), seats=5, teams=((0, 2, 4), (1, 3)))
    seats = []
    for _ in range(12):
        seats.append((session.card, session.seat))
        session.apply(Step("throw"))
        session.apply(Step("score", session.tables.keeps + len(seats) // 2 - (len(seats) % 2 == 0)))
    assert seats == [(0, 0), (1, 1), (0, 2), (1, 3), (0, 4), (1, 1), (0, 0), (1, 3), (0, 2), (1, 1), (0, 4), (1, 3)]


def test_real_dice_are_typed_in_and_a_keep_can_be_taken_back() -> None:
    session = new_session(ruleset("yatzy"), seed=None)
    assert (session.phase, session.awaited, session.setup.seed_digest) == ("enter", 5, None)
    session.apply(Step("dice", None, (6, 6, 1, 2, 6)))
    session.apply(session.keep_step([6, 6, 6]))
    assert (session.phase, session.awaited, session.can_undo) == ("enter", 2, True)
    assert session.dice == [6, 6, 0, 0, 6]
    session.apply(Step("undo"))
    assert (session.phase, session.dice) == ("decide", [6, 6, 1, 2, 6])
    session.apply(session.keep_step([6, 6, 6]))
    with pytest.raises(GameError, match="2 dice from 1 to 6 are awaited"):
        session.apply(Step("dice", None, (6,)))
    session.apply(Step("dice", None, (6, 6)))
    assert session.dice == [6, 6, 6, 6, 6]
    assert not session.can_undo
    session.apply(session.score_step("yatzy"))
    assert session.games.total[0] == 50


def test_real_dice_games_of_every_ruleset_end(each_ruleset: Ruleset, rng: Random) -> None:
    session = new_session(each_ruleset, seats=2, seed=None)
    play_out(session, rng)
    assert session.turns == session.all_turns


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda session: session.keep_step([7]), "cannot hold 7"),
        (lambda session: session.keep_step(session.dice), "holding all dice is no move"),
        (lambda session: session.keep_step([], [9]), "must differ and lie in"),
        (lambda session: session.score_step("tower"), "there is no box 'tower'"),
        (lambda session: session.apply(Step("throw")), "cannot throw the first dice now"),
        (lambda session: session.apply(Step("dice", None, (1,) * 5)), "cannot type in dice now"),
        (lambda session: session.apply(Step("keep", 0, (1,))), "does not hold"),
        (lambda session: session.apply(Step("score", 0)), "fills no box"),
        (lambda session: session.apply(Step("score", 10_000)), "not legal"),
        (lambda session: session.apply(Step("score", -1)), "not legal"),
        (lambda session: session.action_step(-1), "not legal"),
    ],
)
def test_what_cannot_be_done_changes_nothing(call: object, message: str) -> None:
    session = new_session(ruleset("yatzy"))
    session.apply(Step("throw"))
    before = (session.version, list(session.dice), list(session.entries))
    with pytest.raises(GameError, match=message):
        call(session)  # type: ignore[operator]
    assert (session.version, session.dice, session.entries) == before


def test_a_forced_box_is_the_only_one() -> None:
    session = new_session(ruleset("forced"))
    session.apply(Step("throw"))
    with pytest.raises(GameError, match="may not be filled now; allowed: ones"):
        session.score_step("twos")


def test_no_throw_is_left_after_the_third() -> None:
    session = new_session(ruleset("yatzy"))
    session.apply(Step("throw"))
    for _ in range(2):
        session.apply(session.keep_step([]))
    with pytest.raises(GameError, match="no throw is left"):
        session.keep_step([])
    assert len(session.legal_actions()) == 15


def test_a_finished_game_takes_no_step(rng: Random) -> None:
    session = new_session(ruleset("yacht"))
    play_out(session, rng)
    with pytest.raises(GameError, match="the game is finished"):
        session.apply(Step("throw"))


def test_teams_hold_every_seat_once() -> None:
    seats = [SeatPlan("a"), SeatPlan("b")]
    with pytest.raises(YatzyError, match="leaves out player 1"):
        make_setup(ruleset("yatzy"), seats, [[0]], "", "s")
    with pytest.raises(YatzyError, match="allowed with one seat"):
        make_setup(ruleset("yatzy"), seats[:1], [[1]], "", "s")
