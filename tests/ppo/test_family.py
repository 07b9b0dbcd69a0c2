"""Several rulesets, one network: its lanes play each ruleset's own games, and under each it is an ordinary network."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from agents.models.reuse import shipped_names
from agents.models.ship import ship_model
from agents.ppo.agent import load_agent
from agents.ppo.config import CONFIGS, load, override
from agents.ppo.errors import ConfigError, ModelError, RunError
from agents.ppo.family import Family, family_of, member_weights
from agents.ppo.family_env import FamilyVecEnv
from agents.ppo.features import add_features, input_blocks
from agents.ppo.luck import OtherThrows
from agents.ppo.runs import Run, change_run
from agents.ppo.vec_env import BatchVecEnv
from agents.ppo.weights import PolicyWeights, read_weights, save_weights
from tests.envs.play import random_legal
from tests.ppo.helpers import family_config, mean_score, trained
from yatzy_env import ruleset
from yatzy_env.dice import key
from yatzy_env.errors import RulesetError, YatzyError
from yatzy_env.rules import CATALOGUE

NAMES = ("yatzy", "yahtzee", "forced", "half-force", "yacht")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A finished run; tests that change it copy it."""
    return trained(tmp_path_factory.mktemp("family"), family_config())[0]


def test_the_shipped_configuration_takes_every_ruleset_with_five_dice_and_one_column() -> None:
    members = load(CONFIGS / "generalist.yaml").family
    assert members is not None
    wanted = {name for name, rules in CATALOGUE.items() if rules.dice == 5 and len(rules.columns) == 1}
    assert {rules.name for rules in members.members} == wanted


def test_what_a_box_pays_stands_at_the_same_place_in_every_ruleset() -> None:
    family = family_of(NAMES, "bonus")
    places = {}
    for member, rules in enumerate(family.members):
        blocks = {block.name: block for block in input_blocks(rules, "bonus")}
        size = sum(block.size for block in blocks.values())
        for name in ("open", "pays"):
            for at, box in enumerate(rules.box_names):
                one = np.zeros((1, size), np.float32)
                one[0, blocks[name].start + at] = 0.5
                place = int(np.flatnonzero(family.inputs_of(member, one)[0] == 0.5)[0])
                assert places.setdefault((name, box), place) == place
    assert len(set(places.values())) == len(places)


def test_every_input_has_its_place_and_every_ruleset_its_flag() -> None:
    family = family_of(NAMES, "bonus")
    flags = []
    for member, rules in enumerate(family.members):
        size = sum(block.size for block in input_blocks(rules, "bonus"))
        wide = family.inputs_of(member, np.arange(2, 2 + size, dtype=np.float32)[None])[0]
        assert sorted(wide[wide > 1]) == list(range(2, 2 + size))
        flags.append(np.flatnonzero(wide == 1).tolist())
    assert flags == [[family.inputs - len(NAMES) + member] for member in range(len(NAMES))]


def test_actions_go_there_and_back() -> None:
    family = family_of(NAMES, "observation")
    for member, rules in enumerate(family.members):
        own = np.arange(210 + len(rules.box_names))
        wide = family.actions_of(member, own[None] + 1)[0]
        np.testing.assert_array_equal(family.own_actions(member, np.arange(family.actions)), wide - 1)


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("yatzy", "maxi-tactic"), ["yatzy", "maxi-tactic", "dice"]),
        (("yatzy", "triple"), ["yatzy", "triple", "columns"]),
        (("yatzy", "forced", "yatzy"), ["yatzy", "twice"]),
    ],
)
def test_rulesets_that_do_not_fit_are_refused(names: tuple[str, ...], words: list[str]) -> None:
    with pytest.raises(RulesetError) as caught:
        Family([ruleset(name) for name in names], "bonus")
    with pytest.raises(ConfigError):
        family_config(ruleset=names[0], beside=names[1:])
    for word in words:
        assert word in str(caught.value)


