"""What the agent sees, counts and chooses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agents.errors import ModelError
from agents.models.load import load_winner
from agents.training.networks import run_in_parts
from agents.winning.agent import make_agent
from agents.winning.cards import PointsPlayer, card_input_size, card_inputs, evaluate_cards, reachable_cards
from agents.winning.features import Positions, chances, input_size, win_inputs
from agents.winning.network import Networks, read_model, save_model
from tests.winning.helpers import SMALL, agent_of, exact_table, untrained
from yatzy_env.envs.observation import observation_blocks, observe
from yatzy_env.games import is_legal, new_games
from yatzy_env.rules import ruleset
from yatzy_env.situation import Situations, empty_situations
from yatzy_env.tables import compile_tables

AGENT = agent_of(SMALL)
TABLES = AGENT.tables
FULL = TABLES.card.all_boxes


def positions(*rows: tuple[int, int, int, int, int]) -> Positions:
    return Positions(*np.array(rows, np.int64).T.copy())


def test_inputs_of_a_card_are_the_observation_without_dice() -> None:
    rules = ruleset("yatzy")
    filled, upper, _ = (values[::5000] for values in reachable_cards(rules))
    cards = empty_situations(compile_tables(rules), len(filled))
    cards.filled[:], cards.upper[:, 0] = filled, upper
    seen = observe(compile_tables(rules), cards)
    blocks = [block for block in observation_blocks(rules) if block.name in ("open", "upper", "progress")]
    wanted = np.concatenate([seen[:, block.start : block.start + block.size] for block in blocks], axis=1)
    assert np.array_equal(card_inputs(rules, filled, upper), wanted)
    assert card_input_size(rules) == wanted.shape[1]


def test_every_reachable_card_is_evaluated_and_hopeless_sums_alike() -> None:
    rng = np.random.default_rng(2)
    width = card_input_size(SMALL)
    layers = ((rng.normal(size=(2, width)).astype(np.float32), np.ones(2, np.float32)),)
    table = evaluate_cards(SMALL, layers)
    filled, upper, is_hopeless = reachable_cards(SMALL)
    place = table.place(filled, upper)
    evaluated = run_in_parts(layers, card_inputs(SMALL, filled, upper))
    is_open = filled != FULL
    assert table.mean[place][is_open] == pytest.approx(100 * evaluated[is_open, 0], rel=1e-5)
    assert (table.mean[place][~is_open] == 0).all()
    assert is_hopeless.any()
    assert (table.mean[place][is_hopeless] == table.mean[table.place(filled, 0 * upper)][is_hopeless]).all()


def test_untrained_the_chance_is_that_of_a_normal_margin() -> None:
    position = positions((1, 0, 3, 0, 5))
    inputs, ratio, spread = win_inputs(SMALL, AGENT.table, position)
    mean = AGENT.table.mean
    margin = (
        5
        + mean[AGENT.table.place(np.array([1]), np.array([0]))]
        - mean[AGENT.table.place(np.array([3]), np.array([0]))]
    )
    assert spread[0] == pytest.approx(np.sqrt(200))
    assert ratio[0] == pytest.approx(margin[0] / np.sqrt(200))
    assert inputs.shape == (1, input_size(SMALL))
    assert chances(np.array([0, 1.959964], np.float32), np.zeros(2, np.float32)) == pytest.approx(
        [0.5, 0.975], abs=1e-6
    )


def test_in_a_game_as_good_as_won_the_larger_chance_still_counts() -> None:
    plans = AGENT.plan(positions((1, 0, 3, 0, 81)))
    size = TABLES.rolls * TABLES.throws
    every = np.arange(size)
    situations = Situations(
        filled=np.ones(size, np.int64),
        upper=np.zeros((size, 1), np.int64),
        yatzy_scored=np.zeros(size, np.bool_),
        roll=every % TABLES.rolls,
        throws_left=every // TABLES.rolls,
    )
    values = plans.action_values(situations, 0 * every)
    behind = np.nanmax(values, axis=1, keepdims=True) - values
    assert ((behind > 1e-14) & (behind < 1e-12)).any()
    assert (behind[every, plans.choose(situations, 0 * every)] == 0).all()


def test_a_finished_game_is_counted() -> None:
    rows = [(FULL, 0, FULL, 0, lead) for lead in (-3, 0, 1)]
    assert AGENT.values(positions(*rows)).tolist() == [0.0, 0.5, 1.0]


def test_the_last_turn_of_an_opponent_is_counted_exactly() -> None:
    """Chance is all that is open there: three throws for the highest sum of three dice."""
    last = FULL & ~(1 << SMALL.boxes.index("chance"))
    alone = PointsPlayer(SMALL, exact_table(SMALL))
    leads = np.arange(2, 19)
    # By hand: dice are thrown again where their face is below what they will come to.
    die = {0: dict.fromkeys(range(1, 7), 1 / 6)}
    for throws in (1, 2):
        before = die[throws - 1]
        mean = sum(face * chance for face, chance in before.items())
        die[throws] = {
            face: (1 / 6 if face > mean else 0) + sum(1 / 6 for other in range(1, 7) if other <= mean) * before[face]
            for face in range(1, 7)
        }
    sums = np.zeros(19)
    for first, a in die[2].items():
        for second, b in die[2].items():
            for third, c in die[2].items():
                sums[first + second + third] += a * b * c
    wanted = [sums[:lead].sum() + sums[lead] / 2 for lead in leads]
    found = AGENT.values(positions(*[(FULL, 0, last, 0, int(lead)) for lead in leads]))
    assert found == pytest.approx(wanted, abs=1e-9)
    assert alone.plan(np.array([last]), np.array([0])).mean[0] == pytest.approx(sums @ np.arange(19))


def test_behind_it_takes_a_risk_that_it_refuses_ahead() -> None:
    """One box is open, the opponent is done: with 6 6 2 on the table chance is worth 14 now."""
    last = FULL & ~(1 << SMALL.boxes.index("chance"))
    roll = next(r for r in range(TABLES.rolls) if tuple(TABLES.counts[TABLES.keeps + r]) == (0, 1, 0, 0, 0, 2))
    now = empty_situations(TABLES, 2)
    now.filled[:], now.roll[:], now.throws_left[:] = last, roll, 1
    done = empty_situations(TABLES, 2)
    done.filled[:] = FULL
    ahead, behind = AGENT.act(now, done, np.array([-13, -16]))
    assert ahead == TABLES.keeps + 3
    assert tuple(TABLES.counts[behind]) == (0, 0, 0, 0, 0, 2)


def test_actions_are_legal_and_do_not_depend_on_company() -> None:
    games = new_games(TABLES, np.arange(200, dtype=np.uint64))
    others = empty_situations(TABLES, 200)
    lead = np.arange(200) - 100
    actions = AGENT.act(games.now, others, lead)
    assert all(is_legal(TABLES, games.now, lane, action) for lane, action in enumerate(actions))
    alone = [
        AGENT.act(
            *(Situations(*(v[lane : lane + 1] for v in some)) for some in (games.now, others)), lead[lane : lane + 1]
        )[0]
        for lane in range(0, 200, 20)
    ]
    assert actions[::20].tolist() == alone


def networks() -> Networks:
    points = ((np.ones((2, card_input_size(SMALL)), np.float32), np.ones(2, np.float32)),)
    return Networks(SMALL.name, SMALL.digest, points, untrained(SMALL))


def test_a_model_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "networks.npz"
    save_model(networks(), path)
    read = read_model(path)
    assert (read.ruleset, read.ruleset_digest) == (SMALL.name, SMALL.digest)
    for kind in ("points", "win"):
        pairs = zip(getattr(read, kind), getattr(networks(), kind), strict=True)
        assert all(np.array_equal(a, b) for one, two in pairs for a, b in zip(one, two, strict=True))
    assert load_winner(SMALL, path, trust=True).name == "win"


def test_models_that_cannot_be_used_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "networks.npz"
    with pytest.raises(ModelError, match="no such file"):
        read_model(path)
    path.write_bytes(b"PK\x03\x04 and then nothing")
    with pytest.raises(ModelError, match="damaged"):
        read_model(path)
    broken = networks()
    save_model(broken, path)
    with pytest.raises(ModelError, match="on no record"):
        load_winner(SMALL, path)
    with pytest.raises(ModelError, match="does not fit 'yatzy'"):
        make_agent(ruleset("yatzy"), broken)
    odd = Networks(SMALL.name, SMALL.digest, broken.points, (*broken.win, *broken.win))
    save_model(odd, path)
    with pytest.raises(ModelError, match="do not fit together"):
        read_model(path)
