from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest

from agents.baselines import GreedyAgent, HumanAgent, OneTurnAgent, RandomAgent
from agents.models.load import load_planner
from agents.observing.agent import ObservingAgent
from agents.observing.weights import PolicyWeights
from agents.optimal import OptimalAgent
from scripts import evaluate
from tests.evaluation.helpers import TINY, tiny_solution
from tests.plain_games import play_out
from yatzy_env.agent import Agent
from yatzy_env.envs.observation import observation_size, observe
from yatzy_env.errors import IllegalActionError, YatzyError
from yatzy_env.evaluation import exact
from yatzy_env.evaluation.exact import exact_score
from yatzy_env.evaluation.matches import MeasurementError, play_match
from yatzy_env.evaluation.statistics import estimate
from yatzy_env.games import action_masks
from yatzy_env.reference import Card, Dice, Solver, bits_of
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.situation import Situations
from yatzy_env.solver import solve
from yatzy_env.tables import action_names, compile_tables

THREE = TINY.replace(dice=3, boxes=("ones", "twos", "chance", "yatzy"), bonus_threshold=5)


class Whimsical:
    """Answers alike to like situations, in no sensible way: by a hash of all it sees, or of the observation alone."""

    name = "whimsical"
    deterministic = True

    def __init__(self, rules: Ruleset, merges_upper: bool) -> None:
        self.merges_upper = merges_upper
        self._tables = compile_tables(rules)

    def act(self, situations: Situations, noise: np.ndarray) -> np.ndarray:
        masks = action_masks(self._tables, situations)
        if self.merges_upper:
            seen = [row.tobytes() for row in observe(self._tables, situations)]
        else:
            seen = [repr(one).encode() for one in zip(*(values.ravel().tolist() for values in situations), strict=True)]
        return np.array([self._pick(np.flatnonzero(mask), what) for mask, what in zip(masks, seen, strict=True)])

    def _pick(self, legal: np.ndarray, what: bytes) -> int:
        return int(legal[crc32(what) % len(legal)])


class Wrapped:
    """An agent that does something else on the side."""

    deterministic = True
    merges_upper = True

    def __init__(self, agent: Agent, digest: str | None = None) -> None:
        self.name, self._agent, self.digest = agent.name, agent, digest
        self.asked = 0
        self.stop_after = 10**9

    def act(self, situations: Situations, noise: np.ndarray) -> np.ndarray:
        if self.asked >= self.stop_after:
            raise KeyboardInterrupt
        actions = self._agent.act(situations.copy(), noise)
        self.asked += len(actions)
        for values in situations:
            values[:] = 0  # an agent may do what it likes with its own copy
        return actions


def network(rules: Ruleset, seed: int = 1) -> PolicyWeights:
    """A network that was never trained."""
    rng = np.random.default_rng(seed)
    tables = compile_tables(rules)
    sizes = (observation_size(tables), 24, tables.actions)
    layers = tuple(
        (rng.normal(size=(after, before)).astype(np.float32), rng.normal(size=after).astype(np.float32))
        for before, after in pairwise(sizes)
    )
    return PolicyWeights(layers, "relu", rules.name, rules.digest, 0)


def plain_exact(agent: Agent, rules: Ruleset) -> tuple[dict[int, float], int, float]:
    """Plays every game there is on plain score cards: chances of the totals, number of situations, bonus rate.

    Cards are told apart by everything on them: no upper sums are merged.
    """
    names = action_names(rules)
    number = {roll: index for index, roll in enumerate(Solver(rules).rolls)}
    seen = set()

    def choose(card: Card, rolls: list[Dice], throws_left: int) -> list[str]:
        size = len(rolls)
        situations = Situations(
            np.full(size, bits_of(rules, card.filled)),
            np.full((size, 1), card.upper),
            np.full(size, card.yatzy_scored),
            np.array([number[roll] for roll in rolls], np.int64),
            np.full(size, throws_left),
        )
        seen.update((card._replace(pool=0), roll, throws_left) for roll in rolls)
        return [names[action] for action in agent.act(situations, np.zeros(size)).tolist()]

    totals: dict[int, float] = defaultdict(float)
    bonus = 0.0
    for end, chance in play_out(rules, choose).items():
        totals[end.points] += chance
        bonus += chance * end.bonus
    return totals, len(seen), bonus


