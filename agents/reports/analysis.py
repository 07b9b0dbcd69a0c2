"""What a report shows beyond the figures: what mistakes gave up, the worst of them, where points are missing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console

from agents.reports.curves import Curve, curves_of
from yatzy_env.evaluation.attribution import SAME_BOX, Attribution, attributions, moved, turn_ends
from yatzy_env.evaluation.matches import Match
from yatzy_env.evaluation.optimal_scores import optimal_scores
from yatzy_env.evaluation.results import Evaluation
from yatzy_env.evaluation.statistics import Difference, paired
from yatzy_env.multisets import dice_of
from yatzy_env.situation import single
from yatzy_env.tables import action_names, compile_tables

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from yatzy_env.solver import Solution


@dataclass(frozen=True, eq=False)
class Analysis:
    """What a report adds to an evaluation. Dictionaries are by agent; without a solution they are empty.

    Attributes:
        attributions: what its mistakes gave up, the costliest first.
        worst: its worst decisions, the costliest first, see `worst_decisions`.
        missing: the points it earns less than the optimal player on the same dice, by line of the sheet.
        optimal_scores: the chance of each score under optimal play, None where it cannot be computed.
        curves: learning curves of the agents that have one.
    """

    attributions: dict[str, list[Attribution]]
    worst: dict[str, list[dict[str, Any]]]
    missing: dict[str, dict[str, Difference]]
    optimal_scores: NDArray[np.float64] | None
    curves: list[Curve]

    def fields(self) -> dict[str, Any]:
        """Losses, missing points and worst decisions as a JSON object; actions name the dice that are kept."""
        return {
            "given_up": {agent: [asdict(one) for one in found] for agent, found in self.attributions.items()},
            "missing_points": {
                agent: {line: {"mean": gap.mean, "se": gap.error} for line, gap in found.items()}
                for agent, found in self.missing.items()
            },
            "worst_decisions": {
                agent: [
                    {key: value for key, value in mistake.items() if not key.endswith("_keep")} for mistake in found
                ]
                for agent, found in self.worst.items()
            },
        }


def analyse(evaluation: Evaluation, cache: bool = True, console: Console | None = None) -> Analysis:
    """Looks into the matches of an evaluation.

    Args:
        evaluation: the evaluation.
        cache: whether the distribution of the optimal scores is read from the cache and kept there.
        console: where to say what takes long; stderr if None.

    Returns:
        The analysis. It takes about a second per agent, the distribution apart.
    """
    solution, matches = evaluation.solution, evaluation.matches
    curves = curves_of([match.agent for match in matches], evaluation.rules)
    if solution is None:
        return Analysis({}, {}, {}, None, curves)
    best = [match for match in matches if match.agent == "optimal"]
    several = evaluation.games > 1
    return Analysis(
        attributions={match.agent: attributions(match, solution) for match in _imperfect(matches)},
        worst={match.agent: worst_decisions(match, solution) for match in _imperfect(matches)},
        missing={match.agent: missing_points(match, best[0]) for match in _imperfect(matches) if best and several},
        optimal_scores=optimal_scores(solution, cache, console),
        curves=curves,
    )


def _imperfect(matches: Iterable[Match]) -> list[Match]:
    return [match for match in matches if match.mistakes is not None and len(match.mistakes.worst)]


def worst_decisions(match: Match, solution: Solution) -> list[dict[str, Any]]:
    """The costliest decisions of a match, as many as its log kept, as a reader wants to see them.

    Returns:
        For each the `game` under the evaluation's seed, `turn` from 1, `kind` of decision, `dice` on the table,
        `throws_left`, `upper` sum, `open` boxes in sheet order; the actions: what it `did` and what was `best`, and
        the dice that they keep, `did_keep` and `best_keep`, None for filling a box; the boxes `given_up` and `taken`,
        see `attribution`; and the `cost`, its regret in points.
    """
    if match.mistakes is None:
        return []
    log, tables = match.mistakes.worst, compile_tables(match.rules)
    names, boxes = action_names(match.rules), match.rules.box_names
    ends = turn_ends(solution, tables, log.situations, np.column_stack([log.best, log.action]))[:, :, :-1]
    given, taken = moved(ends[:, 0] - ends[:, 1])
    words = [*boxes, SAME_BOX]

    def kept(action: int) -> tuple[int, ...] | None:
        return dice_of(tuple(tables.counts[action].tolist())) if action < tables.keeps else None

    found = []
    for lane in range(len(log)):
        now = single(tables, log.situations, lane)
        did, best = int(log.action[lane]), int(log.best[lane])
        found.append(
            {
                "game": int(log.game[lane]),
                "turn": int(log.turn[lane]) + 1,
                "kind": match.kinds[log.kind[lane]],
                "dice": now.roll,
                "throws_left": now.throws_left,
                "upper": now.upper[0],
                "open": tuple(name for box, name in enumerate(boxes) if not now.filled >> box & 1),
                "did": names[did],
                "best": names[best],
                "did_keep": kept(did),
                "best_keep": kept(best),
                "given_up": words[given[lane]],
                "taken": words[taken[lane]],
                "cost": float(log.regret[lane]),
            }
        )
    return found


def missing_points(match: Match, best: Match) -> dict[str, Difference]:
    """What the optimal player earns more on the same dice, line by line; the lines sum to the difference in score.

    Args:
        match: an agent's match, of two games at least.
        best: the optimal player's match of the same games.

    Returns:
        The difference per game by box, then "bonus" where there is one, and "extra yatzy bonus" where there is one.
    """
    rules = match.rules
    gaps = {name: paired(best.written[:, box], match.written[:, box]) for box, name in enumerate(rules.box_names)}
    if rules.bonus_points:
        gaps["bonus"] = paired(_bonus(best), _bonus(match))
    if rules.extra_yatzy_bonus:
        gaps["extra yatzy bonus"] = paired(_extra(best), _extra(match))
    return gaps


def _bonus(match: Match) -> NDArray[np.int64]:
    """(G,) points by bonus, each column's times its factor."""
    return match.rules.bonus_points * (match.bonus * np.array(match.rules.columns)).sum(axis=1)


def _extra(match: Match) -> NDArray[np.int64]:
    """(G,) points that stand in no box and are no bonus of the upper section."""
    return match.score - match.written.sum(axis=1) - _bonus(match)
