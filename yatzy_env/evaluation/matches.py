"""Matches: an agent plays many games, and every decision and every throw is weighed against the exact optimum.

Let V be the expected points still to come under optimal play. Before the first throw of a game V is the optimum. Then

- a throw, each turn's first included, changes V by its luck: the value of the situation it leads to (the best action
  value there) minus what was expected before it (the value of the keep, or of the card at the start of a turn);
- a decision changes V by minus its regret: the best action value minus the value of the action chosen.

Luck has mean zero whatever the agent does, because dice are fair, and regret never helps; what a box pays moves from V
to the score. So in every single game

    score = optimum + luck - regret,

where the score comes from the environment's rewards and the other two from the solution's tables. `play_match` checks
this identity in each game, and `check_luck` that the mean luck of many games is zero within its error. Together they
show that environment, dice and solution are about the same game. Every score is also rebuilt from what stands in the
boxes, with or without a solution. The regret varies far less from game to game than the score, which makes
`optimum - mean regret` the sharper estimate of what an agent is worth.

Where there is no solution, any values of score cards will do for luck: a throw's luck is then what the turn planned by
these values expects after it minus what it expected before. Its mean is zero whatever the values and the agent, so
score minus luck has the mean of the score; the better the values and the closer the agent to them, the less it varies.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from yatzy_env import dice
from yatzy_env.agent import TIE, Agent, best_actions, checked_actions, illegal_action
from yatzy_env.errors import IllegalActionError, YatzyError
from yatzy_env.evaluation.mistakes import MistakeLog, Mistakes
from yatzy_env.evaluation.statistics import deviates, estimate
from yatzy_env.games import Games, decision_noise, is_legal, new_games, noise_keys, play
from yatzy_env.rules import Ruleset
from yatzy_env.situation import Situations, single
from yatzy_env.tables import Tables, compile_tables
from yatzy_env.turn import Cards, Ends, KeptPlans

if TYPE_CHECKING:
    from yatzy_env.solver import Solution

BATCH = 2048
"""Games played together unless told otherwise. No result depends on it."""

MOST_GAMES = 10_000_000
"""Games of a match, which are all kept in memory: a few hundred bytes each."""

IDENTITY_ERROR = 1e-6
"""Points by which score and optimum + luck - regret may differ in a game; rounding makes up less than 1e-9 of it."""


CardValues = Callable[[Cards], NDArray[np.float64]]
"""What score cards are taken to be worth: n cards to (n,) expected points still to come, 0 for a full one."""


class MeasurementError(RuntimeError):
    """Environment, dice and solution contradict each other: no figure measured with them can be trusted."""


@dataclass(frozen=True, eq=False)
class Match:
    """What happened in the games an agent played. G games, B boxes of the whole card, C columns, K kinds of decision.

    A kind of decision is its place in the turn: "first keep", "second keep", ..., "choice of box". A keep decision is
    any with throws left, so a box filled early belongs to the keep it replaced.

    Attributes:
        agent: name of the agent.
        rules: the ruleset played.
        seed: game g was played with the dice of `dice.key("evaluate", seed, g)`.
        score: (G,) int64 sum of the environment's rewards.
        written: (G, B) int64 points written in each box, times its column.
        bonus: (G, C) bool whether the column earned its bonus.
        decisions: (G,) int64 decisions made.
        order: (G, B) int64 the box filled in each turn.
        optimum: expected score of optimal play, None where the ruleset was not solved.
        luck: (G,) float64 sum of the luck of all throws, by the solution or by values of cards, None without either.
        regret: (G, B, K) float64 regret by turn and kind of decision, None where not solved.
        mistakes: decisions whose regret is more than a tie, None where not solved.
    """

    agent: str
    rules: Ruleset
    seed: int
    score: NDArray[np.int64]
    written: NDArray[np.int64]
    bonus: NDArray[np.bool_]
    decisions: NDArray[np.int64]
    order: NDArray[np.int64]
    optimum: float | None = None
    luck: NDArray[np.float64] | None = None
    regret: NDArray[np.float64] | None = None
    mistakes: MistakeLog | None = None

    @property
    def games(self) -> int:
        """How many games were played."""
        return len(self.score)

    @property
    def yatzy(self) -> NDArray[np.bool_]:
        """(G, C) bool, whether the column's yatzy box holds points; (G, 0) on a sheet without that box."""
        boxes = [box for box, name in enumerate(self.rules.box_names) if name.partition("@")[0] == "yatzy"]
        return self.written[:, boxes] > 0

    @property
    def game_regret(self) -> NDArray[np.float64]:
        """(G,) float64 regret of each game; only where the ruleset was solved."""
        return self._solved_regret.sum(axis=(1, 2))

    @property
    def regret_by_kind(self) -> NDArray[np.float64]:
        """(G, K) float64 regret by kind of decision; only where the ruleset was solved."""
        return self._solved_regret.sum(axis=1)

    @property
    def regret_by_turn(self) -> NDArray[np.float64]:
        """(G, B) float64 regret by turn, the first turn at 0; only where the ruleset was solved."""
        return self._solved_regret.sum(axis=2)

    @property
    def regret_by_box(self) -> NDArray[np.float64]:
        """(G, B, K) float64 regret by the box that the turn went to and kind of decision; only where solved."""
        by_box = np.empty_like(self._solved_regret)
        np.put_along_axis(by_box, self.order[:, :, None], self._solved_regret, axis=1)
        return by_box

    @property
    def luck_adjusted(self) -> NDArray[np.float64]:
        """(G,) float64 score minus luck; by a solution it is optimum minus regret. Only where luck was measured."""
        if self.luck is None:
            raise YatzyError(f"ruleset {self.rules.name!r} was not solved, so the match has no luck")
        return self.score - self.luck

    @property
    def kinds(self) -> tuple[str, ...]:
        """The names of the kinds of decision."""
        return decision_kinds(self.rules)

    @property
    def _solved_regret(self) -> NDArray[np.float64]:
        if self.regret is None:
            raise YatzyError(f"ruleset {self.rules.name!r} was not solved, so the match has no regret")
        return self.regret


