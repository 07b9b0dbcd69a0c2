"""Saved throws: every situation and pool against plain Python, interruptions, and what lies on disk."""

from __future__ import annotations

import gc
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from functools import cache
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from agents.baselines import GreedyAgent, RandomAgent
from agents.optimal import OptimalAgent
from tests.solver.helpers import same_values, sampled, solved
from yatzy_env.errors import SituationError, SolutionError
from yatzy_env.evaluation.evaluate import announcement
from yatzy_env.evaluation.matches import check_luck, play_match
from yatzy_env.files import CACHE_VARIABLE, sha256
from yatzy_env.reference import Solver, bits_of
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.situation import Situation, batch
from yatzy_env.solver import Solution, can_solve, is_cached, layers, saved_solve, solve
from yatzy_env.solver.layers import HEADER, LayerFolder, open_folder
from yatzy_env.solver.layout import lay_out
from yatzy_env.solver.saved import work_of
from yatzy_env.solver.saved_solve import solve_into
from yatzy_env.solver.store import cache_file
from yatzy_env.tables import action_names, compile_tables

SAVED = {"dice": 6, "saved_throws": True}
GAMES: dict[str, dict[str, Any]] = {
    "two boxes, three throws": {"boxes": ["twos", "chance"], "bonus_threshold": 6},
    "bonus at once": {"boxes": ["ones", "castle"], "bonus_threshold": 1, "throws": 2, "yatzy_points": 100},
    "top-down, yatzy first": {
        "boxes": ["twos", "tower", "yatzy"],
        "bonus_threshold": 8,
        "order": "top-down",
        "yatzy_first": True,
        "throws": 2,
    },
    "forced joker, extra bonus": {
        "boxes": ["sixes", "full_house", "yatzy"],
        "bonus_threshold": 12,
        "order": "upper-first",
        "joker": "forced",
        "extra_yatzy_bonus": 100,
        "full_house_points": 25,
        "throws": 2,
    },
    "free joker, extra bonus": {
        "boxes": ["ones", "small_straight", "yatzy"],
        "bonus_threshold": 3,
        "joker": "free",
        "extra_yatzy_bonus": 30,
        "throws": 2,
    },
    "no bonus, a column that counts twice": {"boxes": ["one_pair", "chance"], "bonus_points": 0, "columns": [2]},
    "one box": {"boxes": ["yatzy"], "bonus_points": 0, "yatzy_adds_pips": True},
    "four throws": {"boxes": ["three_pairs", "chance"], "bonus_points": 0, "throws": 4},
}
SMALL = ruleset(
    SAVED
    | {
        "name": "small",
        "boxes": ["ones", "fives", "sixes", "one_pair", "castle", "full_straight", "chance", "yatzy"],
        "bonus_threshold": 40,
        "extra_yatzy_bonus": 50,
    }
)


@cache
def small() -> Solution:
    return solved(SMALL)


def new_folder(path: Path, rules: Ruleset = SMALL) -> tuple[LayerFolder, Any]:
    """An open folder, and what `solve_into` needs to go on with it."""
    tables = compile_tables(rules)
    cards = lay_out(tables)
    folder = open_folder(path, rules, cards.numbers)
    folder.prepare()
    return folder, (tables, cards)


def size_in_mb(solution: Solution) -> float:
    return 8 * sum(solution._values._folder.numbers) / 1e6  # type: ignore[attr-defined]


def refused(what: Any) -> str:
    """The one line with which something is refused."""
    with pytest.raises(SolutionError) as caught:
        what()
    assert "\n" not in str(caught.value)
    return str(caught.value)


# The values.


def compare(rules: Ruleset) -> None:
    """Compares all actions in all situations, the values of all cards and pools, and their number."""
    plain, solution = Solver(rules), solve(rules, cache=False, progress=False)
    number = {name: action for action, name in enumerate(action_names(rules))}
    cards = set()
    for card in plain.cards():
        filled = bits_of(rules, card.filled)
        pools = range((rules.throws - 1) * len(card.filled) + 1)
        upper = min(card.upper[0], rules.bonus_threshold if rules.bonus_points else 0)
        cards.update((filled, upper, card.yatzy_scored, pool) for pool in pools)
        values = solution.card_values(filled, card.upper[0], card.yatzy_scored, pools)
        assert values == pytest.approx([plain.card_value(card._replace(pool=pool)) for pool in pools], abs=1e-9, rel=0)
        if len(card.filled) == len(rules.boxes):
            continue
        throws = range(plain.most_throws_left(card) + 1)
        one = batch(rules, [Situation(filled, card.upper, plain.rolls[0], throws[-1], card.yatzy_scored)])
        count = len(plain.rolls) * len(throws)
        now = one.take(np.zeros(count, np.int64))._replace(
            roll=np.repeat(np.arange(len(plain.rolls)), len(throws)), throws_left=np.tile(throws, len(plain.rolls))
        )
        expected = np.full((count, len(number)), np.nan)
        for row, (dice, throws_left) in zip(expected, product(plain.rolls, throws), strict=True):
            for name, value in plain.action_values(card, dice, throws_left).items():
                row[number[name]] = value
        assert same_values(solution.batch_action_values(now), expected)
    assert solution.cards == len(cards)
    assert solution.expected_score == pytest.approx(plain.card_value(next(plain.cards())), abs=1e-9, rel=0)