GAMES = {
    "bonus": TINY,
    "no bonus": TINY.replace(bonus_points=0),
    "three dice": THREE,
    "one throw": TINY.replace(throws=1),
    "four throws": TINY.replace(throws=4, boxes=("ones", "sixes", "chance")),
    "a column that counts twice": TINY.replace(columns=(2,)),
    "top-down": THREE.replace(order="top-down"),
    "yatzy first": THREE.replace(order="top-down", yatzy_first=True),
    "upper in order": THREE.replace(order="upper-in-order"),
    "upper first": THREE.replace(order="upper-first"),
    "forced joker": TINY.replace(joker="forced", extra_yatzy_bonus=20),
    "free joker": TINY.replace(joker="free", extra_yatzy_bonus=20, order="upper-first", yatzy_first=True),
}


@pytest.mark.parametrize("merges", [False, True])
@pytest.mark.parametrize("rules", GAMES.values(), ids=GAMES.keys())
def test_is_what_playing_every_game_by_hand_gives(rules: Ruleset, merges: bool) -> None:
    agent = Whimsical(rules, merges)
    totals, situations, bonus = plain_exact(agent, rules)
    found = exact_score(agent, rules)
    assert found.expected_score == pytest.approx(sum(total * chance for total, chance in totals.items()), abs=1e-9)
    assert found.bonus_rate == pytest.approx(bonus, abs=1e-12)
    assert found.distribution is not None
    expected = np.zeros(max(totals) + 1)
    expected[list(totals)] = list(totals.values())
    np.testing.assert_allclose(found.distribution.probability, expected, rtol=0, atol=1e-12)
    if merges:
        assert found.situations < situations, "no sums were merged"
    else:
        assert found.situations == situations


@pytest.mark.parametrize("agent", [GreedyAgent, OneTurnAgent, HumanAgent])
def test_baselines_by_hand(agent: type[Agent]) -> None:
    player = agent(THREE)  # type: ignore[call-arg]
    totals, _, _ = plain_exact(player, THREE)
    assert exact_score(player, THREE).distribution.mean == pytest.approx(
        sum(total * chance for total, chance in totals.items()), abs=1e-9
    )


def test_a_network_by_hand() -> None:
    agent = ObservingAgent(TINY, network(TINY))
    totals, _, _ = plain_exact(agent, TINY)
    assert exact_score(agent, TINY, cache=False).expected_score == pytest.approx(
        sum(total * chance for total, chance in totals.items()), abs=1e-9
    )


def test_saved_throws_by_hand() -> None:
    rules = ruleset(
        {"dice": 6, "boxes": ["sixes", "yatzy"], "saved_throws": True, "bonus_threshold": 12, "name": "saved"}
    )
    agent = Whimsical(rules, merges_upper=True)
    totals, _, bonus = plain_exact(agent, rules)
    found = exact_score(agent, rules)
    assert found.distribution is None
    assert found.expected_score == pytest.approx(sum(total * chance for total, chance in totals.items()), abs=1e-9)
    assert found.bonus_rate == pytest.approx(bonus, abs=1e-12)


def test_optimal_play_under_forced_earns_the_optimum() -> None:
    rules = ruleset("forced")
    solution = solve(rules, cache=False, progress=False)
    found = exact_score(OptimalAgent(solution), rules)
    best = solution.distribution()
    assert found.expected_score == pytest.approx(solution.expected_score, abs=1e-9)
    assert found.distribution is not None
    np.testing.assert_allclose(found.distribution.probability, best.probability, rtol=0, atol=1e-12)
    assert found.bonus_rate == pytest.approx(best.bonus_rate, abs=1e-12)
    assert found.yatzy_rate == pytest.approx(best.yatzy_rate, abs=1e-12)
    # 147 cards can be reached with upper sums merged, and the optimal player throws all dice again on each of them.
    assert found.situations <= found.cards * 3 * 252


