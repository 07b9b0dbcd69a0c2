"""The tables of a report, free of any format: what they say, for page and markdown alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agents.reports.analysis import Analysis
from agents.reports.text import UNKNOWN, chance, number, percent, with_error, words
from yatzy_env.evaluation.head_to_head import Duel
from yatzy_env.evaluation.results import Evaluation

_MOST_LOSSES = 5  # boxes given up that are listed per agent
_MOST_DECISIONS = 3  # worst decisions that are listed per agent


@dataclass(frozen=True)
class Section:
    """A table with its heading.

    Attributes:
        name: what it is about, in a word; pictures go by it.
        title: the heading.
        note: what the reader has to know to read it.
        head: the names of the columns.
        rows: the cells.
        last: a row set apart below the others.
        words: how many columns from the left hold words and not figures.
    """

    name: str
    title: str
    note: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    last: Sequence[str] | None = None
    words: int = 1


def sections(evaluation: Evaluation, analysis: Analysis) -> list[Section]:
    """All tables that an evaluation has."""
    found = [ladder(evaluation), head_to_head(evaluation), pairs(evaluation)]
    if evaluation.optimum is not None:
        found += [kinds(evaluation), given_up(evaluation, analysis), missing(evaluation, analysis)]
    return [section for section in found if section.rows]


def ladder(evaluation: Evaluation) -> Section:
    """The figures of every agent; what is known of the optimum in the last row."""
    results, optimum, bounds = evaluation.results, evaluation.optimum, evaluation.bounds
    known = optimum is not None or bounds is not None
    interval = f"{bounds.lower:.2f} to {bounds.upper:.2f}" if optimum is None and bounds is not None else ""
    cells = {
        "agent": [*(result.agent for result in results), "optimum"],
        "games": [*(f"{result.games:,}" for result in results), ""],
        "mean score": [*(with_error(result.mean_score, result.score_se) for result in results), interval],
    }
    if any(result.luck_adjusted_score is not None for result in results):
        adjusted = (with_error(result.luck_adjusted_score, result.luck_adjusted_se) for result in results)
        cells["luck-adjusted (estimate)"] = [*adjusted, ""]
    if optimum is not None:
        best = (
            result.percent_of_optimum if result.exact_percent is None else result.exact_percent for result in results
        )
        cells |= {
            "regret": [*(with_error(result.regret_per_game, result.regret_se) for result in results), number(0.0)],
            "expected score": [*(number(result.expected_score) for result in results), number(optimum)],
            "% of optimum": [*map(number, best), number(100.0)],
        }
    elif bounds is not None:
        shares = (number(100 * result.mean_score / bounds.upper) for result in results)
        cells["% of optimum, at least"] = [*shares, ""]
    if any(result.exact_score is not None for result in results):
        cells["exact score"] = [*(number(result.exact_score, 4) for result in results), number(optimum, 4)]
    bonus, yatzy = evaluation.rules.bonus_points, "yatzy" in evaluation.rules.boxes
    cells["bonus %"] = [*(percent(result.bonus_rate) if bonus else UNKNOWN for result in results), ""]
    cells["yatzy %"] = [*(percent(result.yatzy_rate) if yatzy else UNKNOWN for result in results), ""]
    *rows, last = zip(*cells.values(), strict=True)
    return Section("ladder", "Ladder", "", list(cells), rows, last if known else None)


def duels(evaluation: Evaluation) -> dict[tuple[str, str], Duel]:
    """Every agent against every other, from both sides."""
    found = {}
    for duel in evaluation.duels:
        found[duel.first, duel.second] = duel
        found[duel.second, duel.first] = duel.turned()
    return found


def head_to_head(evaluation: Evaluation) -> Section:
    """How often the agent of a row beats the one of a column."""
    names, against = [match.agent for match in evaluation.matches], duels(evaluation)
    rows = []
    for first in names:
        cells = [_duel(against[first, second]) if first != second else "" for second in names]
        rows.append([first, *cells])
    note = "Share of games, in percent, in which the agent of the row scores more than the agent of the column on the "
    note += "same dice, with Wilson's 95 % interval and the share of draws."
    return Section("head_to_head", "Head to head", note, ["wins against", *names], rows if len(names) > 1 else [])


def _duel(duel: Duel) -> str:
    interval = f"{percent(duel.win.low)} to {percent(duel.win.high)}"
    return f"{percent(duel.win.value)} ({interval}; draws {percent(duel.draw.value)})"


def pairs(evaluation: Evaluation) -> Section:
    """Every agent against the one listed before it, game by game."""
    against = duels(evaluation)
    rows = []
    neighbours = zip(evaluation.matches[:-1], evaluation.matches[1:], strict=True) if evaluation.games > 1 else ()
    for worse, better in neighbours:
        found = against[better.agent, worse.agent]
        gaps = [found.scores] if found.by_regret is None else [found.scores, found.by_regret]
        cells = [f"{better.agent} – {worse.agent}"]
        for gap in gaps:
            cells += [with_error(gap.mean, gap.error), f"{gap.low:.2f} to {gap.high:.2f}", chance(gap.p_value)]
        rows.append(cells)
    head = ["on the same dice", "score difference", "95 % interval", "p"]
    if evaluation.optimum is not None:
        head += ["difference by regret", "95 % interval", "p"]
    note = "Student's paired t-test over games; p is the chance of such a difference if there were none."
    return Section("pairs", "Neighbours compared game by game", note, head, rows)


def kinds(evaluation: Evaluation) -> Section:
    """Regret by kind of decision."""
    rows = []
    for match in evaluation.matches:
        by_turn = match.regret_by_turn.mean(axis=0)
        turn = int(by_turn.argmax())
        worst = f"turn {turn + 1}: {by_turn[turn]:.2f}" if by_turn[turn] > 1e-9 else UNKNOWN
        values = [number(value, 3) for value in match.regret_by_kind.mean(axis=0).tolist()]
        rows.append([match.agent, *values, worst, f"{match.decisions.mean():.1f}"])
    head = ["agent", *evaluation.matches[0].kinds, "most costly turn", "decisions per game"]
    return Section("kinds", "Regret by kind of decision", "Points per game.", head, rows)


def given_up(evaluation: Evaluation, analysis: Analysis) -> Section:
    """What the mistakes of each agent gave up, the costliest boxes."""
    rows = []
    for match in evaluation.matches:
        for one in analysis.attributions.get(match.agent, [])[:_MOST_LOSSES]:
            share = one.regret / sum(other.regret for other in analysis.attributions[match.agent])
            named = [match.agent, words(one.box), words(one.taken)]
            parts = [number(part, 3) for part in (one.regret, one.this_turn, one.later)]
            rows.append([*named, percent(share, 0), number(one.slips), *parts])
    head = ["agent", "given up", "mostly for", "% of regret", "slips", "regret", "this turn", "later turns"]
    logs = [match.mistakes for match in evaluation.matches if match.mistakes is not None and len(match.mistakes.first)]
    games = f"the first {min(log.games for log in logs):,} games or more" if logs else "the games"
    note = (
        "Given up: the box whose chance to end the turn falls most against the best action, best play following; for "
        "a choice of box, the best box. Per game, in points. The regret splits into points missing in the turn itself "
        f"and in later ones, a negative part being a gain there. From all slips of {games}; the "
        f"{_MOST_LOSSES} costliest boxes of each agent."
    )
    return Section("given_up", "What was given up", note, head, rows, words=3)


def missing(evaluation: Evaluation, analysis: Analysis) -> Section:
    """Where the optimal player earns more on the same dice."""
    agents = list(analysis.missing)
    lines = list(next(iter(analysis.missing.values()))) if agents else []
    rows = []
    for line in lines:
        gaps = [analysis.missing[agent][line] for agent in agents]
        rows.append([words(line), *(with_error(gap.mean, gap.error) for gap in gaps)])
    last = ["together", *(number(sum(gap.mean for gap in analysis.missing[agent].values())) for agent in agents)]
    note = (
        "Points per game that the optimal player writes in each line more than the agent, on the same dice; negative "
        "where it writes less. Unlike the regret these carry luck, and sum to the difference of the mean scores."
    )
    return Section("missing", "Where the points are missing", note, ["line", *agents], rows, last if rows else None)


def worst_decisions(evaluation: Evaluation, analysis: Analysis) -> Section:
    """The costliest decisions of each agent, for markdown; the page draws them."""
    rows = [
        [
            agent,
            f"game {mistake['game']}, turn {mistake['turn']}, {mistake['throws_left']} left",
            " ".join(map(str, mistake["dice"])),
            mistake["did"],
            mistake["best"],
            f"{mistake['cost']:.2f}",
        ]
        for agent, found in analysis.worst.items()
        for mistake in found[:_MOST_DECISIONS]
    ]
    head = ["agent", "where", "dice", "did", "best", "cost"]
    note = f"The {_MOST_DECISIONS} costliest decisions of each agent, in points; dice of seed {evaluation.seed}."
    return Section("worst", "Worst decisions", note, head, rows, words=5)
