"""What a path stands for: a run, a folder of a model, a network in either, or a file."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from agents.errors import ModelError
from agents.models.digest import check_digest, record_digests
from agents.models.load import load_agent, load_planner, model_file
from agents.models.rules import trained_rules
from agents.models.ship import ship_model
from agents.observing.agent import ObservingAgent
from agents.observing.weights import PolicyWeights, save_weights
from agents.ppo.agent import PPOAgent
from agents.ppo.config import Config
from agents.registry import common_rules, make_agent
from agents.training.runs import Run
from agents.values.planner import Planner
from tests.ppo.helpers import tiny_config, trained
from yatzy_env.envs.observation import observation_size
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.matches import play_match
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.tables import compile_tables


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return trained(tmp_path_factory.mktemp("runs"), tiny_config(values__rounds=2, policy__rounds=2))


@pytest.fixture(scope="module")
def rules(run: Run) -> Ruleset:
    (found,) = Config.read(run.config_file).rules
    return found


def observing(path: Path, rules: Ruleset, rulesets: tuple[tuple[str, str], ...] = ()) -> Path:
    """A file of a network over observations."""
    tables = compile_tables(rules)
    layer = np.zeros((tables.actions, observation_size(tables)), np.float32), np.zeros(tables.actions, np.float32)
    digest = "" if rulesets else rules.digest
    save_weights(PolicyWeights((layer,), "relu", rules.name, digest, 0, rulesets=rulesets), path)
    return path


def test_a_run_plays_its_policy_and_plans_with_its_value_network(run: Run, rules: Ruleset) -> None:
    named = {"": PPOAgent, "policy.npz": PPOAgent, "values.npz": Planner}
    for name, kind in named.items():
        path = run.folder / name
        assert trained_rules(path) == rules
        agent = make_agent(str(path), rules, lambda: pytest.fail("solved"))  # type: ignore[arg-type]
        assert isinstance(agent, kind)
        assert agent.name == str(path)
        assert play_match(agent, rules, 5, 1).games == 5
    in_checkpoint = run.checked_checkpoint() / "values.npz"
    assert model_file(run.folder / "values.npz") == in_checkpoint
    assert isinstance(load_planner(rules, in_checkpoint), Planner)
    assert common_rules([str(run.folder), str(run.folder / "values.npz"), "greedy"]) == rules
    with pytest.raises(ModelError, match="no value network"):
        load_planner(rules, run.folder / "policy.npz")


def test_what_a_run_does_not_hold_is_one_clear_line(run: Run, rules: Ruleset, tmp_path: Path) -> None:
    for path, said in ((run.folder / "weights.npz", "no such file"), (tmp_path / "policy.npz", "no such file")):
        with pytest.raises(YatzyError, match=said):
            make_agent(str(path), rules, lambda: pytest.fail("solved"))  # type: ignore[arg-type]
    (tmp_path / "config.yaml").write_text("seed: 1\n")
    with pytest.raises(ModelError, match="no checkpoint yet"):
        model_file(tmp_path)
    with pytest.raises(ModelError, match="trained for 'tiny' and does not fit 'yatzy'"):
        load_agent(run.folder, ruleset("yatzy"))


def test_a_run_that_has_no_policy_yet_plans(run: Run, rules: Ruleset, tmp_path: Path) -> None:
    copy = Run(shutil.copytree(run.folder, tmp_path / "run"))
    (copy.checked_checkpoint() / "policy.npz").unlink()
    assert isinstance(load_agent(copy.folder, rules), Planner)


def test_a_model_that_is_on_no_record_is_trusted_or_refused(run: Run, rules: Ruleset, tmp_path: Path) -> None:
    stray = shutil.copy(run.checked_checkpoint() / "policy.npz", tmp_path / "policy.npz")
    with pytest.raises(ModelError, match="on no record of known models; --trust"):
        load_agent(stray, rules)
    assert load_agent(stray, rules, trust=True).name == "ppo"


def test_a_shipped_model_is_the_one_on_record(run: Run, tmp_path: Path) -> None:
    folder = ship_model(run.folder, tmp_path / "models")
    assert {path.name for path in folder.iterdir()} == {
        "policy.npz", "values.npz", "config.yaml", "command.txt", "run.json", "curve.csv"
    }  # fmt: skip
    file, models = folder / "policy.npz", folder.parent
    assert set(json.loads((models / "digests.json").read_text())) == {"tiny/policy.npz", "tiny/values.npz"}
    check_digest(file, models=models)
    file.write_bytes(b"changed")
    with pytest.raises(ModelError, match=r"digest is not the one in digests\.json"):
        check_digest(file, models=models)
    record_digests([file], models)
    check_digest(file, models=models)
    (models / "digests.json").write_text("[]")
    with pytest.raises(ModelError, match=r"digests\.json: damaged"):
        check_digest(file, models=models)


def test_networks_over_observations_are_played_one_ruleset_each(tmp_path: Path, rules: Ruleset) -> None:
    agent = load_agent(observing(tmp_path / "weights.npz", rules), rules, trust=True)
    assert isinstance(agent, ObservingAgent)
    assert play_match(agent, rules, 5, 1).games == 5
    several = observing(tmp_path / "several.npz", rules, (("tiny", "ab"), ("yatzy", "cd")))
    with pytest.raises(ModelError, match="of several rulesets over observations, which is no longer played"):
        load_agent(several, rules, trust=True)
