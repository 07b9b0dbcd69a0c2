"""A scoreboard whose figures are computed from model files, never typed in.

An entry is an agent under a ruleset: the digest of its file, and its exact expected score, or where that cannot be
listed the score of 20,000 games under a seed that follows from the digest, so that nobody chooses it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from agents.markdown import table
from agents.models.digest import MODELS
from agents.models.load import model_file
from agents.models.rules import trained_rules
from agents.ppo.policy import FILE as POLICY
from agents.registry import make_agent
from agents.values.network import FILE as VALUES
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.exact import check_agent, exact_score
from yatzy_env.evaluation.matches import play_match
from yatzy_env.evaluation.provenance import commit
from yatzy_env.evaluation.results import summarise
from yatzy_env.evaluation.seeds import FINAL
from yatzy_env.files import read_json, sha256, write_json
from yatzy_env.rules import Ruleset
from yatzy_env.solver import can_solve, solve

BOARD = MODELS.parent / "docs" / "scoreboard.json"
"""The entries."""

GAMES = 20_000
"""Games of an entry without an exact score."""

Entry = dict[str, Any]


def files_of(name: str) -> list[Path]:
    """The model files that a name stands for: the policy and the value network of a folder or run are two.

    Raises:
        YatzyError: if there is none.
    """
    path = Path(name)
    if path.is_file():
        return [path]
    files = [model_file(path / network) for network in (POLICY, VALUES)] if path.is_dir() else []
    found = [file for file in files if file.is_file()]
    if not found:
        raise YatzyError(f"{name}: an entry is a model file, or a folder or run that holds {POLICY} or {VALUES}")
    return found


def seed_of(digest: str) -> int:
    """The seed of an entry's games: a final one, by the digest of its file."""
    return FINAL + int(digest[:7], 16)


def make_entry(
    file: Path, rules: Ruleset | None = None, trust: bool = False, say: Callable[[str], None] = lambda line: None
) -> Entry:
    """Measures a model file.

    Args:
        file: the file.
        rules: the ruleset to play; that of the file if None.
        trust: load a file that is on no record.
        say: is told what takes long.

    Returns:
        `file` (below the repository, or as given), `digest`, `ruleset`, `score`, `score_se` (None for an exact one),
        `games` and `seed` (None), `optimum` and `percent_of_optimum` (None where it is not known), and `commit`.

    Raises:
        YatzyError: if the file cannot be used, or does not say which rules it plays.
    """
    rules = rules or trained_rules(file)
    if rules is None:
        raise YatzyError(f"{file}: it does not say which ruleset it plays; --ruleset does")
    digest = sha256(file)
    solution = solve(rules, progress=False) if can_solve(rules) else None
    agent = make_agent(str(file), rules, lambda: solve(rules, progress=False), trust)
    found: Entry = {"file": _below_root(file), "digest": digest, "ruleset": rules.name}
    optimum = None if solution is None else float(solution.expected_score)
    try:
        check_agent(agent, rules, agent.name)
    except YatzyError:
        result = summarise(play_match(agent, rules, GAMES, seed_of(digest), solution))
        score = result.expected_score if result.expected_score is not None else result.mean_score
        error = result.regret_se if result.expected_score is not None else result.score_se
        found |= {"score": score, "score_se": error, "games": GAMES, "seed": seed_of(digest)}
    else:
        score = exact_score(agent, rules, say=say).expected_score
        found |= {"score": score, "score_se": None, "games": None, "seed": None}
    percent = None if optimum is None else 100 * score / optimum
    return {**found, "optimum": optimum, "percent_of_optimum": percent, "commit": commit()}


def _below_root(file: Path) -> str:
    root, whole = MODELS.parent.resolve(), file.resolve()
    return whole.relative_to(root).as_posix() if whole.is_relative_to(root) else file.as_posix()


def read_board(board: Path = BOARD) -> list[Entry]:
    """The entries on record; none if there is no file yet."""
    return list(read_json(board)) if board.exists() else []


def enter(entries: Iterable[Entry], board: Path = BOARD) -> None:
    """Puts entries on record, in the place of those of the same file and ruleset."""
    known = {(entry["ruleset"], entry["file"]): entry for entry in read_board(board)}
    known |= {(entry["ruleset"], entry["file"]): entry for entry in entries}
    write_json(board, [known[key] for key in sorted(known)], indent=1)


COLUMNS = ("agent", "score", "± or exact", "% of optimum", "digest")


def cells(entry: Mapping[str, Any]) -> list[str]:
    """An entry in the columns of `COLUMNS`."""
    error = entry["score_se"]
    how = "exact" if entry["games"] is None else f"± {error:.3f}, seed {entry['seed']}"
    percent = entry["percent_of_optimum"]
    shown = "" if percent is None else f"{percent:.3f}"
    return [entry["file"], f"{entry['score']:.4f}", how, shown, entry["digest"][:12]]


def markdown(entries: Sequence[Mapping[str, Any]]) -> str:
    """A table per ruleset, the best first."""
    parts = []
    for name in dict.fromkeys(entry["ruleset"] for entry in entries):
        rows = sorted((entry for entry in entries if entry["ruleset"] == name), key=lambda entry: -entry["score"])
        optimum = rows[0]["optimum"]
        title = f"`{name}`" + ("" if optimum is None else f", optimum {optimum:.4f}")
        parts.append(f"### {title}\n\n{table(COLUMNS, map(cells, rows))}\n")
    return "\n".join(parts) or "No entries yet.\n"


def stale(entries: Iterable[Mapping[str, Any]]) -> list[str]:
    """The files of entries below the repository that are there and are no longer what was measured."""
    root = MODELS.parent
    return [
        entry["file"]
        for entry in entries
        if (root / entry["file"]).is_file() and sha256(root / entry["file"]) != entry["digest"]
    ]
