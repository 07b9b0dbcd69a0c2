"""Trained agents: what they play, and which files they are loaded from."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.errors import ModelError
from agents.models.digest import record_digests
from agents.models.load import load_agent, shipped_model
from agents.models.ship import ship_model
from agents.ppo.agent import PPOAgent
from agents.ppo.algorithm import YatzyPPO
from agents.ppo.weights import PolicyWeights, read_weights, save_weights
from agents.training.networks import ACTIVATIONS
from agents.training.runs import Run
from tests.ppo.helpers import tiny_config
from yatzy_env import ruleset
from yatzy_env.agent import Agent
from yatzy_env.envs.batch import YatzyVectorEnv
from yatzy_env.envs.observation import observe
from yatzy_env.tables import compile_tables

RULES = tiny_config().rules


@pytest.fixture
def run(tmp_path: Path, short_run: Run) -> Path:
    return shutil.copytree(short_run.folder, tmp_path / "run")


@pytest.fixture
def models(tmp_path: Path, run: Path) -> Path:
    ship_model(run, tmp_path / "models")
    return tmp_path / "models"


def weights_file(run: Path) -> Path:
    return run / "checkpoint-8192" / "weights.npz"


@pytest.mark.parametrize("sample", [False, True])
def test_plays_legal_actions_whatever_the_batch(run: Path, sample: bool) -> None:
    agent = load_agent(run, RULES)
    agent.sample = sample
    assert isinstance(agent, Agent)
    env = YatzyVectorEnv(500, RULES)
    env.reset(seed=1)
    rng = np.random.default_rng(1)
    for _ in range(30):
        situations, noise = env.situations, rng.random(500)
        actions = agent.act(situations, noise)
        assert env.action_masks()[np.arange(500), actions].all()
        few = agent.act(situations.take(np.arange(7)), noise[:7])
        np.testing.assert_array_equal(actions[:7], few)
        env.step(actions)


@pytest.mark.parametrize("activation", sorted(ACTIVATIONS))
def test_computes_what_the_trained_network_computes(activation: str) -> None:
    from agents.ppo.checkpoint import averaged_weights

    config = tiny_config(network__activation=activation, network__hidden="[16, 24, 8]")
    model = YatzyPPO(config)
    with torch.no_grad():
        next(model.policy.action_net.parameters()).mul_(100)  # logits that differ
    model.averages = [weights.detach().clone() for weights in model.policy.parameters()]
    agent = PPOAgent(config.rules, averaged_weights(model))
    env = YatzyVectorEnv(200, config.rules)
    env.reset(seed=3)
    observations = torch.from_numpy(observe(compile_tables(config.rules), env.situations))
    with torch.no_grad():
        expected, _ = model.policy.logits_and_values(observations)
    np.testing.assert_allclose(agent.logits(env.situations), expected.numpy(), atol=1e-5)


def test_weights_round_trip(tmp_path: Path, run: Path) -> None:
    weights = read_weights(weights_file(run))
    save_weights(weights, tmp_path / "again.npz")
    again = read_weights(tmp_path / "again.npz")
    assert (again.activation, again.ruleset, again.ruleset_digest, again.steps) == ("relu", "tiny", RULES.digest, 8192)
    for ours, theirs in zip(weights.layers, again.layers, strict=True):
        np.testing.assert_array_equal(ours[0], theirs[0])
    save_weights(weights, tmp_path / "third.npz")
    assert (tmp_path / "again.npz").read_bytes() == (tmp_path / "third.npz").read_bytes()


@pytest.mark.parametrize("kept", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_truncated_model_is_one_line(run: Path, kept: float) -> None:
    path = weights_file(run)
    content = path.read_bytes()
    path.write_bytes(content[: int(kept * len(content))])
    with pytest.raises(ModelError, match="damaged or changed") as refused:
        load_agent(run, RULES)
    with pytest.raises(ModelError, match="damaged or not a model") as unreadable:
        load_agent(run, RULES, trust=True)
    assert "\n" not in f"{refused.value}{unreadable.value}"


def test_every_flipped_byte_is_refused(run: Path) -> None:
    path = weights_file(run)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(ModelError, match="digest"):
        load_agent(run, RULES)


def test_what_is_on_no_record_needs_trust(tmp_path: Path, run: Path) -> None:
    stray = shutil.copy(weights_file(run), tmp_path / "stray.npz")
    with pytest.raises(ModelError, match="--trust"):
        load_agent(stray, RULES)
    assert load_agent(stray, RULES, trust=True, name="stray").name == "stray"
    folder = tmp_path / "folder"
    folder.mkdir()
    shutil.copy(stray, folder / "weights.npz")
    with pytest.raises(ModelError, match="--trust"):
        load_agent(folder, RULES)


def test_pickles_are_never_opened(tmp_path: Path, run: Path) -> None:
    with pytest.raises(ModelError, match=r"weights\.npz"):
        load_agent(run / "checkpoint-8192" / "model.zip", RULES, trust=True)
    marker = tmp_path / "executed"

    class Evil:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return (Path.touch, (marker,))  # type: ignore[return-value]

    path = tmp_path / "evil.npz"
    np.savez(path, about=np.array([Evil()], object))
    with pytest.raises(ModelError, match="damaged or not a model"):
        load_agent(path, RULES, trust=True)
    assert not marker.exists()


def test_a_model_for_other_rules_is_refused(run: Path) -> None:
    for rules in (ruleset("yatzy"), RULES.replace(boxes=("ones", "sixes", "chance")), RULES.replace(throws=2)):
        with pytest.raises(ModelError, match="trained for"):
            load_agent(run, rules)
    weights = read_weights(weights_file(run))
    forged = replace(weights, ruleset_digest=ruleset("yatzy").digest)
    with pytest.raises(ModelError, match="225"):
        PPOAgent(ruleset("yatzy"), forged)


@pytest.mark.parametrize(
    "change",
    [
        {"activation": "gelu"},
        {"layers": ()},
        {"layers": ((np.zeros((3, 2), np.float32), np.zeros(4, np.float32)),)},
        {"layers": ((np.zeros((3, 2)), np.zeros(3)),)},
        {"activation": ["relu"]},
        {"features": "pixels"},
        {"ruleset": ["yatzy"]},
        {"rulesets": ("ab", "cd")},
        {"rulesets": ((1, 2),)},
        {"rulesets": {"ab": 1}},
        {"rulesets": None},
    ],
)
def test_layers_must_fit(tmp_path: Path, change: dict[str, object]) -> None:
    weights = PolicyWeights(((np.zeros((3, 2), np.float32), np.zeros(3, np.float32)),), "relu", "tiny", "", 0)
    save_weights(replace(weights, **change), tmp_path / "weights.npz")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="damaged"):
        read_weights(tmp_path / "weights.npz")


def test_a_value_network_alone_is_no_model(tmp_path: Path) -> None:
    layers = ((np.zeros((1, 2), np.float32), np.zeros(1, np.float32)),)
    save_weights(PolicyWeights((), "relu", "tiny", "", 0, value_layers=layers), tmp_path / "weights.npz")
    with pytest.raises(ModelError, match="damaged"):
        read_weights(tmp_path / "weights.npz")


def test_folders_without_a_model_say_so(tmp_path: Path, run: Path) -> None:
    (run / "manifest.json").unlink()
    with pytest.raises(ModelError, match="no checkpoint yet"):
        load_agent(run, RULES)
    with pytest.raises(ModelError, match="neither a run folder"):
        load_agent(tmp_path, RULES)
    with pytest.raises(ModelError, match="no such file"):
        load_agent(tmp_path / "nothing.npz", RULES)
    with pytest.raises(ModelError, match="no trained model for ruleset 'tiny'"):
        shipped_model(RULES)


def test_a_shipped_model_matches_the_record(models: Path, run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = shipped_model(RULES, models)
    assert {path.name for path in folder.iterdir()} == {
        "weights.npz", "config.yaml", "command.txt", "run.json", "curve.csv"
    }  # fmt: skip
    assert list(json.loads((models / "digests.json").read_text())) == ["tiny/weights.npz"]
    monkeypatch.setattr("agents.models.digest.MODELS", models)
    from agents.models.digest import check_digest

    check_digest(folder / "weights.npz", models=models)
    (folder / "weights.npz").write_bytes(b"changed")
    with pytest.raises(ModelError, match=r"digests\.json"):
        check_digest(folder / "weights.npz", models=models)
    record_digests([folder / "weights.npz"], models)
    check_digest(folder / "weights.npz", models=models)
    (models / "digests.json").unlink()
    with pytest.raises(ModelError, match="on no record"):
        check_digest(folder / "weights.npz", models=models)
    (models / "digests.json").write_text("[]")
    with pytest.raises(ModelError, match="damaged"):
        check_digest(folder / "weights.npz", models=models)
