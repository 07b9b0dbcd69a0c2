"""Writes the parts of the documentation that repeat code or records: rulesets, observations, models, optima."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import yatzy_env
from agents.models.digest import MODELS
from agents.models.record import CARD
from agents.ppo.config import GENERALIST
from agents.reports.render import render
from scripts.maintain._models_docs import TEMPLATES, generalist_card, generalist_record, models_page, readme_table
from yatzy_env import Ruleset, action_names, compile_tables, rulesets
from yatzy_env.envs import observation_blocks
from yatzy_env.files import read_json, read_json_object, write_text
from yatzy_env.rules import CATALOGUE
from yatzy_env.rules.fields import Fields
from yatzy_env.rules.names import box_label, words

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
README = ROOT / "README.md"
NOTICE = "<!-- Written by `make docs` from the code. Edit scripts/maintain/make_docs.py, not this page. -->"


OWN_COLUMNS = {"name", "dice", "boxes", "bonus_threshold", "bonus_points", "order"}


def special_rules(rules: Ruleset) -> list[str]:
    """What a ruleset changes in Scandinavian Yatzy beyond the columns of its table, in words."""
    found = []
    for field, value in rules.model_dump(include=set(Ruleset.model_fields) - OWN_COLUMNS).items():
        if value != Ruleset.model_fields[field].default:
            shown = ", ".join(map(str, value)) if isinstance(value, tuple) else value
            found.append(words()[f"option.{field}"] + ("" if value is True else f": {shown}"))
    return found


def rulesets_page() -> str:
    """The catalogue, the fields of a ruleset, and the distinct sheets with who uses them."""
    sheets: dict[tuple[str, ...], list[Ruleset]] = {}
    for rules in CATALOGUE.values():
        sheets.setdefault(rules.boxes, []).append(rules)
    return render(
        "rulesets.md.j2",
        TEMPLATES,
        notice=NOTICE,
        catalogue=CATALOGUE,
        env_id=yatzy_env.env_id,
        special_rules=special_rules,
        fields=Ruleset.model_fields,
        names=words(),
        meanings=dict(_attributes(Fields.__doc__ or "")),
        sheets=sheets,
        box_label=box_label,
    )


def _attributes(docstring: str) -> Iterable[tuple[str, str]]:
    """The `name: meaning` lines of the Attributes section of a Google docstring."""
    for line in docstring.partition("Attributes:")[2].splitlines():
        name, colon, meaning = line.strip().partition(": ")
        if colon:
            yield name, meaning


def environments_page() -> str:
    """Spaces, observation index and actions of every named environment."""
    return render(
        "environments.md.j2",
        TEMPLATES,
        notice=NOTICE,
        names=rulesets(),
        ruleset=yatzy_env.ruleset,
        env_id=yatzy_env.env_id,
        compile_tables=compile_tables,
        action_names=action_names,
        observation_blocks=observation_blocks,
    )


def renewed(page: Path, name: str, text: str) -> str:
    """A page with the text between two markers renewed."""
    return between(page.read_text(encoding="utf-8"), name, text)


def between(page: str, name: str, text: str) -> str:
    """The same for a page at hand."""
    before, begin, rest = page.partition(f"<!-- {name}:begin -->\n")
    _, end, after = rest.partition(f"<!-- {name}:end -->")
    return before + begin + text + end + after


def evaluation_page() -> str:
    """The page about evaluation with the baselines' table renewed from what `demo.py` measures."""
    text = render("ladder.md.j2", TEMPLATES, found=read_json_object(DOCS / "ladder.json"))
    return renewed(DOCS / "evaluation.md", "results", text)


def solver_page() -> str:
    """The page about the solver with its table of optima renewed from what scripts/maintain/optima.py has written."""
    text = render("optima.md.j2", TEMPLATES, rows=read_json(DOCS / "optima.json"), catalogue=CATALOGUE)
    return renewed(DOCS / "solver.md", "optima", text)


def results_page(name: str) -> str:
    """A page about a run of the benchmark with the results that were copied beside it as `NAME.json` and `NAME.png`."""
    from agents.benchmark.tables import markdown

    text, stored = "No results are stored here yet.\n", DOCS / f"{name}.json"
    if stored.exists():
        summary = read_json_object(stored)
        text = f"{markdown(summary)}\n![Learning curves]({name}.png)\n"
    return renewed(DOCS / f"{name}.md", "results", text)


def scoreboard_page() -> str:
    """The page of the scoreboard with the entries on record."""
    from agents.benchmark.scoreboard import markdown, read_board

    return renewed(DOCS / "scoreboard.md", "entries", markdown(read_board()))


PAGES: dict[Path, Callable[[], str]] = {
    DOCS / "rulesets.md": rulesets_page,
    DOCS / "environments.md": environments_page,
    DOCS / "solver.md": solver_page,
    DOCS / "evaluation.md": evaluation_page,
    DOCS / "models.md": lambda: models_page(NOTICE),
    DOCS / "benchmark.md": lambda: results_page("benchmark"),
    DOCS / "ablation.md": lambda: results_page("ablation"),
    DOCS / "scoreboard.md": scoreboard_page,
    README: lambda: renewed(README, "models", readme_table()),
    **({MODELS / GENERALIST / CARD: partial(generalist_card, found)} if (found := generalist_record()) else {}),
}


def main() -> int:
    """Writes the pages, or checks that they are up to date."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; end with 1 if a page is out of date")
    check = parser.parse_args().check
    stale = {file: text for file, page in PAGES.items() if not _is_current(file, text := page())}
    for file, text in stale.items():
        name = file.relative_to(ROOT)
        if check:
            print(f"{name} is out of date: run `make docs`", file=sys.stderr)
        else:
            write_text(file, text)
            print(f"wrote {name}")
    return 1 if check and stale else 0


def _is_current(file: Path, text: str) -> bool:
    return file.exists() and file.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main())
