"""Several rulesets, one network: its envs play each ruleset's own games, and under each it is an ordinary network."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from agents.errors import ConfigError, ModelError, RunError
from agents.models.load import load_agent
from agents.models.reuse import shipped_names
from agents.models.ship import ship_model
from agents.ppo.config import Config, override
from agents.ppo.features import Features, add_features, input_blocks
from agents.ppo.luck import OtherThrows
from agents.ppo.multitask import MultiTask, task_weights
from agents.ppo.runs import change_run, config_of
from agents.ppo.vec_env import BatchVecEnv
from agents.ppo.weights import PolicyWeights, read_weights, save_weights
from agents.training.config import CONFIGS
from agents.training.runs import Run
from tests.envs.play import random_legal
from tests.ppo.helpers import mean_score, several_config, trained, vec_env
from yatzy_env import ruleset
from yatzy_env.dice import key
from yatzy_env.errors import RulesetError, YatzyError
from yatzy_env.rules import CATALOGUE

NAMES = ("yatzy", "yahtzee", "forced", "half-force", "yacht")


def tasks_of(names: Sequence[str], features: Features) -> MultiTask:
    return MultiTask([ruleset(name) for name in names], features)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A finished run; tests that change it copy it."""
    return trained(tmp_path_factory.mktemp("several"), several_config())[0]


def test_the_shipped_configuration_takes_every_ruleset_with_five_dice_and_one_column() -> None:
    tasks = Config.read(CONFIGS / "generalist.yaml").tasks
    wanted = {name for name, rules in CATALOGUE.items() if rules.dice == 5 and len(rules.columns) == 1}
    assert {rules.name for rules in tasks.rulesets} == wanted


def test_what_a_box_pays_stands_at_the_same_place_in_every_ruleset() -> None:
    tasks = tasks_of(NAMES, "bonus")
    places = {}
    for task, rules in enumerate(tasks.rulesets):
        blocks = {block.name: block for block in input_blocks(rules, "bonus")}
        size = sum(block.size for block in blocks.values())
        for name in ("open", "pays"):
            for at, box in enumerate(rules.box_names):
                one = np.zeros((1, size), np.float32)
                one[0, blocks[name].start + at] = 0.5
                place = int(np.flatnonzero(tasks.inputs_of(task, one)[0] == 0.5)[0])
                assert places.setdefault((name, box), place) == place
    assert len(set(places.values())) == len(places)


def test_every_input_has_its_place_and_every_ruleset_its_flag() -> None:
    tasks = tasks_of(NAMES, "bonus")
    flags = []
    for task, rules in enumerate(tasks.rulesets):
        size = sum(block.size for block in input_blocks(rules, "bonus"))
        wide = tasks.inputs_of(task, np.arange(2, 2 + size, dtype=np.float32)[None])[0]
        assert sorted(wide[wide > 1]) == list(range(2, 2 + size))
        flags.append(np.flatnonzero(wide == 1).tolist())
    assert flags == [[tasks.inputs - len(NAMES) + task] for task in range(len(NAMES))]


def test_actions_go_there_and_back() -> None:
    tasks = tasks_of(NAMES, "observation")
    for task, rules in enumerate(tasks.rulesets):
        own = np.arange(210 + len(rules.box_names))
        wide = tasks.actions_of(task, own[None] + 1)[0]
        np.testing.assert_array_equal(tasks.own_actions(task, np.arange(tasks.actions)), wide - 1)


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
        MultiTask([ruleset(name) for name in names], "bonus")
    with pytest.raises(ConfigError):
        several_config(rulesets=names)
    for word in words:
        assert word in str(caught.value)


def test_envs_play_the_games_of_each_ruleset() -> None:
    """As a `BatchVecEnv` of each ruleset on the same dice would, step by step, other throws included."""
    tasks = tasks_of(NAMES, "bonus")
    ours = BatchVecEnv(tasks, num_envs=17, seed=3, reward_scale=0.02)
    assert [part.envs for part in ours.parts] == [slice(0, 4), slice(4, 8), slice(8, 11), slice(11, 14), slice(14, 17)]
    alone = [
        vec_env(rules, part.envs.stop - part.envs.start, 3, 0.02)
        for rules, part in zip(tasks.rulesets, ours.parts, strict=True)
    ]
    keys = [key("train", 3, env) for env in range(17)]
    assert ours.seed(3) == keys
    ours.reset()
    for part, env in zip(ours.parts, alone, strict=True):
        env.reset()
        env.parts[0].reset(keys[part.envs])
    rng = np.random.default_rng(1)
    ended = 0
    for _ in range(120):
        masks = ours.action_masks()
        np.testing.assert_array_equal(ours.env_method("action_masks"), masks)
        assert [mask.tolist() for mask in ours.env_method("action_masks", indices=[16, 2])] == masks[[16, 2]].tolist()
        actions = np.array([random_legal(rng, mask) for mask in masks])
        shown, rewards, dones, infos = ours.step(actions)
        for task, (part, env) in enumerate(zip(ours.parts, alone, strict=True)):
            np.testing.assert_array_equal(masks[part.envs], tasks.actions_of(task, env.action_masks()))
            own, their_rewards, their_dones, their_infos = env.step(tasks.own_actions(task, actions[part.envs]))

            def widened(observations: np.ndarray, task: int = task) -> np.ndarray:
                return tasks.inputs_of(task, add_features(tasks.rulesets[task], "bonus", observations))

            np.testing.assert_array_equal(shown[part.envs], widened(own))
            np.testing.assert_array_equal(rewards[part.envs], their_rewards)
            np.testing.assert_array_equal(dones[part.envs], their_dones)
            for info, theirs in zip(infos[part.envs], their_infos, strict=True):
                assert info.get("episode") == theirs.get("episode")
                if theirs:
                    last = widened(theirs["terminal_observation"][None])[0]
                    np.testing.assert_array_equal(info["terminal_observation"], last)
                    ended += 1
            noise = np.full(env.num_envs, 0.3, np.float32)
            theirs = env.parts[0]
            others = OtherThrows(theirs.rules, 3).observations(own, theirs.situations, theirs.played, noise)
            np.testing.assert_array_equal(part.other_throws(3, noise), widened(others.reshape(-1, own.shape[1])))
    assert ended


