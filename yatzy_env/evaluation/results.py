"""Results: what an evaluation says about each agent, with the fields that other software reads."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from yatzy_env import files
from yatzy_env.agent import Agent
from yatzy_env.evaluation.head_to_head import Duel, duels
from yatzy_env.evaluation.matches import BATCH, Match, MeasurementError, check_luck, play_match
from yatzy_env.evaluation.provenance import Provenance
from yatzy_env.evaluation.statistics import estimate
from yatzy_env.rules import Ruleset, options

if TYPE_CHECKING:
    from yatzy_env.solver import Solution
    from yatzy_env.solver.triple import Interval


@dataclass(frozen=True)
class AgentResult:
    """The figures of one agent. None where there is no such figure: no optimum, or a single game without an error.

    Attributes:
        agent: its name on the command line.
        games: games played.
        mean_score: mean score.
        score_se: its standard error.
        regret_per_game: mean over games of the regret of all decisions, in points.
        regret_se: its standard error.
        expected_score: optimum minus regret: what the agent's score is on average, by the sharper estimate.
        percent_of_optimum: 100 x expected_score / optimum.
        bonus_rate: share of columns (one per game, three in triple) that earned the bonus.
        yatzy_rate: share of columns whose yatzy box holds points.
        exact_score: the exact expected score, only where it was computed.
    """

    agent: str
    games: int
    mean_score: float
    score_se: float | None
    regret_per_game: float | None
    regret_se: float | None
    expected_score: float | None
    percent_of_optimum: float | None
    bonus_rate: float
    yatzy_rate: float
    exact_score: float | None = None

    def fields(self) -> dict[str, Any]:
        """The figures as a JSON object; `exact_score` only where it was computed."""
        fields = asdict(self)
        if self.exact_score is None:
            del fields["exact_score"]
        return fields


def summarise(match: Match) -> AgentResult:
    """The figures of a match."""
    score = estimate(match.score)
    regret = estimate(match.game_regret) if match.regret is not None else None
    expected = match.optimum - regret.mean if match.optimum is not None and regret is not None else None
    return AgentResult(
        agent=match.agent,
        games=match.games,
        mean_score=score.mean,
        score_se=_known(score.error),
        regret_per_game=regret.mean if regret is not None else None,
        regret_se=_known(regret.error) if regret is not None else None,
        expected_score=expected,
        percent_of_optimum=100 * expected / match.optimum if expected is not None and match.optimum else None,
        bonus_rate=float(match.bonus.mean()),
        yatzy_rate=float(match.yatzy.mean()) if match.yatzy.size else 0.0,
    )


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Several agents measured on the same dice of one ruleset.

    Attributes:
        rules: the ruleset.
        optimum: expected score of optimal play, None where it is not known.
        seed: the seed of the dice.
        games: games per agent.
        matches: one per agent, in the order asked for.
        results: the figures of each match.
        seconds: how long each match took.
        warnings: what a reader should know before trusting the figures, one line each.
        provenance: where the figures come from.
        solution: the exact solution the matches were measured with.
        bounds: what is known of the optimum where it is not: the certified interval of several columns.
    """

    rules: Ruleset
    optimum: float | None
    seed: int
    games: int
    matches: tuple[Match, ...]
    results: tuple[AgentResult, ...]
    seconds: tuple[float, ...]
    warnings: tuple[str, ...]
    provenance: Provenance
    solution: Solution | None = None
    bounds: Interval | None = None

    @cached_property
    def duels(self) -> list[Duel]:
        """Every agent against every other."""
        return duels(self.matches)

    def fields(self) -> dict[str, Any]:
        """What `evaluate.py --json` prints.

        `ruleset`, `options` where some are changed, `optimum`, `lower` and `upper` where only an interval is known,
        `agents`, and `head_to_head` where there are several.
        """
        fields: dict[str, Any] = {"ruleset": self.rules.name}
        if changed := options(self.rules):
            fields["options"] = changed
        fields["optimum"] = self.optimum
        if self.bounds is not None:
            fields |= {"lower": self.bounds.lower, "upper": self.bounds.upper}
        fields["agents"] = [result.fields() for result in self.results]
        if self.duels:
            fields["head_to_head"] = [duel.fields() for duel in self.duels]
        return fields

    def record(self) -> dict[str, Any]:
        """The same with regret by decision, turn and box, luck and provenance, to be kept beside a report or model."""
        record = self.fields() | {"seed": self.seed, "games": self.games}
        if self.optimum is not None:
            record["regret_by_decision"] = {match.agent: _by_kind(match) for match in self.matches}
            record["regret_by_turn"] = {
                match.agent: match.regret_by_turn.mean(axis=0).tolist() for match in self.matches
            }
            record["regret_by_box"] = {match.agent: _by_box(match) for match in self.matches}
            record["luck"] = {match.agent: _luck(match) for match in self.matches}
        record["seconds"] = {
            match.agent: round(taken, 2) for match, taken in zip(self.matches, self.seconds, strict=True)
        }
        return record | {"warnings": list(self.warnings), "provenance": self.provenance.fields()}

    def write_json(self, path: Path) -> None:
        """Writes the record to a file."""
        files.write_json(path, self.record())


