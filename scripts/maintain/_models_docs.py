"""The tables of the shipped models and the generalist's card, from the records beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agents.markdown import table
from agents.models.digest import MODELS
from agents.models.record import RESULTS, best_percent, read_training
from agents.models.reuse import shipped_names
from agents.ppo.config import GENERALIST
from agents.ppo.policy import FILE as POLICY
from agents.reports.render import render
from agents.reports.text import number, percent, with_error
from yatzy_env.files import read_record
from yatzy_env.rules import CATALOGUE

TEMPLATES = Path(__file__).parent / "templates"

HEAD = ("ruleset", "agent", "optimum", "regret per game", "% of optimum", "exact score", "mean score", "bonus %")
AGENTS = ("ppo", "planner")

Record = dict[str, Any]


def records(models: Path = MODELS) -> dict[str, Record]:
    """The record of every model that has one, in the order of the catalogue."""
    files = {name: models / name / RESULTS for name in shipped_names(models)}
    return {name: read_record(file) for name, file in files.items() if file.is_file()}


def generalist_record(models: Path = MODELS) -> Record | None:
    """The record of the generalist, if one is shipped and measured."""
    folder = models / GENERALIST
    measured = (folder / POLICY).is_file() and (folder / RESULTS).is_file()
    return read_record(folder / RESULTS) if measured else None


def model_rows(found: dict[str, Record], folder: str) -> list[list[str]]:
    """A row per model and agent in the columns of `HEAD`, its name linked to its card."""
    rows = []
    for name, record in found.items():
        for agent, figures in _agents(record).items():
            exact = figures.get("exact_score")
            rows.append([
                _linked(name, folder),
                f"`{agent}`",
                _optimum(record),
                *_regret_and_percent(record, figures),
                number(exact, 4) if exact is not None else "",
                with_error(figures["mean_score"], figures["score_se"]),
                percent(figures["bonus_rate"]) if CATALOGUE[name].bonus_points else "",
            ])  # fmt: skip
    return rows


def readme_table() -> str:
    """The short table of all models, for the README."""
    head = ["ruleset", "optimum", *(text for name in AGENTS for text in (f"`{name}`: regret", "% of optimum"))]
    rows = [[_linked(name, "models"), _optimum(record), *_side_by_side(record)] for name, record in records().items()]
    return table(head, rows) + "\n"


def models_page(notice: str) -> str:
    """The page about the shipped models."""
    found = records()
    generalist = generalist_record()
    return render(
        "models.md.j2",
        TEMPLATES,
        notice=notice,
        models=table(HEAD, model_rows(found, "../models"), words=2),
        records=found,
        generalist=generalist,
        cases=generalist_table(generalist) if generalist else "",
    )


def generalist_table(record: Record) -> str:
    """The generalist under each of its rulesets, beside the specialists, which learnt one ruleset each."""
    specialists, rows = records(), []
    for case in record["cases"]:
        name = case["ruleset"]
        row = [f"`{name}`", _optimum(case)]
        for agent, figures in _agents(case).items():
            own = _agents(specialists[name]).get(agent) if name in specialists else None
            row += [*_regret_and_percent(case, figures), _percent(specialists[name], own) if own else ""]
        rows.append(row)
    heads = (text for name in AGENTS for text in (f"`{name}`: regret", "% of optimum", "specialist's %"))
    return table(["ruleset", "optimum", *heads], rows)


def generalist_card(record: Record) -> str:
    """The card of the networks for several rulesets: what they are, how good, how made."""
    percents = {
        name: [best_percent(_agents(case)[name], case["optimum"]) for case in record["cases"]] for name in AGENTS
    }
    return render(
        "generalist.md.j2",
        TEMPLATES,
        record=record,
        cases=generalist_table(record),
        percents=percents,
        training=read_training(MODELS / GENERALIST),
    )


def _agents(record: Record) -> dict[str, Record]:
    """The figures of a model's agents."""
    found = {figures["agent"]: figures for figures in record["agents"]}
    return {name: found[name] for name in AGENTS if name in found}


def _side_by_side(record: Record) -> list[str]:
    """Regret and percent of every agent, empty where it was not measured."""
    agents = _agents(record)
    return [
        cell for name in AGENTS for cell in (_regret_and_percent(record, agents[name]) if name in agents else ["", ""])
    ]


def _regret_and_percent(record: Record, figures: Record) -> list[str]:
    regret = with_error(figures["regret_per_game"], figures["regret_se"], 3) if record["optimum"] is not None else ""
    return [regret, _percent(record, figures)]


def _percent(record: Record, figures: Record) -> str:
    """The percentage of the optimum, by the exact score where there is one."""
    if record["optimum"] is None:
        return f"at least {100 * figures['mean_score'] / record['upper']:.2f}"
    return number(best_percent(figures, record["optimum"]), 3)


def _optimum(record: Record) -> str:
    if record["optimum"] is None:
        return f"{record['lower']:.2f} to {record['upper']:.2f}"
    return number(record["optimum"])


def _linked(name: str, folder: str) -> str:
    return f"[`{name}`]({folder}/{name}/README.md)"
