"""Writes the parts of the documentation that repeat code or records: rulesets, observations, models, optima."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import yatzy_env
from scripts.maintain._ablation_docs import HEAD, ablation_rows
from scripts.maintain._generalist_docs import FOLDER, generalist_card, is_measured
from scripts.maintain._models_docs import models_page, readme_table
from yatzy_env import Ruleset, action_names, compile_tables, rulesets
from yatzy_env.envs import observation_blocks
from yatzy_env.files import read_json, write_text
from yatzy_env.rules import CATALOGUE
from yatzy_env.rules.fields import Fields
from yatzy_env.rules.names import box_label, words

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
README = ROOT / "README.md"
NOTICE = "<!-- Written by `make docs` from the code. Edit scripts/maintain/make_docs.py, not this page. -->\n"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines) + "\n"


def special_rules(rules: Ruleset) -> str:
    """What a ruleset has beyond boxes, bonus and order, in words."""
    found = []
    if rules.yatzy_first:
        found.append("all dice alike may fill the yatzy box at once")
    if rules.joker != "none":
        found.append(f"{rules.joker} joker")
    if rules.extra_yatzy_bonus:
        found.append(f"+{rules.extra_yatzy_bonus} for every further yatzy once the box holds points")
    if rules.saved_throws:
        found.append("unused throws are saved")
    if len(rules.columns) > 1:
        found.append("columns count " + ", ".join(f"x{factor}" for factor in rules.columns))
    return "; ".join(found)


def rulesets_page() -> str:
    """The catalogue and the fields of a ruleset."""
    catalogue = table(
        ["name", "environment", "dice", "boxes", "bonus", "order", "special", "highest score"],
        [
            (
                f"`{rules.name}`",
                f"`{yatzy_env.env_id(rules.name)}`",
                rules.dice,
                len(rules.box_names),
                f"{rules.bonus_points} at {rules.bonus_threshold}" if rules.bonus_points else "none",
                rules.order,
                special_rules(rules),
                rules.max_score,
            )
            for rules in CATALOGUE.values()
        ],
    )
    descriptions = dict(_attributes(Fields.__doc__ or ""))
    fields = table(
        ["field", "called", "meaning", "default"],
        [
            (
                f"`{name}`",
                words().get(f"option.{name}", ""),
                descriptions[name],
                "required" if field.is_required() else f"`{field.default}`",
            )
            for name, field in Ruleset.model_fields.items()
        ],
    )
    sheets = "".join(
        f"\n### {names}\n\n" + ", ".join(f"{box_label(CATALOGUE[first], box)} (`{box}`)" for box in boxes) + "\n"
        for names, first, boxes in _sheets()
    )
    return (
        f"{NOTICE}\n# Rulesets\n\nA ruleset is data: a row of fields that compiles to tables. These are named; any "
        "other is made with `yatzy_env.ruleset(name).replace(field=value)`, a dict of fields, or `--set field=value` "
        f"on the command line.\n\n{catalogue}\n## Fields\n\n{fields}\n## Sheets\n{sheets}"
    )


def _sheets() -> list[tuple[str, str, tuple[str, ...]]]:
    """The distinct sheets: who uses one, its first user, its boxes."""
    users: dict[tuple[str, ...], list[str]] = {}
    for rules in CATALOGUE.values():
        users.setdefault(rules.boxes, []).append(rules.name)
    return [(", ".join(names), names[0], boxes) for boxes, names in users.items()]


def _attributes(docstring: str) -> Iterable[tuple[str, str]]:
    """The `name: meaning` lines of the Attributes section of a Google docstring."""
    for line in docstring.partition("Attributes:")[2].splitlines():
        name, colon, meaning = line.strip().partition(": ")
        if colon:
            yield name, meaning


def environments_page() -> str:
    """Spaces, observation index and actions of every named environment."""
    parts = [
        f"{NOTICE}\n# Environments\n\nObservations are float32 and a function of the situation alone; actions are the "
        "same index for the same keep whatever the roll. `yatzy_env.envs.observation_blocks(rules)` and "
        "`yatzy_env.action_names(rules)` give these tables in code.\n"
    ]
    for name in rulesets():
        rules = yatzy_env.ruleset(name)
        tables = compile_tables(rules)
        blocks = observation_blocks(rules)
        names = action_names(rules)
        parts.append(f"\n## {yatzy_env.env_id(name)}\n\n")
        parts.append(
            table(
                ["observation", "entries", "range", "meaning"],
                [
                    (
                        f"`{block.name}`",
                        f"{block.start}" if block.size == 1 else f"{block.start} to {block.start + block.size - 1}",
                        f"{block.low:g} to {block.high:g}",
                        block.meaning,
                    )
                    for block in blocks
                ],
            )
        )
        keeps, last = tables.keeps, tables.actions - 1
        parts.append(
            f"\n`Discrete({tables.actions})`: 0 to {keeps - 1} keep ({names[0]!r}, {names[1]!r}, ..., "
            f"{names[keeps - 1]!r}), {keeps} to {last} fill a box ({names[keeps]!r}, ..., {names[last]!r}).\n"
        )
    return "".join(parts)


def readme() -> str:
    """The README with its table of models renewed."""
    return between(README.read_text(encoding="utf-8"), "models", readme_table())


def evaluation_page() -> str:
    """The page about evaluation with the baselines' table renewed from what `demo.py` measures."""
    found = read_json(DOCS / "ladder.json")
    rows = [
        (
            agent["agent"],
            f"{agent['mean_score']:.2f} ± {agent['score_se']:.2f}",
            f"{agent['regret_per_game']:.2f} ± {agent['regret_se']:.2f}",
            f"{agent['expected_score']:.2f}",
            f"{agent['percent_of_optimum']:.2f}",
            f"{100 * agent['bonus_rate']:.1f}",
            f"{100 * agent['yatzy_rate']:.1f}",
        )
        for agent in found["agents"]
    ]
    games = found["agents"][0]["games"]
    head = ["agent", "mean score", "regret per game", "expected", "% of optimum", "bonus %", "yatzy %"]
    names = " ".join(agent["agent"] for agent in found["agents"])
    command = f"python scripts/evaluate.py {names} --ruleset {found['ruleset']} --games {games} --seed 1"
    text = (
        f"The optimum is **{found['optimum']:.2f}**. {games:,} games per agent on the same dice, by `{command}`:\n\n"
        + table(head, rows)
    )
    return between((DOCS / "evaluation.md").read_text(encoding="utf-8"), "results", text)