def test_lanes_play_the_games_of_each_ruleset() -> None:
    """As a `BatchVecEnv` of each ruleset on the same dice would, step by step, other throws included."""
    family = family_of(NAMES, "bonus")
    ours = FamilyVecEnv(family, lanes=17, seed=3, reward_scale=0.02)
    assert [part.lanes for part in ours.parts] == [slice(0, 4), slice(4, 8), slice(8, 11), slice(11, 14), slice(14, 17)]
    alone = [
        BatchVecEnv(rules, part.lanes.stop - part.lanes.start, 3, 0.02, part.lanes.start)
        for rules, part in zip(family.members, ours.parts, strict=True)
    ]
    assert ours.seed(3) == [key("train", 3, lane) for lane in range(17)]
    ours.reset()
    for env in alone:
        env.reset()
    rng = np.random.default_rng(1)
    ended = 0
    for _ in range(120):
        masks = ours.action_masks()
        np.testing.assert_array_equal(ours.env_method("action_masks"), masks)
        assert [mask.tolist() for mask in ours.env_method("action_masks", indices=[16, 2])] == masks[[16, 2]].tolist()
        actions = np.array([random_legal(rng, mask) for mask in masks])
        shown, rewards, dones, infos = ours.step(actions)
        for member, (part, env) in enumerate(zip(ours.parts, alone, strict=True)):
            np.testing.assert_array_equal(masks[part.lanes], family.actions_of(member, env.action_masks()))
            own, their_rewards, their_dones, their_infos = env.step(family.own_actions(member, actions[part.lanes]))

            def widened(observations: np.ndarray, member: int = member) -> np.ndarray:
                return family.inputs_of(member, add_features(family.members[member], "bonus", observations))

            np.testing.assert_array_equal(shown[part.lanes], widened(own))
            np.testing.assert_array_equal(rewards[part.lanes], their_rewards)
            np.testing.assert_array_equal(dones[part.lanes], their_dones)
            for info, theirs in zip(infos[part.lanes], their_infos, strict=True):
                assert info.get("episode") == theirs.get("episode")
                if theirs:
                    last = widened(theirs["terminal_observation"][None])[0]
                    np.testing.assert_array_equal(info["terminal_observation"], last)
                    ended += 1
            noise = np.full(env.num_envs, 0.3, np.float32)
            others = OtherThrows(env.rules, 3).observations(own, env.situations, env.played, noise)
            found = part.env.other_throws(shown[part.lanes], 3, noise)
            np.testing.assert_array_equal(
                found.reshape(3 * env.num_envs, -1), widened(others.reshape(-1, own.shape[1]))
            )
    assert ended


def test_lanes_go_on_from_a_state() -> None:
    config = family_config()
    assert config.family is not None
    first, second = (FamilyVecEnv(config.family, 9, seed) for seed in (1, 2))
    rng = np.random.default_rng(1)
    first.reset()
    second.reset()
    for _ in range(30):
        shown = first.step(np.array([random_legal(rng, mask) for mask in first.action_masks()]))[0]
    np.testing.assert_array_equal(second.restore(first.state()), shown)
    for _ in range(30):
        actions = np.array([random_legal(rng, mask) for mask in first.action_masks()])
        np.testing.assert_array_equal(first.step(actions)[0], second.step(actions)[0])


def test_an_action_of_another_ruleset_is_refused() -> None:
    lanes = FamilyVecEnv(family_of(("yacht", "yatzy"), "bonus"), 2, seed=1)
    lanes.reset()
    one_pair = 210 + len(ruleset("yacht").boxes)  # the first box that yacht does not have
    with pytest.raises(YatzyError):
        lanes.step(np.array([one_pair, 0]))