@pytest.mark.parametrize("game", GAMES)
def test_every_situation_and_pool_of_a_small_game(game: str) -> None:
    compare(ruleset(SAVED | GAMES[game]))


@pytest.mark.slow
@pytest.mark.parametrize("order", ["free", "upper-first", "upper-in-order", "top-down"])
@pytest.mark.parametrize("joker", ["none", "forced", "free"])
def test_every_situation_and_pool_of_more_games(order: str, joker: str) -> None:
    changes = {"boxes": ["twos", "threes", "full_house", "yatzy"], "throws": 2, "extra_yatzy_bonus": 40}
    compare(ruleset(SAVED | changes | {"bonus_threshold": 15, "order": order, "joker": joker}))


def test_saving_throws_is_worth_something_and_a_larger_pool_never_hurts() -> None:
    without = solve(SMALL.replace(saved_throws=False), cache=False, progress=False)
    assert small().expected_score > without.expected_score + 1
    cards = sampled(SMALL, 300)
    for lane in range(300):
        pools = range(2 * int(cards.filled[lane]).bit_count() + 1)
        values = small().card_values(cards.filled[lane], cards.upper[lane, 0], cards.yatzy_scored[lane], pools)
        assert (np.diff(values) >= -1e-12).all()


def test_a_card_is_worth_the_mean_over_its_first_roll() -> None:
    tables = compile_tables(SMALL)
    cards = sampled(SMALL, 25, seed=7)
    for lane in range(25):
        pool = 2 * int(cards.filled[lane]).bit_count() - lane % 2
        card = cards.take(np.full(tables.rolls, lane))
        rolls = card._replace(roll=np.arange(tables.rolls), throws_left=np.full(tables.rolls, max(pool, 0) + 2))
        mean = tables.probability @ np.nanmax(small().batch_action_values(rolls), axis=1)
        value = small().card_values(cards.filled[lane], cards.upper[lane, 0], cards.yatzy_scored[lane], max(pool, 0))
        assert mean == pytest.approx(float(value), abs=1e-10, rel=0)


def test_batches_of_any_size_and_order_give_the_same() -> None:
    now = sampled(SMALL, 2000)
    values = small().batch_action_values(now)
    order = np.random.default_rng(3).permutation(len(now.roll))
    assert np.array_equal(small().batch_action_values(now.take(order)), values[order], equal_nan=True)
    for lane in range(5):
        one = small().batch_action_values(now.take(np.array([lane])))
        assert np.array_equal(one[0], values[lane], equal_nan=True)


def test_full_cards() -> None:
    full = Situation((1 << 8) - 1, (40,), (), 0, True)
    assert np.isnan(small().action_values(full)).all()
    assert small().value(full) == 0
    assert small().card_values([full.filled] * 2, [0, 40], [False, True], [0, 16]).tolist() == [0, 0]


@pytest.mark.parametrize(("filled", "pool"), [(0, 1), (1, 3), (1, -1), (0b11, 5)])
def test_pools_out_of_reach_are_refused(filled: int, pool: int) -> None:
    with pytest.raises(SituationError, match=f"pool = {pool} cannot be reached"):
        small().card_values(filled, 0, False, pool)
    with pytest.raises(SituationError, match="pool = 1 cannot be reached"):
        solved(ruleset("yacht")).card_values(1, 0, False, 1)


def test_throws_out_of_reach_are_refused() -> None:
    now = batch(SMALL, [Situation(1, (0,), (1, 2, 3, 4, 5, 6), 4)] * 3)
    now.throws_left[1] = 5
    with pytest.raises(SituationError, match=r"throws_left must lie in 0\.\.4, got 5 in situation 1"):
        small().batch_action_values(now)


def test_values_do_not_depend_on_the_number_of_threads(tmp_path: Path) -> None:
    for threads in (1, 2, 5):
        folder, parts = new_folder(tmp_path / str(threads))
        solve_into(folder, *parts, threads=threads)
        assert folder.digest == small().digest


# Evaluation.


