"""The HTTP interface of the play server: every request and every response as a model. All bodies are JSON.

    GET  /                               the page; /static/... its files (agents/play/web), messages included
    GET  /api/meta                       Meta: what this server offers
    GET  /api/rulesets                   RulesetList: all rulesets in short
    GET  /api/rulesets/{name}            RulesetInfo: sheet, bonus, special rules, agents, marks
    GET  /api/rulesets/{name}/rules      RulesPage: the readable rules as message keys with values
    GET  /api/rulesets/{name}/solve      SolveStatus: is there a stored optimum, and how far is the work
    POST /api/rulesets/{name}/solve      SolveStatus: start solving (no body); 409 where that is impossible
    GET  /api/players?name=N             PlayerRecord: finished games and statistics of a person
    POST /api/games                      NewGame -> GameCreated (201)
    GET  /api/games/{id}                 GameState
    POST /api/games/{id}/moves           Move (one of six types) -> GameState
    POST /api/games/{id}/settings        Settings -> GameState
    GET  /api/games/{id}/log?start=0     LogPage: the whole log
    GET  /api/games/{id}/coach           Advice: the options of the seat on turn; 409 while the coach is off
    GET  /api/games/{id}/review          Review; 409 while the game goes on
    GET  /api/games/{id}/lessons         LessonList: the worst decisions, answers hidden; 409 while the game goes on
    POST /api/games/{id}/lessons/{n}     Attempt -> Verdict
    GET  /api/games/{id}/lessons/{n}/answer   Advice: the answer to lesson n
    GET  /api/games/{id}/export          ExportedGame, which `scripts/evaluate.py --replay FILE` replays

**Access.** `GameCreated` hands out `id` and `token`. Every request about a game carries the header
`X-Game-Token: <token>`; an unknown id and a wrong token are the same 404. Keep both (localStorage) to resume after a
reload or server restart.

**Errors.** Any status from 400 up has the body `Problem`: `code` for programs and message files, `message` in English,
one sentence. 400 malformed, 404 not there, 405 method, 409 not now (`stale_version`, `illegal_move`, `confirm_zero`,
`game_over`, `coach_off`, `not_finished`, `not_solved`, `unavailable_agent`, ...), 413 body too large, 415 not JSON,
422 a field is wrong, 429 too many requests, 503 too many open games.

**Concurrency.** `GameState.version` grows with every accepted move. A `Move` names the version it was made on; if it is
not the present one the answer is 409 `stale_version` and nothing happens: fetch the state again.

**A turn.** `phase` says what is awaited from `turn.seat`:
  - `throw`: the first throw of the turn. Move `throw` (persons), `agent` (agents). Dice are hidden until then, so that
    the box filled before can still be undone.
  - `decide`: dice lie on the table. Move `keep` (holds dice and throws the rest), `score`, or `agent`.
  - `enter`: only with real dice: `awaited` dice were thrown by hand and their faces are awaited. Move `dice`.
  - `finished`: the seed is shown, the review is open.
`undo` takes back the last move while no dice have been thrown since: a box just filled, or with real dice a keep whose
dice are not entered yet. `can_undo` says when. A finished game cannot be undone. Undoing an agent's move takes back the
agent's box alone (it would choose the same again).
A seat that is an agent moves by `agent`, one step per request: its first throw, a keep, or a box. The page sets the
pace.

**Fair dice.** `seed_digest` = SHA-256 (hex) of the ASCII text `seed`, shown from the start; `seed` is null until the
game is finished. Dice: key = `yatzy_env.dice.key("play", seed)`, card number as the seat; see `yatzy_env/dice.py`.

**Names of boxes**: ids as in rulesets (`full_house`; in `triple` `full_house@2`). `label_key` is the message key:
`box.<id>`, with a suffix where a game has its own word:
  `box.yatzy.yahtzee`, `box.yatzy.maxi`, `box.yatzy.yacht`, `box.full_house.maxi` (3+2 with six dice),
  `box.small_straight.yacht`, `box.large_straight.yacht`, `box.chance.yacht`.
Plain ids: ones twos threes fours fives sixes one_pair two_pairs three_pairs three_of_a_kind four_of_a_kind
five_of_a_kind small_straight large_straight full_straight full_house castle tower chance yatzy.
Rulesets: message key `ruleset.<name>` (a ruleset made by `--set` is named `custom`; show `base` and `options` with it).
Agents: `agent.<name>`; unknown ones are shown by their plain name.

Changes since the first version (newest first):
  - Whole numbers may be sent as 1.0. Teams that do not fit the seats are 409 `bad_teams`. A seat without its name or
    agent is 422 `invalid` (was `bad_seat`); what is sent for a seat stays the same.
  - RulesetSummary: `is_solved` instead of `optimum` (RulesetInfo still has `optimum`).
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

MAX_SEATS = 6
MAX_NAME = 24

Level = Literal["off", "hints", "full"]
Phase = Literal["throw", "decide", "enter", "finished"]
Mark = Literal["fine", "small", "big"]
Source = Literal["exact", "estimate", "none"]


def _whole(value: object) -> object:
    """1.0 is a whole number in JSON; "1" and true are none."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


