"""The game in a terminal, with rich: the same sessions, agents, coach and store as the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import TypeAdapter, ValidationError
from rich.console import Console
from rich.table import Table

from agents.play.library import RulesetService
from agents.play.open_game import OpenGame
from agents.play.schemas.common import Level
from agents.play.schemas.game import AgentSeat, Card, Choices, LogEntry, Move, NewGame, NewSeat, PersonSeat, Upper
from agents.play.service import GameService
from agents.play.steps import GameError, names_of
from yatzy_env.errors import YatzyError
from yatzy_env.rules.names import box_label

Ask = Callable[[str], str]

HELP = """\
  5 5        hold two fives and throw the rest (0 holds nothing)
  box NAME   fill a box: box chance, or as much of its name as says which one
  undo       take the last box back, as long as no dice have been thrown since
  hint       ask the coach
  help       this text
  quit       stop here"""
_COLOURS = {"fine": "green", "small": "yellow", "big": "red"}
_MOST_OPTIONS = 6
_MOVES: TypeAdapter[Move] = TypeAdapter(Move)


class QuitGame(Exception):  # noqa: N818, leaving is no error
    """The person wants to stop."""


class TerminalGame:
    """One game in a terminal, one person against agents."""

    def __init__(self, game: OpenGame, games: GameService, console: Console, ask: Ask) -> None:
        self.game = game
        self.games = games
        self.console = console
        self.ask = ask
        self._told = 0  # log entries that have been shown

    def play(self) -> None:
        """Plays until the game is finished.

        Raises:
            QuitGame: if the person stops.
        """
        session = self.game.session
        self.console.print(f"The dice follow from a seed with SHA-256 {session.setup.seed_digest}", highlight=False)
        while not session.is_finished:
            if session.agent is not None and not self._can_take_back():
                self._move("agent")
            elif session.phase == "throw":
                self._before_throw()
            else:
                self._decide()
            self._tell()
        self.show_cards()
        self._review()
        self.console.print(f"The seed was {session.setup.seed}", highlight=False)

    def show_cards(self) -> None:
        """Prints all cards side by side; what open boxes of the card on turn would pay stands in parentheses."""
        session = self.game.session
        rules, several = session.rules, len(session.rules.columns) > 1
        cards = [Card.of(session, number) for number in range(len(session.setup.teams))]
        choices = Choices.of(session)
        offers = {choice.box: choice.points for choice in choices.boxes} if choices is not None else {}
        table = Table("", *(" + ".join(session.setup.seats[seat].name for seat in card.seats) for card in cards))
        for box, name in enumerate(rules.box_names):
            label = box_label(rules, name) + (f" ×{rules.columns[box // len(rules.boxes)]}" if several else "")
            table.add_row(label, *(self._cell(card, box, offers) for card in cards))
        table.add_section()
        if rules.bonus_points:
            for column in range(len(rules.columns)):
                table.add_row("Bonus" + (f" ×{rules.columns[column]}" if several else ""), *(
                    _bonus(card.upper[column]) for card in cards
                ))  # fmt: skip
        if rules.extra_yatzy_bonus:
            table.add_row("Extra bonus", *(str(card.extra) for card in cards))
        if rules.saved_throws:
            table.add_row("Saved throws", *(str(card.saved_throws) for card in cards))
        table.add_row("Total", *(f"[bold]{card.total}" for card in cards))
        self.console.print(table)

    def _cell(self, card: Card, box: int, offers: dict[str, int]) -> str:
        cell = card.cells[box]
        if cell.points is not None:
            return str(cell.points)
        offered = offers.get(cell.box) if card.index == self.game.session.card else None
        return "" if offered is None else f"[dim]({offered})"

    def _can_take_back(self) -> bool:
        """Whether the last step was a person's box."""
        session = self.game.session
        return session.can_undo and session.setup.seats[session.entries[-1].seat].agent is None

    def _before_throw(self) -> None:
        """Lets a person throw, or take a box back before an agent throws."""
        session = self.game.session
        name, is_agent = session.setup.seats[session.seat].name, session.agent is not None
        undo = ", undo takes the last box back" if session.can_undo else ""
        to_throw = f"\n{name}: Enter throws the dice{undo}: "
        said = self._asked(f"Enter lets {name} play, undo takes the box back: " if is_agent else to_throw)
        if said == "help":
            self.console.print(HELP, highlight=False)
        else:
            self._move("undo" if said == "undo" else "agent" if is_agent else "throw")

    def _asked(self, question: str) -> str:
        """What the person says.

        Raises:
            QuitGame: if that is to stop.
        """
        said = self.ask(question).strip().lower()
        if said in ("quit", "q"):
            raise QuitGame
        return said

    def _decide(self) -> None:
        session = self.game.session
        if self.game.coach == "full":
            self._advise()
        left = session.throws_left
        self.show_cards()
        dice = " ".join(f"[{face}]" for face in session.dice)
        self.console.print(f"{dice}   {left} throw{'s' if left != 1 else ''} left", markup=False, highlight=False)
        said = self._asked("> ")
        if said in ("", "help", "?"):
            self.console.print(HELP, highlight=False)
        elif said == "hint":
            self._advise()
        elif said == "undo":
            self._move("undo")
        elif said.startswith("box"):
            self._fill(said.removeprefix("box").strip())
        else:
            self._keep(said)

    def _keep(self, said: str) -> None:
        faces = said.replace(" ", "").replace(",", "")
        if not all(one.isdigit() for one in faces):
            self.console.print(f"{said!r} is not understood\n{HELP}", highlight=False, markup=False)
            return
        try:
            self._move("keep", dice=[int(face) for face in faces if int(face)])
        except ValidationError:
            self.console.print("hold up to five dice that show 1 to 6", style="red")

    def _fill(self, said: str) -> None:
        wanted, names = said.replace(" ", "_"), self.game.session.rules.box_names
        found = [name for name in names if name == wanted] or [name for name in names if name.startswith(wanted)]
        if len(found) != 1:
            which = ", ".join(found) if found else ", ".join(names)
            self.console.print(f"which box? {which}", highlight=False, markup=False)
            return
        question = f"{found[0]} would get 0 points. Write the zero? (y/n) "
        if self._move("score", box=found[0]) == "confirm_zero" and self.ask(question).strip().lower() in ("y", "yes"):
            self._move("score", box=found[0], confirm_zero=True)

    def _move(self, kind: str, **fields: Any) -> str:
        """Makes a move; returns the code of what forbids it, which is said unless it only has to be confirmed."""
        move = {"type": kind, "version": self.game.session.version} | fields
        try:
            self.games.move(self.game, _MOVES.validate_python(move))
        except GameError as error:
            if error.code != "confirm_zero":
                self.console.print(str(error), style="red", markup=False)
            return error.code
        return ""

    def _tell(self) -> None:
        """Says what has happened since it was last called, and how the coach marks it."""
        session = self.game.session
        names = names_of(session.rules)
        for line in self.game.log(self._told, len(session.entries)):
            entry, seat = session.entries[line.index], session.setup.seats[line.seat]
            if entry.action is not None:
                gain = f" for {line.gain}" if line.gain is not None else ""
                mark = self._marked(line) if entry.choices > 1 else ""
                self.console.print(f"{seat.name}: {self._spoken(names[entry.action])}{gain}{mark}", highlight=False)
            elif seat.agent is not None:
                self.console.print(f"{seat.name} throws {' '.join(map(str, line.dice))}", style="dim", highlight=False)
        self._told = len(session.entries)

    def _marked(self, line: LogEntry) -> str:
        if line.regret is None or self.game.coach == "off":
            return ""
        if not line.regret or line.best is None:
            return "   [green]best[/]"
        return f"   [{_COLOURS[line.mark or 'small']}]{line.regret:.2f} below {self._spoken(line.best)}[/]"

    def _spoken(self, action: str) -> str:
        """What an action is called: "keep 5 5", or "Chance"."""
        box = action.removeprefix("score ")
        return action if box == action else box_label(self.game.session.rules, box)

    def _advise(self) -> None:
        """Prints the coach's options: the best alone unless its level is full."""
        advice = self.game.advice("full" if self.game.coach == "full" else "hints")
        if advice.source == "estimate":
            self.console.print(f"The view of the agent {advice.estimator!r}, not the optimum:", style="dim")
        if not advice.options:
            self.console.print(
                f"Not solved yet: python scripts/solve.py {self.game.session.rules.name}", style="yellow"
            )
            return
        heads = [chance.box or chance.what for chance in advice.options[0].chances]
        table = Table("choice", "expected score", "loss", *heads)
        for option in advice.options[:_MOST_OPTIONS]:
            worth = f"{option.expected:.2f}" if option.expected is not None else f"{100 * (option.weight or 0):.0f} %"
            regret = f"{option.regret:.2f}" if option.regret is not None else ""
            table.add_row(option.name, worth, regret, *(f"{100 * one.probability:.0f} %" for one in option.chances))
        self.console.print(table)

    def _review(self) -> None:
        """Prints the balance of every card."""
        review, setup = self.game.review(), self.game.session.setup
        if review.source != "exact":
            self.console.print("No review: the optimum of this ruleset is not stored.", style="yellow")
            return
        table = Table("player", "score", "= optimum", "+ luck", "- loss", "loss per real decision", "small", "big")
        for card in review.cards:
            names = " + ".join(setup.seats[seat].name for seat in card.seats)
            mean = "" if card.mean_regret is None else f"{card.mean_regret:.3f}"
            figures_of = (f"{review.optimum:.2f}", f"{card.luck:+.2f}", f"{card.regret:.2f}", mean)
            table.add_row(names, str(card.score), *figures_of, str(card.marks.small), str(card.marks.big))
        self.console.print(table)