def evaluate(
    agents: Mapping[str, Agent],
    rules: Ruleset,
    games: int,
    seed: int,
    solution: Solution | None,
    origin: Provenance,
    *,
    batch: int = BATCH,
    on_progress: Callable[[str, int], None] | None = None,
    bounds: Interval | None = None,
) -> Evaluation:
    """Lets every agent play the same games and sums up.

    Args:
        agents: the agents by the names they are to have in the results.
        rules: the ruleset.
        games: games per agent.
        seed: seed of the dice.
        solution: exact solution of the ruleset, None where it has none: regret then stays unknown.
        origin: where the figures come from.
        batch: how many games are played together.
        on_progress: called with an agent's name and the number of its games finished since the last call.
        bounds: what is known of the optimum where there is no solution.

    Returns:
        The evaluation. Luck that chance does not explain is among its warnings.
    """
    matches, seconds, warnings = [], [], []
    for name, agent in agents.items():
        report = None if on_progress is None else (lambda finished, name=name: on_progress(name, finished))
        start = time.perf_counter()
        match = play_match(agent, rules, games, seed, solution, batch, name=name, on_progress=report)
        seconds.append(time.perf_counter() - start)
        matches.append(match)
        if solution is not None:
            try:
                check_luck(match)
            except MeasurementError as error:
                warnings.append(str(error))
    return Evaluation(
        rules=rules,
        optimum=float(solution.expected_score) if solution is not None else None,
        seed=seed,
        games=games,
        matches=tuple(matches),
        results=tuple(summarise(match) for match in matches),
        seconds=tuple(seconds),
        warnings=tuple(warnings),
        provenance=origin,
        solution=solution,
        bounds=bounds,
    )


def _by_kind(match: Match) -> dict[str, float]:
    return dict(zip(match.kinds, match.regret_by_kind.mean(axis=0).tolist(), strict=True))


def _by_box(match: Match) -> dict[str, float]:
    """The regret of the turns that went to each box, per game."""
    return dict(zip(match.rules.box_names, match.regret_by_box.sum(axis=2).mean(axis=0).tolist(), strict=True))


def _luck(match: Match) -> dict[str, float | None]:
    """The luck of a match, and the scores without it: their mean is the expected score."""
    luck, adjusted = estimate(match.luck), estimate(match.luck_adjusted)  # type: ignore[arg-type]  # it was solved
    return {
        "luck_per_game": luck.mean,
        "luck_se": _known(luck.error),
        "luck_adjusted_score": adjusted.mean,
        "luck_adjusted_se": _known(adjusted.error),
    }


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
