"""Bodies about rulesets: sheets, special rules, the readable rules, solving."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from agents.play.schemas.common import Answer
from yatzy_env.rules import Ruleset
from yatzy_env.tables import compile_tables

Reason = Literal["", "not_solved", "no_model", "not_for_ruleset"]
SolveState = Literal["solved", "missing", "solving", "failed", "impossible"]
ChancesState = Literal["ready", "missing", "working", "impossible"]


def par_of(rules: Ruleset, face: int) -> float | None:
    """An upper box's share of the bonus threshold; None without bonus."""
    if not rules.bonus_points:
        return None
    faces = {int(number) for number in compile_tables(rules).card.face if number}
    return rules.bonus_threshold * face / sum(faces)


class BoxInfo(Answer):
    """A box of the sheet, in sheet order, column by column."""

    id: str = Field(description="full_house, or full_house@2 with several columns")
    box: str = Field(description="the id without its column")
    label_key: str = Field(description="message key of its name, by `yatzy_env.rules.names`")
    hint_key: str | None = Field(description="message key of what it asks for; null where its name says it")
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
    reason: Reason = Field(description="why not; not_solved goes away once the ruleset is solved")


class MarkLimits(Answer):
    """From which regret on a decision is marked, in points; measured on the agents of the ruleset."""

    tie: float = Field(description="regrets up to this count as best: 0.01")
    small: float
    big: float


class SolveStatus(Answer):
    """The stored optimum of a ruleset: there, on its way, or not."""

    ruleset: str
    state: SolveState = Field(description="impossible: several columns, the agents' own estimate serves instead")
    progress: float = Field(ge=0, le=1, description="of the work under way; 1 when solved")
    expected_seconds: float | None = Field(description="rough time that solving takes on this machine; null if solved")
    disk_mb: float | None = Field(description="disk it takes; null if solved")
    allowed: bool = Field(description="whether this server may be asked to solve (only where it listens to itself)")
    chances: ChancesState = Field(
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
    marks: MarkLimits | None = Field(description="null where regrets are not known")
    solve: SolveStatus


class RulesExample(Answer):
    """Dice and what they score."""

    dice: list[int]
    points: int


class RulesItem(Answer):
    """A sentence of the rules: message `rules.<key>` with values put in its {braces}.

    `yatzy_env/rules/names.json` has the keys, their words and the values that fill them; `agents/play/rules_page.py`
    says which of them a ruleset gets. Numbers are plain; `end.optimum` has two decimals and is told where it is stored.
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
