"""The endpoints about rulesets and players, see `contract`."""

from __future__ import annotations

from typing import Annotated

from fastapi import FastAPI, Query
from fastapi import Path as InPath

from agents.play import contract
from agents.play.config import Config
from agents.play.library import Library, Shelf
from agents.play.room import Room, record
from agents.play.rules_page import label_key, rules_page
from agents.play.steps import GameError
from agents.play.views import limits_of, par_of
from yatzy_env import __version__
from yatzy_env.rules import options
from yatzy_env.tables import compile_tables

Name = Annotated[str, InPath(pattern=r"^[a-z0-9][a-z0-9-]{0,59}$")]


def add_rulesets(app: FastAPI, library: Library, room: Room, config: Config) -> None:
    """Adds the endpoints about what there is to play with, and about players."""

    @app.get("/api/meta")
    def meta() -> contract.Meta:
        return contract.Meta(
            version=__version__,
            suggestion=contract.Suggestion(ruleset=config.ruleset, opponents=list(config.opponents)),
            max_seats=contract.MAX_SEATS,
            max_name=contract.MAX_NAME,
            rulesets=list(library.shelves),
            solving_allowed=config.solving,
        )

    @app.get("/api/rulesets")
    def all_rulesets() -> contract.RulesetList:
        return contract.RulesetList(rulesets=[_summary(shelf) for shelf in library.shelves.values()])

    @app.get("/api/rulesets/{name}")
    def one_ruleset(name: Name) -> contract.RulesetInfo:
        return _ruleset_info(library.shelf(name), config)

    @app.get("/api/rulesets/{name}/rules")
    def rules_of(name: Name) -> contract.RulesPage:
        shelf = library.shelf(name)
        return rules_page(shelf.rules, optimum_of(shelf))

    @app.get("/api/rulesets/{name}/solve")
    def solve_status(name: Name) -> contract.SolveStatus:
        return _solve_status(library.shelf(name), config)

    @app.post("/api/rulesets/{name}/solve")
    def start_solving(name: Name) -> contract.SolveStatus:
        shelf = library.shelf(name)
        if not config.solving:
            raise GameError("solving_off", "this server solves nothing: it listens to more than its own machine")
        shelf.start_solving()
        return _solve_status(shelf, config)

    @app.get("/api/players")
    def player(name: Annotated[contract.PlayerName, Query()]) -> contract.PlayerRecord:
        return record(room.store, name)


def optimum_of(shelf: Shelf) -> float | None:
    """The expected score under best play, where it is stored."""
    solution = shelf.solution()
    return solution.expected_score if solution is not None else None


def _summary(shelf: Shelf) -> contract.RulesetSummary:
    rules = shelf.rules
    return contract.RulesetSummary(
        name=rules.name,
        base=shelf.base,
        dice=rules.dice,
        boxes=len(rules.box_names),
        columns=len(rules.columns),
        is_solved=shelf.is_solved,
        has_model=shelf.has_model,
    )


def _ruleset_info(shelf: Shelf, config: Config) -> contract.RulesetInfo:
    rules, card = shelf.rules, compile_tables(shelf.rules).card
    most = compile_tables(rules).most.tolist()
    boxes = [
        contract.BoxInfo(
            id=name,
            box=name.partition("@")[0],
            label_key=label_key(rules, name),
            section="upper" if card.face[box] else "lower",
            face=int(card.face[box]),
            column=int(card.column[box]),
            most=most[box],
            par=par_of(rules, int(card.face[box])) if card.face[box] else None,
        )
        for box, name in enumerate(rules.box_names)
    ]
    bonus = contract.Bonus(threshold=rules.bonus_threshold, points=rules.bonus_points) if rules.bonus_points else None
    special = {name: getattr(rules, name) for name in contract.Special.model_fields}
    base = rules.model_copy(update={"name": shelf.base}) if shelf.base else rules
    return contract.RulesetInfo(
        name=rules.name,
        base=shelf.base,
        options=options(base),
        dice=rules.dice,
        throws=rules.throws,
        columns=list(rules.columns),
        boxes=boxes,
        bonus=bonus,
        special=contract.Special(**special),
        max_score=rules.max_score,
        optimum=optimum_of(shelf),
        agents=[
            contract.AgentInfo(name=one.name, available=one.is_there, reason=one.reason) for one in shelf.availability()
        ],
        marks=limits_of(shelf.marks),
        solve=_solve_status(shelf, config),
    )


def _solve_status(shelf: Shelf, config: Config) -> contract.SolveStatus:
    status = shelf.status()
    return contract.SolveStatus(
        ruleset=shelf.rules.name,
        allowed=config.solving and status.state in ("missing", "failed"),
        **status.__dict__,
    )
