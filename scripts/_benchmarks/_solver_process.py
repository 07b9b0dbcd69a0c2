"""A process that measures one thing of the solver and prints it as JSON: `_solver_process.py solve yatzy`."""

from __future__ import annotations

import json
import sys
import time
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from scripts._benchmarks.solver import _FEW, _LONG, PEERS, SITUATIONS, TURNS
from scripts._cli import read_ruleset
from scripts.solve import peak_memory
from yatzy_env.games import action_masks, new_games, play
from yatzy_env.rules import Ruleset
from yatzy_env.situation import Situations
from yatzy_env.solver import solve
from yatzy_env.tables import compile_tables
from yatzy_env.turn import cards_of, list_ends, plan_turns

if TYPE_CHECKING:
    from numpy.typing import NDArray


def random_situations(rules: Ruleset, count: int, seed: int = 1) -> Situations:
    """Situations that players meet who choose any legal action with the same chance, in random order."""
    tables = compile_tables(rules)
    rng = np.random.default_rng(seed)
    most = count // len(rules.boxes)  # every turn of a game has one situation at least
    games = new_games(tables, rng.integers(1 << 62, size=most).astype(np.uint64))
    met: list[Situations] = []
    while len(games.key):
        met.append(games.now.copy())
        masks = action_masks(tables, games.now)
        play(tables, games, np.argmax(masks * rng.random(masks.shape), axis=1))
        games = games.take(games.now.roll >= 0)
    everything = Situations(*(np.concatenate(values) for values in zip(*met, strict=True)))
    return everything.take(rng.permutation(len(everything.roll))[:count])


def measure_solve(rules: Ruleset) -> dict[str, Any]:
    from yatzy_env.solver.chunks import default_threads

    times: list[tuple[float, float]] = []
    while not times or (len(times) < _FEW and times[0][1] < _LONG):
        solution = solve(rules, cache=False, progress=False)
        times.append((solution.cpu_seconds, solution.seconds))
    return {
        "expected_score": solution.expected_score,
        "cards": solution.cards,
        "threads": default_threads(),
        "cpu_seconds": round(median(cpu for cpu, _ in times), 4),
        "seconds": round(median(wall for _, wall in times), 4),
        "peak_rss_mb": round(peak_memory(), 1),
    }


def measure_batch(rules: Ruleset) -> dict[str, Any]:
    now = random_situations(rules, SITUATIONS)
    solution = solve(rules, cache=False, progress=False)
    solution.batch_action_values(now.take(np.arange(100)))
    seconds = []
    for _ in range(2 * _FEW + 1):
        start = time.process_time()
        solution.batch_action_values(now)
        seconds.append(time.process_time() - start)
    found = median(seconds)
    return {
        "situations": len(now.roll),
        "cpu_seconds": round(found, 4),
        "situations_per_second": round(len(now.roll) / found),
    }


def measure_turns(rules: Ruleset) -> dict[str, Any]:
    tables = compile_tables(rules)
    cards = cards_of(tables, random_situations(rules, TURNS))
    seconds = []
    for _ in range(2 * _FEW + 2):
        start = time.process_time()
        ends = list_ends(tables, cards)
        plan_turns(tables, ends, ends.gain)
        seconds.append(time.process_time() - start)
    return {"turns": TURNS, "microseconds_per_turn": round(1e6 * median(seconds[1:]) / TURNS, 2)}


def measure_peer(rules: Ruleset) -> dict[str, Any]:
    import yatzy_solver

    variant = yatzy_solver.Variant(PEERS[rules.name])
    start = time.process_time()
    solver = yatzy_solver.Solver.build(variant)
    found: dict[str, Any] = {"cpu_seconds": round(time.process_time() - start, 4)}
    now = random_situations(rules, SITUATIONS // 4)
    arrays = peer_arrays(rules, now)
    solver.option_values_batch(*(values[:100] for values in arrays))
    start = time.process_time()
    solver.option_values_batch(*arrays)
    found["situations_per_second"] = round(len(now.roll) / (time.process_time() - start))
    return found


def peer_arrays(rules: Ruleset, now: Situations) -> tuple[NDArray[Any], ...]:
    """Situations as yatzy-solver reads them."""
    tables = compile_tables(rules)
    dice = np.array([np.repeat(np.arange(1, 7), counts) for counts in tables.counts[tables.keeps :]], np.uint8)
    return (
        now.filled.astype(np.uint32),
        np.minimum(now.upper[:, 0], rules.bonus_threshold).astype(np.uint16),
        now.yatzy_scored.copy(),
        dice[now.roll],
        now.throws_left.astype(np.uint8),
    )


def main() -> None:
    what, text = sys.argv[1:]
    measure = {"solve": measure_solve, "batch": measure_batch, "turns": measure_turns, "peer": measure_peer}[what]
    print(json.dumps(measure(read_ruleset(text))))


if __name__ == "__main__":
    main()
