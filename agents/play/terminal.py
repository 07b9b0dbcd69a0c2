"""The game in a terminal, with rich: the same sessions, agents, coach and store as the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from rich.console import Console
from rich.table import Table

from agents.play import contract
from agents.play.coach import Choice, Figure, advise, estimate, shown_loss
from agents.play.library import Shelf
from agents.play.room import OpenGame, Room
from agents.play.steps import GameError, names_of
from agents.play.views import box_choice, card_of, option_of, review_of
from yatzy_env.envs.render import box_label
from yatzy_env.errors import YatzyError

Level = Literal["off", "hints", "full"]
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


class QuitGame(Exception):  # noqa: N818, leaving is no error
    """The person wants to stop."""


class TerminalGame:
    """One game in a terminal, one person against agents."""

    def __init__(self, game: OpenGame, room: Room, console: Console, ask: Ask) -> None:
        self.game = game
        self.room = room
        self.console = console
        self.ask = ask
        self._told = 0  # log entries that have been shown

    def play(self) -> None:
        """Plays until the game is finished.

        Raises:
            QuitGame: if the person stops.
        """
        session = self.game.session
        self.console.print(f"The dice follow from a seed with SHA-256 {session.setup.digest}", highlight=False)
        while session.phase != "finished":
            if session.agent is not None and self._can_take_back():
                self._before_agent()
            elif session.agent is not None:
                self._move(contract.AgentMove(type="agent", version=session.version))
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
        cards = [card_of(session, number, hidden=False) for number in range(len(session.setup.teams))]
        offers = {}
        if session.phase == "decide":
            legal = [box for box, gain in enumerate(session.gains().tolist()) if gain >= 0]
            offers = {rules.box_names[box]: box_choice(session, box).points for box in legal}
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

    def _cell(self, card: contract.Card, box: int, offers: dict[str, int]) -> str:
        cell = card.cells[box]
        if cell.points is not None:
            return str(cell.points)
        offered = offers.get(cell.box) if card.index == self.game.session.card else None
        return "" if offered is None else f"[dim]({offered})"

    def _before_throw(self) -> None:
        session = self.game.session
        question = f"\n{session.setup.seats[session.seat].name}: Enter throws the dice"
        said = self.ask(question + (", undo takes the last box back: " if session.can_undo else ": ")).strip().lower()
        if said in ("quit", "q"):
            raise QuitGame
        if said == "undo":
            self._move(contract.UndoMove(type="undo", version=session.version))
        elif said == "help":
            self.console.print(HELP, highlight=False)
        else:
            self._move(contract.ThrowMove(type="throw", version=session.version))

    def _can_take_back(self) -> bool:
        """Whether the last step was a person's box."""
        session = self.game.session
        return session.can_undo and session.setup.seats[session.entries[-1].seat].agent is None

    def _before_agent(self) -> None:
        """Lets a person take a box back before an agent throws."""
        session = self.game.session
        said = self.ask(f"Enter lets {session.setup.seats[session.seat].name} play, undo takes the box back: ")
        if said.strip().lower() in ("quit", "q"):
            raise QuitGame
        if said.strip().lower() == "undo":
            self._move(contract.UndoMove(type="undo", version=session.version))
        else:
            self._move(contract.AgentMove(type="agent", version=session.version))

    def _decide(self) -> None:
        session = self.game.session
        if self.game.coach == "full":
            self._advise()
        left = session.situation.throws_left
        self.show_cards()
        dice = " ".join(f"[{face}]" for face in session.dice)
        self.console.print(f"{dice}   {left} throw{'s' if left != 1 else ''} left", markup=False, highlight=False)
        said = self.ask("> ").strip().lower()
        if said in ("quit", "q"):
            raise QuitGame
        if said in ("", "help", "?"):
            self.console.print(HELP, highlight=False)
        elif said == "hint":
            self._advise()
        elif said == "undo":
            self._move(contract.UndoMove(type="undo", version=session.version))
        elif said.startswith("box"):
            self._fill(said.removeprefix("box").strip())
        else:
            self._keep(said)

    def _keep(self, said: str) -> None:
        faces = [int(one) for one in said.replace(" ", "").replace(",", "") if one.isdigit()]
        if len(faces) != len(said.replace(" ", "").replace(",", "")):
            self.console.print(f"{said!r} is not understood\n{HELP}", highlight=False, markup=False)
            return
        version = self.game.session.version
        try:
            move = contract.KeepMove(type="keep", version=version, dice=[face for face in faces if face])
        except ValueError:
            self.console.print("hold up to five dice that show 1 to 6", style="red")
            return
        self._move(move)

    def _fill(self, said: str) -> None:
        session = self.game.session
        wanted = said.replace(" ", "_")
        names = session.rules.box_names
        found = [name for name in names if name == wanted] or [name for name in names if name.startswith(wanted)]
        if len(found) != 1:
            which = ", ".join(found) if found else ", ".join(names)
            self.console.print(f"which box? {which}", highlight=False, markup=False)
            return
        move = contract.ScoreMove(type="score", version=session.version, box=found[0])
        try:
            self.room.move(self.game, move)
        except GameError as error:
            if error.code != "confirm_zero":
                self.console.print(str(error), style="red", markup=False)
            elif self.ask(f"{found[0]} would get 0 points. Write the zero? (y/n) ").strip().lower() in ("y", "yes"):
                self._move(move.model_copy(update={"confirm_zero": True}))

    def _move(self, move: contract.Move) -> None:
        try:
            self.room.move(self.game, move)
        except GameError as error:
            self.console.print(str(error), style="red", markup=False)

    def _tell(self) -> None:
        """Says what has happened since it was last called, and how the coach marks it."""
        session = self.game.session
        figures = self.game.figures() if self.game.coach != "off" else None
        self._told = min(self._told, len(session.entries))
        for number in range(self._told, len(session.entries)):
            entry = session.entries[number]
            name = session.setup.seats[entry.seat].name
            if entry.kind == "throw" and session.setup.seats[entry.seat].agent is not None:
                self.console.print(f"{name} throws {' '.join(map(str, entry.dice))}", style="dim", highlight=False)
            elif entry.action is not None:
                text = spoken(self.game, entry.action)
                gain = f" for {entry.gain}" if entry.gain is not None else ""
                self.console.print(f"{name}: {text}{gain}{self._marked(number, figures)}", highlight=False)
        self._told = len(session.entries)

    def _marked(self, number: int, figures: Sequence[Figure] | None) -> str:
        entry, marks = self.game.session.entries[number], self.game.shelf.marks
        if figures is None or entry.choices < 2:
            return ""
        figure = figures[number]
        if not shown_loss(figure.loss) or figure.best is None:
            return "   [green]best[/]"
        mark = marks.mark(figure.loss) if marks is not None else "small"
        best = spoken(self.game, figure.best)
        return f"   [{_COLOURS[mark]}]{figure.loss:.2f} below {best}[/]"

    def _advise(self) -> None:
        """Prints the coach's options: the best alone on level hints."""
        session, shelf = self.game.session, self.game.shelf
        solution, chances = shelf.solution(), shelf.chances()
        choices: list[Choice] = []
        if solution is not None:
            choices = advise(session, solution, chances)
        elif not shelf.can_be_solved and shelf.estimator is not None:
            choices = estimate(session, shelf.estimator)
            self.console.print(f"The view of the agent {shelf.estimator.name!r}, not the optimum:", style="dim")
        if not choices:
            self.console.print(f"Not solved yet: python scripts/solve.py {session.rules.name}", style="yellow")
            return
        if self.game.coach != "full":
            choices = [choice for choice in choices if choice.is_best]
        table = Table("choice", "expected score", "loss", *(chances.kinds if chances is not None else ()))
        for choice in choices[:_MOST_OPTIONS]:
            option = option_of(session, choice, shelf.marks, chances)
            worth = f"{choice.expected:.2f}" if choice.expected is not None else f"{100 * (choice.weight or 0):.0f} %"
            loss = f"{choice.loss:.2f}" if choice.loss is not None else ""
            table.add_row(choice.name, worth, loss, *(f"{100 * one.probability:.0f} %" for one in option.chances))
        self.console.print(table)

    def _review(self) -> None:
        """Prints the balance of every card."""
        session, figures, solution = self.game.session, self.game.figures(), self.game.shelf.solution()
        if figures is None or solution is None:
            self.console.print("No review: the optimum of this ruleset is not stored.", style="yellow")
            return
        review = review_of(session, figures, solution.expected_score, self.game.shelf.marks)
        table = Table("player", "score", "= optimum", "+ luck", "- loss", "loss per real decision", "small", "big")
        for card in review.cards:
            names = " + ".join(session.setup.seats[seat].name for seat in card.seats)
            mean = "" if card.mean_loss is None else f"{card.mean_loss:.3f}"
            figures_of = (f"{review.optimum:.2f}", f"{card.luck:+.2f}", f"{card.loss:.2f}", mean)
            table.add_row(names, str(card.score), *figures_of, str(card.marks.small), str(card.marks.big))
        self.console.print(table)


