"""Rules with options of one's own: which shipped model plays them, what its networks read, and what is refused."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from agents.errors import ModelError
from agents.models.digest import record_digests
from agents.models.load import load_agent, load_planner, shipped_model
from agents.models.reuse import adapt, nearest_model, shipped_names
from agents.ppo.agent import PPOAgent
from agents.ppo.policy import PolicyNetwork, write_policy_inputs
from agents.training.ruled import RuledNetwork
from agents.values.cards import write_inputs
from agents.values.draw import draw_cards
from agents.values.network import ValueNetwork
from agents.values.planner import Planner
from yatzy_env.evaluation.matches import play_match
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.tables import compile_tables
from yatzy_env.turn import Cards

YATZY = ruleset("yatzy")


def network(kind: type[RuledNetwork], rules: Ruleset, seed: int = 1) -> RuledNetwork:
    """A network with random weights."""
    rng = np.random.default_rng(seed)
    sizes = [len(kind.input_keys(rules)), 24, len(kind.output_keys(rules))]
    layers = [
        (rng.normal(0, 1, (wide, narrow)).astype(np.float32), rng.normal(0, 1, wide).astype(np.float32))
        for narrow, wide in pairwise(sizes)
    ]
    return kind(rules, tuple(layers))


def some_cards(rules: Ruleset, count: int = 60) -> Cards:
    return draw_cards(rules, np.arange(count) % compile_tables(rules).card.boxes, np.random.default_rng(2))


def answers(layers: tuple, inputs: np.ndarray) -> np.ndarray:
    (weight, bias), (last, end) = layers
    return np.maximum(inputs @ weight.T + bias, 0) @ last.T + end


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """A folder of models with random weights."""
    for name in ("yahtzee", "yatzy", "maxi-danish"):
        (tmp_path / name).mkdir()
        for kind, file in ((PolicyNetwork, "policy.npz"), (ValueNetwork, "values.npz")):
            kind.save(tmp_path / name / file, [ruleset(name)], network(kind, ruleset(name)).layers, 1)
    (tmp_path / "maxi-danish" / "values.npz").unlink()
    record_digests(sorted(tmp_path.glob("*/*.npz")), tmp_path)
    return tmp_path


def test_the_nearest_model(models: Path) -> None:
    assert shipped_names(models) == ["yatzy", "yahtzee", "maxi-danish"]
    assert nearest_model(YATZY, models) == "yatzy"
    assert nearest_model(YATZY.replace(name="mine"), models) == "yatzy", "the same rules by another name"
    assert nearest_model(YATZY.replace(five_alike_is_full_house=True), models) == "yatzy"
    assert nearest_model(ruleset("maxi-tactic").replace(bonus_threshold=84), models) == "maxi-danish"
    with pytest.raises(ModelError, match="no trained model for ruleset 'triple' is shipped; there are: yatzy, yahtzee"):
        nearest_model(ruleset("triple"), models)
    with pytest.raises(ModelError, match="no value network for ruleset 'maxi-danish' is shipped; there are: yatzy, ya"):
        load_planner(ruleset("maxi-danish"), models=models)


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("yatzy", {"throws": 4}, "the model for 'yatzy' cannot play throws = 4; it was trained with 3"),
        ("yatzy", {"boxes": ("ones", "chance"), "bonus_points": 0}, r'cannot play boxes = \["ones", "chance"\]'),
        ("yatzy", {"columns": (1, 2)}, "columns"),
        ("maxi-danish", {"saved_throws": True}, "saved_throws = true; it was trained with false"),
    ],
)
def test_what_does_not_fit_is_one_clear_line(models: Path, name: str, changes: dict, message: str) -> None:
    rules = ruleset(name).replace(**changes)
    with pytest.raises(ModelError, match=message) as error:
        shipped_model(rules, models)
    assert "\n" not in str(error.value)
    with pytest.raises(ModelError, match=message):
        adapt(network(PolicyNetwork, ruleset(name)), rules)


def test_only_who_asks_for_it_reuses_a_model(models: Path) -> None:
    rules = YATZY.replace(yatzy_adds_pips=True)
    for file in ("policy.npz", "values.npz"):
        with pytest.raises(ModelError, match="was trained for 'yatzy' and does not fit"):
            load_agent(models / "yatzy" / file, rules, trust=True)
    agent = load_agent(shipped_model(rules, models), rules, trust=True, reuse=True)
    assert agent.notice == "agent 'ppo': the model for 'yatzy', trained for other rules, is reused"
    assert load_planner(rules, models=models, trust=True).notice.startswith("agent 'planner': the model for 'yatzy'")
    assert not load_agent(models / "yatzy", YATZY, trust=True, reuse=True).notice
    assert not load_planner(YATZY, models=models, trust=True).notice


def test_the_same_rules_are_the_same_network() -> None:
    own = network(PolicyNetwork, YATZY)
    assert adapt(own, YATZY) is own


def test_a_bonus_that_is_not_there_reads_as_secured() -> None:
    """The planner's judgement of a card without bonus is that of the same card with the bonus in hand."""
    rules = YATZY.replace(bonus_points=0, bonus_threshold=0)
    cards = some_cards(rules)
    own = network(ValueNetwork, YATZY)
    known = [key for key in ValueNetwork.input_keys(YATZY) if key not in ValueNetwork.input_keys(rules)]
    assert known, "the rules without bonus have fewer inputs"
    secured = cards._replace(upper=np.full_like(cards.upper, 63))
    wanted = answers(own.layers, write_inputs(YATZY, secured))
    found = answers(adapt(own, rules).layers, write_inputs(rules, cards))
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)


