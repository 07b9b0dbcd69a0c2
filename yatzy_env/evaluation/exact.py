r"""The exact expected score of a deterministic agent, without a single throw of the dice.

An agent that sees situations only, and always answers alike, makes of a game a Markov chain whose states are the cards.
Let $P(c)$ be the chance that the agent comes to card $c$; the empty card has 1. One turn from $c$ ends with chance
$p(c, e)$ in the end $e$: a box filled for so many points, which leads to the card $c \cdot e$ and gains $g(c, e)$
points, bonuses included. Cards with equally many filled boxes make a layer, and

$$P(c') = \sum_{c \cdot e = c'} P(c)\, p(c, e), \qquad E[\text{score}] = \sum_{c, e} P(c)\, p(c, e)\, g(c, e),$$

so one pass over the layers, from the empty card to the full ones, gives the expected score. Within a turn chances flow
the same way, from rolls through keeps to rolls. The agent is asked about every situation that has a positive chance and
about no other, by the very method with which it plays. Where memory allows, the joint chance of a card and the score so
far goes along; on the full cards it is the distribution of the final score.

It is the counterpart of the solver, which goes backwards and chooses the best. For agents whose turn follows from their
score card `by_card` goes backwards too, many times faster. The sums differ from the true value by
rounding alone, far less than 1e-9.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from yatzy_env.agent import Agent, is_deterministic, merges_upper
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation import exact_store
from yatzy_env.evaluation.by_card import plays_by_card, score_by_card
from yatzy_env.evaluation.exact_cards import (
    Layer,
    first_layer,
    lanes_by_turn,
    lay_out_cards,
    layer_start,
    new_layer,
    pools_of,
    reached,
    rows_fit,
)
from yatzy_env.evaluation.exact_turn import Played, Player, pass_on
from yatzy_env.evaluation.matches import MeasurementError
from yatzy_env.rules import Ruleset
from yatzy_env.solver.distribution import Distribution
from yatzy_env.solver.layout import Cards, lay_out
from yatzy_env.solver.progress import progress_bar
from yatzy_env.solver.store import library_version
from yatzy_env.tables import Tables, compile_tables
from yatzy_env.turn import end_kinds

MOST_SITUATIONS = 5_000_000_000
"""Situations that a card layout may hold; evaluations beyond it would take days."""

BATCH = 1 << 16
"""Situations that an agent is asked about at once, at most."""

_SAVE_EVERY = 120.0  # seconds between two checkpoints
_WORTH_SAYING = 20_000_000  # situations from which on the size is announced
_PACE_AFTER = 3.0  # seconds of play after which the time is estimated
_ROUNDING = 1e-9  # by how much chances may fail to add up to one


@dataclass(frozen=True, eq=False)
class ExactScore:
    """What an agent's score is, exactly.

    Attributes:
        agent: what the agent is called.
        expected_score: the expected final score.
        standard_deviation: that of the final score; None under saved throws and where memory does not allow it.
        bonus_rate: chance of the bonus, 0 where the rules have none.
        yatzy_rate: chance of points in the yatzy box, 0 where the sheet has none.
        distribution: the distribution of the final score; None where there is no standard deviation, and for an agent
            whose turn follows from its card.
        cards: cards the agent was asked about, upper sums it treats alike counted once.
        situations: situations it was asked about; 0 if its turn follows from its card.
        agent_seconds: time the agent took to answer, over all its threads and interrupted runs.
        seconds: time in all.
    """

    agent: str
    expected_score: float
    standard_deviation: float | None
    bonus_rate: float
    yatzy_rate: float
    distribution: Distribution | None
    cards: int
    situations: int
    agent_seconds: float
    seconds: float

    def summary(self) -> str:
        """One line that says it all."""
        spread = f", standard deviation {self.standard_deviation:.4f}" if self.standard_deviation is not None else ""
        asked = f"{self.situations:,} situations on " if self.situations else ""
        share = self.agent_seconds / self.seconds if self.seconds else 0.0
        return (
            f"{self.agent}: exact score {self.expected_score:.6f}{spread}, bonus {100 * self.bonus_rate:.2f}%, yatzy "
            f"{100 * self.yatzy_rate:.2f}%; {asked}{self.cards:,} cards in "
            f"{self.seconds:.1f} s, {100 * share:.0f}% of it the agent's"
        )


@dataclass
class _Walk:
    """How far the evaluation is. Its numbers are what is kept beside the layers."""

    here: Layer
    there: Layer
    turn: int = 0  # filled boxes of the layer `here`
    done: int = 0  # cards of it that have been played
    cards: int = 0
    situations: int = 0
    expected: float = 0.0
    yatzy: float = 0.0
    agent_seconds: float = 0.0
    seconds: float = 0.0

    def add(self, cards: int, turns: Played, points: float, yatzy: float) -> None:
        """Counts a piece of the layer that has been played."""
        self.done += cards
        self.cards += cards
        self.situations += turns.situations
        self.agent_seconds += turns.seconds
        self.expected += points
        self.yatzy += yatzy

    def numbers(self) -> dict[str, Any]:
        """All but the layers, for the file."""
        return {name: value for name, value in vars(self).items() if name not in ("here", "there")}


def check_agent(agent: Agent, rules: Ruleset, name: str) -> None:
    """Checks that an agent can be evaluated exactly under a ruleset.

    Raises:
        YatzyError: if it may choose at random, or the ruleset has too many cards; it names the number.
    """
    if not is_deterministic(agent):
        raise YatzyError(
            f"agent {name!r} cannot be evaluated exactly: it does not declare that it always answers alike "
            "(attribute `deterministic = True`)"
        )
    if plays_by_card(agent, rules):
        return
    if len(rules.columns) > 1:
        raise YatzyError(
            f"ruleset {rules.name!r} is too large for an exact score: {len(rules.columns)} columns have too many "
            "cards; allowed: rulesets of one column"
        )
    most = most_situations(compile_tables(rules), lay_out_cards(compile_tables(rules), merges_upper(agent)))
    if most > MOST_SITUATIONS:
        raise YatzyError(
            f"ruleset {rules.name!r} is too large for an exact score: up to {most:,} situations, some "
            f"{most * 4e-6 / 86400:,.1f} days at 4 microseconds each; allowed: up to {MOST_SITUATIONS:,}"
        )


def most_situations(tables: Tables, cards: Cards) -> int:
    """How many situations there are on all cards of a layout; what an agent comes to is a part of them."""
    return sum(
        lanes * tables.rolls * (tables.throws - 1 + pools_of(tables, turn))
        for turn, lanes in enumerate(lanes_by_turn(cards)[:-1])
    )


def exact_score(
    agent: Agent,
    rules: Ruleset,
    *,
    name: str | None = None,
    cache: bool = True,
    threads: int | None = None,
    batch: int = BATCH,
    say: Callable[[str], None] = lambda line: None,
) -> ExactScore:
    """Computes the expected score of a deterministic agent, and where memory allows the distribution of its score.

    An agent whose turn follows from its card (`by_card`) is asked card by card, and nothing is kept. Otherwise, what
    there is of the evaluation of an agent with a `digest` is kept in the cache every two minutes, and at the end: the
    next call goes on from there, with the same result to the last bit.

    Args:
        agent: an agent for this ruleset that declares itself deterministic.
        rules: the ruleset.
        name: what to call the agent instead of its own name.
        cache: whether the cache is read and written.
        threads: how many threads ask the agent at once; the agent must bear it. If None, one, or one per core where it
            is asked card by card. The result does not depend on it.
        batch: how many situations it is asked about at once, at most.
        say: called with lines about size, time and what was kept.

    Returns:
        The exact score.

    Raises:
        YatzyError: if the agent or the ruleset cannot be evaluated, or a kept evaluation is damaged.
        IllegalActionError: if the agent plays an illegal action; it names agent, action and situation.
        MeasurementError: if chances do not add up to one.
    """
    name = name or agent.name
    for what, value in (("threads", 1 if threads is None else threads), ("batch", batch)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise YatzyError(f"{what} = {value!r}; allowed: a whole number, 1 or more")
    check_agent(agent, rules, name)
    if plays_by_card(agent, rules):
        return _by_card(agent, rules, name, threads)
    tables = compile_tables(rules)
    cards = lay_out_cards(tables, merges_upper(agent))
    digest = getattr(agent, "digest", None) if cache else None
    key = {"agent": digest, "ruleset": rules.digest, "merged": merges_upper(agent), "version": library_version()}
    file = exact_store.exact_file(key) if digest else None
    walk = _start(tables, cards, file, key)
    player = Player(agent, name, rules, tables, end_kinds(tables))
    if walk.turn < tables.card.boxes:
        size = most_situations(tables, cards)
        if size >= _WORTH_SAYING:
            kept = f"kept in {file} every two minutes" if file else "not kept if interrupted"
            say(f"exact score of {name} on {rules.name}: up to {size:,} situations; {kept}")
        if walk.situations:
            say(f"going on after {walk.situations:,} situations")
        with _mapper(threads or 1) as each, _watch(player, cards, walk, file, key, say) as done:
            _walk_on(player, cards, walk, max(batch // tables.rolls, 1), each, done)
    return _result(name, tables, cards, walk)


def _by_card(agent: Agent, rules: Ruleset, name: str, threads: int | None) -> ExactScore:
    """The exact score of an agent whose turn follows from its card."""
    start = time.perf_counter()
    with progress_bar(f"exact {name}", lay_out(compile_tables(rules)).open_states) as progress:
        score = score_by_card(agent, rules, threads=threads, on_progress=progress)  # type: ignore[arg-type]
    return ExactScore(
        agent=name,
        expected_score=score.expected_score,
        standard_deviation=score.standard_deviation,
        bonus_rate=score.bonus_rate,
        yatzy_rate=score.yatzy_rate,
        distribution=None,
        cards=score.cards,
        situations=0,
        agent_seconds=score.agent_seconds,
        seconds=time.perf_counter() - start,
    )


def _start(tables: Tables, cards: Cards, file: Path | None, key: dict[str, Any]) -> _Walk:
    """The walk at the empty card, or where it was left."""
    with_rows = rows_fit(tables, cards)
    if file is None or not file.exists():
        return _Walk(first_layer(tables, cards, with_rows), new_layer(tables, cards, 1, with_rows))
    numbers, arrays = exact_store.read(file, key)
    turn = numbers["turn"]
    here = exact_store.unpack(arrays, "here", new_layer(tables, cards, turn, with_rows))
    last = turn == tables.card.boxes
    there = here if last else exact_store.unpack(arrays, "there", new_layer(tables, cards, turn + 1, with_rows))
    return _Walk(here, there, **numbers)


def _walk_on(
    player: Player, cards: Cards, walk: _Walk, piece: int, each: Callable[..., Any], done: Callable[[int], None]
) -> None:
    """Walks to the last layer, some cards at a time; `done` is told how many lanes of the layer lie behind."""
    tables = player.tables
    while walk.turn < tables.card.boxes:
        here, there = walk.here, walk.there
        places = reached(tables, cards, walk.turn, here)
        if not walk.cards:
            player.check_noise(places)
        parts = [places.part(first, first + piece) for first in range(walk.done, len(places.lane), piece)]
        start = layer_start(cards, walk.turn + 1)
        played = each(lambda part, here=here: player.play(part, here.chance[part.lane]), parts)
        for part, turns in zip(parts, played, strict=True):
            points, yatzy = pass_on(tables.card, cards.layout, player.kinds, start, part, turns.out, here, there)
            walk.add(len(part.lane), turns, points, yatzy)
            done(int(part.lane[-1]) + 1)
        walk.turn, walk.done, walk.here = walk.turn + 1, 0, there
        if walk.turn < tables.card.boxes:
            walk.there = new_layer(tables, cards, walk.turn + 1, len(here.rows) > 0)


@contextmanager
def _mapper(threads: int) -> Iterator[Callable[..., Iterator[Played]]]:
    """A `map` that works on several threads and keeps the order; after an error nothing more is started."""
    if threads == 1:
        yield map
        return
    pool = ThreadPoolExecutor(threads)
    try:
        yield pool.map
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _watch(
    player: Player, cards: Cards, walk: _Walk, file: Path | None, key: dict[str, Any], say: Callable[[str], None]
) -> Iterator[Callable[[int], None]]:
    """What happens beside the walk, after each piece: progress, an estimate of the time, and a file to go on from."""
    size = cards.layout.size
    asked_before, paced = walk.situations, False
    start = saved = last = time.perf_counter()

    def lanes_behind(lane: int) -> int:
        return size - layer_start(cards, walk.turn - 1) + lane

    at = lanes_behind(0)

    def keep() -> None:
        if file is not None:
            layers = {"here": walk.here}
            if walk.there is not walk.here:  # they are the same once the full cards are reached
                layers["there"] = walk.there
            exact_store.write(file, key, walk.numbers(), layers)

    def say_pace(seconds: float) -> None:
        left = most_situations(player.tables, cards) - walk.situations
        pace = seconds / (walk.situations - asked_before)
        if left * pace > 60:
            say(f"{1e6 * pace:.1f} microseconds per situation: at most {left * pace / 60:.0f} minutes more")

    def done(lane: int) -> None:
        nonlocal at, last, saved, paced
        now = time.perf_counter()
        walk.seconds += now - last
        last = now
        progress(lanes_behind(lane) - at)
        at = lanes_behind(lane)
        if not paced and now - start > _PACE_AFTER:
            say_pace(now - start)
            paced = True
        if now - saved > _SAVE_EVERY:
            keep()
            saved = time.perf_counter()

    with progress_bar(f"exact {player.name}", size, at) as progress:
        yield done
    keep()


def _result(name: str, tables: Tables, cards: Cards, walk: _Walk) -> ExactScore:
    """The exact score, from the layer of full cards.

    Raises:
        MeasurementError: if chances do not add up to one, or the distribution has another mean.
    """
    full, threshold = walk.here, tables.card.bonus_threshold
    places = reached(tables, cards, tables.card.boxes, full)
    bonus = float(full.chance[places.lane[places.upper >= threshold]].sum()) if threshold else 0.0
    whole = float(full.chance.sum())
    distribution = None
    if len(full.rows):
        last = int(full.span[:, 1].max())
        distribution = Distribution(full.rows[:, :last].sum(axis=0), bonus, walk.yatzy)
    mean = distribution.mean if distribution else walk.expected
    if abs(whole - 1) > _ROUNDING or abs(mean - walk.expected) > 1000 * _ROUNDING:
        raise MeasurementError(
            f"agent {name!r}: the chances of its final cards add up to {whole!r}, and its expected score is "
            f"{walk.expected!r} by points and {mean!r} by the distribution"
        )
    return ExactScore(
        agent=name,
        expected_score=walk.expected,
        standard_deviation=float(distribution.standard_deviation) if distribution else None,
        bonus_rate=bonus,
        yatzy_rate=walk.yatzy,
        distribution=distribution,
        cards=walk.cards,
        situations=walk.situations,
        agent_seconds=walk.agent_seconds,
        seconds=walk.seconds,
    )