def test_a_member_network_is_the_family_network_under_its_ruleset(run: Run) -> None:
    weights = read_weights(run.folder / run.manifest()["checkpoint"] / "weights.npz")
    family = family_config().family
    assert family is not None
    rng = np.random.default_rng(2)
    for member, rules in enumerate(family.members):
        own = member_weights(weights, rules)
        own.check(rules)
        inputs = rng.random((20, own.layers[0][0].shape[1]), np.float32)
        wide = family.inputs_of(member, inputs)
        numbers = family.own_actions(member, np.arange(family.actions))
        places = np.flatnonzero(numbers >= 0)
        found = weights.logits(wide)[:, places]
        np.testing.assert_allclose(own.logits(inputs)[:, numbers[places]], found, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(own.values(inputs), weights.values(wide), rtol=1e-4, atol=1e-3)


def test_it_is_loaded_for_each_of_its_rulesets(run: Run) -> None:
    for name in ("yatzy", "yahtzee", "forced", "yacht"):
        agent = load_agent(run.folder, ruleset(name))
        assert agent.policy.ruleset_digest == ruleset(name).digest
        assert 0 < mean_score(agent, ruleset(name), games=50) < ruleset(name).max_score
    with pytest.raises(ModelError, match="does not play 'half-force'; it plays: yatzy, yahtzee, forced, yacht"):
        load_agent(run.folder, ruleset("half-force"))
    with pytest.raises(ModelError, match="plays 'yatzy' without changed options only"):
        load_agent(run.folder, ruleset("yatzy").replace(bonus_threshold=42), reuse=True)


def test_files_that_do_not_fit_are_refused(run: Run, tmp_path: Path) -> None:
    weights = read_weights(run.folder / run.manifest()["checkpoint"] / "weights.npz")
    assert dict(weights.members).keys() == {"yatzy", "yahtzee", "forced", "yacht"}

    def reread(changed: PolicyWeights) -> PolicyWeights:
        save_weights(changed, tmp_path / "weights.npz")
        return read_weights(tmp_path / "weights.npz")

    same = reread(weights)
    assert same.members == weights.members
    assert same.ruleset_digest == ""
    other = [(name, "0" * 8 if name == "forced" else mark) for name, mark in weights.members]
    with pytest.raises(ModelError, match="rules of 'forced' that are not today's"):
        member_weights(reread(replace(weights, members=tuple(other))), ruleset("yatzy"))
    with pytest.raises(ModelError, match="inputs and 225 actions; its rulesets have"):
        member_weights(reread(replace(weights, members=weights.members[:2])), ruleset("yatzy"))
    (first, own), (second, other_own), *rest = weights.members
    swapped = ((first, other_own), (second, own), *rest)
    with pytest.raises(ModelError, match="rules of 'yatzy' that are not today's"):
        member_weights(reread(replace(weights, members=swapped)), ruleset("yatzy"))
    twice = weights.members[:1] * 2
    with pytest.raises(ModelError, match="damaged: the ruleset 'yatzy' is there twice"):
        member_weights(reread(replace(weights, members=twice)), ruleset("yatzy"))


def test_it_is_not_offered_as_the_model_of_a_ruleset(run: Run, tmp_path: Path) -> None:
    assert ship_model(run.folder, tmp_path) == tmp_path / "generalist"
    assert shipped_names(tmp_path) == []
    assert load_agent(tmp_path / "generalist", ruleset("forced"), trust=True).policy.ruleset == "forced"


def test_its_record_names_all_rulesets(run: Run) -> None:
    record = json.loads((run.folder / "run.json").read_text())
    assert [rules["name"] for rules in record["rulesets"]] == ["yatzy", "yahtzee", "forced", "yacht"]
    assert run.folder.parent.name == "generalist"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"beside": ["yatsy"]}, ["yatsy", "yatzy"]),
        ({"options": {"bonus_threshold": 42}}, ["beside", "options"]),
        ({"actions": "positions"}, ["positions", "keeps"]),
        ({"lanes": 3, "minibatch": 8}, ["lanes", "3", "4"]),
    ],
)
def test_a_bad_value_is_one_line_that_names_it(changes: dict[str, object], words: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        family_config(**changes)
    assert "\n" not in str(caught.value)
    for word in words:
        assert word in str(caught.value)


def test_rulesets_cannot_change_on_the_way(run: Run) -> None:
    with pytest.raises(RunError, match="beside"):
        change_run(run, override(run.config, [("beside", "[forced]")]), "command")
