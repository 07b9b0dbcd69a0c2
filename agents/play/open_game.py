"""A game in memory with what belongs to it: what the page and the terminal are told of it, during and after it."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from agents.play.coach import advise, estimate
from agents.play.ledger import Figure, Ledger
from agents.play.library import RulesetService
from agents.play.marks import NEGLIGIBLE
from agents.play.schemas.coach import Advice
from agents.play.schemas.common import Level
from agents.play.schemas.game import GameState, LogEntry, Result
from agents.play.schemas.review import Attempt, KeepAttempt, Mistake, MistakeList, Review, Verdict
from agents.play.session import Session
from agents.play.steps import GameError

MOST_MISTAKES = 10


@dataclass(eq=False)
class OpenGame:
    """A game in memory. Whoever reads or changes it holds its lock."""

    id: str
    token: str  # SHA-256 of it
    session: Session
    service: RulesetService
    coach: Level = "off"
    hidden_totals: bool = False
    lock: threading.RLock = field(default_factory=threading.RLock)
    _ledger: Ledger | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """What is kept with the game beside its steps."""
        return {"coach": self.coach, "hidden_totals": self.hidden_totals}

    def figures(self) -> list[Figure] | None:
        """The coach's figures of the whole log; None where the ruleset is not solved."""
        if not self.session.entries:
            return []  # a new game does not wait for a solution to be loaded
        ledger = self._loaded()
        return ledger.update(self.session.entries) if ledger is not None else None

    def _loaded(self) -> Ledger | None:
        if self._ledger is None:
            solution = self.service.solution()
            self._ledger = Ledger(solution) if solution is not None else None
        return self._ledger

    def _shown_figures(self) -> list[Figure] | None:
        """The figures of the log, unless the coach is silent."""
        return self.figures() if self.coach != "off" or self.session.is_finished else None

    def state(self) -> GameState:
        """The game as it stands."""
        given = {"id": self.id, "source": self.service.source, **self.settings}
        return GameState.of(self.session, self._shown_figures(), self.service.marks, **given)

    def log(self, start: int, most: int) -> list[LogEntry]:
        """Entries of the log from `start` on."""
        return LogEntry.page(self.session, self._shown_figures(), self.service.marks, start, most)

    # ------------------------------------------------------------------------------------ the coach

    def advice(self, level: Level | None = None) -> Advice:
        """The coach's answer about the seat on turn, on a level other than the game's if one is given.

        Raises:
            GameError: if the game is finished or the coach is off.
        """
        if self.session.is_finished:
            raise GameError("game_over", "the game is finished; its review is open")
        if (level or self.coach) == "off":
            raise GameError("coach_off", "the coach of this game is off")
        return self._advice(self.session, level or self.coach)

    def _advice(self, session: Session, level: Level) -> Advice:
        service, ledger = self.service, self._loaded()
        estimator = service.estimator if ledger is None else None
        with_chances, options, expected = service.has_chances(), [], None
        if session.phase == "decide":
            if ledger is not None:
                options = advise(session, ledger.solution, with_chances, service.marks)
            elif estimator is not None:
                options = estimate(session, estimator, service.marks)
            expected = options[0].expected if options else None
        elif ledger is not None:
            self.figures()
            expected = ledger.expected(session.card)
        return Advice.fill(
            session,
            source="exact" if ledger is not None else service.source,
            estimator=estimator.name if estimator is not None else None,
            level=level,
            expected=expected,
            options=[option for option in options if option.is_best or level != "hints"],
            forced=len(options) == 1,
            chances=service.status().chances,
        )

    # ------------------------------------------------------------------------------------ after the game

    def review(self) -> Review:
        """The balance of the finished game.

        Raises:
            GameError: if it goes on; so do the methods below.
        """
        figures, optimum = self._final_figures(), self.service.optimum
        if figures is None or optimum is None:
            result = Result.of(self.session)
            return Review(source=self.service.source, optimum=None, marks=None, cards=[], seats=[], result=result)
        return Review.of(self.session, figures, optimum, self.service.marks)

    def mistakes(self) -> MistakeList:
        """The worst decisions of the persons, to be tried again."""
        figures = self._final_figures()
        if figures is None:
            return MistakeList(source=self.service.source, mistakes=[])
        worst = worst_decisions(self.session, figures)
        found = [
            Mistake.of(
                before, worst.index(entry), self.session.entries[entry], entry=entry, regret=figures[entry].regret
            )
            for entry, before in before_decisions(self.session, worst)
        ]
        return MistakeList(source="exact", mistakes=sorted(found, key=lambda one: one.number))

    def attempt(self, number: int, tried: Attempt) -> Verdict:
        """How good another choice instead of a mistake is."""
        before = self._before_mistake(number)
        step = before.keep_step(tried.dice) if isinstance(tried, KeepAttempt) else before.score_step(tried.box)
        ledger = self._loaded()
        if ledger is None or step.action is None:
            raise GameError("not_solved", f"ruleset {self.service.rules.name!r} is not solved")
        return Verdict.of(ledger.solution.regret(before.situation, step.action), self.service.marks)

    def answer(self, number: int) -> Advice:
        """What would have been best instead of a mistake."""
        return self._advice(self._before_mistake(number), "full")

    def _final_figures(self) -> list[Figure] | None:
        if not self.session.is_finished:
            raise GameError("not_finished", "that is for finished games; this one goes on")
        return self.figures()

    def _before_mistake(self, number: int) -> Session:
        """The game before a mistake."""
        figures = self._final_figures()
        worst = worst_decisions(self.session, figures) if figures is not None else []
        if number >= len(worst):
            raise GameError("no_such_mistake", f"there is no mistake {number}; this game has {len(worst)}")
        return next(before_decisions(self.session, [worst[number]]))[1]


def worst_decisions(session: Session, figures: Sequence[Figure]) -> list[int]:
    """The log indices of the persons' worst decisions, worst first."""
    found = [
        (figure.regret, number)
        for number, (entry, figure) in enumerate(zip(session.entries, figures, strict=True))
        if figure.regret > NEGLIGIBLE and session.setup.seats[entry.seat].agent is None
    ]
    return [number for _, number in sorted(found, key=lambda one: (-one[0], one[1]))[:MOST_MISTAKES]]


def before_decisions(session: Session, entries: Sequence[int]) -> Iterator[tuple[int, Session]]:
    """The game as it stood before some decisions, played again once.

    Args:
        session: a game.
        entries: log indices of decisions.

    Yields:
        Each index, in the order of play, with the game before it. The game is the same object throughout: it is what
        it says until the next one is asked for.
    """
    wanted = set(entries)
    again = Session(session.setup)
    for step in session.steps:
        if len(again.entries) in wanted and step.kind in ("keep", "score"):
            yield len(again.entries), again
        again.apply(step)
