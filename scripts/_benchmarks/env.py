"""Steps per second of the environments, single and batch, for one player and for two, under masked random actions.

The actions are chosen beforehand and the same episodes played again, so choosing is not counted. Seconds are CPU
seconds on one core in the fastest of many repeats, as whatever else the machine does only adds to them; observation
and mask are made at every step.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from yatzy_env.rules import Ruleset

PEERS = {"open_spiel": "yacht", "pyhtzee": "yahtzee", "gym-yahtzee": "yahtzee"}
"""Packages on PyPI and the ruleset each is nearest to."""

_PEER_STEPS = Path(__file__).with_name("_env_peers.py")
_SECONDS = 2.0  # what all repeats take together at least, unless that takes too many
_REPEATS = 15


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rulesets", nargs="+", metavar="R", help="what to play, names or files of rulesets (default: every ruleset)"
    )
    parser.add_argument("--lanes", type=int, default=4096, metavar="N", help="lanes of the batch (default: 4096)")
    parser.add_argument(
        "--peers", action="store_true", help=f"time {', '.join(PEERS)} too, installed into a temporary environment"
    )


def run(args: argparse.Namespace) -> list[dict[str, Any]]:
    """Measures everything that was asked for."""
    from scripts._cli import read_ruleset
    from yatzy_env.errors import YatzyError
    from yatzy_env.rules import rulesets

    if args.lanes < 1:
        raise YatzyError(f"--lanes {args.lanes}; allowed: a whole number from 1")
    results: list[dict[str, Any]] = []
    for rules in [read_ruleset(text) for text in args.rulesets or rulesets()]:
        name = rules.name
        print(f"stepping {name}", file=sys.stderr, flush=True)
        results += [
            {"ruleset": name, "what": "single", "steps_per_second": round(_single(rules))},
            {
                "ruleset": name,
                "what": "batch",
                "lanes": args.lanes,
                "steps_per_second": round(_batch(rules, args.lanes)),
            },
            {"ruleset": name, "what": "AEC", "players": 2, "steps_per_second": round(_aec(rules))},
            {
                "ruleset": name,
                "what": "batch multiplayer",
                "players": 2,
                "games": args.lanes,
                "steps_per_second": round(_batch_multiplayer(rules, args.lanes)),
            },
        ]
    return results + (_peers(results) if args.peers else [])


def _single(rules: Ruleset) -> float:
    import numpy as np

    from yatzy_env.envs import YatzyEnv

    env = YatzyEnv(rules)
    rng = np.random.default_rng(0)
    episodes: list[list[int]] = []
    env.reset(seed=1)
    for _ in range(100):
        actions: list[int] = []
        while env.action_masks().any():
            actions.append(int(rng.choice(np.flatnonzero(env.action_masks()))))
            env.step(actions[-1])
        episodes.append(actions)
        env.reset()

    def play() -> float:
        env.reset(seed=1)
        spent = 0.0
        for actions in episodes:
            start = time.process_time()
            for action in actions:
                env.step(action)
            spent += time.process_time() - start
            env.reset()
        return spent

    return sum(map(len, episodes)) / _fastest(play)


def _batch(rules: Ruleset, lanes: int) -> float:
    import numpy as np

    from yatzy_env.envs.batch import YatzyVectorEnv

    env = YatzyVectorEnv(lanes, rules)
    rng = np.random.default_rng(0)
    chosen: list[NDArray[np.int64]] = []
    _, infos = env.reset(seed=1)
    for _ in range(100):
        noise = rng.random(infos["action_mask"].shape, np.float32)
        chosen.append((noise * infos["action_mask"]).argmax(axis=1))
        infos = env.step(chosen[-1])[-1]

    def play() -> float:
        env.reset(seed=1)
        start = time.process_time()
        for actions in chosen:
            env.step(actions)
        return time.process_time() - start

    return lanes * len(chosen) / _fastest(play)


def _aec(rules: Ruleset) -> float:
    import numpy as np

    from yatzy_env import multiplayer

    game = multiplayer(rules)
    rng = np.random.default_rng(0)
    actions: list[int | None] = []
    game.reset(seed=1)
    for _ in game.agent_iter():
        legal = np.flatnonzero(game.last()[0]["action_mask"])
        actions.append(int(rng.choice(legal)) if len(legal) else None)
        game.step(actions[-1])

    def play() -> float:
        game.reset(seed=1)
        start = time.process_time()
        for action in actions:
            game.last()
            game.step(action)
        return time.process_time() - start

    return len(actions) / _fastest(play)


def _batch_multiplayer(rules: Ruleset, num_games: int) -> float:
    import numpy as np

    from yatzy_env import multiplayer_vec

    games = multiplayer_vec(rules, num_games=num_games)
    rng = np.random.default_rng(0)
    chosen: list[NDArray[np.int64]] = []
    infos = games.reset(seed=1)[-1]
    for _ in range(100):
        noise = rng.random(infos["action_mask"].shape, np.float32)
        chosen.append((noise * infos["action_mask"]).argmax(axis=1))
        infos = games.step(chosen[-1])[-1]

    def play() -> float:
        games.reset(seed=1)
        start = time.process_time()
        for actions in chosen:
            games.step(actions)
        return time.process_time() - start

    return num_games * len(chosen) / _fastest(play)


def _fastest(play: Callable[[], float]) -> float:
    """The least seconds of a play, after one that compiles."""
    play()
    times: list[float] = []
    while len(times) < _REPEATS or (sum(times) < _SECONDS and len(times) < 10 * _REPEATS):
        times.append(play())
    return min(times)


def _peers(own: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Steps per second of other packages, each in a fresh environment that is removed afterwards."""
    speeds = {(result["ruleset"], result["what"]): result["steps_per_second"] for result in own}
    results = []
    for package, name in PEERS.items():
        print(f"installing {package}", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            try:
                found = _peer(package, Path(folder))
            except (subprocess.SubprocessError, OSError) as error:
                print(f"{package} could not be installed or run: {_last_line(error)}", file=sys.stderr, flush=True)
                continue
        result = {"ruleset": name, "what": "peer", "peer": f"{package} {found['version']}", "game": found["game"]}
        result["steps_per_second"] = round(found["steps_per_second"])
        for what, key in (("single", "ratio"), ("batch", "batch_ratio")):
            if (name, what) in speeds:  # how many times as fast the environments here are
                result[key] = round(speeds[name, what] / found["steps_per_second"], 2)
        results.append(result)
    return results


def _peer(package: str, folder: Path) -> dict[str, Any]:
    venv.create(folder, with_pip=True)
    python = str(folder / ("Scripts" if sys.platform == "win32" else "bin") / "python")
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package]
    subprocess.run(install, capture_output=True, text=True, check=True, timeout=600)
    done = subprocess.run(
        [python, str(_PEER_STEPS), package], capture_output=True, text=True, check=True, timeout=300, cwd=folder
    )
    return json.loads(done.stdout.splitlines()[-1])


def _last_line(error: Exception) -> str:
    text = (getattr(error, "stderr", None) or str(error)).strip()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.lower().startswith("error")]
    return (errors or lines or [type(error).__name__])[-1]