def _bonus(upper: Upper) -> str:
    if upper.status == "secured":
        return str(upper.bonus)
    return "out of reach" if upper.status == "out_of_reach" else f"[dim]{upper.missing} missing"


def play(
    service: RulesetService,
    opponents: tuple[str, ...],
    name: str,
    level: Level,
    games: GameService,
    console: Console | None = None,
    ask: Ask | None = None,
) -> None:
    """Plays one game in the terminal.

    Args:
        service: the ruleset.
        opponents: agents to play against.
        name: of the person.
        level: of the coach.
        games: where the game is played and kept.
        console: where it is shown; stdout if None.
        ask: asks a question and returns the answer; the console's input if None.

    Raises:
        YatzyError: for a name that is empty or too long, or too many opponents.
    """
    console = console if console is not None else Console()
    try:
        seats: list[NewSeat] = [PersonSeat(kind="person", name=name)]
        seats += [AgentSeat(kind="agent", agent=opponent) for opponent in opponents]
        wanted = NewGame(ruleset=service.rules.name, seats=seats, coach=level)
    except ValueError as error:
        raise YatzyError(f"--name {name!r} with {len(opponents)} opponents: {error}") from error
    game, _ = games.create(wanted)
    console.print(HELP, highlight=False)
    try:
        TerminalGame(game, games, console, ask if ask is not None else console.input).play()
    except (QuitGame, EOFError):
        console.print("Left the game; it is not counted.")
    finally:
        games.store.close()
