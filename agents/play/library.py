"""What a server has to play with: rulesets, agents, stored solutions, chances, and the limits of the coach's marks."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

from agents.models.load import shipped_model
from agents.play.coach import estimate, kinds
from agents.play.marks import Marks, stored_marks
from agents.play.players import Player
from agents.play.schemas.common import Source
from agents.play.schemas.rulesets import AgentInfo, ChancesState, Reason, SolveState, SolveStatus
from agents.play.session import Session
from agents.play.steps import GameError, SeatPlan, Step, make_setup
from agents.play.worker import OnProgress, Worker
from agents.registry import NAMES, make_agent, make_opponent
from yatzy_env.agent import Agent
from yatzy_env.errors import YatzyError, unknown
from yatzy_env.rules import CATALOGUE, Ruleset
from yatzy_env.solver import Solution, SolveCost, can_have_chances, has_chances, is_cached, solve, solve_cost
from yatzy_env.solver.chunks import default_threads


class NotSolvedError(YatzyError):
    """A ruleset whose solution is wanted and not stored."""


class RulesetService:
    """One ruleset with all that is needed to play it, each part made when it is first asked for."""

    def __init__(self, rules: Ruleset, worker: Worker, base: str | None = None) -> None:
        self.rules = rules
        self.base = base
        self._worker = worker
        self._lock = threading.RLock()
        self._solution: Solution | None = None
        self._agents: dict[str, Player] = {}
        self._guests: list[str] = []

    @property
    def can_be_solved(self) -> bool:
        """Whether the exact optimum is within reach: one column."""
        return len(self.rules.columns) == 1

    @property
    def is_solved(self) -> bool:
        """Whether the solution is stored."""
        return self._solution is not None or (self.can_be_solved and is_cached(self.rules))

    @property
    def has_model(self) -> bool:
        """Whether a trained model is shipped that plays the ruleset; it is not loaded."""
        try:
            shipped_model(self._named)
        except YatzyError:
            return False
        return True

    @property
    def _named(self) -> Ruleset:
        """The ruleset under the name it was made from, by which models are found."""
        return self.rules if self.base is None else self.rules.replace(name=self.base)

    @cached_property
    def marks(self) -> Marks | None:
        """The limits of the coach's marks; None where regrets have not been measured."""
        return stored_marks(self.rules, self.base)

    @cached_property
    def cost(self) -> SolveCost:
        """What solving takes while people play."""
        return solve_cost(self.rules, threads=_threads())

    @property
    def source(self) -> Source:
        """Where the coach's figures come from."""
        if self.is_solved:
            return "exact"
        return "estimate" if self.estimator is not None else "none"

    @property
    def optimum(self) -> float | None:
        """The expected score under best play, where it is stored."""
        solution = self.solution()
        return solution.expected_score if solution is not None else None

    def solution(self) -> Solution | None:
        """The stored solution; None where there is none."""
        with self._lock:
            if self._solution is None and self.is_solved:
                try:
                    self._solution = solve(self.rules, progress=False)
                except YatzyError:
                    return None  # a damaged file; solving says what is wrong with it
            return self._solution

    def has_chances(self) -> bool:
        """Whether the solution's chances are there. Asking for them has them made in the background."""
        with self._lock:
            solution = self.solution() if self._can_have_chances else None
            if solution is None or solution.has_chances:
                return solution is not None
            self._worker.start(
                self._job("chances"),
                lambda on_progress: solution.prepare_chances(progress=False, threads=1, on_progress=on_progress),
            )
            return False

    def admit(self, name: str, trust: bool = False) -> None:
        """Lets an agent play here that has no name of its own, by the name that `agents.registry.make_opponent` takes.

        Raises:
            YatzyError: if there is no such agent, or it cannot play here.
        """
        with self._lock:
            self._agents[name] = make_opponent(name, self._named, self._wanted_solution, trust)
            self._guests.append(name)

    def agent(self, name: str) -> Player:
        """The agent of a name.

        Raises:
            GameError: if it cannot play here.
        """
        with self._lock:
            if name not in self._agents:
                if name not in NAMES:
                    raise GameError("unavailable_agent", unknown("agent", name, NAMES))
                try:
                    self._agents[name] = make_agent(name, self._named, self._wanted_solution)
                except YatzyError as error:
                    raise GameError("unavailable_agent", str(error)) from error
            return self._agents[name]

    def availability(self) -> list[AgentInfo]:
        """The agents, weakest first, those that were admitted last, and whether they can play here."""
        reasons = {name: self._reason(name) for name in (*NAMES, *self._guests)}
        return [AgentInfo(name=name, available=not reason, reason=reason) for name, reason in reasons.items()]

    @cached_property
    def estimator(self) -> Agent | None:
        """The strongest agent that tells what it thinks of every action, where the optimum is out of reach."""
        if self.can_be_solved:
            return None
        session = Session(make_setup(self.rules, [SeatPlan("estimate")], None, "", "estimate"))
        session.apply(Step("throw"))
        there: list[Any] = [
            self.agent(name) for name in reversed(NAMES) if name != "optimal" and not self._reason(name)
        ]
        for wanted in ("action_values", "logits"):  # points say more than preferences
            for agent in there:
                if hasattr(agent, wanted):
                    with suppress(YatzyError):  # a model without a value network has no estimate
                        estimate(session, agent)
                        return agent
        return None

    def start_solving(self) -> None:
        """Has the ruleset solved in the background.

        Raises:
            GameError: if that is impossible or needless.
        """
        if not self.can_be_solved:
            raise GameError("impossible", f"ruleset {self.rules.name!r} has too many cards: several columns")
        if self.is_solved:
            raise GameError("already_solved", f"ruleset {self.rules.name!r} is solved already")
        self._worker.start(self._job("solve"), self._solve)

    def status(self, may_solve: bool = True) -> SolveStatus:
        """How far the ruleset is solved; `may_solve` says whether this server may be asked to."""
        solving, message, progress = self._worker.job(self._job("solve")), "", 0.0
        state: SolveState = "missing"
        if not self.can_be_solved:
            state = "impossible"
        elif self.is_solved:
            state, progress = "solved", 1.0
        elif solving is not None and solving.is_open:
            state, progress = "solving", solving.progress
        elif solving is not None and solving.state == "failed":
            state, message = "failed", solving.message
        cost = None if state in ("impossible", "solved") else self.cost
        chances, chances_progress = self._chances_status()
        return SolveStatus(
            ruleset=self.rules.name,
            state=state,
            progress=progress,
            expected_seconds=cost.seconds if cost is not None else None,
            disk_mb=cost.disk_bytes / 1e6 if cost is not None else None,
            allowed=may_solve and state in ("missing", "failed"),
            chances=chances,
            chances_progress=chances_progress,
            message=message,
        )

    @property
    def _can_have_chances(self) -> bool:
        return can_have_chances(self.rules) and bool(kinds(self.rules))

    def _chances_status(self) -> tuple[ChancesState, float]:
        if not self._can_have_chances:
            return "impossible", 0.0
        job = self._worker.job(self._job("chances"))
        if job is not None and job.is_open:
            return "working", job.progress
        ready = has_chances(self.rules) or (self._solution is not None and self._solution.has_chances)
        return ("ready", 1.0) if ready else ("missing", 0.0)

    def _solve(self, on_progress: OnProgress) -> None:
        self._solution = solve(self.rules, progress=False, threads=_threads(), on_progress=on_progress)

    def _reason(self, name: str) -> Reason:
        if name in self._agents:
            return ""
        if name == "optimal":
            return "" if self.is_solved else ("not_solved" if self.can_be_solved else "not_for_ruleset")
        try:
            self.agent(name)
        except GameError as error:
            if isinstance(error.__cause__, NotSolvedError):
                return "not_solved"
            return "no_model" if name in ("ppo", "planner") else "not_for_ruleset"
        return ""

    def _wanted_solution(self) -> Solution:
        solution = self.solution()
        if solution is None:
            raise NotSolvedError(f"ruleset {self.rules.name!r} is not solved yet")
        return solution

    def _job(self, what: str) -> str:
        return f"{what} {self.rules.digest}"