_NAME = r"^ *[^\s\x00-\x1f\x7f<>][^\x00-\x1f\x7f\u2028\u2029<>]*$"
_IN_JSON = BeforeValidator(_whole)

PlayerName = Annotated[str, Field(min_length=1, max_length=MAX_NAME, pattern=_NAME)]
Face = Annotated[int, Field(ge=1, le=6, strict=True), _IN_JSON]
Position = Annotated[int, Field(ge=0, le=5, strict=True), _IN_JSON]
SeatIndex = Annotated[int, Field(ge=0, lt=MAX_SEATS, strict=True), _IN_JSON]
Version = Annotated[int, Field(ge=0, le=1_000_000, strict=True), _IN_JSON]


class Request(BaseModel):
    """A body sent to the server: unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class Answer(BaseModel):
    """A body the server sends."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Problem(Answer):
    """What went wrong, in every answer of status 400 and above."""

    code: str = Field(description="for programs and message files, such as stale_version")
    message: str = Field(description="one English sentence naming the value and what is allowed")


# ---------------------------------------------------------------------------------------------- rulesets


class BoxInfo(Answer):
    """A box of the sheet, in sheet order, column by column."""

    id: str = Field(description="full_house, or full_house@2 with several columns")
    box: str = Field(description="the id without its column")
    label_key: str = Field(description="message key of its name, see the head of this file")
    section: Literal["upper", "lower"]
    face: int = Field(description="the face an upper box counts; 0 in the lower section")
    column: int = Field(description="column, from 0")
    most: int = Field(description="the most it pays, times its column")
    par: float | None = Field(description="its share of the bonus threshold (63: three of each); null without bonus")


class Bonus(Answer):
    """The bonus of the upper section, in each column."""

    threshold: int
    points: int


class Special(Answer):
    """The rules beyond the plain ones; the page shows those that are set."""

    order: Literal["free", "upper-first", "upper-in-order", "top-down"]
    yatzy_first: bool = Field(description="all dice alike may go in the yatzy box out of order")
    joker: Literal["none", "forced", "free"]
    extra_yatzy_bonus: int = Field(description="points for further yatzys once the box holds points; 0 for none")
    saved_throws: bool = Field(description="unused throws are kept for later turns")
    five_alike_is_full_house: bool
    four_alike_is_two_pairs: bool
    yatzy_adds_pips: bool


class AgentInfo(Answer):
    """An agent, and whether it can play this ruleset now."""

    name: str
    available: bool
    reason: Literal["", "not_solved", "no_model", "not_for_ruleset"] = Field(
        description="why not; not_solved goes away once the ruleset is solved"
    )


class MarkLimits(Answer):
    """From which loss in points on a decision is marked; measured on the agents of the ruleset (docs in marks.json)."""

    tie: float = Field(description="losses up to this count as best: 0.01")
    small: float
    big: float


class SolveStatus(Answer):
    """The stored optimum of a ruleset: there, on its way, or not."""

    ruleset: str
    state: Literal["solved", "missing", "solving", "failed", "impossible"] = Field(
        description="impossible: several columns, the agents' own estimate serves instead"
    )
    progress: float = Field(ge=0, le=1, description="of the work under way; 1 when solved")
    expected_seconds: float | None = Field(description="rough time that solving takes on this machine; null if solved")
    disk_mb: float | None = Field(description="disk it takes; null if solved")
    allowed: bool = Field(description="whether this server may be asked to solve (only where it listens to itself)")
    chances: Literal["ready", "missing", "working", "impossible"] = Field(
        description="the chances behind the coach's why: made in the background when first needed"
    )
    chances_progress: float = Field(ge=0, le=1)
    message: str = Field(description="why it failed, else empty")