def spoken(game: OpenGame, action: int) -> str:
    """What an action is called: "keep 5 5", or "Chance"."""
    name = names_of(game.session.rules)[action]
    return box_label(game.session.rules, name.removeprefix("score ")) if name.startswith("score ") else name


def _bonus(upper: contract.Upper) -> str:
    if upper.status == "secured":
        return str(upper.bonus)
    return "out of reach" if upper.status == "out_of_reach" else f"[dim]{upper.missing} missing"


def play(
    shelf: Shelf,
    opponents: tuple[str, ...],
    name: str,
    level: Level,
    room: Room,
    console: Console | None = None,
    ask: Ask | None = None,
) -> None:
    """Plays one game in the terminal.

    Args:
        shelf: the ruleset.
        opponents: agents to play against.
        name: of the person.
        level: of the coach.
        room: where the game is played and kept.
        console: where it is shown; stdout if None.
        ask: asks a question and returns the answer; the console's input if None.

    Raises:
        YatzyError: for a name that is empty or too long, or too many opponents.
    """
    console = console if console is not None else Console()
    try:
        seats: list[contract.NewSeat] = [contract.PersonSeat(kind="person", name=name)]
        seats += [contract.AgentSeat(kind="agent", agent=opponent) for opponent in opponents]
        wanted = contract.NewGame(ruleset=shelf.rules.name, seats=seats, coach=level)
    except ValueError as error:
        raise YatzyError(f"--name {name!r} with {len(opponents)} opponents: {error}") from error
    game, _ = room.create(wanted)
    console.print(HELP, highlight=False)
    try:
        TerminalGame(game, room, console, ask if ask is not None else console.input).play()
    except (QuitGame, EOFError):
        console.print("Left the game; it is not counted.")
    finally:
        room.store.close()
