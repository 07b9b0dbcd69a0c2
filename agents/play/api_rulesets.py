"""The endpoints about rulesets and players."""

from __future__ import annotations

from typing import Annotated

from fastapi import FastAPI, Query
from fastapi import Path as InPath

from agents.play.config import Config
from agents.play.library import Library, RulesetService
from agents.play.rules_page import rules_page
from agents.play.schemas.common import MAX_NAME, MAX_SEATS, PlayerName
from agents.play.schemas.records import PlayerRecord
from agents.play.schemas.rulesets import (
    Bonus,
    BoxInfo,
    Meta,
    RulesetInfo,
    RulesetList,
    RulesetSummary,
    RulesPage,
    SolveStatus,
    Suggestion,
    par_of,
)
from agents.play.service import GameService
from agents.play.steps import GameError
from yatzy_env import __version__
from yatzy_env.rules import options
from yatzy_env.rules.names import box_key, hint_key
from yatzy_env.tables import compile_tables

Name = Annotated[str, InPath(pattern=r"^[a-z0-9][a-z0-9-]{0,59}$")]


def add_rulesets(app: FastAPI, library: Library, games: GameService, config: Config) -> None:
    """Adds the endpoints about what there is to play with, and about players."""

    @app.get("/api/meta")
    def meta() -> Meta:
        return Meta(
            version=__version__,
            suggestion=Suggestion(ruleset=config.ruleset, opponents=list(config.opponents)),
            max_seats=MAX_SEATS,
            max_name=MAX_NAME,
            rulesets=list(library.services),
            solving_allowed=config.solving,
        )

    @app.get("/api/rulesets")
    def all_rulesets() -> RulesetList:
        found = [
            RulesetSummary.fill(one, one.rules, boxes=len(one.rules.box_names), columns=len(one.rules.columns))
            for one in library.services.values()
        ]
        return RulesetList(rulesets=found)

    @app.get("/api/rulesets/{name}")
    def one_ruleset(name: Name) -> RulesetInfo:
        return _ruleset_info(library.service(name), config)

    @app.get("/api/rulesets/{name}/rules")
    def rules_of(name: Name) -> RulesPage:
        service = library.service(name)
        return rules_page(service.rules, service.optimum)

    @app.get("/api/rulesets/{name}/solve")
    def solve_status(name: Name) -> SolveStatus:
        return library.service(name).status(config.solving)

    @app.post("/api/rulesets/{name}/solve")
    def start_solving(name: Name) -> SolveStatus:
        service = library.service(name)
        if not config.solving:
            raise GameError("solving_off", "this server solves nothing: it listens to more than its own machine")
        service.start_solving()
        return service.status(config.solving)

    @app.get("/api/players")
    def player(name: Annotated[PlayerName, Query()]) -> PlayerRecord:
        return PlayerRecord.of(name, games.store.results(name))


def _ruleset_info(service: RulesetService, config: Config) -> RulesetInfo:
    rules, card = service.rules, compile_tables(service.rules).card
    most = compile_tables(rules).most.tolist()
    boxes = [
        BoxInfo(
            id=name,
            box=name.partition("@")[0],
            label_key=box_key(rules, name),
            hint_key=hint_key(rules, name),
            section="upper" if card.face[box] else "lower",
            face=int(card.face[box]),
            column=int(card.column[box]),
            most=most[box],
            par=par_of(rules, int(card.face[box])) if card.face[box] else None,
        )
        for box, name in enumerate(rules.box_names)
    ]
    bonus = Bonus(threshold=rules.bonus_threshold, points=rules.bonus_points) if rules.bonus_points else None
    base = rules.model_copy(update={"name": service.base}) if service.base else rules
    return RulesetInfo.fill(
        service,
        rules,
        options=options(base),
        boxes=boxes,
        bonus=bonus,
        special=rules,
        agents=service.availability(),
        solve=service.status(config.solving),
    )