@pytest.mark.parametrize("agent", [OptimalAgent(small()), GreedyAgent(SMALL), RandomAgent(SMALL)], ids=lambda a: a.name)
def test_luck_and_regret_explain_the_score_of_every_game(agent: Any) -> None:
    match = play_match(agent, SMALL, 1000, 1, small())  # raises where a game does not fit
    assert match.luck is not None
    assert match.optimum is not None
    assert np.allclose(match.score, match.optimum + match.luck - match.game_regret, rtol=0, atol=1e-9)
    check_luck(match)
    assert (match.game_regret.mean() < 1e-9) == (agent.name == "optimal")


def test_the_evaluation_knows_that_saved_throws_can_be_solved() -> None:
    assert can_solve(ruleset("maxi-alga"))
    assert announcement(SMALL, cache=True).split(";")[0].endswith(f" {size_in_mb(small()):.1f} MB of disk")
    assert announcement(SMALL, cache=False).split(";")[0].endswith("of disk until it ends")


# Interruptions.


class StoppedError(Exception):
    pass


def test_work_goes_on_after_the_last_finished_layer(tmp_path: Path) -> None:
    folder, (tables, cards) = new_folder(tmp_path)
    work = [work_of(cards, filled) for filled in range(9)]
    left = sum(work[5:]) + 1

    def stop_in_layer_4(count: int) -> None:
        nonlocal left
        left -= count
        if left <= 0:
            raise StoppedError

    with pytest.raises(StoppedError):
        solve_into(folder, tables, cards, threads=1, done=stop_in_layer_4)
    again, parts = new_folder(tmp_path)
    assert again.open_layers == [4, 3, 2, 1, 0]
    assert not is_cached(SMALL, tmp_path)
    assert "not finished: 5 of its layers are missing" in refused(lambda: Solution.load(tmp_path))
    counted: list[int] = []
    solve_into(again, *parts, done=counted.append)
    assert sum(counted) == sum(work[:5])
    assert again.open_layers == []
    assert again.digest == small().digest
    assert Solution.load(tmp_path).digest == small().digest


