"""The protocol: what is read, what is refused, and what its digests depend on."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pytest

from agents.benchmark import runner
from agents.benchmark.protocol import PROTOCOL, UNTRAINED, Protocol
from agents.benchmark.runner import check_algorithms
from agents.benchmark.tasks import Task, work_list
from agents.errors import ConfigError
from agents.ppo.config import PolicySettings, find_config
from agents.ppo.planned import decisions_of_round, policy_settings, values_settings
from agents.training.config import CONFIGS
from scripts._benchmarks import agents as script
from tests.benchmark.helpers import SMALL, compared, small
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.seeds import is_final
from yatzy_env.rules import ruleset


def test_the_shipped_protocol() -> None:
    protocol = Protocol.read(PROTOCOL)
    assert (protocol.steps, protocol.seeds) == (2_000_000, 5)
    assert protocol.rulesets == ("yatzy", "yahtzee", "half-force")
    assert protocol.checks == ("forced",)
    assert protocol.steps_of("masked-dqn") == 500_000
    assert [name for name, row in protocol.algorithms.items() if row.learns_from_optimum] == ["distilled"]
    assert protocol.algorithms["maskable-ppo"].settings == protocol.algorithms["unmasked-ppo"].settings
    assert is_final(protocol.evaluation.seed)
    assert not is_final(protocol.evaluation.curve_seed)


@pytest.mark.parametrize("name", ["protocol", "ablation"])
def test_shipped_protocols_name_learners_that_take_their_settings(name: str) -> None:
    protocol = Protocol.read(CONFIGS / f"{name}.yaml")
    check_algorithms(protocol)
    for row in protocol.algorithms.values():
        if row.kind == "agents.ppo.planned:train":
            config = find_config("yatzy")
            values_settings(ruleset("yatzy"), config.values.model_dump() | row.settings.get("values", {}), 10**6)
            policy_settings(config.policy.model_dump() | row.settings["policy"], 10**6)
    PolicySettings.parse({**protocol.algorithms["distilled"].settings} if name == "protocol" else {})


def test_rows_of_the_ablation_differ_in_what_they_say_from_what_they_are_compared_with() -> None:
    protocol = Protocol.read(CONFIGS / "ablation.yaml")
    assert [name for name, row in protocol.algorithms.items() if row.against is None] == ["full"]
    full = protocol.algorithms["full"]
    differing = {}
    for name, row in protocol.algorithms.items():
        assert (row.kind, row.steps) == (full.kind, full.steps)
        ours, theirs = flat(row.settings), flat(full.settings)
        differing[name] = sorted(key for key in {**ours, **theirs} if ours.get(key) != theirs.get(key))
    assert differing.pop("full") == []
    assert differing.pop("last-weights") == ["policy.ema", "values.ema"]
    assert all(len(keys) == 1 for keys in differing.values())


def flat(fields: dict[str, Any], start: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in fields.items():
        found |= flat(value, f"{start}{key}.") if isinstance(value, dict) else {f"{start}{key}": value}
    return found


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"stepz": 5}, "unknown key 'stepz'; did you mean steps"),
        ({"rulesets": ["yatsy"]}, "unknown ruleset 'yatsy'; did you mean yatzy"),
        ({"checks": ["forcd"]}, "unknown ruleset 'forcd'; did you mean forced"),
        ({"rulesets": ["triple"]}, "ruleset 'triple' has no exact optimum"),
        ({"untrained": ["gredy"]}, "unknown untrained agent 'gredy'; did you mean greedy"),
        ({"seeds": 0}, "seeds = 0"),
        ({"minutes": 0}, "minutes = 0"),
        ({"steps": 1.5}, "steps = 1.5"),
        ({"evaluation": {"seed": 5}}, "evaluation.seed = 5"),
        ({"evaluation": {"curve_seed": 1001}}, "evaluation.curve_seed = 1001"),
        ({"algorithms": {"x": {"kind": "a:b", "lames": 3}}}, "lames"),
        ({"algorithms": {"random": {"kind": "a:b"}}}, "random is the name of an agent without training"),
        ({"algorithms": {}}, "algorithms"),
        ({"algorithms": {"x": {"kind": "a:b", "against": "y"}}}, "x.against: unknown algorithm 'y'; known: x"),
        ({"algorithms": {"x": {"kind": "a:b", "against": "x"}}}, "x.against = x: an algorithm is compared with"),
    ],
)
def test_what_is_wrong_is_one_clear_line(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message) as error:
        Protocol.parse(small().model_dump(mode="json") | changes, "protocol")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"kind": "tests.benchmark.learners:by_hnad"}, "unknown function 'by_hnad'; did you mean by_hand"),
        ({"kind": "no_such_module:train"}, "cannot import 'no_such_module'"),
        ({"kind": "learners"}, "allowed is module:function"),
        ({"kind": "tests.benchmark.learners:by_hand", "settings": {"lanes": 3}}, "'lanes'"),
    ],
)
def test_an_algorithm_that_cannot_be_called_is_one_clear_line(row: dict[str, Any], message: str) -> None:
    with pytest.raises(YatzyError, match=message) as error:
        check_algorithms(small(algorithms={"x": row}))
    assert "\n" not in str(error.value)
    assert "algorithms.x" in str(error.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        Protocol.read(tmp_path / "none.yaml")
    (tmp_path / "bad.yaml").write_text("a: [")
    with pytest.raises(ConfigError, match="not YAML"):
        Protocol.read(tmp_path / "bad.yaml")


def test_results_are_shared_by_protocols_that_only_want_more(tmp_path: Path) -> None:
    one, more = small(), small(seeds=5, rulesets=("half-force", "yatzy"))
    file = Task(one, "half-force", "hand", 1).result_file(tmp_path)
    assert Task(more, "half-force", "hand", 1).result_file(tmp_path) == file
    algorithms = SMALL["algorithms"]
    others = [
        Task(small(steps=3001), "half-force", "hand", 1),
        Task(small(minutes=61), "half-force", "hand", 1),
        Task(small(evaluation={"games": 51}), "half-force", "hand", 1),
        *(
            Task(small(algorithms=algorithms | {"hand": algorithms["hand"] | change}), "half-force", "hand", 1)
            for change in ({"settings": {"num_envs": 4}}, {"steps": 4000}, {"kind": "x:y"})
        ),
        Task(one, "yatzy", "hand", 1),
        Task(one, "half-force", "one", 1),
        Task(one, "half-force", "hand", 2),
    ]
    assert len({file, *(task.result_file(tmp_path) for task in others)}) == 1 + len(others)


def test_what_an_algorithm_is_compared_with_changes_no_result(tmp_path: Path) -> None:
    plain, pairs = small(), compared({"hand": "one"})
    assert pairs.algorithms["hand"].against == "one"
    files = [Task(protocol, "half-force", "hand", 1).result_file(tmp_path) for protocol in (plain, pairs)]
    assert files[0] == files[1]


def test_some_algorithms_of_a_protocol() -> None:
    protocol = compared({"one": "both", "hand": "one"})
    chosen = protocol.only(["hand", "one", "hand"])
    assert list(chosen.algorithms) == ["hand", "one"]
    assert (chosen.algorithms["hand"].against, chosen.algorithms["one"].against) == ("one", None)
    assert Protocol.parse(chosen.model_dump(mode="json"), "protocol") == chosen
    assert protocol.only(protocol.algorithms) == protocol


def test_the_command_takes_some_algorithms_and_adds_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Protocol] = []

    def remember(protocol: Protocol, *_: Any) -> tuple[dict[str, Any], Path]:
        asked.append(protocol)
        return {"rows": []}, tmp_path

    monkeypatch.setattr(runner, "run_protocol", remember)
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    script.add_options(parser)
    protocol = ["--json", "--protocol", str(CONFIGS / "ablation.yaml"), "--algorithms", "one-copy", "small-policy"]
    script.run(parser.parse_args([*protocol, "--seeds", "2", "--steps", "7000", "--add", "mine=my_module:train"]))
    (found,) = asked
    assert (found.seeds, found.steps) == (2, 7000)
    assert [found.steps_of(name) for name in found.algorithms] == [7000, 7000, 7000]
    assert {name: row.against for name, row in found.algorithms.items()} == dict.fromkeys(
        ("one-copy", "small-policy", "mine")
    )
    with pytest.raises(YatzyError, match="--add mine: wanted NAME=MODULE:FUNCTION"):
        script.run(parser.parse_args([*protocol, "--add", "mine"]))


def test_the_work_list() -> None:
    protocol = small(checks=["forced"])
    tasks = work_list(protocol)
    found = {(task.ruleset, task.algorithm, task.seed) for task in tasks}
    assert len(found) == len(tasks)
    assert {agent for ruleset, agent, _ in found if ruleset == "half-force"} == {*UNTRAINED, *protocol.algorithms}
    assert {agent for ruleset, agent, _ in found if ruleset == "forced"} == set(UNTRAINED)
    assert {seed for _, agent, seed in found if agent in protocol.algorithms} == {1, 2}
    assert not any(task.trains for task in tasks[: 2 * len(UNTRAINED)])


def test_our_rounds_follow_from_the_decisions() -> None:
    rules = ruleset("half-force")
    config = find_config("half-force")
    values = values_settings(rules, config.values.model_dump(), 300_000)
    assert values.rounds == config.values.rounds
    assert values.games / values.cards == pytest.approx(config.values.games / config.values.cards, rel=0.1)
    turns = values.rounds * (values.cards + values.games * len(rules.boxes))
    assert turns == pytest.approx(100_000, rel=0.1)
    policy = policy_settings({"games": 256, "copies": 2}, 1_000_000)
    assert policy.rounds == 1_000_000 // decisions_of_round(policy) == 1_000_000 // 1536
