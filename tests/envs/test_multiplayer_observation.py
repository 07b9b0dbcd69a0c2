"""What players of a game for several see: own card first, opponents right, no dice before they are thrown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import yatzy_env
from tests.envs.play import random_legal
from yatzy_env import compile_tables
from yatzy_env.envs import YatzyEnv, multiplayer_blocks, multiplayer_space, observation_blocks


def parts(rules: Any, cards: int, vector: Any) -> dict[str, Any]:
    return {b.name: vector[b.start : b.start + b.size] for b in multiplayer_blocks(rules, cards)}


@pytest.mark.parametrize("name", yatzy_env.rulesets())
def test_blocks_cover_the_vector_without_gaps_and_begin_with_the_flat_observation(name: str) -> None:
    rules = yatzy_env.ruleset(name)
    for cards in (1, 2, 4):
        blocks = multiplayer_blocks(rules, cards)
        ends = [0, *(block.start + block.size for block in blocks)]
        assert [block.start for block in blocks] == ends[:-1]
        assert multiplayer_space(rules, cards).shape == (ends[-1],)
        assert len({block.name for block in blocks}) == len(blocks)
        own = observation_blocks(rules)
        assert blocks[: len(own)] == own


@pytest.mark.parametrize("name", yatzy_env.rulesets())
def test_every_card_is_seen_as_it_is_from_every_seat(name: str) -> None:
    rules = yatzy_env.ruleset(name)
    cards = 3
    game = yatzy_env.multiplayer(name, players=cards, strict=True)
    rng = np.random.default_rng(5)
    game.reset(seed=8)
    names = game.possible_agents
    tables = compile_tables(rules)
    filled: list[set[int]] = [set() for _ in range(cards)]
    pools = [0] * cards
    boxes = len(rules.box_names)
    for agent in game.agent_iter(260):
        if game.terminations[agent]:
            break
        mine = names.index(agent)
        situation = game.unwrapped.situation
        scores = game.unwrapped.scores
        for seat, observer in enumerate(names):
            found = game.observe(observer)
            assert game.observation_space(observer).contains(found)
            assert found["action_mask"].any() == (seat == mine)
            seen = parts(rules, cards, found["observation"])
            assert seen["dice"].any() == (seat == mine)
            assert seen["total"] == pytest.approx(scores[observer] / rules.max_score, abs=1e-7)
            for step in range(1, cards):
                other = (seat + step) % cards
                total = seen[f"card_{step}_total"]
                assert total == pytest.approx(scores[names[other]] / rules.max_score, abs=1e-7)
                is_open = [float(box not in filled[other]) for box in range(boxes)]
                assert seen[f"card_{step}_open"].tolist() == is_open
                assert seen[f"card_{step}_progress"] == pytest.approx(len(filled[other]) / boxes)
                if rules.saved_throws:
                    held = situation.throws_left if other == mine else pools[other]
                    assert seen[f"card_{step}_saved"] == pytest.approx(held / tables.most_throws_left)
        action = random_legal(rng, game.last()[0]["action_mask"])
        if action >= tables.keeps:
            filled[mine].add(action - tables.keeps)
            pools[mine] = situation.throws_left if rules.saved_throws and len(filled[mine]) < boxes else 0
        game.step(action)


@pytest.mark.parametrize("name", ["yatzy", "yahtzee", "maxi-alga", "triple"])
def test_the_player_on_turn_sees_the_flat_observation_of_the_same_situation(name: str) -> None:
    game = yatzy_env.multiplayer(name, players=2, strict=True)
    env = YatzyEnv(name)
    rng = np.random.default_rng(1)
    game.reset(seed=3)
    for _ in range(50):
        seen = game.last()[0]
        flat, info = env.reset(options={"situation": game.unwrapped.situation})
        np.testing.assert_array_equal(seen["observation"][: len(flat)], flat)
        np.testing.assert_array_equal(seen["action_mask"], info["action_mask"])
        game.step(random_legal(rng, seen["action_mask"]))


@pytest.mark.parametrize("name", ["yatzy", "yahtzee", "triple"])
def test_upper_sections_of_others_are_those_they_see_themselves(name: str) -> None:
    rules = yatzy_env.ruleset(name)
    game = yatzy_env.multiplayer(name, players=3, strict=True)
    rng = np.random.default_rng(2)
    game.reset(seed=3)
    for _ in range(100):
        seen = [parts(rules, 3, game.observe(agent)["observation"]) for agent in game.possible_agents]
        for seat in range(3):
            for step in (1, 2):
                other = seen[(seat + step) % 3]
                for block in ("total", "open", "upper", "yatzy_fifty", "progress"):
                    if block in other:
                        np.testing.assert_array_equal(seen[seat][f"card_{step}_{block}"], other[block])
        if any(game.terminations.values()):
            break
        game.step(random_legal(rng, game.last()[0]["action_mask"]))


def test_waiting_players_do_not_see_the_dice_to_come() -> None:
    games = [yatzy_env.multiplayer("maxi-alga") for _ in range(2)]
    for seed, game in zip((1, 2), games, strict=True):
        game.reset(seed=seed)
    waiting = [game.observe("player_1")["observation"] for game in games]
    np.testing.assert_array_equal(*waiting)
    for game in games:
        game.step(game.unwrapped.action_names.index("score ones"))
    assert (games[0].observe("player_1")["observation"] != games[1].observe("player_1")["observation"]).any()


def test_team_members_see_the_dice_of_their_card_and_only_the_one_on_turn_gets_a_mask() -> None:
    game = yatzy_env.multiplayer("yatzy", players=4, teams=((0, 2), (1, 3)))
    game.reset(seed=1)
    on_turn, partner = game.observe("player_0"), game.observe("player_2")
    np.testing.assert_array_equal(on_turn["observation"], partner["observation"])
    assert on_turn["action_mask"].any()
    assert not partner["action_mask"].any()
    assert len(on_turn["observation"]) == multiplayer_space(yatzy_env.ruleset("yatzy"), 2).shape[0]
    opponents = [game.observe(agent)["observation"] for agent in ("player_1", "player_3")]
    np.testing.assert_array_equal(*opponents)


def test_observations_are_copies() -> None:
    game = yatzy_env.multiplayer()
    game.reset(seed=1)
    first = game.observe("player_0")
    first["observation"][:] = 7
    first["action_mask"][:] = 7
    assert game.observation_space("player_0").contains(game.observe("player_0"))