def decision_kinds(rules: Ruleset) -> tuple[str, ...]:
    """The kinds of decision of a turn. Saved throws count with the last keep of an ordinary turn."""
    keeps = ("first", "second", "third", "fourth")[: rules.throws - 1]
    return (*(f"{word} keep" for word in keeps), "choice of box")


def game_keys(seed: int, first: int, last: int) -> NDArray[np.uint64]:
    """The keys of the dice of games `first` to `last - 1` under a seed.

    Returns:
        (last - first,) uint64.
    """
    return np.array([dice.key("evaluate", seed, game) for game in range(first, last)], np.uint64)


def check_numbers(games: int, seed: int, batch: int = BATCH) -> None:
    """Checks the numbers of an evaluation, before anything expensive begins.

    Raises:
        YatzyError: naming the one that is out of range.
    """
    for what, value, least in (("games", games, 1), ("seed", seed, 0), ("batch", batch, 1)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise YatzyError(f"{what} = {value!r}; allowed: a whole number, {least} or more")
    if games > MOST_GAMES:
        raise YatzyError(f"games = {games}; allowed: up to {MOST_GAMES:,}")


def play_match(
    agent: Agent,
    rules: Ruleset,
    games: int,
    seed: int,
    solution: Solution | None = None,
    batch: int = BATCH,
    *,
    name: str | None = None,
    card_values: CardValues | None = None,
    on_progress: Callable[[int], None] | None = None,
    tables: Tables | None = None,
) -> Match:
    """Lets an agent play games 0 to `games - 1` of a seed.

    Args:
        agent: an agent for this ruleset.
        rules: the ruleset.
        games: how many games, at least one.
        seed: not negative; every agent meets the same dice under the same seed.
        solution: exact solution of the same ruleset, to measure luck and regret with.
        batch: how many games are played together.
        name: what to call the agent instead of its own name.
        card_values: values of score cards to measure luck with instead of a solution.
        on_progress: called with the number of games finished since the last call.
        tables: tables to throw the dice with instead of the ruleset's own; for tests with loaded dice.

    Returns:
        The match.

    Raises:
        YatzyError: for a number out of range, a solution of another ruleset, or one beside values of cards.
        IllegalActionError: if the agent plays an illegal action; it names agent, action and situation.
        MeasurementError: if a score is not optimum + luck - regret, or not what stands in the boxes with the bonuses.
    """
    check_numbers(games, seed, batch)
    if solution is not None and solution.rules.digest != rules.digest:
        raise YatzyError(f"the solution is of ruleset {solution.rules.name!r} and does not fit {rules.name!r}")
    if solution is not None and card_values is not None:
        raise YatzyError("luck is measured by a solution or by values of cards; allowed: one of them")
    own_tables = tables if tables is not None else compile_tables(rules)
    boxes, solved = own_tables.card.boxes, solution is not None
    judge: _Judge | None = None
    if solution is not None:
        judge = _Solved(solution, own_tables)
    elif card_values is not None:
        judge = KeptPlans(compile_tables(rules), partial(_end_values, card_values))
    match = Match(
        agent=name if name is not None else agent.name,
        rules=rules,
        seed=int(seed),
        score=np.zeros(games, np.int64),
        written=np.zeros((games, boxes), np.int64),
        bonus=np.zeros((games, own_tables.card.columns), np.bool_),
        decisions=np.zeros(games, np.int64),
        order=np.zeros((games, boxes), np.int64),
        optimum=float(solution.expected_score) if solution is not None else None,
        luck=np.zeros(games) if judge is not None else None,
        regret=np.zeros((games, boxes, rules.throws)) if solved else None,
        mistakes=MistakeLog(own_tables.card.columns) if solved else None,
    )
    extra = np.zeros(games, np.int64)
    for first in range(0, games, batch):
        _play_batch(agent, own_tables, match, extra, range(first, min(first + batch, games)), judge, on_progress)
    _check_written(match, own_tables, extra)
    _check_identity(match)
    return match


def check_luck(match: Match, z: float = 4.0) -> None:
    """Checks that the mean luck of a match is zero within its error.

    Args:
        match: a match measured with a solution; one game alone proves nothing and passes.
        z: how many standard errors of a normal distribution are allowed; few games are judged by Student's t, at
            the same chance of a false alarm (one in 16,000 for 4).

    Raises:
        MeasurementError: naming the mean, its standard error and the number of games.
    """
    if match.luck is None:
        raise YatzyError(f"ruleset {match.rules.name!r} was not solved, so the match has no luck to check")
    if deviates(match.luck, z):
        mean, error, games = estimate(match.luck)
        raise MeasurementError(
            f"agent {match.agent!r}: mean luck {mean:+.3f} per game, standard error {error:.3f} in {games} games, is "
            f"more than {z:g} standard errors from 0: these dice are not the ones the solution is about"
        )


def _play_batch(
    agent: Agent,
    tables: Tables,
    match: Match,
    extra: NDArray[np.int64],
    numbers: range,
    judge: _Judge | None,
    on_progress: Callable[[int], None] | None,
) -> None:
    """Plays some games of a match to their end, dropping those that are over, and writes them into it.

    Extra bonuses are counted in `extra`, (G,).
    """
    games = new_games(tables, game_keys(match.seed, numbers.start, numbers.stop))
    place, hidden = np.arange(numbers.start, numbers.stop), noise_keys(games.key)
    mistakes: list[Mistakes] = []
    expected = judge.means(games.now) if judge is not None else np.zeros(len(place))
    while len(place):
        now = games.now
        answer = agent.act(now.copy(), decision_noise(games, hidden))  # a copy: it cannot change the games
        actions = checked_actions(answer, match.agent, len(place))
        turn = np.bitwise_count(now.filled).astype(np.int64)
        if judge is not None and match.luck is not None:
            before = now.copy()
            values = judge.action_values(now)
            best = np.fmax.reduce(values, axis=1)
            match.luck[place] += best - expected
            kind = np.where(now.throws_left == 0, tables.throws - 1, np.minimum(games.throw, tables.throws - 2))
        stops = actions >= tables.keeps
        again = stops & now.yatzy_scored & (tables.alike[now.roll] > 0)
        extra[place[again]] += tables.card.extra_yatzy_bonus
        match.score[place] += _play(tables, games, actions, match)
        match.decisions[place] += 1
        match.order[place[stops], turn[stops]] = actions[stops] - tables.keeps
        if judge is not None:
            expected = values[np.arange(len(actions)), actions]
            if match.regret is not None:
                regret = best - expected
                match.regret[place, turn, kind] += regret
                mistake = np.flatnonzero(regret > TIE)
                found = (place[mistake], turn[mistake], kind[mistake], before.take(mistake), actions[mistake])
                mistakes.append(Mistakes(*found, best_actions(values[mistake]), regret[mistake]))
            new_turn = np.flatnonzero(stops & (now.roll >= 0))
            expected[new_turn] = judge.means(now.take(new_turn))
        done = now.roll < 0
        if done.any():
            match.written[place[done]] = np.maximum(games.written[done], 0)
            threshold = tables.card.bonus_threshold
            match.bonus[place[done]] = (now.upper[done] >= threshold) & (threshold > 0)
            games, place, expected, hidden = games.take(~done), place[~done], expected[~done], hidden[~done]
            if on_progress is not None:
                on_progress(int(done.sum()))
    if match.mistakes is not None:
        match.mistakes.add(numbers, mistakes)


class _Judge(Protocol):
    """What says how good situations and cards are."""

    def action_values(self, situations: Situations) -> NDArray[np.float64]:
        """(n, actions) float64 what each action is worth, nan where illegal."""
        ...

    def means(self, situations: Situations) -> NDArray[np.float64]:
        """(n,) float64 what the cards were worth before the turns whose first roll the situations show."""
        ...


@dataclass(frozen=True)
class _Solved:
    """The judgement of an exact solution."""

    solution: Solution
    tables: Tables

    def action_values(self, situations: Situations) -> NDArray[np.float64]:
        return self.solution.batch_action_values(situations)

    def means(self, situations: Situations) -> NDArray[np.float64]:
        card = (situations.filled, situations.upper[:, 0], situations.yatzy_scored)
        if self.tables.saved_throws:  # what a turn begins with beyond its own throws comes from the pool
            return self.solution.card_values(*card, situations.throws_left - (self.tables.throws - 1))
        return self.solution.card_values(*card)


def _end_values(card_values: CardValues, ends: Ends) -> NDArray[np.float64]:
    """What ends are worth by values of cards.

    Raises:
        YatzyError: if there is not one finite number per card.
    """
    values = np.asarray(card_values(ends.after), np.float64)
    if values.shape != ends.gain.shape or not np.isfinite(values).all():
        raise YatzyError(
            f"values of {len(ends.gain)} cards have shape {values.shape}, {int((~np.isfinite(values)).sum())} of them "
            "not finite; allowed: one finite number per card"
        )
    return ends.gain + values


def _play(tables: Tables, games: Games, actions: NDArray[np.int64], match: Match) -> NDArray[np.int64]:
    try:
        return play(tables, games, actions)
    except IllegalActionError as error:
        for env, action in enumerate(actions.tolist()):
            if not 0 <= action < tables.actions or not is_legal(tables, games.now, env, action):
                situation = single(tables, games.now, env)
                raise illegal_action(match.rules, match.agent, action, situation) from error
        raise


def _check_written(match: Match, tables: Tables, extra: NDArray[np.int64]) -> None:
    """Checks that scores are what stands in the boxes, with the bonuses that this earns and the extra ones."""
    card = tables.card
    rebuilt = match.written.sum(axis=1) + extra
    for column, multiplier in enumerate(card.multiplier):
        upper = match.written[:, (card.column == column) & (card.face > 0)].sum(axis=1)
        earned = (upper >= card.bonus_threshold * multiplier) & (card.bonus_threshold > 0)
        rebuilt += np.where(earned, card.bonus_points * multiplier, 0)
    wrong = np.flatnonzero(match.score != rebuilt)
    if len(wrong):
        game = int(wrong[0])
        raise MeasurementError(
            f"agent {match.agent!r}, game {game} of seed {match.seed}: the score {match.score[game]} is not the "
            f"{rebuilt[game]} points that stand in the boxes, bonuses included; {len(wrong)} of {match.games} games "
            "disagree"
        )


def _check_identity(match: Match) -> None:
    if match.luck is None or match.optimum is None:
        return
    regret = match.game_regret
    off = match.score - (match.optimum + match.luck - regret)
    wrong = np.flatnonzero(~(np.abs(off) <= IDENTITY_ERROR))  # nan is wrong too
    if len(wrong):
        game = int(wrong[0])
        raise MeasurementError(
            f"agent {match.agent!r}, game {game} of seed {match.seed}: the score {match.score[game]} is "
            f"{off[game]:+.2e} away from optimum {match.optimum:.6f} + luck {match.luck[game]:.6f} - regret "
            f"{regret[game]:.6f}; {len(wrong)} of {match.games} games disagree"
        )
