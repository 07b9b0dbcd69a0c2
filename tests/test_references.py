"""Files, folders and modules that code and documentation name exist; what was done once stays in the changelog."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
TRACKED = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
PLACES = {*TRACKED, *(str(folder) for file in TRACKED for folder in Path(file).parents)}
TOPS = "|".join(sorted({re.escape(file.split("/")[0]) for file in TRACKED if "/" in file}))
PATH = re.compile(rf"(?<![\w./@-])(?:{TOPS})/[\w.-]+(?:/[\w.-]+)*")
NAMED = re.compile(r"(?<![\w./@-])[\w-]+(?:/[\w-]+)*\.(?:py|js)(?![\w*{])")
DOTTED = re.compile(r"(?<![\w./@-])(?:yatzy_env|agents|scripts)(?:\.\w+)+(?![\w(])")
PLACEHOLDER = re.compile(r"/[A-Z]+\b|/[\w-]+-v\d\b")  # models/RULESET, yatzy_env/Yatzy-v0
MADE_HERE = {
    "no/such/file",
    "half_a_module.py",
    "third_party_agent.py",
    "mine.py",
    "script.py",
    "program.py",
    "first_legal_player.py",
}  # by tests, or meant to be missing


def texts() -> dict[str, str]:
    """What may name a file. Models and changelog are history, and the texts of a test are its own."""
    kinds = (".py", ".js", ".md", ".toml", ".yaml", ".yml")
    files = [file for file in TRACKED if file.endswith(kinds) or file == "Makefile"]
    history = ("models/", "CHANGELOG.md", "tests/test_references.py")
    return {file: (ROOT / file).read_text(encoding="utf-8") for file in files if not file.startswith(history)}


def exists(path: str) -> bool:
    return path in PLACES or f"{path}.py" in PLACES


def dead_paths(text: str) -> set[str]:
    """Paths from the root that lead nowhere, and names of scripts and modules that no file has."""
    whole = {path.rstrip(".") for path in PATH.findall(text) if not PLACEHOLDER.search(path)}
    named = set(NAMED.findall(text)) - whole - MADE_HERE
    known = {"/" + file for file in TRACKED}
    return {path for path in whole if not exists(path)} | {
        name for name in named if not any(file.endswith("/" + name) for file in known)
    }


def dead_modules(text: str) -> set[str]:
    """Dotted names that neither a module nor the text of the last one on the way knows."""
    dead = set()
    for name in set(DOTTED.findall(text)):
        path, *rest = name.split(".")
        while rest and exists(f"{path}/{rest[0]}"):
            path += "/" + rest.pop(0)
        file = f"{path}.py" if f"{path}.py" in PLACES else f"{path}/__init__.py"
        if rest and (file not in PLACES or not re.search(rf"\b{rest[0]}\b", (ROOT / file).read_text("utf-8"))):
            dead.add(name)
    return dead


def test_paths_lead_somewhere() -> None:
    assert {file: dead for file, text in texts().items() if (dead := dead_paths(text))} == {}


def test_modules_exist() -> None:
    assert {file: dead for file, text in texts().items() if (dead := dead_modules(text))} == {}


def test_a_dead_reference_is_noticed() -> None:
    assert dead_paths("see `docs/rules.md` and agents/play/contract.py") == {"docs/rules.md", "agents/play/contract.py"}
    assert (
        dead_paths(
            "docs/rulesets.md, models/RULESET, gymnasium.make('yatzy_env/Yatzy-v0'), games.py, yatzy_env/games.py"
        )
        == set()
    )
    assert dead_paths("the loop of no_such_sweep.py") == {"no_such_sweep.py"}
    assert dead_modules("yatzy_env.rules.scoring.points, yatzy_env.solve, agents.evaluation") == {
        "yatzy_env.rules.scoring.points",
        "agents.evaluation",
    }
