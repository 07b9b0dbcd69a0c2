"""The game for several players: turns, cards, rewards, teams, dice, bad arguments."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

import yatzy_env
from tests.envs.play import random_legal, replay_total
from yatzy_env import IllegalActionError, RulesetError, YatzyError
from yatzy_env.envs import YatzyEnv
from yatzy_env.envs.multiplayer import raw_env
from yatzy_env.envs.multiplayer_rules import win_rewards
from yatzy_env.envs.single import ILLEGAL_LIMIT


class Played:
    """A whole game by random legal play, and what was seen of it."""

    def __init__(self, game: Any, seed: int, play_seed: int = 0) -> None:
        rng = np.random.default_rng(play_seed)
        raw = game.unwrapped
        self.order: list[str] = []  # who filled a box, in order
        self.fills: dict[str, list[tuple[str, tuple[int, ...]]]] = defaultdict(list)
        self.returns: dict[str, float] = dict.fromkeys(raw.possible_agents, 0.0)
        self.steps: list[tuple[str, int, tuple[int, ...]]] = []
        self.nonzero: list[dict[str, float]] = []
        game.reset(seed=seed)
        for agent in game.agent_iter():
            observation, reward, terminated, truncated, info = game.last()
            self.returns[agent] += reward
            self.scores = {name: info[f"score_{name}"] for name in raw.possible_agents}
            assert info["score"] == self.scores[agent]
            assert all(isinstance(value, int | bool) for value in info.values())
            assert not info["illegal_action"]
            assert not truncated
            if terminated:
                assert not observation["action_mask"].any()
                game.step(None)
                continue
            action = random_legal(rng, observation["action_mask"])
            roll = raw.situation.roll
            self.steps.append((agent, action, roll))
            if action >= raw.tables.keeps:
                self.order.append(agent)
                self.fills[agent].append((raw.rules.box_names[action - raw.tables.keeps], roll))
            game.step(action)
            if any(game.rewards.values()):
                self.nonzero.append(dict(game.rewards))


@pytest.mark.parametrize("name", yatzy_env.rulesets())
def test_every_card_ends_with_the_total_of_the_plain_scorer(name: str) -> None:
    rules = yatzy_env.ruleset(name)
    for players, seed in ((2, 1), (3, 2)):
        game = yatzy_env.multiplayer(name, players=players, strict=True)
        played = Played(game, seed)
        assert played.order == game.possible_agents * len(rules.box_names)
        for agent, fills in played.fills.items():
            total = replay_total(rules, fills)
            assert played.scores[agent] == total
            assert played.returns[agent] == total
        assert game.agents == []


@pytest.mark.parametrize("name", ["yatzy", "yahtzee", "maxi-alga", "triple"])
def test_teams_share_a_card_rotate_and_share_its_reward(name: str) -> None:
    rules = yatzy_env.ruleset(name)
    game = yatzy_env.multiplayer(name, players=5, teams=((0, 2, 4), (3, 1)), strict=True)
    played = Played(game, seed=3)
    boxes = len(rules.box_names)
    expected = [f"player_{team[turn % len(team)]}" for turn in range(boxes) for team in ((0, 2, 4), (3, 1))]
    assert played.order == expected
    for team in ((0, 2, 4), (1, 3)):
        names = [f"player_{player}" for player in team]
        turns = {agent: iter(played.fills[agent]) for agent in names}
        fills = [next(turns[agent]) for agent in played.order if agent in names]
        total = replay_total(rules, fills)
        assert [played.returns[agent] for agent in names] == [total] * len(team)
        assert [played.scores[agent] for agent in names] == [total] * len(team)


def test_players_of_the_usual_teams_take_turns_in_the_order_of_their_numbers() -> None:
    game = yatzy_env.multiplayer("yatzy", players=4, teams=((0, 2), (1, 3)))
    assert Played(game, seed=1).order == [f"player_{turn % 4}" for turn in range(30)]


@pytest.mark.parametrize("teams", [None, ((0, 2), (1, 3))])
def test_win_rewards_come_once_at_the_end_and_follow_the_totals(teams: Any) -> None:
    for seed in range(4):
        game = yatzy_env.multiplayer("yacht", players=4, teams=teams, reward="win")
        played = Played(game, seed)
        best = max(played.scores.values())
        cards = teams or ((0,), (1,), (2,), (3,))
        tops = sum(played.scores[f"player_{team[0]}"] == best for team in cards)
        for agent, score in played.scores.items():
            assert played.returns[agent] == (-1.0 if score < best else 1.0 if tops == 1 else 0.0)
        assert len(played.nonzero) <= 1


def test_win_rewards_of_ties() -> None:
    assert win_rewards([200, 190]) == [1.0, -1.0]
    assert win_rewards([200, 200]) == [0.0, 0.0]
    assert win_rewards([150, 200, 200]) == [-1.0, 0.0, 0.0]
    assert win_rewards([150, 200, 190]) == [-1.0, 1.0, -1.0]
    assert win_rewards(np.array([7, 7, 7])) == [0.0, 0.0, 0.0]


def test_a_tie_is_a_draw_in_play() -> None:
    rules = {"boxes": ["yatzy"], "bonus_points": 0}  # hardly ever anything but 0 : 0
    game = yatzy_env.multiplayer(rules, players=2, reward="win")
    played = Played(game, seed=1)
    assert played.scores == {"player_0": 0, "player_1": 0}
    assert played.returns == {"player_0": 0.0, "player_1": 0.0}


@pytest.mark.parametrize("name", ["yatzy", "maxi-alga", "triple"])
def test_same_seed_same_game_and_games_go_on_under_the_key(name: str) -> None:
    one, other = yatzy_env.multiplayer(name), yatzy_env.multiplayer(name)
    assert Played(one, 5).steps == Played(other, 5).steps
    assert Played(one, 5).steps != Played(one, 6).steps

    def first_rolls(game: Any, seed: int | None, games: int) -> list[tuple[int, ...]]:
        rolls = []
        for number in range(games):
            game.reset(seed=seed if number == 0 else None)
            rolls.append(game.situation.roll)
        return rolls

    assert first_rolls(one, 9, 6) == first_rolls(other, 9, 6)
    assert len(set(first_rolls(one, 9, 6))) > 1
    assert first_rolls(yatzy_env.multiplayer(name), None, 4) != first_rolls(yatzy_env.multiplayer(name), None, 4)


def first_rolls_of_turns(game: Any, seed: int, play_seed: int, card: int) -> list[tuple[int, ...]]:
    """The first roll of each turn of a card, its players filling the first legal box, everybody else at random."""
    rng = np.random.default_rng(play_seed)
    raw = game.unwrapped
    rolls = []
    game.reset(seed=seed)
    for agent in game.agent_iter():
        observation, _, terminated, _, _ = game.last()
        if terminated:
            game.step(None)
        elif int(agent.removeprefix("player_")) in raw.teams[card]:
            rolls.append(raw.situation.roll)
            game.step(raw.tables.keeps + int(np.flatnonzero(observation["action_mask"][raw.tables.keeps :])[0]))
        else:
            game.step(random_legal(rng, observation["action_mask"]))
    return rolls


@pytest.mark.parametrize("name", ["yatzy", "maxi-alga", "triple"])
def test_dice_of_a_card_do_not_depend_on_the_others(name: str) -> None:
    seen = [first_rolls_of_turns(yatzy_env.multiplayer(name), 4, play_seed, card=1) for play_seed in (1, 2)]
    seen.append(first_rolls_of_turns(yatzy_env.multiplayer(name, players=3), 4, 3, card=1))
    seen.append(first_rolls_of_turns(yatzy_env.multiplayer(name, players=4, teams=((0, 2), (3, 1))), 4, 4, card=1))
    assert seen[0] == seen[1] == seen[2] == seen[3]
    assert seen[0] != first_rolls_of_turns(yatzy_env.multiplayer(name), 4, 1, card=0)


def test_the_first_card_meets_the_dice_of_the_single_environment() -> None:
    env = YatzyEnv("maxi-alga")
    env.reset(seed=4)
    rolls = []
    terminated = False
    while not terminated:
        rolls.append(env.situation.roll)
        legal = np.flatnonzero(env.action_masks()[env.tables.keeps :])
        _, _, terminated, _, _ = env.step(env.tables.keeps + int(legal[0]))
    assert rolls == first_rolls_of_turns(yatzy_env.multiplayer("maxi-alga"), 4, 7, card=0)


def test_every_card_has_its_own_pool_of_saved_throws() -> None:
    game = yatzy_env.multiplayer("maxi-alga", strict=True)
    game.reset(seed=1)
    names = game.unwrapped.action_names
    for expected, box in ((2, "ones"), (2, "ones"), (4, "twos")):
        assert game.unwrapped.situation.throws_left == expected
        if expected == 2 and game.agent_selection == "player_1":
            game.step(0)
            game.step(0)
        game.step(names.index(f"score {box}"))
    assert game.agent_selection == "player_1"
    assert game.unwrapped.situation.throws_left == 2  # it used both its throws


def test_the_reward_of_a_step_is_cleared_with_the_next() -> None:
    game = yatzy_env.multiplayer("yatzy", strict=True)
    game.reset(seed=1)
    chance = game.unwrapped.action_names.index("score chance")
    points = sum(game.unwrapped.situation.roll)
    game.step(chance)
    assert game.rewards == {"player_0": points, "player_1": 0.0}
    game.step(0)
    assert game.rewards == {"player_0": 0.0, "player_1": 0.0}
    game.step(chance)
    assert game.last()[1] == points  # what player_0 got since its last action


def test_an_illegal_action_changes_nothing_until_the_game_is_cut_off() -> None:
    game = yatzy_env.multiplayer("yatzy", players=3, reward="win")
    game.reset(seed=1)
    before = game.observe("player_0")
    illegal = int(np.flatnonzero(before["action_mask"] == 0)[0])
    for count in range(1, ILLEGAL_LIMIT):
        game.step(illegal)
        observation, reward, terminated, truncated, info = game.last()
        assert (game.agent_selection, reward, terminated, truncated) == ("player_0", 0.0, False, False), count
        assert info["illegal_action"]
        assert not game.infos["player_1"]["illegal_action"]
        for key, values in observation.items():
            np.testing.assert_array_equal(values, before[key])
    game.step(0)
    assert not game.infos["player_0"]["illegal_action"]
    for _ in range(ILLEGAL_LIMIT):
        assert not any(game.truncations.values())
        game.step(int(np.flatnonzero(game.observe(game.agent_selection)["action_mask"] == 0)[0]))
    assert all(game.truncations.values())
    assert not any(game.terminations.values())
    assert not any(game.rewards.values())
    assert not game.last()[0]["action_mask"].any()
    for _ in range(3):
        game.step(None)
    assert game.agents == []


def test_strict_names_the_action_and_the_legal_ones() -> None:
    game = yatzy_env.multiplayer("forced", strict=True)
    game.reset(seed=1)
    before = game.last()[0]
    with pytest.raises(IllegalActionError, match=r"score twos\) is not legal; legal: keep nothing.*score ones"):
        game.step(game.unwrapped.action_names.index("score twos"))
    np.testing.assert_array_equal(game.last()[0]["observation"], before["observation"])


@pytest.mark.parametrize("action", [-1, 225, 1.5, "keep nothing", None])
def test_an_action_outside_the_space_is_always_an_error(action: object) -> None:
    game = yatzy_env.multiplayer()
    game.reset(seed=1)
    with pytest.raises(IllegalActionError, match="action"):
        game.step(action)
    assert game.agent_selection == "player_0"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"players": 0}, "players = 0; allowed: a whole number from 2"),
        ({"players": 1}, "players = 1"),
        ({"players": 2.0}, "players = 2.0"),
        ({"players": True}, "players = True"),
        ({"players": 4, "teams": ((0, 1), (2,))}, "leaves out player 3"),
        ({"players": 3, "teams": ((0, 1), (1, 2))}, "player 1 twice"),
        ({"players": 2, "teams": ((0, 1), (2,))}, "names player 2; allowed: 0 to 1"),
        ({"players": 2, "teams": ((0, "1"),)}, "names player '1'"),
        ({"players": 2, "teams": ((0, 1), ())}, "a team without players"),
        ({"players": 2, "teams": (0, 1)}, "a sequence of sequences"),
        ({"players": 2, "teams": 2}, "a sequence of sequences"),
        ({"players": 2, "teams": ((0, 1),), "reward": "win"}, "at least two cards"),
        ({"reward": "wins"}, "did you mean win"),
        ({"render_mode": "rgb"}, "did you mean rgb_array"),
    ],
)
def test_bad_arguments_are_one_clear_error(arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(YatzyError, match=text.replace("(", r"\(")) as caught:
        yatzy_env.multiplayer(**arguments)
    assert "\n" not in str(caught.value)


def test_an_unknown_ruleset() -> None:
    with pytest.raises(RulesetError, match="maxi-alga"):
        yatzy_env.multiplayer("maxi-algo")


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda game: pickle.loads(pickle.dumps(game))])
def test_a_copy_plays_on_by_itself(copied: Any) -> None:
    game = raw_env("yahtzee", strict=True)
    game.reset(seed=1)
    for _ in range(3):
        game.step(game.tables.keeps + int(np.flatnonzero(game.action_masks()[game.tables.keeps :])[0]))
    twin = copied(game)
    assert twin.tables is game.tables
    before = game.observe("player_1")["observation"]
    rolls = []
    for played in (twin, game):
        played.step(0)
        rolls.append(played.situation.roll)
        if played is twin:
            np.testing.assert_array_equal(game.observe("player_1")["observation"], before)
    assert rolls[0] == rolls[1]


def test_importing_the_package_leaves_pettingzoo_alone() -> None:
    code = "import sys, yatzy_env, yatzy_env.envs; sys.exit('pettingzoo' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
