"""Configurations: what is read, what is refused and how it is said."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from agents.errors import ConfigError
from agents.models.digest import MODELS
from agents.ppo.config import Config, find_config, override, training_configs
from agents.training.config import CONFIGS, Ramp
from tests.ppo.helpers import tiny_config

SHIPPED = sorted(path for path in CONFIGS.glob("*.yaml") if path.stem not in ("protocol", "ablation", "values", "win"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_configurations_are_valid_and_named_after_their_ruleset(path: Path) -> None:
    config = Config.read(path)
    assert config.name == path.stem
    assert find_config(path.stem) == path


def test_yaml_round_trip(tmp_path: Path) -> None:
    config = tiny_config(entropy__end=0.001, learning_rate=3e-4)
    path = tmp_path / "config.yaml"
    path.write_text(config.to_yaml())
    assert Config.read(path) == config
    assert config.learning_rate == Ramp(start=3e-4, end=3e-4)


def test_overrides_reach_single_keys() -> None:
    config = tiny_config()
    changed = override(config, [("total-steps", "5000"), ("network.hidden", "[8, 8, 8]"), ("gae-lambda.end", "0.25")])
    assert (changed.total_steps, changed.network.hidden, changed.gae_lambda.end) == (5000, (8, 8, 8), 0.25)
    assert changed.gae_lambda.start == config.gae_lambda.start
    yatzy = override(
        Config.read(CONFIGS / "yatzy.yaml"), [("options.bonus_threshold", "42"), ("learning_rate", "1e-4")]
    )
    assert yatzy.rules.bonus_threshold == 42
    assert yatzy.learning_rate.at(0.5) == 1e-4


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("total_stepz", "5"), ["total_stepz", "did you mean total_steps"]),
        (("network.hiden", "5"), ["network.hiden", "network.hidden"]),
        (("lanes", "many"), ["num_envs", "many"]),
        (("num_envs", "0"), ["num_envs", "0"]),
        (("seed", "true"), ["seed", "True"]),
        (("total_steps", "1.5"), ["total_steps", "1.5"]),
        (("learning_rate", "true"), ["learning_rate", "True"]),
        (("learning_rate.start", "true"), ["learning_rate.start", "True"]),
        (("learning_rate", ".nan"), ["learning_rate", "nan"]),
        (("learning_rate", "[1"), ["learning_rate", "YAML"]),
        (("gae_lambda", "1.5"), ["gae_lambda", "1.5"]),
        (("improvement_temperature.end", "0"), ["improvement_temperature", "to 0", "above 0"]),
        (("improvement_share", "2"), ["improvement_share", "2"]),
        (("features", "pixels"), ["features", "pixels", "bonus"]),
        (("actions", "positions"), ["actions", "positions", "keeps"]),
        (("entropy.begin", "1.0"), ["entropy.begin"]),
        (("minibatch", "1000"), ["minibatch", "1000", "4096"]),
        (("options.bonus_treshold", "5"), ["bonus_treshold", "bonus_threshold"]),
        (("options.dice", "9"), ["dice", "9"]),
        (("ruleset", "yatzi"), ["yatzi", "yatzy"]),
        (("network.hidden.0", "5"), ["network.hidden.0"]),
        (("precision", "float16"), ["precision", "float16", "bfloat16"]),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_a_bad_value_is_one_line_that_names_it(change: tuple[str, str], words: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        override(tiny_config(), [change])
    assert "\n" not in str(caught.value)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("total_steps: 5\nnum_env: 3", ["num_env", "num_envs"]),
        ("total_steps: 5\nnetwork: {widths: [3]}", ["network.widths"]),
        ("num_envs: 3", ["total_steps", "missing"]),
        ("- 1", ["mapping"]),
        ("a: [", ["YAML"]),
        ("total_steps: 5\n3: 4", ["3"]),
    ],
)
def test_a_bad_file_is_one_line_that_names_it(tmp_path: Path, text: str, words: list[str]) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        Config.read(path)
    assert "\n" not in str(caught.value)
    for word in [str(path), *words]:
        assert word in str(caught.value)


def test_unknown_names_are_told_apart() -> None:
    with pytest.raises(ConfigError, match="unknown ruleset 'yatsy'; did you mean yatzy"):
        find_config("yatsy")
    with pytest.raises(ConfigError, match="no configuration for ruleset 'yahtzee-no-joker'"):
        find_config("yahtzee-no-joker")
    with pytest.raises(ConfigError, match="No such file"):
        Config.read(Path("no/such/file.yaml"))


def test_configurations_for_other_things_are_not_offered() -> None:
    assert training_configs() == sorted(path.stem for path in SHIPPED)


def test_every_key_is_documented() -> None:
    text = (CONFIGS / "yatzy.yaml").read_text()
    for name in Config.model_fields:
        assert f"\n{name}:" in text
        assert f"        {name}: " in (Config.__doc__ or "")


OLD = sorted(path for path in MODELS.glob("*/config.yaml") if path.parent.name != "yatzy-win")


@pytest.mark.parametrize("path", OLD, ids=lambda path: path.parent.name)
def test_configurations_of_shipped_models_are_read_under_their_old_keys(path: Path) -> None:
    written, config = yaml.safe_load(path.read_text()), Config.read(path).model_dump(mode="json")
    for old, new in Config.RENAMED.items():
        assert written.get(old, config[new]) == config[new]
    assert written.get("beside", []) == list(config["rulesets"])[1:]


def test_a_renamed_key_is_read_under_both_names() -> None:
    for old, new in Config.RENAMED.items():
        value = tiny_config().model_dump(mode="json")[new]
        changed = 0.25 if isinstance(value, float | dict) else 2 * value
        found = override(tiny_config(minibatch=2), [(old, str(changed))])
        assert found == override(tiny_config(minibatch=2), [(new, str(changed))]) != tiny_config(minibatch=2)
        with pytest.raises(ConfigError, match=f"{old} and {new} are one key"):
            Config.parse({"total_steps": 1, old: changed, new: changed})


def test_ramps() -> None:
    ramp = Ramp(start=1.0, end=0.0, begin=0.25, finish=0.75)
    assert [ramp.at(share) for share in (0, 0.25, 0.5, 0.75, 1, 1.1)] == [1, 1, 0.5, 0, 0, 0]
    with pytest.raises(ConfigError, match=r"begin = 0\.5"):
        Config.parse({"total_steps": 1, "num_envs": 64, "entropy": {"start": 1, "end": 0, "begin": 0.5, "finish": 0.5}})