def test_a_killed_process_loses_one_layer_at_most(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = ruleset("maxi-alga")
    rules = rules.replace(boxes=[*rules.boxes[:6], *rules.boxes[-6:]])
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    path = cache_file(rules)
    code = f"from yatzy_env import ruleset, solve; solve(ruleset({rules.model_dump(mode='json')!r}), progress=False)"
    with subprocess.Popen([sys.executable, "-c", code]) as process:
        while not (path / "filled-09.f64").exists():
            assert process.poll() is None
            time.sleep(0.002)
        os.kill(process.pid, signal.SIGKILL)
    finished = 13 - len(new_folder(path, rules)[0].open_layers)
    assert 3 <= finished < 13
    solution = solve(rules, progress=False)
    assert not solution.from_cache
    assert is_cached(rules)
    assert solution.digest == solve(rules, cache=False, progress=False).digest
    again = solve(rules)
    assert again.from_cache
    assert (again.digest, again.seconds) == (solution.digest, solution.seconds)


def test_two_processes_at_the_same_work(tmp_path: Path) -> None:
    ahead, parts = new_folder(tmp_path)
    behind, _ = new_folder(tmp_path)
    solve_into(ahead, *parts)
    before = (tmp_path / HEADER).read_bytes()
    computed: list[int] = []
    solve_into(behind, *parts, done=computed.append)
    assert computed == []  # the layer of full cards is no work, after it the other's header is found
    assert behind.digest == ahead.digest
    assert (tmp_path / HEADER).read_bytes() == before


def test_part_files_nobody_writes_to_are_removed(tmp_path: Path) -> None:
    for name, age in (("filled-03.f64.1.part", 3600), ("filled-02.f64.2.part", 5)):
        (tmp_path / name).write_bytes(b"x")
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    new_folder(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["filled-02.f64.2.part"]


# On disk.


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """A copy of the small solution in a cache."""
    path = cache_file(SMALL, tmp_path)
    small().save(path)
    return path


def test_what_was_saved_comes_back(stored: Path, tmp_path: Path) -> None:
    loaded = Solution.load(stored)
    assert loaded.from_cache
    assert not small().from_cache
    for attribute in ("rules", "expected_score", "cards", "cpu_seconds", "seconds", "digest"):
        assert getattr(loaded, attribute) == getattr(small(), attribute), attribute
    now = sampled(SMALL, 500)
    assert np.array_equal(loaded.batch_action_values(now), small().batch_action_values(now), equal_nan=True)
    renamed = solve(SMALL.replace(name="my-own"), cache_dir=tmp_path)
    assert renamed.from_cache
    assert renamed.rules.name == "my-own"
    loaded.save(stored)  # onto itself
    loaded.save(tmp_path / "deep" / "folder")
    assert Solution.load(tmp_path / "deep" / "folder").digest == small().digest
    assert not list(tmp_path.rglob("*.part"))


def test_mapped_values_cannot_be_changed() -> None:
    folder = small()._values._folder  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="read-only"):
        folder.map(3)[0] = 1


@pytest.mark.parametrize("layer", [0, 3, 8])
def test_any_changed_byte_is_noticed(layer: int, stored: Path) -> None:
    file = stored / f"filled-{layer:02}.f64"
    contents = bytearray(file.read_bytes())
    contents[len(contents) // 2] ^= 1
    file.write_bytes(contents)
    assert refused(lambda: Solution.load(stored)).startswith(f"{file} is damaged")
    message = refused(lambda: solve(SMALL, cache_dir=stored.parent))
    assert f"{file} is damaged" in message
    assert "delete the folder, or pass --no-cache" in message


def test_what_was_checked_is_remembered_until_the_next_start(stored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[object] = []

    def counted(content: Path | bytes) -> str:
        read.extend([content] if isinstance(content, Path) else [])
        return sha256(content)

    monkeypatch.setattr(layers, "sha256", counted)
    boot = stored.parent / "boot"
    boot.write_text("first")
    monkeypatch.setattr(layers, "_BOOT", boot)
    Solution.load(stored)
    Solution.load(stored)
    assert len(read) == 18  # twice: what has just been written may be written again before the clock moves on
    monkeypatch.setattr(layers, "_SETTLED", -1.0)
    for _ in range(3):
        Solution.load(stored)
    assert len(read) == 27
    os.utime(stored / "filled-04.f64", (0, 0))
    assert Solution.load(stored).digest == small().digest
    assert len(read) == 28
    boot.write_text("second")
    Solution.load(stored)
    assert len(read) == 37
    boot.unlink()
    Solution.load(stored)
    assert len(read) == 46


@pytest.mark.parametrize("contents", [b"", b"[]", b"{}", b'{"boot": 1, "files": 2}', b"\xff"])
def test_a_damaged_memory_is_none(contents: bytes, stored: Path) -> None:
    (stored / "checked.json").write_bytes(contents)
    assert Solution.load(stored).digest == small().digest


def test_truncated_and_missing_layers(stored: Path) -> None:
    file = stored / "filled-02.f64"
    file.write_bytes(file.read_bytes()[:-8])
    assert "is damaged" in refused(lambda: Solution.load(stored))
    file.unlink()
    assert f"{file} is missing" in refused(lambda: Solution.load(stored))


def test_damaged_headers(stored: Path) -> None:
    header = json.loads((stored / HEADER).read_text())
    for contents in (b"", b"[]", b"{}", b"\xff", json.dumps(header | {"version": "0"}).encode()):
        (stored / HEADER).write_bytes(contents)
        assert "damaged" in refused(lambda: Solution.load(stored))
    (stored / HEADER).unlink()
    assert "cannot be read" in refused(lambda: Solution.load(stored))


def test_a_solution_of_other_rules(stored: Path) -> None:
    other = SMALL.replace(bonus_threshold=41)
    shutil.move(stored, cache_file(other, stored.parent))
    assert "holds the solution of other rules" in refused(lambda: solve(other, cache_dir=stored.parent))


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "cannot be written" in refused(lambda: solve(SMALL, cache_dir=tmp_path / "file"))
    assert "cannot be written" in refused(lambda: small().save(tmp_path / "file"))


def test_a_solution_is_not_saved_in_place_of_something_else(stored: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    assert "mine cannot be written: it holds letter.txt" in refused(lambda: small().save(tmp_path / "mine"))
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["letter.txt"]
    other = solve(ruleset(SAVED | GAMES["one box"]), cache=False, progress=False)
    other.save(stored)
    assert Solution.load(stored).digest == other.digest
    assert len(list(stored.iterdir())) == 3  # the header and two layers: nothing of the old solution


def test_too_little_disk_is_refused_before_any_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=20_000))
    monkeypatch.setattr(saved_solve, "solve_into", None)
    message = refused(lambda: solve(SMALL, cache_dir=tmp_path))
    assert "solving small needs 0." in message
    assert "only 0.0 MB are free" in message


def test_size_is_stated_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(saved_solve, "_WORTH_STATING", 0)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=1000))
    for progress in (False, True):
        refused(lambda progress=progress: solve(SMALL, cache_dir=tmp_path, progress=progress))
    expected = f"solving small: {size_in_mb(small()):.1f} MB of disk in {cache_file(SMALL, tmp_path)}\n"
    assert capsys.readouterr().err == expected


def test_without_cache_nothing_stays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    rules = ruleset(SAVED | GAMES["one box"])
    solution = solve(rules, cache=False)
    assert len(list(tmp_path.iterdir())) == 1
    assert solution.expected_score > 0
    del solution
    gc.collect()
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(saved_solve, "solve_into", None)
    with pytest.raises(TypeError):
        solve(rules, cache=False)
    assert list(tmp_path.iterdir()) == []
