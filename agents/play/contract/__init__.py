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
"""

from __future__ import annotations

from agents.play.contract.coach import Advice, Chance, Option
from agents.play.contract.common import (
    MAX_NAME,
    MAX_SEATS,
    Answer,
    Face,
    Level,
    Mark,
    Phase,
    PlayerName,
    Position,
    Problem,
    Request,
    SeatIndex,
    Source,
    Version,
)
from agents.play.contract.game import (
    AgentMove,
    AgentSeat,
    BoxChoice,
    Card,
    Cell,
    Choices,
    DiceMove,
    GameCreated,
    GameState,
    KeepMove,
    LogEntry,
    LogPage,
    Move,
    NewGame,
    NewSeat,
    PersonSeat,
    Result,
    ScoreMove,
    Seat,
    Settings,
    ThrowMove,
    Turn,
    UndoMove,
    Upper,
)
from agents.play.contract.records import ExportedGame, ExportedMove, HistoryGame, PlayerRecord, Statistics
from agents.play.contract.review import (
    Attempt,
    CardReview,
    KeepAttempt,
    Lesson,
    LessonList,
    Review,
    ScoreAttempt,
    SeatReview,
    SeriesPoint,
    Tally,
    Verdict,
)
from agents.play.contract.rulesets import (
    AgentInfo,
    Bonus,
    BoxInfo,
    MarkLimits,
    Meta,
    RulesetInfo,
    RulesetList,
    RulesetSummary,
    RulesExample,
    RulesItem,
    RulesPage,
    RulesSection,
    SolveStatus,
    Special,
    Suggestion,
)

__all__ = [
    "MAX_NAME",
    "MAX_SEATS",
    "Advice",
    "AgentInfo",
    "AgentMove",
    "AgentSeat",
    "Answer",
    "Attempt",
    "Bonus",
    "BoxChoice",
    "BoxInfo",
    "Card",
    "CardReview",
    "Cell",
    "Chance",
    "Choices",
    "DiceMove",
    "ExportedGame",
    "ExportedMove",
    "Face",
    "GameCreated",
    "GameState",
    "HistoryGame",
    "KeepAttempt",
    "KeepMove",
    "Lesson",
    "LessonList",
    "Level",
    "LogEntry",
    "LogPage",
    "Mark",
    "MarkLimits",
    "Meta",
    "Move",
    "NewGame",
    "NewSeat",
    "Option",
    "PersonSeat",
    "Phase",
    "PlayerName",
    "PlayerRecord",
    "Position",
    "Problem",
    "Request",
    "Result",
    "Review",
    "RulesExample",
    "RulesItem",
    "RulesPage",
    "RulesSection",
    "RulesetInfo",
    "RulesetList",
    "RulesetSummary",
    "ScoreAttempt",
    "ScoreMove",
    "Seat",
    "SeatIndex",
    "SeatReview",
    "SeriesPoint",
    "Settings",
    "SolveStatus",
    "Source",
    "Special",
    "Statistics",
    "Suggestion",
    "Tally",
    "ThrowMove",
    "Turn",
    "UndoMove",
    "Upper",
    "Verdict",
    "Version",
]