def test_envs_go_on_from_a_state() -> None:
    first, second = (BatchVecEnv(several_config().tasks, 9, seed) for seed in (1, 2))
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
    envs = BatchVecEnv(tasks_of(("yacht", "yatzy"), "bonus"), 2, seed=1)
    envs.reset()
    one_pair = 210 + len(ruleset("yacht").boxes)  # the first box that yacht does not have
    with pytest.raises(YatzyError):
        envs.step(np.array([one_pair, 0]))


def test_the_network_of_a_task_is_the_network_of_all_under_its_ruleset(run: Run) -> None:
    weights = read_weights(run.folder / run.manifest()["checkpoint"] / "weights.npz")
    tasks = several_config().tasks
    rng = np.random.default_rng(2)
    for task, rules in enumerate(tasks.rulesets):
        own = task_weights(weights, rules)
        own.check(rules)
        inputs = rng.random((20, own.layers[0][0].shape[1]), np.float32)
        wide = tasks.inputs_of(task, inputs)
        numbers = tasks.own_actions(task, np.arange(tasks.actions))
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
    assert dict(weights.rulesets).keys() == {"yatzy", "yahtzee", "forced", "yacht"}

    def reread(changed: PolicyWeights) -> PolicyWeights:
        save_weights(changed, tmp_path / "weights.npz")
        return read_weights(tmp_path / "weights.npz")

    same = reread(weights)
    assert same.rulesets == weights.rulesets
    assert same.ruleset_digest == ""
    other = [(name, "0" * 8 if name == "forced" else mark) for name, mark in weights.rulesets]
    with pytest.raises(ModelError, match="rules of 'forced' that are not today's"):
        task_weights(reread(replace(weights, rulesets=tuple(other))), ruleset("yatzy"))
    with pytest.raises(ModelError, match="inputs and 225 actions; its rulesets have"):
        task_weights(reread(replace(weights, rulesets=weights.rulesets[:2])), ruleset("yatzy"))
    (first, own), (second, other_own), *rest = weights.rulesets
    swapped = ((first, other_own), (second, own), *rest)
    with pytest.raises(ModelError, match="rules of 'yatzy' that are not today's"):
        task_weights(reread(replace(weights, rulesets=swapped)), ruleset("yatzy"))
    twice = weights.rulesets[:1] * 2
    with pytest.raises(ModelError, match="damaged: the ruleset 'yatzy' is there twice"):
        task_weights(reread(replace(weights, rulesets=twice)), ruleset("yatzy"))


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
        ({"rulesets": ["yatzy", "yatsy"]}, ["yatsy", "yatzy"]),
        ({"options": {"bonus_threshold": 42}}, ["rulesets", "options"]),
        ({"ruleset": "yacht"}, ["ruleset = 'yacht'", "rulesets"]),
        ({"num_envs": 3, "minibatch": 8}, ["num_envs", "3", "4"]),
    ],
)
def test_a_bad_value_is_one_line_that_names_it(changes: dict[str, object], words: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        several_config(**changes)
    assert "\n" not in str(caught.value)
    for word in words:
        assert word in str(caught.value)


def test_rulesets_cannot_change_on_the_way(run: Run) -> None:
    with pytest.raises(RunError, match="rulesets"):
        change_run(run, override(config_of(run), [("rulesets", "[yatzy, forced]")]), "command")


def test_a_list_of_one_is_that_ruleset() -> None:
    config = Config.parse({"rulesets": ["forced"], "total_steps": 1})
    assert (config.name, config.ruleset, config.rulesets) == ("forced", "forced", ())


@pytest.mark.parametrize("first", [{}, {"ruleset": "yatzy"}])
def test_the_keys_of_earlier_versions_are_read(first: dict[str, str]) -> None:
    config = Config.parse({**first, "beside": ["forced", "yacht"], "actions": "keeps", "total_steps": 1})
    assert (config.ruleset, config.rulesets) == (None, ("yatzy", "forced", "yacht"))
    assert override(config, [("beside", "[half-force]")]).rulesets == ("yatzy", "half-force")
    assert Config.parse({**first, "beside": [], "total_steps": 1}) == Config.parse(
        {"ruleset": "yatzy", "total_steps": 1}
    )
    with pytest.raises(ConfigError, match="beside = 'forced'; allowed: a list"):
        Config.parse({"beside": "forced", "total_steps": 1})