class RulesetSummary(Answer):
    """A ruleset in short."""

    name: str
    base: str | None = Field(description="of a ruleset changed by options: the name it was made from")
    dice: int
    boxes: int = Field(description="of the whole card: the number of turns")
    columns: int
    is_solved: bool = Field(description="whether the optimum is stored; RulesetInfo has its value")
    has_model: bool = Field(description="whether a trained model is shipped")


class RulesetList(Answer):
    """All rulesets of the server in catalogue order."""

    rulesets: list[RulesetSummary]


class RulesetInfo(Answer):
    """Everything about a ruleset that the page shows before a game."""

    name: str
    base: str | None
    options: dict[str, int | str | bool | list[int] | list[str]] = Field(description="fields changed from base")
    dice: int
    throws: int
    columns: list[int] = Field(description="what each column's points are multiplied by")
    boxes: list[BoxInfo]
    bonus: Bonus | None
    special: Special
    max_score: int
    optimum: float | None
    agents: list[AgentInfo] = Field(description="weakest first")
    marks: MarkLimits | None = Field(description="null where losses are not known")
    solve: SolveStatus


class RulesExample(Answer):
    """Dice and what they score."""

    dice: list[int]
    points: int


class RulesItem(Answer):
    """A sentence of the rules: message `rules.<key>` with values put in its {braces}.

    Keys and values: `turn.throws` {dice, throws}; `turn.keep`; `turn.box`; `turn.zero`; `turn.saved`; `order.free`,
    `order.upper-first`, `order.upper-in-order`, `order.top-down`; `order.yatzy-first`; `columns` {columns, factors};
    `upper.box` {face}; `upper.bonus` {threshold, points}; `upper.bonus.columns` {threshold, points}; `upper.no-bonus`;
    `upper.par` {count} (only where the threshold is a whole number of each face);
    `box.one_pair`; `box.two_pairs`; `box.two_pairs.best` (six dice); `box.three_pairs`; `box.kind.matching` {n};
    `box.kind.all` {n}; `box.straight.fixed` {low, high, points}; `box.straight.runs` {length, points};
    `box.full_house.sum`; `box.full_house.fixed` {points}; `box.castle`; `box.tower`; `box.chance`;
    `box.yatzy` {points}; `box.yatzy.pips`;
    `special.joker-forced` {full_house, small_straight, large_straight}; `special.joker-free` (the same values);
    `special.extra-yatzy` {points}; `special.five-alike-full-house`; `special.four-alike-two-pairs`;
    `end.turns` {turns}; `end.winner`; `end.max` {points}; `end.optimum` {points} (two decimals, only where stored).
    """

    key: str
    values: dict[str, int | float | str]
    box: str | None = Field(description="the plain id of the box the sentence is about")
    label_key: str | None = Field(description="message key of that box's name")
    example: RulesExample | None


class RulesSection(Answer):
    """A heading (message `rules.section.<key>`) and its sentences."""

    key: Literal["turn", "upper", "lower", "special", "end"]
    items: list[RulesItem]


class RulesPage(Answer):
    """The readable rules of a ruleset; empty sections are left out."""

    ruleset: str
    sections: list[RulesSection]


class Suggestion(Answer):
    """What the command line asked for: the page's first choice in the form of a new game."""

    ruleset: str
    opponents: list[str] = Field(description="agent names, one seat each beside the person")


class Meta(Answer):
    """What this server offers."""

    version: str
    suggestion: Suggestion
    max_seats: int
    max_name: int
    rulesets: list[str]
    solving_allowed: bool


# ---------------------------------------------------------------------------------------------- a game


class PersonSeat(Request):
    """A seat for a person."""

    kind: Literal["person"]
    name: PlayerName
    agent: None = None


class AgentSeat(Request):
    """A seat for an available agent; the agent's name is shown."""

    kind: Literal["agent"]
    agent: str = Field(max_length=40)
    name: None = None


NewSeat = Annotated[PersonSeat | AgentSeat, Field(discriminator="kind")]


