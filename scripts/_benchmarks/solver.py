"""How long the solver takes: exact solutions, first call, values from the cache, action values in batches, and turns
planned by what their ends are worth.

CPU time and memory are those of a fresh process for each ruleset, after compilation. Where the package `yatzy-solver`
knows the ruleset, it is timed in the same run, both on one thread.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from importlib.metadata import PackageNotFoundError, version
from statistics import median
from typing import Any

PEERS = {"yatzy": "yatzy-scandinavian", "yahtzee": "american+forced-joker"}
SITUATIONS = 200_000
TURNS = 2048
_FEW = 3  # repeats of what takes seconds
_LONG = 10.0  # seconds; longer work is measured once


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rulesets",
        nargs="+",
        metavar="R",
        help="rulesets, names or files (default: all of one column but those with saved throws, which take an hour)",
    )
    parser.add_argument("--no-peer", action="store_true", help="do not time yatzy-solver")


def run(args: argparse.Namespace) -> list[dict[str, Any]]:
    """Measures everything that was asked for."""
    from scripts._cli import read_ruleset
    from yatzy_env.errors import YatzyError
    from yatzy_env.rules import ruleset, rulesets

    quick = [name for name in rulesets() if len(ruleset(name).columns) == 1 and not ruleset(name).saved_throws]
    chosen = {text: read_ruleset(text).name for text in args.rulesets or quick}
    peer = None
    if not args.no_peer:
        try:
            peer = f"yatzy-solver {version('yatzy-solver')}"
        except PackageNotFoundError:
            raise YatzyError("yatzy-solver is not installed: `pip install yatzy-solver`, or --no-peer") from None
    results: list[dict[str, Any]] = []
    for text, name in chosen.items():
        print(f"solving {name}", file=sys.stderr, flush=True)
        result = {"ruleset": name, "what": "solve", **_measure("solve", text, threads=1 if text in PEERS else None)}
        of_peer: dict[str, Any] = {}
        if peer and text in PEERS:
            print(f"{peer}: {name}", file=sys.stderr, flush=True)
            of_peer = _measure("peer", name, threads=1)
            seconds = of_peer["cpu_seconds"]
            result |= {"peer": peer, "peer_cpu_seconds": seconds}
            result["ratio"] = round(seconds / result["cpu_seconds"], 2)
        if text == "yatzy":
            result |= _fresh_calls(name)
        results.append(result)
        if text == "yatzy":
            results.append(_batches(name, peer, of_peer))
            results.append({"ruleset": name, "what": "planned turns", **_measure("turns", name, threads=1)})
    return results


def _batches(name: str, peer: str | None, of_peer: dict[str, Any]) -> dict[str, Any]:
    """Action values of random situations."""
    print(f"batch action values: {name}", file=sys.stderr, flush=True)
    result = {"ruleset": name, "what": "batch action values", **_measure("batch", name, threads=1)}
    if peer:
        speed = of_peer["situations_per_second"]
        result |= {"peer": peer, "peer_situations_per_second": speed}
        result["ratio"] = round(result["situations_per_second"] / speed, 2)
    return result


def _measure(what: str, name: str, threads: int | None) -> dict[str, Any]:
    """Measures one thing in a process of its own."""
    environment = dict(os.environ)
    if threads is not None:
        environment |= {"NUMBA_NUM_THREADS": str(threads), "RAYON_NUM_THREADS": str(threads)}
    return json.loads(_python("-m", "scripts._benchmarks._solver_process", what, name, environment=environment))


def _fresh_calls(name: str) -> dict[str, float]:
    """Seconds of whole processes that solve a ruleset, kernels compiled before, and that read it from the cache."""
    code = "import yatzy_env; print(yatzy_env.solve({name!r}, progress=False, {how}).expected_score)"
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for key, how in (("first_call_seconds", "cache=False"), ("cached_seconds", f"cache_dir={folder!r}")):
            call = code.format(name=name, how=how)
            _python("-c", call)  # compiles what is missing, and fills the cache
            seconds = []
            for _ in range(_FEW):
                start = time.perf_counter()
                _python("-c", call)
                seconds.append(time.perf_counter() - start)
            found[key] = round(median(seconds), 3)
    return found


def _python(*arguments: str, environment: dict[str, str] | None = None) -> str:
    from yatzy_env.errors import YatzyError

    done = subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise YatzyError((done.stderr.strip().splitlines() or ["a measuring process failed"])[-1])
    return done.stdout
