r"""One turn, computed backwards and forwards: the only place outside the solver's sweep where this is written.

A turn ends in one of a few ways (`ends`). Given what each end $e$ is worth, $w(e)$, whatever that is (points, chances
of winning), the rest is arithmetic with the chances of dice. With $t$ throws left,

$$S_t(r) = \max_{e \in E_t(r)} w(e), \quad Q_t(k) = \tfrac16 \sum_f V_{t-1}(k + f), \quad
V_t(r) = \max(S_t(r), \max_{k \subset r} Q_t(k))$$

are the values of stopping with roll $r$, of throwing the dice that keep $k$ leaves, and of the roll. One more die of
face $f$ makes a keep a larger one, or a roll at last: $V_{t-1}(k + f) = Q_t(k + f)$ while dice are missing.

    ends = list_ends(tables, cards)
    plans = plan_turns(tables, ends, ends.gain + value_of(ends.after))
    plans.mean                       # of the cards before the turn
    plans.action_values(situations)  # of every legal action in situations of these turns

`steps` holds the steps of a turn for a block of cards, which the solver's sweep calls too; `planning` makes turns of
them; `plans` is what others call.
"""

from yatzy_env.turn.ends import Cards, EndKinds, Ends, cards_of, end_kinds, list_ends
from yatzy_env.turn.plans import KeptPlans, TurnPlans, by_card, end_chances, plan_turns, rate_actions, throw_chances
from yatzy_env.turn.steps import (
    Plan,
    choose_keep,
    first_throw,
    flow_throw,
    flow_turn,
    note_turn,
    plan_turn,
    throw,
    value_turn,
)

__all__ = [
    "Cards",
    "EndKinds",
    "Ends",
    "KeptPlans",
    "Plan",
    "TurnPlans",
    "by_card",
    "cards_of",
    "choose_keep",
    "end_chances",
    "end_kinds",
    "first_throw",
    "flow_throw",
    "flow_turn",
    "list_ends",
    "note_turn",
    "plan_turn",
    "plan_turns",
    "rate_actions",
    "throw",
    "throw_chances",
    "value_turn",
]
