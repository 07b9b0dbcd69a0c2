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

It is the counterpart of the solver, which goes backwards and chooses the best. The sums differ from the true value by
rounding alone, far less than 1e-9.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from yatzy_env.agent import Agent, is_deterministic, merges_upper
from yatzy_env.errors import YatzyError
from yatzy_env.evaluation import exact_store
from yatzy_env.evaluation.exact_cards import (
    Layer,
    first_layer,
    lay_out_cards,
    layer_lanes,
    layer_start,
    new_layer,
    pieces,
    pools_of,
    reached,
    rows_fit,
)
from yatzy_env.evaluation.exact_turn import Played, Player, pass_on
from yatzy_env.evaluation.matches import MeasurementError
from yatzy_env.rules import Ruleset
from yatzy_env.solver.distribution import Distribution
from yatzy_env.solver.layout import Cards
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
        bonus_rate: chance of the bonus, 0 where the rules have none.
        yatzy_rate: chance of points in the yatzy box, 0 where the sheet has none.
        distribution: the distribution of the final score; None under saved throws and where it would not fit in memory.
        cards: cards the agent comes to before they are full, upper sums it treats alike counted once.
        situations: situations it was asked about.
        agent_seconds: time the agent took to choose, over all its threads and interrupted runs.
        seconds: time in all.
    """

    agent: str
    expected_score: float
    bonus_rate: float
    yatzy_rate: float
    distribution: Distribution | None
    cards: int
    situations: int
    agent_seconds: float
    seconds: float

    def summary(self) -> str:
        """One line that says it all."""
        spread = f", standard deviation {self.distribution.standard_deviation:.4f}" if self.distribution else ""
        share = self.agent_seconds / self.seconds if self.seconds else 0.0
        return (
            f"{self.agent}: exact score {self.expected_score:.6f}{spread}, bonus {100 * self.bonus_rate:.2f}%, yatzy "
            f"{100 * self.yatzy_rate:.2f}%; {self.situations:,} situations on {self.cards:,} cards in "
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

    Args:
        agent: the agent.
        rules: the ruleset.
        name: what the agent is called.

    Raises:
        YatzyError: if it may choose at random, or the ruleset has too many cards; it names the number.
    """
    if not is_deterministic(agent):
        raise YatzyError(
            f"agent {name!r} cannot be evaluated exactly: it does not declare that it always answers alike "
            "(attribute `deterministic = True`)"
        )
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
    boxes = tables.card.boxes
    return sum(
        layer_lanes(cards, boxes, turn) * tables.rolls * (tables.throws - 1 + pools_of(tables, turn))
        for turn in range(boxes)
    )


def exact_score(
    agent: Agent,
    rules: Ruleset,
    *,
    name: str | None = None,
    cache: bool = True,
    threads: int = 1,
    batch: int = BATCH,
    say: Callable[[str], None] = lambda line: None,
) -> ExactScore:
    """Computes the expected score of a deterministic agent, and where memory allows the distribution of its score.

    What there is of the evaluation of an agent with a `digest` is kept in the cache every two minutes, and at the end:
    the next call goes on from there, with the same result to the last bit.

    Args:
        agent: an agent for this ruleset that declares itself deterministic.
        rules: the ruleset.
        name: what to call the agent instead of its own name.
        cache: whether the cache is read and written.
        threads: how many threads ask the agent at once; the agent must bear it. The result does not depend on it.
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
    for what, value in (("threads", threads), ("batch", batch)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise YatzyError(f"{what} = {value!r}; allowed: a whole number, 1 or more")
    check_agent(agent, rules, name)
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
        _walk_on(player, cards, walk, threads, batch, _Watch(player, cards, walk, file, key, say))
    return _result(name, tables, cards, walk)


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


def _walk_on(player: Player, cards: Cards, walk: _Walk, threads: int, batch: int, watch: _Watch) -> None:
    """Walks to the last layer. Between two pieces the walk can be kept."""
    tables = player.tables
    boxes = tables.card.boxes
    piece = max(batch // tables.rolls, 1)
    with _mapper(threads) as each, watch:
        while walk.turn < boxes:
            here, there = walk.here, walk.there
            places = reached(tables, cards, walk.turn, here)
            if not walk.cards:
                player.check_noise(places)
            parts = [places.part(*ends) for ends in pieces(walk.done, len(places.lane), piece)]
            start = layer_start(cards, boxes, walk.turn + 1)
            played = each(lambda part, here=here: player.play(part, here.chance[part.lane]), parts)
            for part, turns in zip(parts, played, strict=True):
                points, yatzy = pass_on(tables, cards, player.kinds, start, part, turns.out, here, there)
                walk.add(len(part.lane), turns, points, yatzy)
                watch(int(part.lane[-1]) + 1)
            walk.turn, walk.done, walk.here = walk.turn + 1, 0, there
            if walk.turn < boxes:
                walk.there = new_layer(tables, cards, walk.turn + 1, here.rows is not None)


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


class _Watch:
    """What happens beside the walk: progress, an estimate of the time, and a file to go on from."""

    def __init__(
        self,
        player: Player,
        cards: Cards,
        walk: _Walk,
        file: Path | None,
        key: dict[str, Any],
        say: Callable[[str], None],
    ) -> None:
        self._player, self._cards, self._walk = player, cards, walk
        self._file, self._key, self._say = file, key, say
        self._asked_before = walk.situations
        self._said = False

    def __enter__(self) -> None:
        self._stack = ExitStack()
        size, self._at = self._cards.layout.size, self._lanes_before()
        self._progress = self._stack.enter_context(progress_bar(f"exact {self._player.name}", size, self._at))
        self._start = self._saved = self._last = time.perf_counter()

    def __exit__(self, *error: object) -> None:
        self._stack.close()
        if error[0] is None:
            self._keep()

    def __call__(self, lane: int) -> None:
        """Called after each piece with the number of lanes of the layer that lie behind."""
        now = time.perf_counter()
        self._walk.seconds += now - self._last
        self._last = now
        at = self._lanes_before() + lane
        self._progress(at - self._at)
        self._at = at
        if not self._said and now - self._start > _PACE_AFTER:
            self._say_pace(now - self._start)
            self._said = True
        if now - self._saved > _SAVE_EVERY:
            self._keep()
            self._saved = time.perf_counter()

    def _lanes_before(self) -> int:
        """The lanes of all layers before this one."""
        return self._cards.layout.size - layer_start(self._cards, self._player.tables.card.boxes, self._walk.turn - 1)

    def _say_pace(self, seconds: float) -> None:
        left = most_situations(self._player.tables, self._cards) - self._walk.situations
        asked = self._walk.situations - self._asked_before
        if left * seconds / asked > 60:
            self._say(
                f"{1e6 * seconds / asked:.1f} microseconds per situation: at most {left * seconds / asked / 60:.0f} "
                "minutes more"
            )

    def _keep(self) -> None:
        if self._file is not None:
            layers = {"here": self._walk.here}
            if self._walk.there is not self._walk.here:  # they are the same once the full cards are reached
                layers["there"] = self._walk.there
            exact_store.write(self._file, self._key, self._walk.numbers(), layers)


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
    if full.rows is not None and full.span is not None:
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
        bonus_rate=bonus,
        yatzy_rate=walk.yatzy,
        distribution=distribution,
        cards=walk.cards,
        situations=walk.situations,
        agent_seconds=walk.agent_seconds,
        seconds=walk.seconds,
    )
