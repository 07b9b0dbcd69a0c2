"""Results: what an evaluation says about each agent, with the fields that other software reads."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike

from yatzy_env import files
from yatzy_env.agent import Agent
from yatzy_env.evaluation.head_to_head import Duel, duels
from yatzy_env.evaluation.matches import BATCH, CardValues, Match, MeasurementError, check_luck, play_match
from yatzy_env.evaluation.provenance import Provenance, provenance
from yatzy_env.evaluation.random_play import random_score
from yatzy_env.evaluation.seeds import check_training_seed
from yatzy_env.evaluation.statistics import deviates, estimate
from yatzy_env.rules import Ruleset, options
from yatzy_env.solver.progress import progress_bar

if TYPE_CHECKING:
    from yatzy_env.solver import Solution
    from yatzy_env.solver.triple import Interval

_TOO_FAR = 4.5
"""Standard errors by which games may differ from an exact score; more happens by chance once in 100,000 evaluations."""

_FIELDS = (
    "agent",
    "games",
    "mean_score",
    "score_se",
    "regret_per_game",
    "regret_se",
    "expected_score",
    "percent_of_optimum",
    "bonus_rate",
    "yatzy_rate",
)
_SOMETIMES = ("luck_adjusted_score", "luck_adjusted_se", "exact_score", "exact_percent")


@dataclass(frozen=True)
class AgentResult:
    """The figures of one agent. None where there is no such figure: no optimum, or a single game without an error.

    Printed, it is a short table.

    Attributes:
        agent: its name.
        games: games played.
        mean_score: mean score.
        score_se: its standard error.
        regret_per_game: mean over games of the regret of all decisions, in points.
        regret_se: its standard error.
        luck_per_game: mean over games of the luck of all throws, in points; chance alone moves it from 0.
        luck_se: its standard error.
        optimum: expected score of optimal play.
        expected_score: optimum minus regret: what the agent's score is on average, by the sharper estimate.
        percent_of_optimum: 100 x expected_score / optimum.
        normalized: (expected_score - random) / (optimum - random): 0 for random play, 1 for optimal play. None as well
            where the expected score of random play is not known, see `yatzy_env.evaluation.random_play`.
        bonus_rate: share of columns (one per game, three in triple) that earned the bonus.
        yatzy_rate: share of columns whose yatzy box holds points.
        match: the games themselves: scores, regret and luck of each.
        luck_adjusted_score: mean score minus luck by values of cards, an estimate of the expected score; only where
            such values took the place of a solution.
        luck_adjusted_se: its standard error.
        exact_score: the exact expected score, only where it was computed.
        exact_percent: the percent of the optimum that the exact score is, computed or on the agent's record.
    """

    agent: str
    games: int
    mean_score: float
    score_se: float | None
    regret_per_game: float | None
    regret_se: float | None
    luck_per_game: float | None
    luck_se: float | None
    optimum: float | None
    expected_score: float | None
    percent_of_optimum: float | None
    normalized: float | None
    bonus_rate: float
    yatzy_rate: float
    match: Match = field(repr=False, compare=False)
    luck_adjusted_score: float | None = None
    luck_adjusted_se: float | None = None
    exact_score: float | None = None
    exact_percent: float | None = None

    def fields(self) -> dict[str, Any]:
        """The figures that `evaluate.py --json` prints; those that are not always there only where they are known."""
        known = {name: value for name in _SOMETIMES if (value := getattr(self, name)) is not None}
        return {name: getattr(self, name) for name in _FIELDS} | known

    def __str__(self) -> str:
        lines = [f"{self.agent}, {self.games:,} games of {self.match.rules.name} under seed {self.match.seed}"]
        if self.percent_of_optimum is not None:
            lines += [
                f"{'% of optimum':16} {self.percent_of_optimum:9.2f} (optimum {self.optimum:.2f})",
                _line("expected score", self.expected_score, self.regret_se),
                _line("regret per game", self.regret_per_game, self.regret_se),
            ]
        if self.normalized is not None:
            lines.append(f"{'normalized':16} {self.normalized:9.4f} (0 random, 1 optimal play)")
        lines.append(_line("mean score", self.mean_score, self.score_se))
        if self.luck_adjusted_score is not None:
            lines.append(_line("luck-adjusted", self.luck_adjusted_score, self.luck_adjusted_se) + " (estimate)")
        if self.luck_per_game is not None:
            lines.append(_line("luck per game", self.luck_per_game, self.luck_se))
        return "\n".join(lines)


def _line(what: str, value: float | None, error: float | None) -> str:
    return f"{what:16} {value:9.2f}" + ("" if error is None else f" ± {error:.2f}")


def summarise(match: Match) -> AgentResult:
    """The figures of a match."""
    score, score_error = _mean(match.score)
    regret, regret_error = _mean(match.game_regret) if match.regret is not None else (None, None)
    luck, luck_error = _mean(match.luck) if match.luck is not None else (None, None)
    by_values = match.luck is not None and match.optimum is None
    adjusted, adjusted_error = _mean(match.luck_adjusted) if by_values else (None, None)
    expected = match.optimum - regret if match.optimum is not None and regret is not None else None
    return AgentResult(
        agent=match.agent,
        games=match.games,
        mean_score=score,
        score_se=score_error,
        regret_per_game=regret,
        regret_se=regret_error,
        luck_per_game=luck,
        luck_se=luck_error,
        optimum=match.optimum,
        expected_score=expected,
        percent_of_optimum=100 * expected / match.optimum if expected is not None and match.optimum else None,
        normalized=_share(random_score(match.rules), expected, match.optimum),
        bonus_rate=float(match.bonus.mean()),
        yatzy_rate=float(match.yatzy.mean()) if match.yatzy.size else 0.0,
        match=match,
        luck_adjusted_score=adjusted,
        luck_adjusted_se=adjusted_error,
    )


def _percent(score: float, optimum: float | None) -> float | None:
    return 100 * score / optimum if optimum else None


def _mean(values: ArrayLike) -> tuple[float, float | None]:
    """A mean and its standard error, None for a single game."""
    found = estimate(values)
    return found.mean, None if math.isnan(found.error) else found.error


def _share(start: float | None, value: float | None, end: float | None) -> float | None:
    """How far a value is on the way from start to end; None where one of them is not known."""
    if start is None or value is None or end is None or end <= start:
        return None
    return (value - start) / (end - start)


def quick_evaluation(
    agent: Agent, rules: Ruleset, solution: Solution | None, games: int, seed: int
) -> dict[str, float]:
    """Measures an agent by a few games, for the log of its training.

    Nothing here may choose a checkpoint, a start or a reward where figures of the solution are to stay out of training.

    Args:
        agent: the agent as it plays now.
        rules: the ruleset.
        solution: its exact solution; None where there is none or none is wanted.
        games: how many games; with a solution 200 tell the regret of a good agent to a few tenths of a point.
        seed: seed of the dice, below `yatzy_env.evaluation.seeds.FINAL`.

    Returns:
        `eval/mean_score`, and with a solution `eval/expected_score`, `eval/percent_of_optimum` and
        `eval/regret_per_game`.

    Raises:
        YatzyError: for a number out of range, a final seed, or a solution of another ruleset.
        IllegalActionError: if the agent plays an illegal action.
    """
    check_training_seed(seed)
    result = summarise(play_match(agent, rules, games, seed, solution))
    names = ("mean_score", "expected_score", "percent_of_optimum", "regret_per_game")
    return {f"eval/{name}": value for name in names if (value := getattr(result, name)) is not None}


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Several agents measured on the same dice of one ruleset.

    Attributes:
        rules: the ruleset.
        optimum: expected score of optimal play, None where it is not known.
        seed: the seed of the dice.
        games: games per agent.
        results: the figures of each agent, in the order asked for.
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
    results: tuple[AgentResult, ...]
    seconds: tuple[float, ...]
    warnings: tuple[str, ...]
    provenance: Provenance
    solution: Solution | None = None
    bounds: Interval | None = None

    @property
    def matches(self) -> tuple[Match, ...]:
        """The games of each agent."""
        return tuple(result.match for result in self.results)

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
            record["regret_by_decision"] = {
                match.agent: dict(zip(match.kinds, match.regret_by_kind.mean(axis=0).tolist(), strict=True))
                for match in self.matches
            }
            record["regret_by_turn"] = {
                match.agent: match.regret_by_turn.mean(axis=0).tolist() for match in self.matches
            }
            record["regret_by_box"] = {match.agent: _by_box(match) for match in self.matches}
        if all(match.luck is not None for match in self.matches):
            record["luck"] = {result.agent: _luck(result) for result in self.results}
        record["seconds"] = {
            match.agent: round(taken, 2) for match, taken in zip(self.matches, self.seconds, strict=True)
        }
        return record | {"warnings": list(self.warnings), "provenance": self.provenance.fields()}

    def with_exact_scores(self, scores: Mapping[str, float]) -> Evaluation:
        """The same with the exact scores of agents by name; one that the games contradict is among the warnings."""
        results, warnings = [], list(self.warnings)
        for result in self.results:
            exact = scores.get(result.agent)
            if exact is not None:
                result = replace(result, exact_score=exact, exact_percent=_percent(exact, result.optimum))
            results.append(result)
            if exact is None or result.optimum is None:
                continue
            if deviates(result.optimum - result.match.game_regret - exact, _TOO_FAR):
                warnings.append(
                    f"agent {result.agent!r}: the exact score {exact:.4f} is more than {_TOO_FAR:g} standard errors "
                    f"from the {result.expected_score:.4f} that {result.games} games say"
                )
        return replace(self, results=tuple(results), warnings=tuple(warnings))

    def write_json(self, path: Path) -> None:
        """Writes the record to a file."""
        files.write_json(path, self.record())


def measure(
    agents: Mapping[str, Agent],
    rules: Ruleset,
    games: int,
    seed: int,
    solution: Solution | None,
    command: str = "",
    *,
    card_values: CardValues | None = None,
    bounds: Interval | None = None,
    batch: int = BATCH,
    progress: bool = False,
) -> Evaluation:
    """Lets every agent play the same games and sums up; every evaluation comes this way.

    Args:
        agents: the agents by the names they are to have in the results. One may know its exact score from a record, by
            an attribute `known_score`.
        rules: the ruleset.
        games: games per agent.
        seed: seed of the dice.
        solution: exact solution of the ruleset, None where it has none: regret then stays unknown.
        command: the command line, for the record.
        card_values: values of score cards by which luck is measured where there is no solution.
        bounds: what is known of the optimum where there is no solution.
        batch: how many games are played together.
        progress: show a bar on a terminal.

    Returns:
        The evaluation. What agents have to say (`notice`) and luck that chance does not explain are among its warnings.
    """
    origin, seconds, results = provenance(command), [], []
    warnings = [notice for agent in agents.values() if (notice := getattr(agent, "notice", ""))]
    for name, agent in agents.items():
        start = time.perf_counter()
        with progress_bar(name, games, shown=progress) as done:
            match = play_match(
                agent, rules, games, seed, solution, batch, name=name, card_values=card_values, on_progress=done
            )
        seconds.append(time.perf_counter() - start)
        result = summarise(match)
        exact = getattr(agent, "known_score", None)
        results.append(result if exact is None else replace(result, exact_percent=_percent(exact, result.optimum)))
        if match.luck is not None:
            try:
                check_luck(match)
            except MeasurementError as error:
                warnings.append(str(error))
    return Evaluation(
        rules=rules,
        optimum=float(solution.expected_score) if solution is not None else None,
        seed=seed,
        games=games,
        results=tuple(results),
        seconds=tuple(seconds),
        warnings=tuple(warnings),
        provenance=origin,
        solution=solution,
        bounds=bounds,
    )


def _by_box(match: Match) -> dict[str, float]:
    """The regret of the turns that went to each box, per game."""
    return dict(zip(match.rules.box_names, match.regret_by_box.sum(axis=2).mean(axis=0).tolist(), strict=True))


def _luck(result: AgentResult) -> dict[str, float | None]:
    """The luck of a match, and the scores without it: their mean is the expected score."""
    adjusted, error = _mean(result.match.luck_adjusted)
    return {
        "luck_per_game": result.luck_per_game,
        "luck_se": result.luck_se,
        "luck_adjusted_score": adjusted,
        "luck_adjusted_se": error,
    }