def between(page: str, name: str, text: str) -> str:
    """A page with the text between two markers renewed."""
    before, begin, rest = page.partition(f"<!-- {name}:begin -->\n")
    _, end, after = rest.partition(f"<!-- {name}:end -->")
    return before + begin + text + end + after


def optima_table() -> str:
    """The optima that scripts/maintain/optima.py has written."""
    rows = []
    for found in read_json(DOCS / "optima.json"):
        spread, bonus, yatzy = (found[key] for key in ("standard_deviation", "bonus_rate", "yatzy_rate"))
        rules = CATALOGUE[found["ruleset"]]
        rows.append(
            [
                f"`{rules.name}`",
                f"{found['expected_score']:.10f}",
                f"{spread:.2f}" if spread is not None else f"about {found['verified']['standard_deviation']:.1f}",
                f"{100 * bonus:.1f}" if rules.bonus_points and bonus is not None else "",
                f"{100 * yatzy:.1f}" if yatzy is not None else "",
                f"{found['cards']:,}",
                f"{found['cpu_seconds']:,.2f}",
                ", ".join(found["how"]),
            ]
        )
    head = ("ruleset", "optimum", "standard deviation", "bonus %", "yatzy %", "cards", "CPU seconds", "verified by")
    return table(head, rows)


def solver_page() -> str:
    """The page about the solver with its table of optima renewed."""
    return between((DOCS / "solver.md").read_text(encoding="utf-8"), "optima", optima_table())


def results_page(name: str) -> str:
    """A page about a run of the benchmark with the results that were copied beside it as `NAME.json` and `NAME.png`."""
    page = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    stored = DOCS / f"{name}.json"
    if not stored.exists():
        return between(page, "results", "No results are stored here yet.\n")
    from agents.benchmark.summary import markdown, speeds

    summary = read_json(stored)
    text = f"{markdown(summary)}\n![Learning curves]({name}.png)\n\n{speeds(summary)}"
    return between(page, "results", text)


def ablation_page() -> str:
    """The page about what each part of training is worth: rows from the protocol, results from what is stored."""
    return between(results_page("ablation"), "rows", table(HEAD, ablation_rows()))


PAGES = {
    DOCS / "rulesets.md": rulesets_page,
    DOCS / "environments.md": environments_page,
    DOCS / "solver.md": solver_page,
    DOCS / "evaluation.md": evaluation_page,
    DOCS / "models.md": lambda: models_page(NOTICE),
    DOCS / "benchmark.md": lambda: results_page("benchmark"),
    DOCS / "ablation.md": ablation_page,
    README: readme,
    **({FOLDER / "README.md": generalist_card} if is_measured() else {}),
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