def _threads() -> int:
    """All but one core's: the game goes on beside the work."""
    return max(1, default_threads() - 1)


class Library:
    """All rulesets of a server by name."""

    def __init__(self, more: Sequence[tuple[Ruleset, str | None]] = ()) -> None:
        """Makes a service for every ruleset of the catalogue.

        Args:
            more: further rulesets, each with the name of the one of the catalogue that it was made from, if any.
        """
        self.worker = Worker()
        self._of_earlier_starts: dict[str, RulesetService] = {}
        self.services = {name: RulesetService(rules, self.worker) for name, rules in CATALOGUE.items()}
        for rules, base in more:
            self.services[rules.name] = RulesetService(rules, self.worker, base)

    def service_of(self, rules: Ruleset) -> RulesetService:
        """The service of a stored game's rules, which options of an earlier start of the server may have made."""
        known = self.services.get(rules.name)
        if known is not None and known.rules.digest == rules.digest:
            return known
        return self._of_earlier_starts.setdefault(rules.digest, RulesetService(rules, self.worker))

    def service(self, name: str) -> RulesetService:
        """The service of a ruleset.

        Raises:
            GameError: if there is no such ruleset.
        """
        if name not in self.services:
            raise GameError("unknown_ruleset", unknown("ruleset", name, self.services))
        return self.services[name]
