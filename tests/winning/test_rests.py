"""How the points still to come are distributed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agents.errors import ModelError
from agents.models.load import load_winner
from agents.training.networks import write_networks
from agents.winning.agent import WinningAgent
from agents.winning.rests import SLICES, RestNetwork, read_model, save_model
from tests.winning.helpers import SMALL, random_layers, random_network
from yatzy_env.rules import ruleset
from yatzy_env.tables import compile_tables
from yatzy_env.turn import Cards, list_ends, plan_turns

TABLES = compile_tables(SMALL)
FULL = TABLES.card.all_boxes
CHANCE = FULL & ~(1 << SMALL.boxes.index("chance"))


def cards(*rows: tuple[int, int]) -> Cards:
    filled, upper = np.array(rows, np.int64).T
    return Cards(filled.copy(), upper[:, None].copy(), np.zeros(len(rows), np.bool_), np.zeros(len(rows), np.int64))


def best_sums() -> np.ndarray:
    """The chance of each sum of three dice thrown up to three times, by hand.

    A die is thrown again where its face is below what it will come to.
    """
    die = dict.fromkeys(range(1, 7), 1 / 6)
    for _ in range(2):
        mean = sum(face * chance for face, chance in die.items())
        again = sum(1 / 6 for face in die if face <= mean)
        die = {face: (1 / 6 if face > mean else 0) + again * chance for face, chance in die.items()}
    one = np.array([0.0, *die.values()])
    return np.convolve(np.convolve(one, one), one)


def slices_of(probability: np.ndarray) -> np.ndarray:
    """The means of slices of equal chance, read off a fine table of the inverse."""
    shares = (np.arange(SLICES * 4000) + 0.5) / (SLICES * 4000)
    points = np.searchsorted(np.cumsum(probability), shares)
    return points.reshape(SLICES, -1).mean(axis=1)


def test_a_full_card_brings_nothing_and_the_last_turn_is_worked_out() -> None:
    means, rests = random_network(SMALL).card_rests(cards((FULL, 0), (CHANCE, 0)))
    assert means[0] == 0
    assert (rests[0] == 0).all()
    sums = best_sums()
    assert means[1] == pytest.approx(sums @ np.arange(19))
    assert rests[1] == pytest.approx(slices_of(sums), abs=0.01)


def test_a_planned_turn_mixes_the_rests_after_it() -> None:
    network = random_network(SMALL)
    some = cards((0, 0), (1, 3), (6, 6), (8, 0))
    means, rests = network.planned_rests(some)
    ends = list_ends(TABLES, some)
    after_means, after = network.card_rests(ends.after)
    plans = plan_turns(TABLES, ends, ends.gain + after_means, ends.gain + after_means)
    assert means == pytest.approx(plans.mean)
    for turn in range(4):
        rows = slice(ends.start[turn], ends.start[turn + 1])
        points = np.minimum(ends.gain[rows, None] + after[rows], SMALL.max_score).ravel()
        chance = np.repeat(plans.chance[rows] / SLICES, SLICES)
        order = np.argsort(points)
        shares = (np.arange(SLICES * 500) + 0.5) / (SLICES * 500)
        place = np.searchsorted(np.cumsum(chance[order]), shares).clip(max=len(points) - 1)
        assert rests[turn] == pytest.approx(points[order][place].reshape(SLICES, -1).mean(axis=1), abs=0.6)
        assert rests[turn].mean() == pytest.approx(points @ chance, abs=1e-9)  # splitting points keeps the mean
        assert (np.diff(rests[turn]) >= -1e-9).all()


def test_a_model_is_read_as_it_was_written(tmp_path: Path) -> None:
    network, path = random_network(SMALL), tmp_path / "networks.npz"
    save_model(network, path)
    read = read_model(path)
    assert read.values.rules == SMALL
    for ours, theirs in ((network.layers, read.layers), (network.values.layers, read.values.layers)):
        pairs = zip(ours, theirs, strict=True)
        assert all(np.array_equal(a, b) for one, two in pairs for a, b in zip(one, two, strict=True))
    assert load_winner(SMALL, path, trust=True).name == "win"


def test_models_that_cannot_be_used_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "networks.npz"
    with pytest.raises(ModelError, match="no such file"):
        read_model(path)
    path.write_bytes(b"PK\x03\x04 and then nothing")
    with pytest.raises(ModelError, match="damaged"):
        read_model(path)
    network = random_network(SMALL)
    save_model(network, path)
    with pytest.raises(ModelError, match="on no record"):
        load_winner(SMALL, path)
    with pytest.raises(ModelError, match="does not fit 'yatzy'"):
        WinningAgent(ruleset("yatzy"), network)
    with pytest.raises(ModelError, match=r"32 outputs .* not \d+ and 31"):
        RestNetwork(SMALL, random_layers(SMALL, SLICES - 1, 1), network.values)
    write_networks(path, {"kind": "win", "format": 1}, {"points": network.layers, "win": network.layers})
    with pytest.raises(ModelError, match="format 1 is not known"):
        read_model(path)