class NewGame(Request):
    """A game to be set up."""

    ruleset: str = Field(max_length=60)
    seats: list[NewSeat] = Field(min_length=1, max_length=MAX_SEATS)
    teams: list[list[SeatIndex]] | None = Field(
        default=None,
        max_length=MAX_SEATS,
        description="seats of each card in the order of play, each seat once; null: a card per seat. A team's members "
        "take the turns of its card in rotation",
    )
    coach: Level = "off"
    real_dice: bool = Field(default=False, description="dice are thrown by hand and typed in")
    hidden_totals: bool = Field(default=False, description="totals are null until the game is finished")


class Seat(Answer):
    """Who sits where."""

    index: int
    kind: Literal["person", "agent"]
    name: str
    agent: str | None
    card: int = Field(description="the card it plays on")


class Turn(Answer):
    """Whose turn it is."""

    seat: int
    card: int
    number: int = Field(description="turn of this card, from 1")
    of: int = Field(description="turns of a card")
    is_agent: bool


class Cell(Answer):
    """A box on a card. `points` null: open."""

    box: str
    points: int | None


class Upper(Answer):
    """The upper section of a column."""

    sum: int
    par: float | None = Field(description="what the closed upper boxes would hold at par; null without bonus")
    ahead: float | None = Field(description="sum minus par")
    status: Literal["secured", "open", "out_of_reach", "none"] = Field(description="none: the rules have no bonus")
    missing: int = Field(description="points still missing to the bonus; 0 once secured or without bonus")
    bonus: int = Field(description="bonus points earned, times the column")


class Card(Answer):
    """A score card. Totals are null while `hidden_totals` hides them."""

    index: int
    seats: list[int] = Field(description="its seats; they take turns")
    cells: list[Cell] = Field(description="as RulesetInfo.boxes")
    upper: list[Upper] = Field(description="per column")
    column_totals: list[int] | None = Field(description="per column, bonus included")
    extra: int = Field(description="points of further yatzys")
    saved_throws: int = Field(description="throws in the pool; 0 where the rules save none")
    total: int | None


class BoxChoice(Answer):
    """A box that may be filled now."""

    box: str
    points: int = Field(description="what would be written, times its column")
    gain: int = Field(description="points with bonus and extra yatzy bonus")
    is_zero: bool = Field(description="ask before writing it: `score` then needs confirm_zero")
    is_joker: bool = Field(description="scored by the joker rule")


class Choices(Answer):
    """What may be done now (phase `decide`)."""

    may_throw: bool = Field(description="whether a keep is legal; any part of the dice but not all may be held")
    boxes: list[BoxChoice]
    lone_box: str | None = Field(description="the only legal box when nothing else may be done: offer it at once")
    is_joker: bool = Field(description="the dice are a joker")


class LogEntry(Answer):
    """One thing that happened. `loss`, `luck`, `mark`, `best` are null while the coach is off and the game goes on."""

    index: int
    seat: int
    card: int
    turn: int = Field(description="of the card, from 1")
    kind: Literal["throw", "keep", "score"]
    dice: list[int] = Field(description="throw: all dice after it; keep, score: the dice decided on")
    thrown: list[bool] = Field(description="throw: which of the dice were thrown; empty otherwise")
    keep: list[int] | None = Field(description="keep: the faces held")
    box: str | None = Field(description="score: the box")
    points: int | None = Field(description="score: points written")
    gain: int | None = Field(description="score: with bonus and extra")
    luck: float | None = Field(description="throw: what it changed the expected final score by")
    loss: float | None = Field(description="keep, score: points below the best choice; 0 within 0.01")
    mark: Mark | None = Field(description="keep, score; null where forced (only one choice)")
    best: str | None = Field(description="keep, score: a best choice, 'keep 5 5', 'keep nothing' or 'score chance'")


class Result(Answer):
    """How a finished game ended."""

    totals: list[int] = Field(description="by card")
    winners: list[int] = Field(description="cards with the highest total")


