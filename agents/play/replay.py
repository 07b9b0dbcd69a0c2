"""An exported game measured again: every decision by its regret, every throw by its luck, from the file alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from agents.play.ledger import Balance, Figure, Ledger, stored_figures, sum_up
from agents.play.schemas.game import LogEntry
from agents.play.schemas.records import ExportedGame, ExportedMove
from agents.play.session import Session
from agents.play.steps import GameError, SeatPlan, Setup, Step, action_numbers, make_setup
from yatzy_env.errors import YatzyError, one_line
from yatzy_env.rules import Ruleset
from yatzy_env.rules.ruleset import ruleset_from
from yatzy_env.solver import Solution


@dataclass(frozen=True)
class Replay:
    """A game played again.

    Attributes:
        session: the game.
        optimum: expected score under best play, None where the ruleset was not solved.
        figures: a figure per log entry, None where not solved.
        checked: whether the dice are those of the game's seed; None where it has none.
    """

    session: Session
    optimum: float | None
    figures: list[Figure] | None
    checked: bool | None

    def balances(self) -> list[Balance]:
        """The balance of every card; none where the ruleset was not solved."""
        if self.figures is None:
            return []
        cards = range(len(self.session.setup.teams))
        return [sum_up(self.session.entries, self.figures, "card", card) for card in cards]

    def fields(self) -> dict[str, Any]:
        """The replay as JSON values."""
        session, balances = self.session, self.balances()
        setup, entries = session.setup, session.entries
        cards = [
            {
                "players": [setup.seats[seat].name for seat in team],
                "score": session.totals[card],
                **stored_figures(balances[card] if balances else None),
            }
            for card, team in enumerate(setup.teams)
        ]
        moves = ExportedMove.of(session.rules, entries)
        log = [line for line in LogEntry.page(session, self.figures, None, 0, len(entries)) if line.kind != "throw"]
        return {
            "ruleset": session.rules.name,
            "optimum": self.optimum,
            "finished": session.is_finished,
            "dice_follow_seed": self.checked,
            "cards": cards,
            "decisions": [
                move.model_dump() | {"best": line.best, "loss": line.regret}
                for move, line in zip(moves, log, strict=True)
            ],
        }


def replay_file(path: Path, solution_source: Callable[[Ruleset], Solution | None]) -> Replay:
    """Plays an exported game again.

    Args:
        path: a file the play page exported.
        solution_source: returns the solution of a ruleset, None where it cannot be solved.

    Returns:
        The game with its figures.

    Raises:
        YatzyError: in one line, if the file is no exported game, or its moves or totals do not fit the rules.
    """
    try:
        game = ExportedGame.model_validate_json(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise YatzyError(f"{path} is not an exported game: it is no text") from error
    except ValidationError as error:
        first = error.errors()[0]
        is_json = first["type"] != "json_invalid"  # else the value is the whole file, which says nothing
        text = one_line(error)[:300] if is_json else first["msg"]
        raise YatzyError(f"{path} is not an exported game: {text}") from error
    seats = [SeatPlan(seat.name, seat.agent) for seat in game.seats]
    try:
        setup = make_setup(ruleset_from(dict(game.ruleset)), seats, game.teams, game.created, None)
    except YatzyError as error:
        raise YatzyError(f"{path}: {error}") from error
    session = _play_again(game, setup, path)
    if session.totals != game.totals:
        raise YatzyError(f"{path}: its totals {game.totals} are not those of its moves {session.totals}")
    solution, checked = solution_source(session.rules), _follows_seed(game, setup, path)
    if solution is None:
        return Replay(session, None, None, checked)
    return Replay(session, solution.expected_score, Ledger(solution).update(session.entries), checked)


def _play_again(game: ExportedGame, setup: Setup, path: Path) -> Session:
    """The moves of a game; its dice are typed in as they were thrown, or where the setup has a seed follow from it."""
    session = Session(setup)
    for number, move in enumerate(game.moves):
        try:
            _move_again(session, move)
        except GameError as error:
            raise YatzyError(f"{path}, move {number}: {error}") from error
    return session


def _move_again(session: Session, move: ExportedMove) -> None:
    here = (session.card, session.seat, session.turn + 1)
    if session.is_finished or here != (move.card, move.seat, move.turn):
        raise GameError("illegal_move", f"card {move.card}, seat {move.seat}, turn {move.turn} is not on turn")
    if session.phase == "throw":
        session.apply(Step("throw"))
    if session.phase == "enter":
        new = list(move.dice)
        for face in session.dice:
            if face:
                if face not in new:
                    raise GameError("illegal_move", f"the dice {move.dice} do not hold the {face} that was kept")
                new.remove(face)
        session.apply(Step("dice", None, tuple(new)))
    elif sorted(session.dice) != sorted(move.dice):
        raise GameError("illegal_move", f"the dice {move.dice} are not those on the table, {sorted(session.dice)}")
    numbers = action_numbers(session.rules)
    if move.action not in numbers:
        raise GameError("illegal_move", f"there is no action {move.action!r}")
    session.apply(session.action_step(numbers[move.action]))


def _follows_seed(game: ExportedGame, setup: Setup, path: Path) -> bool | None:
    """Whether the seed fits its digest and throws the dice of the game; None without a seed."""
    if game.seed is None:
        return None
    seeded = replace(setup, seed=game.seed)
    try:
        _play_again(game, seeded, path)
        return seeded.seed_digest == game.seed_digest
    except (YatzyError, UnicodeEncodeError):
        return False


def print_replay(replay: Replay) -> None:
    """Prints a replay as two tables: the cards, and the decisions that gave something away."""
    from rich.console import Console
    from rich.table import Table

    found, console = replay.fields(), Console()
    seed = {None: "typed in or of a game that goes on", True: "those of the seed", False: "NOT those of the seed"}
    console.print(f"{found['ruleset']}: optimum {_number(found['optimum'])}; dice {seed[found['dice_follow_seed']]}")
    cards = Table("player", "score", "luck", "given away", "per real decision")
    for card in found["cards"]:
        figures = [_number(card[key]) for key in ("luck", "loss", "mean_loss")]
        cards.add_row(", ".join(card["players"]), str(card["score"]), *figures)
    console.print(cards)
    lost = sorted((one for one in found["decisions"] if one["loss"]), key=lambda one: -one["loss"])
    if lost:
        table = Table("card", "turn", "dice", "throws left", "played", "best", "given away")
        for one in lost:
            dice = " ".join(map(str, one["dice"]))
            facts = [str(one["card"]), str(one["turn"]), dice, str(one["throws_left"]), one["action"], one["best"]]
            table.add_row(*facts, _number(one["loss"]))
        console.print(table)


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.2f}"
