"""`yatzy_env.evaluate`: the ruler for whoever has nothing but the library."""

from __future__ import annotations

import doctest
import importlib
import os
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import yatzy_env
from agents.baselines import GreedyAgent, RandomAgent
from tests.evaluation.helpers import TINY, solved_tiny
from yatzy_env.envs.observation import observation_size
from yatzy_env.errors import IllegalActionError, YatzyError
from yatzy_env.evaluation.functions import FunctionAgent
from yatzy_env.evaluation.matches import play_match
from yatzy_env.evaluation.results import measure, summarise
from yatzy_env.tables import compile_tables

ROOT = Path(__file__).parents[2]
RUN = """
import yatzy_env

def first_legal(observations, masks):
    return masks.argmax(axis=1)

result = yatzy_env.evaluate(first_legal, "forced", games=200, seed=1)
print(result)
"""
PRINTED = """\
first_legal, 200 games of forced under seed 1
% of optimum         34.25 (optimum 150.22)
expected score       51.44 ± 1.64
regret per game      98.77 ± 1.64
normalized          0.0048 (0 random, 1 optimal play)
mean score           49.98 ± 1.17
luck per game        -1.46 ± 2.34
"""


def first_legal(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    return masks.argmax(axis=1)


def drawn(observations: np.ndarray, masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return (masks * rng.random(masks.shape)).argmax(axis=1)


def test_an_agent_is_measured_as_by_the_command_line() -> None:
    agent = GreedyAgent(TINY)
    result = yatzy_env.evaluate(agent, TINY, 50, 3, solution=solved_tiny())
    assert result == measure({"greedy": agent}, TINY, 50, 3, solved_tiny()).results[0]
    assert result == summarise(play_match(agent, TINY, 50, 3, solved_tiny()))
    assert result.match.score.shape == (50,)
    assert result.luck_per_game == pytest.approx(result.mean_score - result.expected_score)
    assert yatzy_env.evaluate(agent, TINY, 50, 3, solution=solved_tiny(), name="g").agent == "g"


def test_a_function_sees_observations_and_masks_as_the_environments_show_them() -> None:
    seen: list[tuple[Any, ...]] = []

    def look(observations, masks):
        seen.append((observations.shape, observations.dtype, masks.shape, masks.dtype))
        actions = masks.argmax(axis=1)
        observations[:] = masks[:] = 1  # they are its own to write on
        return actions

    own, plain = (yatzy_env.evaluate(function, TINY, 4, solution=False) for function in (look, first_legal))
    np.testing.assert_array_equal(own.match.score, plain.match.score)
    tables = compile_tables(TINY)
    size = observation_size(tables)
    assert seen[0] == ((4, size), np.float32, (4, tables.actions), np.int8)


def test_a_function_that_draws_plays_the_same_games_in_any_company() -> None:
    agent = FunctionAgent(drawn, TINY)
    together, alone, few = (
        play_match(agent, TINY, games, 5, batch=batch).score for games, batch in ((30, 30), (30, 1), (12, 7))
    )
    np.testing.assert_array_equal(together, alone)
    np.testing.assert_array_equal(together[:12], few)
    assert (play_match(agent, TINY, 30, 6).score != together).any()
    uniform = RandomAgent(TINY)
    assert abs(play_match(agent, TINY, 3000, 1).score.mean() - play_match(uniform, TINY, 3000, 2).score.mean()) < 1


@pytest.mark.parametrize(
    ("function", "draws"),
    [
        (first_legal, False),
        (drawn, True),
        (lambda observations, masks, greedy=True: masks.argmax(axis=1), False),
        (lambda observations, masks, *, rng=None: drawn(observations, masks, rng), True),
        (lambda *parts: parts[1].argmax(axis=1), False),
    ],
)
def test_a_generator_goes_to_functions_that_ask_for_one(function, draws: bool) -> None:
    result = yatzy_env.evaluate(function, TINY, 5, solution=False)
    assert FunctionAgent(function, TINY)._draws == draws
    assert result.games == 5


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda observations, masks: 0, r"'mine' returned actions of shape \(\) and type int64; allowed: shape \(6,\)"),
        (lambda observations, masks: masks, r"returned actions of shape \(6, \d+\)"),
        (lambda observations, masks: masks.argmax(axis=1) * 1.0, "type float64; .* whole numbers"),
        (lambda observations, masks, rng: rng.random(), r"shape \(\) and type float64; allowed: shape \(1,\)"),
        (lambda observations, masks: masks.argmin(axis=1), r"'mine' played the illegal action \d+ \(.*\) in Situation"),
        (lambda observations, masks: np.full(len(masks), 99), "'mine' played the illegal action 99 in Situation"),
    ],
)  # fmt: skip
def test_answers_that_are_no_legal_actions_are_one_clear_error(function, message: str) -> None:
    with pytest.raises(IllegalActionError, match=message):
        yatzy_env.evaluate(function, TINY, 6, solution=False, name="mine")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"agent": 3}, "agent = 3; allowed: an object with name and act"),
        ({"agent": GreedyAgent}, "allowed: an object with name and act"),
        ({"games": 0}, "games = 0; allowed: a whole number, 1 or more"),
        ({"seed": -1}, "seed = -1; allowed"),
        ({"solution": True}, "solution = True; allowed: None, False or a Solution"),
        ({"ruleset": "yatsy"}, "unknown ruleset 'yatsy'; did you mean yatzy"),
    ],
)
def test_bad_arguments_are_refused_before_anything_is_solved(
    arguments: dict[str, Any], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("yatzy_env.evaluation.evaluate.solve", None)
    with pytest.raises(YatzyError, match=message):
        yatzy_env.evaluate(**{"agent": first_legal, "ruleset": TINY} | arguments)


def test_scores_alone_where_there_is_no_solution() -> None:
    for ruleset, solution in ((TINY, False), ("triple", None)):
        result = yatzy_env.evaluate(first_legal, ruleset, 5, solution=solution)
        assert result.optimum is result.regret_per_game is result.percent_of_optimum is result.normalized is None
        assert str(result).count("\n") == 1
        assert result.match.score.mean() == result.mean_score


def test_normalized_is_0_for_random_and_1_for_optimal_play() -> None:
    greedy = yatzy_env.evaluate(GreedyAgent(yatzy_env.ruleset("forced")), "forced", 200)
    random = yatzy_env.evaluate(RandomAgent(yatzy_env.ruleset("forced")), "forced", 2000)
    assert greedy.normalized == pytest.approx((greedy.expected_score - 50.966700) / (greedy.optimum - 50.966700))
    assert abs(random.normalized) < 4.5 * random.regret_se / (random.optimum - 50.97)
    house = yatzy_env.evaluate(first_legal, TINY, 5, solution=solved_tiny())
    assert house.normalized is None, "nobody has computed what random play scores there"
    assert "normalized" not in str(house)


def test_the_example_of_the_docstring_runs() -> None:
    found = doctest.testmod(importlib.import_module("yatzy_env.evaluation.evaluate"))
    assert found.attempted >= 4
    assert found.failed == 0


def run_without(packages: tuple[str, ...], code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs code in an interpreter that cannot import some packages."""
    block = f"""
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {packages!r}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Blocked())
"""
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", block + code],
        cwd=folder,
        env=os.environ | {"YATZY_ENV_CACHE": str(folder), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def test_neither_torch_nor_the_checkout_is_needed(tmp_path: Path) -> None:
    learning = ("torch", "stable_baselines3", "sb3_contrib", "matplotlib", "jinja2", "yaml", "agents", "scripts")
    done = run_without(learning, RUN, tmp_path)
    assert done.stdout == PRINTED, done.stderr
    assert "solving forced: about a second, 0.0 MB of disk" in done.stderr


def test_a_missing_scipy_is_one_clear_line_and_nothing_else_needs_it(tmp_path: Path) -> None:
    code = "import yatzy_env; yatzy_env.solve('forced', progress=False)\n" + RUN
    done = run_without(("scipy",), code, tmp_path)
    last = done.stderr.strip().splitlines()[-1]
    assert last == "yatzy_env.errors.YatzyError: evaluation needs scipy: pip install 'yatzy-env[evaluate]'"


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_wheel_and_its_extra_are_enough(tmp_path: Path) -> None:
    """Builds the wheel and installs it in an environment of its own; needs the package index."""
    subprocess.run([sys.executable, "-m", "build", "--wheel", "--outdir", tmp_path, ROOT], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    venv.create(tmp_path / "own", with_pip=True)
    python = tmp_path / "own" / ("Scripts" if os.name == "nt" else "bin") / "python"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment["YATZY_ENV_CACHE"] = str(tmp_path)
    constraints = ["--constraint", ROOT / "constraints.txt"]
    subprocess.run(
        [python, "-m", "pip", "install", "-q", *constraints, f"{wheel}[evaluate]"], check=True, env=environment
    )
    done = subprocess.run(
        [python, "-W", "error", "-c", RUN], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout == PRINTED, done.stderr
    found = subprocess.run([python, "-m", "pip", "list"], env=environment, capture_output=True, text=True, check=True)
    assert "scipy" in found.stdout
    assert not {"torch", "matplotlib"} & {line.split()[0] for line in found.stdout.splitlines()}