def test_an_extra_bonus_that_is_not_there_reads_as_a_yatzy_box_without_points() -> None:
    own, rules = network(PolicyNetwork, ruleset("yahtzee")), ruleset("yahtzee").replace(extra_yatzy_bonus=0)
    cards, left = some_cards(rules), np.arange(60) % 3
    assert not cards.yatzy_scored.any()
    places = [PolicyNetwork.output_keys(own.rules).index(key) for key in PolicyNetwork.output_keys(rules)]
    wanted = answers(own.layers, write_policy_inputs(own.rules, cards, left))[:, places]
    found = answers(adapt(own, rules).layers, write_policy_inputs(rules, cards, left))
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)


def test_what_a_network_does_not_know_it_does_not_see() -> None:
    own, rules = network(PolicyNetwork, YATZY), YATZY.replace(extra_yatzy_bonus=100)
    cards, left = some_cards(rules), np.arange(60) % 3
    scored = cards._replace(yatzy_scored=np.ones(60, np.bool_))
    adapted = adapt(own, rules)
    one, other = (answers(adapted.layers, write_policy_inputs(rules, some, left)) for some in (cards, scored))
    assert np.array_equal(one, other)


def test_an_end_it_does_not_know_is_rated_like_the_nearest_of_its_box() -> None:
    own, rules = network(PolicyNetwork, YATZY), YATZY.replace(yatzy_adds_pips=True, extra_yatzy_bonus=100)
    known, keys = PolicyNetwork.output_keys(YATZY), PolicyNetwork.output_keys(rules)
    adapted = adapt(own, rules)
    rows = {key: adapted.layers[-1][1][place] for place, key in enumerate(keys)}
    own_rows = {key: own.layers[-1][1][place] for place, key in enumerate(known)}
    assert ("end", "yatzy", 80, 0) in keys
    assert ("end", "yatzy", 80, 0) not in known
    assert rows["end", "yatzy", 80, 0] == own_rows["end", "yatzy", 50, 0]
    assert rows["end", "chance", 20, 100] == own_rows["end", "chance", 20, 0]
    for key in {*known} & {*keys}:
        assert rows[key] == own_rows[key]


CHANGES = [{"bonus_points": 0}, {"bonus_threshold": 42}, {"extra_yatzy_bonus": 100}, {"four_alike_is_two_pairs": True}]


@pytest.mark.parametrize("changes", CHANGES, ids=str)
def test_an_adapted_network_plays_legal_games(changes: dict) -> None:
    rules = YATZY.replace(**changes)
    for agent in (
        PPOAgent(rules, adapt(network(PolicyNetwork, YATZY), rules)),  # type: ignore[arg-type]
        Planner(rules, adapt(network(ValueNetwork, YATZY), rules)),  # type: ignore[arg-type]
    ):
        assert play_match(agent, rules, 3, 1).games == 3


def test_every_shipped_model_plays_its_own_rules_with_a_switch() -> None:
    for name in shipped_names(files=("policy.npz",)):
        rules = ruleset(name).replace(yatzy_adds_pips=True)
        agent = load_agent(shipped_model(rules), rules, reuse=True)
        assert agent.notice
        assert play_match(agent, rules, 1, 1).score[0] > 0
