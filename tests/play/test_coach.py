"""What choices are worth, and the balance of a game."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from agents.play.coach import advise, estimate
from agents.play.ledger import Ledger, shown_regret, sum_up
from agents.play.library import Library
from agents.play.marks import FILE, NEGLIGIBLE, Marks, limits, regrets, stored_marks, stored_row
from agents.play.open_game import before_decisions, worst_decisions
from agents.play.steps import Step, action_numbers
from agents.registry import make_agent
from tests.play.helpers import new_session, play_out, random_step
from yatzy_env.games import action_masks
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.solver import solve

RULES = ruleset("half-force")


@pytest.mark.parametrize("name", ["forced", "half-force", "forced-yatzy-first"])
def test_score_is_optimum_plus_luck_minus_regret(name: str, rng: Random) -> None:
    rules = ruleset(name)
    solution = solve(rules)
    for seats, teams in ((1, None), (3, ((0, 2), (1,)))):
        session = new_session(rules, seats, teams)
        play_out(session, rng)
        figures = Ledger(solution).update(session.entries)
        for card in range(len(session.setup.teams)):
            own = sum_up(session.entries, figures, "card", card)
            assert session.games.total[card] == pytest.approx(solution.expected_score + own.luck - own.regret, abs=1e-9)
            by_seat = [sum_up(session.entries, figures, "seat", seat) for seat in session.setup.teams[card]]
            assert own.regret == pytest.approx(sum(one.regret for one in by_seat))
            assert own.luck == pytest.approx(sum(one.luck for one in by_seat))


def test_best_play_gives_nothing_away_and_is_the_first_option() -> None:
    solution = solve(RULES)
    session = new_session(RULES)
    while session.phase != "finished":
        if session.phase == "throw":
            session.apply(Step("throw"))
        else:
            choices = advise(session, solution, with_chances=False)
            assert choices[0].is_best
            assert choices == sorted(choices, key=lambda choice: choice.regret or 0)
            assert {action_numbers(RULES)[choice.name] for choice in choices} == set(
                np.flatnonzero(action_masks(session.tables, session.lane())[0])
            )
            session.apply(session.action_step(action_numbers(RULES)[choices[0].name]))
    figures = Ledger(solution).update(session.entries)
    assert sum_up(session.entries, figures, "card", 0).regret == pytest.approx(0, abs=1e-9)
    assert worst_decisions(session, figures) == []
    assert figures[-1].expected == session.games.total[0]


def test_a_ledger_follows_a_game_with_boxes_taken_back(rng: Random) -> None:
    solution = solve(RULES)
    ledger = Ledger(solution)
    session = new_session(RULES, seats=2)
    while session.phase != "finished":
        session.apply(random_step(session, rng))
        ledger.update(session.entries)
        if session.can_undo and rng.random() < 0.4:
            session.apply(Step("undo"))
            ledger.update(session.entries)
    assert ledger.figures == pytest.approx(Ledger(solution).update(session.entries))


def test_forced_decisions_are_not_counted_as_real() -> None:
    session = new_session(ruleset("forced").replace(throws=1))
    while session.phase != "finished":
        session.apply(
            Step("throw") if session.phase == "throw" else session.action_step(int(session.legal_actions()[0]))
        )
    figures = Ledger(solve(session.rules, cache=False)).update(session.entries)
    own = sum_up(session.entries, figures, "card", 0)
    assert (own.decisions, own.regrets, own.mean_regret) == (15, (), None)


def test_ties_within_a_hundredth_count_as_best() -> None:
    assert (shown_regret(NEGLIGIBLE), shown_regret(NEGLIGIBLE + 1e-6)) == (0.0, NEGLIGIBLE + 1e-6)
    marks = Marks(small=0.5, big=2.0)
    assert [marks.mark(regret) for regret in (0.0, 0.49, 0.5, 1.99, 2.0)] == ["fine", "fine", "small", "small", "big"]


def test_the_game_before_a_decision_is_the_one_it_was_made_in(rng: Random) -> None:
    session = new_session(RULES, seats=2)
    play_out(session, rng)
    figures = Ledger(solve(RULES)).update(session.entries)
    worst = worst_decisions(session, figures)
    assert [figures[entry].regret for entry in worst] == sorted((figure.regret for figure in figures), reverse=True)[
        :10
    ]
    seen = []
    for entry, before in before_decisions(session, worst):
        assert before.situation == session.entries[entry].situation
        assert before.card == session.entries[entry].card
        seen.append(entry)
    assert sorted(seen) == sorted(worst)


@pytest.mark.parametrize("name", ["triple", "yatzy"])
def test_an_agent_shows_its_own_view_of_what_is_not_solved(name: str) -> None:
    rules = ruleset(name)
    session = new_session(rules)
    session.apply(Step("throw"))
    agent = make_agent("priced", rules, lambda: pytest.fail("no solution is read"))
    choices = estimate(session, agent)
    assert {action_numbers(rules)[choice.name] for choice in choices} == set(session.legal_actions())
    assert action_numbers(rules)[choices[0].name] == int(agent.act(session.lane(), np.zeros(1))[0])
    assert choices[0].expected is not None
    assert rules.max_score * 0.4 < choices[0].expected < rules.max_score * 0.95


def test_preferences_alone_are_shown_as_weights() -> None:
    class Fixed:
        name = "fixed"

        def __init__(self, rules: Ruleset) -> None:
            self.size = new_session(rules).tables.actions

        def act(self, situations: object, noise: object) -> None:
            raise NotImplementedError

        def logits(self, situations: object) -> np.ndarray:
            return np.linspace(0, 3, self.size)[None]

    session = new_session(RULES)
    session.apply(Step("throw"))
    choices = estimate(session, Fixed(RULES))  # type: ignore[arg-type]
    assert sum(choice.weight or 0 for choice in choices) == pytest.approx(1)
    assert action_numbers(RULES)[choices[0].name] == max(session.legal_actions())
    assert all(choice.expected is None for choice in choices)


def test_marks_are_stored_for_all_that_can_be_solved(all_rulesets: tuple[Ruleset, ...]) -> None:
    """The file is made by scripts/maintain/play_marks.py; this reads it."""
    assert FILE.exists()
    for rules in all_rulesets:
        marks = stored_marks(rules)
        if len(rules.columns) == 1:
            assert marks is not None, rules.name
            assert NEGLIGIBLE < marks.small < marks.big
            assert (stored_row(rules) or {})["digest"] == rules.digest
        else:
            assert marks is None
    changed = ruleset("yatzy").replace(name="custom", bonus_threshold=42)
    assert stored_marks(changed) is None
    assert stored_marks(changed, "yatzy") == stored_marks(ruleset("yatzy"))


def test_limits_are_quantiles_of_what_agents_give_away() -> None:
    assert limits({"one": np.array([0.0] * 50 + list(range(1, 101)))}) == Marks(25.0, 75.0)
    alike = {"many": np.full(1000, 1.0), "few": np.full(10, 3.0)}
    assert limits(alike) == Marks(1.0, 3.0)  # agents weigh the same, however many regrets they have


def test_regrets_of_best_play_are_nothing(library: Library) -> None:
    rules = ruleset("forced")
    service = library.service("forced")
    assert regrets(service.agent("optimal"), rules, solve(rules), 20).max() == pytest.approx(0, abs=1e-9)
    assert regrets(service.agent("random"), rules, solve(rules), 20).mean() > 0.5