@pytest.mark.parametrize("agent", [GreedyAgent, OneTurnAgent])
def test_lies_within_the_interval_of_the_regret(agent: type[Agent]) -> None:
    player = agent(TINY)  # type: ignore[call-arg]
    match = play_match(player, TINY, 3000, 1, tiny_solution())  # type: ignore[arg-type]
    low, high = estimate(match.optimum - match.game_regret).interval(0.999)
    assert low < exact_score(player, TINY).expected_score < high


def test_neither_batches_nor_threads_change_the_result() -> None:
    agent = Whimsical(THREE, merges_upper=False)
    whole = exact_score(agent, THREE)
    for batch in (1, 300):
        one, several = (exact_score(agent, THREE, batch=batch, threads=threads) for threads in (1, 3))
        assert one.expected_score == several.expected_score
        assert one.distribution is not None
        assert several.distribution is not None
        np.testing.assert_array_equal(one.distribution.probability, several.distribution.probability)
        assert one.expected_score == pytest.approx(whole.expected_score, abs=1e-12)
        assert (one.situations, one.cards) == (several.situations, several.cards) == (whole.situations, whole.cards)


def test_what_the_agent_does_to_its_situations_changes_nothing() -> None:
    plain = GreedyAgent(THREE)
    assert exact_score(Wrapped(plain), THREE).expected_score == exact_score(plain, THREE).expected_score


