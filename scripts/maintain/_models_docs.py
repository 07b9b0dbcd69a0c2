"""The tables of the shipped models and the generalist's card, from the records beside them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agents.markdown import table
from agents.models.digest import MODELS
from agents.models.record import RESULTS, read_training
from agents.models.reuse import reused_names, shipped_names
from agents.ppo.multitask import GENERALIST
from agents.reports.render import render
from agents.reports.text import number, percent, with_error
from yatzy_env.files import read_json_object
from yatzy_env.rules import CATALOGUE

ROOT = Path(__file__).parents[2]
TEMPLATES = Path(__file__).parent / "templates"
REUSE = ROOT / "docs" / "reuse.json"
"""What scripts/maintain/reuse.py has measured."""

HEAD = ("ruleset", "optimum", "regret per game", "% of optimum", "exact score", "mean score", "bonus %")


def records(models: Path = MODELS) -> dict[str, dict[str, Any]]:
    """The record of every model that has one, in the order of the catalogue."""
    files = {name: models / name / RESULTS for name in shipped_names(models)}
    return {name: read_json_object(file) for name, file in files.items() if file.is_file()}


def model_rows(found: dict[str, dict[str, Any]], folder: str) -> list[list[str]]:
    """A row per model in the columns of `HEAD`, its name linked to its card."""
    return [[f"[`{name}`]({folder}/{name}/README.md)", *_figures(name, record)] for name, record in found.items()]


def readme_table() -> str:
    """The short table of all agents, for the README: percentages from the exact score where there is one."""
    found, rows = records(), []
    for row, record in zip(model_rows(found, "models"), found.values(), strict=True):
        linked, optimum, regret, sampled, exact, *_ = row
        best = number(100 * float(exact) / record["optimum"]) if exact else sampled
        rows.append([linked, optimum, regret, best])
    return table(HEAD[:4], rows) + "\n"


def models_page(notice: str) -> str:
    """The page about the shipped models."""
    found = records()
    generalist = MODELS / GENERALIST / RESULTS
    return render(
        "models.md.j2",
        TEMPLATES,
        notice=notice,
        head=HEAD,
        rows=model_rows(found, "../models"),
        records=found,
        reused=[(name, model, _rules_difference(name, model)) for name, model in reused_names().items()],
        reuse=read_json_object(REUSE) if REUSE.is_file() else None,
        generalist=read_json_object(generalist) if generalist.is_file() else None,
        planners=planners(),
        planner_figures=_planner_figures,
        plain=_value,
    )


def planners(models: Path = MODELS) -> list[dict[str, Any]]:
    """The record of every shipped value network, in the order of the catalogue."""
    files = [models / name / "values.json" for name in CATALOGUE]
    return [read_json_object(file) for file in files if file.is_file()]


def _planner_figures(record: dict[str, Any]) -> list[str]:
    """Score, percent of the optimum and regret of a planner; an estimate where there is no exact score."""
    found, optimum = record["planner"], record["optimum"]
    if "exact_score" in found:
        regret = f"{found['regret_per_game']:.4f} ± {found['regret_se']:.4f}"
        return [f"{found['exact_score']:.4f} of {optimum:.4f}", f"{found['exact_percent']:.4f}", regret]
    score = with_error(found["luck_adjusted_score"], found["luck_adjusted_se"])
    if optimum is None:
        return [f"{score}, estimate", "", ""]
    return [f"{score}, estimate, of {optimum:.4f}", number(100 * found["luck_adjusted_score"] / optimum), ""]


def generalist_card() -> str:
    """The card of the network for several rulesets: what it is, how good, how made."""
    folder = MODELS / GENERALIST
    record = read_json_object(folder / RESULTS)
    cases = sorted(record["cases"], key=lambda case: float(case["percent_of_optimum"]))
    return render(
        "generalist.md.j2",
        TEMPLATES,
        record=record,
        cases=record["cases"],
        worst=cases[0],
        best=cases[-1],
        training=read_training(folder),
    )


def _figures(name: str, record: dict[str, Any]) -> list[str]:
    agent = next(agent for agent in record["agents"] if agent["agent"] == "ppo")
    score = with_error(agent["mean_score"], agent["score_se"])
    bonus = percent(agent["bonus_rate"]) if CATALOGUE[name].bonus_points else ""
    if record["optimum"] is None:
        least = f"at least {100 * agent['mean_score'] / record['upper']:.2f}"
        return [f"{record['lower']:.2f} to {record['upper']:.2f}", "", least, "", score, bonus]
    exact = agent.get("exact_score")
    return [
        number(record["optimum"]),
        with_error(agent["regret_per_game"], agent["regret_se"]),
        number(agent["percent_of_optimum"]),
        number(exact, 4) if exact is not None else "",
        score,
        bonus,
    ]


def _rules_difference(name: str, model: str) -> list[tuple[str, str, str]]:
    """The fields in which two rulesets differ, and what each says."""
    ours, theirs = (CATALOGUE[which].model_dump(mode="json", exclude={"name"}) for which in (name, model))
    return [(key, _value(ours[key]), _value(theirs[key])) for key in ours if ours[key] != theirs[key]]


def _value(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