class GameState(Answer):
    """A game as it stands."""

    id: str
    ruleset: str
    version: int
    created: str = Field(description="ISO 8601, UTC")
    phase: Phase
    turn: Turn | None = Field(description="null when finished")
    seats: list[Seat]
    cards: list[Card]
    dice: list[int] = Field(description="faces on the table by position; kept dice stay where they are; [] if none")
    thrown: list[bool] = Field(description="which of them the last throw threw")
    held: list[int] = Field(description="phase enter: faces that stay on the table; otherwise []")
    awaited: int = Field(description="phase enter: how many faces are awaited; otherwise 0")
    throw: int = Field(description="throws made this turn")
    throws_left: int = Field(description="throws still possible this turn, saved ones included")
    choices: Choices | None = Field(description="phase decide, persons and agents alike")
    can_undo: bool
    coach: Level
    real_dice: bool
    hidden_totals: bool
    source: Source = Field(description="where the coach's figures come from for this ruleset, now")
    seed_digest: str | None = Field(description="SHA-256 of the seed; null with real dice")
    seed: str | None = Field(description="null until finished, and with real dice")
    log: list[LogEntry] = Field(description="the last 60 entries")
    log_length: int
    result: Result | None


class GameCreated(Answer):
    """A new game and the key to it."""

    id: str
    token: str = Field(description="secret: send it as X-Game-Token with every request about this game")
    state: GameState


class ThrowMove(Request):
    """The first throw of a person's turn (phase `throw`)."""

    type: Literal["throw"]
    version: Version


class KeepMove(Request):
    """Hold some of the dice and throw the rest (phase `decide`)."""

    type: Literal["keep"]
    version: Version
    dice: list[Face] = Field(max_length=5, description="faces held, any order; fewer than all dice")
    positions: list[Position] | None = Field(
        default=None,
        max_length=5,
        description="where the held dice lie, so that they stay there; must show the same faces. Optional",
    )


class ScoreMove(Request):
    """Fill a box (phase `decide`)."""

    type: Literal["score"]
    version: Version
    box: str = Field(max_length=40)
    confirm_zero: bool = Field(default=False, description="needed to write a zero, except in a lone box")


class DiceMove(Request):
    """The faces of dice thrown by hand (phase `enter`): as many as are awaited."""

    type: Literal["dice"]
    version: Version
    dice: list[Face] = Field(min_length=1, max_length=6)


class UndoMove(Request):
    """Take back the last move."""

    type: Literal["undo"]
    version: Version


class AgentMove(Request):
    """Let the agent on turn make its next step."""

    type: Literal["agent"]
    version: Version


Move = Annotated[
    ThrowMove | KeepMove | ScoreMove | DiceMove | UndoMove | AgentMove,
    Field(discriminator="type"),
]


class Settings(Request):
    """Settings of a running game; fields left out stay. They change no version."""

    coach: Level | None = None
    hidden_totals: bool | None = None


class LogPage(Answer):
    """Log entries from `start` on, at most 500."""

    start: int
    length: int = Field(description="entries of the whole log")
    entries: list[LogEntry]


# ---------------------------------------------------------------------------------------------- the coach


class Chance(Answer):
    """The chance, under best play from there, that something is earned in the end."""

    what: Literal["bonus", "box"]
    box: str | None = Field(description="straights and yatzy: the box that would hold points; null for the bonus")
    column: int = Field(description="column of the bonus, from 0")
    probability: float = Field(ge=0, le=1, description="1 or 0 where it is decided")


class Option(Answer):
    """Something that may be done now. Keeps that hold the same dice are one option."""

    type: Literal["keep", "score"]
    name: str = Field(description="'keep 5 5', 'keep nothing', 'score chance'")
    keep: list[int] | None
    box: str | None
    gain: int | None = Field(description="score: points gained at once")
    expected: float | None = Field(
        description="expected final score of this card; null where an agent only has preferences (source estimate)"
    )
    loss: float | None = Field(description="points below the best option; 0 within 0.01")
    weight: float | None = Field(description="source estimate: how strongly the agent prefers it, 0 to 1; else null")
    is_best: bool = Field(description="loss within 0.01; several options can be best")
    mark: Mark | None = Field(description="what choosing it would be marked")
    chances: list[Chance] = Field(description="the why; [] while chances are not ready (SolveStatus.chances)")


class Advice(Answer):
    """The coach's answer.

    `source` exact: from the stored optimum. estimate: from `estimator` (an agent's own view), to be labelled as that.
    none: nothing is known; the page offers to solve. With level `hints` only the best options are listed.
    """

    version: int
    seat: int
    source: Source
    estimator: str | None = Field(description="agent whose estimate this is")
    level: Level
    expected: float | None = Field(description="expected final score before the decision, under best play from here")
    options: list[Option] = Field(description="best first")
    forced: bool = Field(description="there is only one option")
    chances: Literal["ready", "missing", "working", "impossible"]


