"""The protocol: what is read, what is refused, and what its digests depend on."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pytest

from agents.benchmark import runner
from agents.benchmark.protocol import (
    PROTOCOL,
    UNTRAINED,
    PPOSettings,
    Protocol,
    without_empty,
)
from agents.benchmark.tasks import Task, work_list
from agents.errors import ConfigError
from agents.training.config import CONFIGS
from scripts._benchmarks import agents as script
from tests.benchmark.helpers import SMALL, compared, small
from yatzy_env.evaluation.seeds import is_final
from yatzy_env.rules import ruleset


def test_the_shipped_protocol() -> None:
    protocol = Protocol.read(PROTOCOL)
    assert (protocol.steps, protocol.seeds) == (10_000_000, 5)
    assert protocol.steps_of("ppo") == 10_000_000
    assert protocol.steps_of("dqn") == 1_000_000
    assert set(protocol.algorithms) == {"distilled", "ppo", "ppo-unmasked", "a2c", "dqn"}
    assert is_final(protocol.evaluation.seed)
    assert not is_final(protocol.evaluation.curve_seed)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"stepz": 5}, "unknown key 'stepz'; did you mean steps"),
        ({"rulesets": ["yatsy"]}, "unknown ruleset 'yatsy'; did you mean yatzy"),
        ({"untrained": ["gredy"]}, "unknown untrained agent 'gredy'; did you mean greedy"),
        ({"seeds": 0}, "seeds = 0"),
        ({"steps": 1.5}, "steps = 1.5"),
        ({"evaluation": {"seed": 5}}, "evaluation.seed = 5"),
        ({"evaluation": {"curve_seed": 1001}}, "evaluation.curve_seed = 1001"),
        ({"algorithms": {"x": {"kind": "sarsa"}}}, "sarsa"),
        ({"algorithms": {"x": {"kind": "a2c", "lames": 3}}}, "lames"),
        ({"algorithms": {"x": {"kind": "dqn", "gamma": 1.5}}}, "gamma = 1.5"),
        ({"algorithms": {"x": {"kind": "ppo", "changes": {"epoks": 3}}}}, "unknown key 'epoks'; did you mean epochs"),
        ({"algorithms": {"x": {"kind": "ppo", "changes": {"seed": 3}}}}, "may not hold seed"),
        ({"algorithms": {"x": {"kind": "ppo", "config": "generalist"}}}, "config = 'generalist'"),
        ({"algorithms": {"x": {"kind": "ppo", "changes": {"rulesets": ["forced"]}}}}, "may not hold rulesets"),
        ({"algorithms": {"random": {"kind": "a2c"}}}, "random is the name of an agent without training"),
        ({"algorithms": {}}, "algorithms"),
        ({"algorithms": {"x": {"kind": "a2c", "against": "y"}}}, "x.against: unknown algorithm 'y'; known: x"),
        (
            {"algorithms": {"x": {"kind": "a2c", "against": "x"}}},
            "x.against = x: an algorithm is compared with another",
        ),
    ],
)
def test_what_is_wrong_is_one_clear_line(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message) as error:
        Protocol.parse(small().model_dump(mode="json") | changes, "protocol")
    assert "\n" not in str(error.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        Protocol.read(tmp_path / "none.yaml")
    (tmp_path / "bad.yaml").write_text("a: [")
    with pytest.raises(ConfigError, match="not YAML"):
        Protocol.read(tmp_path / "bad.yaml")
    (tmp_path / "list.yaml").write_text("- 1")
    with pytest.raises(ConfigError, match="not a mapping"):
        Protocol.read(tmp_path / "list.yaml")


def test_results_are_shared_by_protocols_that_only_want_more(tmp_path: Path) -> None:
    one, more = small(), small(seeds=5, rulesets=("forced", "yatzy"))
    file = Task(one, "forced", "a2c", 1).result_file(tmp_path)
    assert Task(more, "forced", "a2c", 1).result_file(tmp_path) == file
    algorithms = one.model_dump(mode="json")["algorithms"]
    others = [
        Task(small(steps=3001), "forced", "a2c", 1),
        Task(small(evaluation={"games": 51}), "forced", "a2c", 1),
        Task(small(algorithms=algorithms | {"a2c": {"kind": "a2c", "gamma": 0.5}}), "forced", "a2c", 1),
        Task(one, "yatzy", "a2c", 1),
        Task(one, "forced", "dqn", 1),
        Task(one, "forced", "a2c", 2),
    ]
    assert len({file, *(task.result_file(tmp_path) for task in others)}) == 7


@pytest.mark.parametrize("name", SMALL["algorithms"])
def test_what_an_algorithm_is_compared_with_changes_no_result(name: str, tmp_path: Path) -> None:
    other = next(other for other in SMALL["algorithms"] if other != name)
    plain, pairs = small(), compared({name: other})
    assert pairs.algorithms[name].against == other
    assert Task(pairs, "forced", name, 1).result_file(tmp_path) == Task(plain, "forced", name, 1).result_file(tmp_path)


def test_keys_that_hold_nothing_leave_results_valid() -> None:
    assert without_empty({"a": 0, "b": [], "c": None, "d": False, "e": {}, "f": "", "g": [0]}) == {
        "a": 0,
        "d": False,
        "g": [0],
    }


def test_some_algorithms_of_a_protocol() -> None:
    protocol = compared({"a2c": "ppo", "dqn": "a2c"})
    chosen = protocol.only(["dqn", "a2c", "dqn"])
    assert list(chosen.algorithms) == ["dqn", "a2c"]
    assert (chosen.algorithms["dqn"].against, chosen.algorithms["a2c"].against) == ("a2c", None)
    assert Protocol.parse(chosen.model_dump(mode="json"), "protocol") == chosen
    assert protocol.only(protocol.algorithms) == protocol


def test_the_command_trains_some_algorithms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Protocol] = []

    def remember(protocol: Protocol, *_: Any) -> tuple[dict[str, Any], Path]:
        asked.append(protocol)
        return {"rows": []}, tmp_path

    monkeypatch.setattr(runner, "run_protocol", remember)
    parser = argparse.ArgumentParser()
    script.add_options(parser)
    protocol = ["--protocol", str(CONFIGS / "ablation.yaml")]
    script.run(parser.parse_args([*protocol, "--algorithms", "luck", "no-lessons", "--seeds", "2"]))
    assert asked[0].seeds == 2
    assert {name: row.against for name, row in asked[0].algorithms.items()} == {
        "luck": "no-lessons",
        "no-lessons": None,
    }


def test_the_work_list() -> None:
    protocol = small(rulesets=("forced", "triple"))
    tasks = work_list(protocol, lambda name: name != "triple")
    found = {(task.ruleset, task.algorithm, task.seed) for task in tasks}
    assert len(found) == len(tasks)
    assert {agent for ruleset, agent, _ in found if ruleset == "forced"} == {*UNTRAINED, *protocol.algorithms}
    assert {agent for ruleset, agent, _ in found if ruleset == "triple"} == {
        *UNTRAINED,
        *protocol.algorithms,
    } - {"optimal", "distilled"}
    assert {seed for _, agent, seed in found if agent in protocol.algorithms} == {1, 2}
    assert not any(task.trains for task in tasks[: 2 * len(UNTRAINED) - 1])


def test_ppo_is_configured_for_the_ruleset_of_the_task() -> None:
    settings: Any = small().algorithms["ppo"]
    config = settings.config_for(ruleset("half-force"), 777, 3)
    assert (config.rules.name, config.total_steps, config.seed, config.num_envs) == ("half-force", 777, 3, 32)
    changed = ruleset("yatzy").replace(bonus_threshold=42)
    assert settings.config_for(changed, 777, 3).rules == changed


def test_rows_of_the_ablation_differ_in_one_setting_from_what_they_are_compared_with() -> None:
    protocol = Protocol.read(CONFIGS / "ablation.yaml")
    alone = [name for name, row in protocol.algorithms.items() if row.against is None]
    assert alone == ["ppo", "masked"]
    for name, row in protocol.algorithms.items():
        other = protocol.algorithms.get(row.against or "")
        if isinstance(row, PPOSettings) and isinstance(other, PPOSettings):
            ours, theirs = row.base.model_dump(), other.base.model_dump()
            assert len([key for key in ours if ours[key] != theirs[key]]) == 1, name


def test_the_ablation_compares_masks_and_nothing_else() -> None:
    """Its masked and unmasked PPO differ in the masks alone; every other row of PPO changes what it names."""
    protocol = Protocol.read(CONFIGS / "ablation.yaml")
    unmasked = protocol.algorithms["unmasked"].model_dump()
    masked = protocol.algorithms["masked"].base
    for name in ("num_envs", "rollout_steps", "minibatch", "epochs", "gamma", "reward_scale", "clip_range"):
        assert getattr(masked, name) == unmasked[name], name
    for name in ("learning_rate", "gae_lambda", "entropy"):
        assert getattr(masked, name).start == getattr(masked, name).end == unmasked[name], name
    assert (masked.network.hidden, masked.network.activation) == (unmasked["hidden"], "relu")
    assert (masked.ema, masked.precision) == (1, "float32")  # plain weights in plain arithmetic
    assert (masked.value_weight, masked.max_gradient_norm) == (0.5, 0.5)  # as Stable-Baselines3 has them
    assert (masked.chance_samples, masked.improvement_share, masked.features) == (0, 0, "observation")
    changed = {name: set(row.changes) for name, row in protocol.algorithms.items() if isinstance(row, PPOSettings)}
    assert changed["ppo"] == set()
    assert changed["luck"] == changed["no-lessons"] | {"chance_samples"}
    assert all(
        len(names) == 1 for name, names in changed.items() if name not in ("ppo", "luck") and "masked" not in name
    )
