"""A golden playthrough per ruleset: the same seed plays the same game, in every version, to the same total.

The totals are recomputed by the plain scorer. `python -m tests.envs.test_golden` writes the files anew; that is right
only when a rule, the dice or the action order was meant to change, and then the environment's version changes too.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.envs.play import random_legal, replay_total
from yatzy_env import rulesets
from yatzy_env.envs import YatzyEnv
from yatzy_env.games import gains
from yatzy_env.situation import batch

FOLDER = Path(__file__).parent / "golden"
SEED = 2026


def playthrough(name: str, actions: list[str] | None = None) -> dict[str, Any]:
    """Plays the given actions, or random legal ones, and records every step."""
    env = YatzyEnv(name, strict=True)
    rng = np.random.default_rng(SEED)
    env.reset(seed=SEED)
    steps: list[list[Any]] = []
    while env.situation.roll:
        now = env.situation
        if actions is None:
            mask = env.action_masks()
            # Purely random play hardly scores: throw again more often than not, then take the best paying box.
            keeps = mask * (np.arange(len(mask)) < env.tables.keeps)
            best = env.tables.keeps + int(gains(env.tables, batch(env.rules, [now]))[0].argmax())
            action = random_legal(rng, keeps) if keeps.any() and rng.random() < 0.7 else best
        else:
            action = env.action_names.index(actions[len(steps)])
        _, reward, _, _, _ = env.step(action)
        steps.append(["".join(map(str, now.roll)), now.throws_left, env.action_names[action], reward])
    return {"ruleset": name, "seed": SEED, "steps": steps, "total": env.score, "upper": list(env.situation.upper)}


@pytest.mark.parametrize("name", rulesets())
def test_replays_to_the_letter(name: str) -> None:
    golden = json.loads((FOLDER / f"{name}.json").read_text())
    again = playthrough(name, [step[2] for step in golden["steps"]])
    assert again == golden


@pytest.mark.parametrize("name", rulesets())
def test_the_plain_scorer_adds_up_the_same_total(name: str) -> None:
    golden = json.loads((FOLDER / f"{name}.json").read_text())
    rules = YatzyEnv(name).rules
    fills = [
        (action.removeprefix("score "), tuple(map(int, roll)))
        for roll, _, action, _ in golden["steps"]
        if action.startswith("score ")
    ]
    assert replay_total(rules, fills) == golden["total"] == sum(step[3] for step in golden["steps"])


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for ruleset_name in rulesets():
        record = playthrough(ruleset_name)
        lines = ",\n  ".join(json.dumps(step) for step in record.pop("steps"))
        head = json.dumps(record)[:-1]
        (FOLDER / f"{ruleset_name}.json").write_text(f'{head}, "steps": [\n  {lines}\n]}}\n')