# ---------------------------------------------------------------------------------------------- after the game


class SeriesPoint(Answer):
    """The expected final score after something happened."""

    entry: int = Field(description="index in the log; -1 before the first throw")
    turn: int
    kind: Literal["start", "throw", "keep", "score"]
    expected: float


class Tally(Answer):
    """Decisions counted by their marks; forced ones are left out."""

    fine: int
    small: int
    big: int


class SeatReview(Answer):
    """What a seat's decisions gave away. mean_loss = loss / real_decisions (null without any)."""

    seat: int
    loss: float
    decisions: int
    real_decisions: int = Field(description="those with more than one choice")
    mean_loss: float | None
    marks: Tally


class CardReview(Answer):
    """The balance of a card: score = optimum + luck - loss, exact."""

    card: int
    seats: list[int]
    score: int
    luck: float
    loss: float
    luck_adjusted: float = Field(description="score - luck")
    real_decisions: int
    mean_loss: float | None
    marks: Tally
    series: list[SeriesPoint]


class Review(Answer):
    """The balance of a finished game; `cards` and `seats` are empty where `source` is not exact."""

    source: Source
    optimum: float | None
    marks: MarkLimits | None
    cards: list[CardReview]
    seats: list[SeatReview]
    result: Result


class Lesson(Answer):
    """A decision to try again, answer hidden."""

    number: int = Field(description="from 0, worst first")
    entry: int = Field(description="index in the log")
    seat: int
    turn: int
    loss: float = Field(description="what was given away")
    played: str = Field(description="what was done, 'keep 5 5'")
    card: Card = Field(description="the card before the decision")
    dice: list[int]
    throws_left: int
    choices: Choices


class LessonList(Answer):
    """The worst decisions of the persons in a finished game, worst first, at most 10."""

    source: Source
    lessons: list[Lesson]


class KeepAttempt(Request):
    """Try holding dice."""

    type: Literal["keep"]
    dice: list[Face] = Field(max_length=5)


class ScoreAttempt(Request):
    """Try filling a box."""

    type: Literal["score"]
    box: str = Field(max_length=40)


Attempt = Annotated[KeepAttempt | ScoreAttempt, Field(discriminator="type")]


class Verdict(Answer):
    """How good an attempt is. It is accepted where its mark is fine."""

    accepted: bool
    is_best: bool
    loss: float
    mark: Mark


# ---------------------------------------------------------------------------------------------- records


class HistoryGame(Answer):
    """A finished game of a person. Review and export need its token."""

    id: str
    ruleset: str
    finished: str = Field(description="ISO 8601, UTC")
    score: int
    opponents: list[str]
    won: bool = Field(description="highest total, shared or alone; true when alone at the table")
    players: int
    loss: float | None
    luck: float | None
    mean_loss: float | None


class Statistics(Answer):
    """A person's figures in one ruleset."""

    ruleset: str
    games: int
    wins: int = Field(description="of the games with opponents")
    games_with_opponents: int
    mean: float
    best: int
    worst: int
    bonus_rate: float | None = Field(description="share of columns that earned the bonus; null without bonus")
    yatzy_rate: float | None = Field(description="share of yatzy boxes that held points; null without that box")
    mean_loss: float | None = Field(description="points given away per game, over the games where it is known")


class PlayerRecord(Answer):
    """History (newest first, at most 200 games) and statistics of a person."""

    name: str
    games: list[HistoryGame]
    statistics: list[Statistics]


class ExportedMove(Answer):
    """One decision with the dice it was made on."""

    card: int
    seat: int
    turn: int
    dice: list[int]
    throws_left: int
    action: str = Field(description="'keep 5 5', 'keep nothing', 'score full_house'")


class ExportedGame(Answer):
    """A game as a file. `scripts/evaluate.py --replay FILE` reads it and measures every decision."""

    format: Literal["yatzy-env game"]
    format_version: Literal[1]
    ruleset: dict[str, int | str | bool | list[int] | list[str]] = Field(description="all fields of the ruleset")
    seats: list[Seat]
    teams: list[list[int]]
    created: str
    finished: bool
    real_dice: bool
    seed_digest: str | None
    seed: str | None = Field(description="null until finished, and with real dice")
    moves: list[ExportedMove]
    totals: list[int]