# What is kept.


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The cache, written after every piece."""
    monkeypatch.setenv("YATZY_ENV_CACHE", str(tmp_path))
    monkeypatch.setattr(exact, "_SAVE_EVERY", -1.0)
    return tmp_path


@pytest.mark.parametrize("rules", [THREE, GAMES["forced joker"]], ids=["three dice", "forced joker"])
def test_an_interrupted_evaluation_goes_on_where_it_was(folder: Path, rules: Ruleset) -> None:
    whole = exact_score(OneTurnAgent(rules), rules, batch=100)
    assert not list(folder.iterdir()), "an agent without a digest was kept"
    asked, lines = [], []
    for stop_after in (whole.situations // 4, whole.situations // 4, 10**9):
        agent = Wrapped(OneTurnAgent(rules), digest="one")
        agent.stop_after = stop_after
        try:
            found = exact_score(agent, rules, batch=100, say=lines.append)
        except KeyboardInterrupt:
            assert stop_after < 10**9
        asked.append(agent.asked)
    assert sum(asked) < 1.2 * whole.situations
    assert asked[2] < 0.7 * whole.situations
    assert sum("going on after" in line for line in lines) == 2
    assert found.expected_score == whole.expected_score
    np.testing.assert_array_equal(found.distribution.probability, whole.distribution.probability)
    assert (found.cards, found.situations) == (whole.cards, whole.situations)

    again = Wrapped(OneTurnAgent(rules), digest="one")
    assert exact_score(again, rules).expected_score == whole.expected_score
    assert again.asked == 0
    assert len(list(folder.iterdir())) == 1


def test_saved_throws_are_kept_too(folder: Path) -> None:
    rules = ruleset(
        {"dice": 6, "boxes": ["ones", "sixes"], "saved_throws": True, "bonus_threshold": 9, "name": "saved"}
    )
    whole = exact_score(OneTurnAgent(rules), rules)
    agent = Wrapped(OneTurnAgent(rules), digest="saved")
    agent.stop_after = whole.situations // 2
    with pytest.raises(KeyboardInterrupt):
        exact_score(agent, rules)
    assert exact_score(Wrapped(OneTurnAgent(rules), digest="saved"), rules).expected_score == whole.expected_score


def test_damaged_files_are_refused_and_left_alone(folder: Path) -> None:
    agent = Wrapped(GreedyAgent(TINY), digest="greedy")
    exact_score(agent, TINY)
    (file,) = folder.iterdir()
    content = file.read_bytes()
    flipped = bytearray(content)
    flipped[len(content) // 2] ^= 1
    for damaged in (b"", content[:200], content[:-100] + bytes(100), bytes(flipped), b"something else"):
        file.write_bytes(damaged)
        with pytest.raises(YatzyError, match=r"damaged.*--no-cache"):
            exact_score(agent, TINY)
        exact_score(agent, TINY, cache=False)
        assert file.read_bytes() == damaged


def test_files_of_others_are_refused(folder: Path) -> None:
    one, other = (Wrapped(GreedyAgent(TINY), digest=digest) for digest in ("one", "other"))
    exact_score(one, TINY)
    (first,) = folder.iterdir()
    exact_score(other, TINY)
    assert other.asked > 0, "one agent's evaluation was taken for another's"
    (second,) = set(folder.iterdir()) - {first}
    exact_score(one, TINY.replace(bonus_points=6))
    assert len(list(folder.iterdir())) == 3
    second.write_bytes(first.read_bytes())
    with pytest.raises(YatzyError, match="another agent, ruleset or version"):
        exact_score(other, TINY)


def test_networks_are_told_apart_by_their_weights() -> None:
    one = ObservingAgent(TINY, network(TINY))
    assert one.digest == ObservingAgent(TINY, network(TINY), name="another").digest
    assert one.digest != ObservingAgent(TINY, network(TINY, seed=2)).digest
    weights = network(TINY)
    assert one.digest != ObservingAgent(TINY, replace(weights, activation="tanh")).digest


def test_a_network_plays_alike_with_many_situations_and_with_few() -> None:
    """Without throws only boxes are computed, where there are enough situations of that kind."""
    rules = ruleset("yatzy")
    agent = ObservingAgent(rules, network(rules))
    size = 3000
    rng = np.random.default_rng(3)
    filled = rng.integers(0, compile_tables(rules).card.all_boxes, size)
    roll, zeros = rng.integers(0, 252, size), np.zeros(size, np.int64)
    for left in (0, 1):
        now = Situations(filled, zeros[:, None], zeros > 0, roll, zeros + left)
        logits = np.where(action_masks(compile_tables(rules), now) == 1, agent.logits(now), -np.inf)
        np.testing.assert_array_equal(agent.act(now, np.zeros(size)), logits.argmax(axis=1))


# What is refused.


@pytest.mark.parametrize(
    ("agent", "rules", "message"),
    [
        (RandomAgent(TINY), TINY, "agent 'random' cannot be evaluated exactly.*deterministic = True"),
        (GreedyAgent(ruleset("triple")), ruleset("triple"), "3 columns.*allowed: rulesets of one column"),
    ],
)
def test_what_cannot_be_evaluated_is_refused(agent: Agent, rules: Ruleset, message: str) -> None:
    with pytest.raises(YatzyError, match=message):
        exact_score(agent, rules)


def test_rulesets_with_too_many_situations_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    agent = GreedyAgent(TINY)
    monkeypatch.setattr(exact, "MOST_SITUATIONS", 4000)
    with pytest.raises(
        YatzyError, match=r"too large for an exact score: up to 4,\d{3} situations.*allowed: up to 4,000"
    ):
        exact_score(agent, TINY)


def test_an_agent_that_heeds_the_noise_is_found_out() -> None:
    liar = Wrapped(RandomAgent(TINY))
    with pytest.raises(YatzyError, match="'random' declares itself deterministic, but"):
        exact_score(liar, TINY)


@pytest.mark.parametrize(
    ("choose", "message"),
    [
        (lambda n: np.full(n, 999), "illegal action 999 in Situation"),
        (lambda n: np.full(n, compile_tables(TINY).keeps), r"illegal action \d+ \(score ones\) in Situation\(filled=1"),
        (lambda n: np.zeros(n, np.int64), r"illegal action 0 \(keep nothing\).*throws_left=0"),
        (lambda n: np.zeros(n), "whole numbers"),
        (lambda n: np.zeros(3, np.int64), "shape"),
    ],
)
def test_illegal_answers_name_agent_action_and_situation(choose, message: str) -> None:
    class Stubborn:
        name = "stubborn"
        deterministic = True

        def act(self, situations: Situations, noise: np.ndarray) -> np.ndarray:
            return choose(len(noise))

    with pytest.raises(IllegalActionError, match=rf"agent 'stubborn'.*{message}"):
        exact_score(Stubborn(), TINY)


@pytest.mark.parametrize("options", [{"batch": 0}, {"threads": 0}, {"threads": 1.5}])
def test_numbers_out_of_range_are_refused(options: dict) -> None:
    with pytest.raises(YatzyError, match="allowed: a whole number, 1 or more"):
        exact_score(GreedyAgent(TINY), TINY, **options)


def test_chances_that_do_not_add_up_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = compile_tables(TINY)
    wrong = tables._replace(probability=tables.probability * 0.999)
    monkeypatch.setattr(exact, "compile_tables", lambda rules: wrong)
    with pytest.raises(MeasurementError, match="add up to"):
        exact_score(GreedyAgent(TINY), TINY)


# The command line.


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["evaluate.py", *arguments])
    try:
        evaluate.main()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def test_the_command_adds_the_exact_score(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    few = ("greedy", "one-turn", "--ruleset", "forced", "--games", "300", "--exact")
    assert run(monkeypatch, *few, "--json") == 0
    printed = capsys.readouterr()
    agents = json.loads(printed.out)["agents"]
    for fields in agents:
        assert abs(fields["exact_score"] - fields["mean_score"]) < 4 * fields["score_se"]
    assert "greedy: exact score 72.261473" in printed.err
    assert agents[1]["exact_score"] == pytest.approx(150.21679651103886, abs=1e-9)
    assert "warning" not in printed.err

    assert run(monkeypatch, *few) == 0
    assert "72.2615" in capsys.readouterr().out
    assert run(monkeypatch, *few[:-1], "--json") == 0
    assert "exact_score" not in json.loads(capsys.readouterr().out)["agents"][0]


def test_the_command_asks_a_planner_card_by_card(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    assert run(monkeypatch, "planner", "--ruleset", "forced-yatzy-first", "--games", "300", "--exact", "--json") == 0
    printed = capsys.readouterr()
    assert "situations" not in printed.err
    (fields,) = json.loads(printed.out)["agents"]
    rules = ruleset("forced-yatzy-first")
    by_situation = exact_score(Wrapped(load_planner(rules)), rules).expected_score
    assert fields["exact_score"] == pytest.approx(by_situation, abs=1e-9)


def test_agents_of_chance_are_refused_before_anything_is_played(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def solve_nothing(*_, **__):
        raise AssertionError("solved too early")

    monkeypatch.setattr("yatzy_env.evaluation.evaluate.solve", solve_nothing)
    assert run(monkeypatch, "random", "optimal", "--ruleset", "forced", "--games", "3", "--exact") == 2
    assert "agent 'random' cannot be evaluated exactly" in capsys.readouterr().err


def test_games_that_contradict_the_exact_score_give_a_warning(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    def wrong(agent: Agent, rules: Ruleset, **options) -> exact.ExactScore:
        right = exact_score(agent, rules, **options)
        return replace(right, expected_score=right.expected_score + 20)

    monkeypatch.setattr(exact, "exact_score", wrong)
    assert run(monkeypatch, "greedy", "--ruleset", "forced", "--games", "200", "--exact", "--json") == 0
    assert "the exact score 92.2615 is more than 4.5 standard errors from" in " ".join(capsys.readouterr().err.split())
