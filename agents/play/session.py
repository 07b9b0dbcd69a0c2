"""A game as a machine of small steps: who is on turn, what lies on the table, what may happen next.

The rules are those of `yatzy_env.games`: a card is a lane there, and filling a box or using up a throw is its `settle`.
This module adds what a table with people needs: seats and teams that take turns, the first throw of a turn as a step of
its own, so that a box just filled can be taken back before anybody sees new dice, dice typed in by hand, and a log.

A session changes by `apply(step)` alone, and the same steps lead to the same game: a stored game is its setup and its
steps. Dice come from the seed in the setup; an agent's choice is stored as the choice, so that agents are not asked
again. `version` is the number of steps taken, undo included.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from agents.play.steps import Entry, GameError, Setup, Step, action_numbers, keep_faces
from yatzy_env import dice
from yatzy_env.card import is_joker
from yatzy_env.games import (
    Games,
    action_masks,
    clear_game,
    decision_noise,
    gains,
    is_legal,
    new_games,
    noise_keys,
    settle,
)
from yatzy_env.rules import Ruleset
from yatzy_env.situation import Situation, Situations, single
from yatzy_env.tables import Tables, compile_tables, roll_index

Phase = Literal["throw", "decide", "enter", "finished"]


@dataclass
class _Before:
    """What an undo goes back to."""

    games: Games
    phase: Phase
    turns: int
    dice: list[int]
    thrown: list[bool]
    entries: int


class Session:
    """A game in progress or finished.

    Attributes:
        setup: what was agreed on.
        tables: the compiled ruleset.
        games: the cards as lanes.
        phase: what is awaited: the first throw, a decision, dice typed in, or nothing more.
        version: steps taken.
        turns: turns done, all cards together.
        dice: faces on the table by position; empty before the first throw of a turn. While dice are awaited, those
            of the positions that are thrown are 0.
        thrown: which of them the last throw threw.
        entries: the log.
        steps: the steps that led here, those taken back left out.
    """

    def __init__(self, setup: Setup) -> None:
        """Sets up the cards; no dice are thrown yet."""
        self.setup = setup
        self.tables: Tables = compile_tables(setup.rules)
        key = dice.key("play", setup.seed) if setup.seed is not None else 0
        self.games = new_games(self.tables, np.full(len(setup.teams), key, np.uint64))
        self.games.seat[:] = np.arange(len(setup.teams))
        for card in range(len(setup.teams)):
            clear_game(self.tables, self.games, card)
        self.games.now.roll[:] = -1
        self.version = 0
        self.turns = 0
        self.dice: list[int] = []
        self.thrown: list[bool] = []
        self.entries: list[Entry] = []
        self.steps: list[Step] = []
        self.phase: Phase = "enter" if setup.real_dice else "throw"
        self._before: _Before | None = None

    @staticmethod
    def replay(setup: Setup, steps: Sequence[Step]) -> Session:
        """The game that these steps led to.

        Raises:
            GameError: if a step is not possible.
        """
        session = Session(setup)
        for step in steps:
            session.apply(step)
        return session

    # ------------------------------------------------------------------------------------ what there is

    @property
    def rules(self) -> Ruleset:
        """The ruleset."""
        return self.setup.rules

    @property
    def is_finished(self) -> bool:
        """Whether all cards are full."""
        return self.phase == "finished"

    @property
    def seed(self) -> str | None:
        """The text the dice follow from; None until the game is finished, and with real dice."""
        return self.setup.seed if self.is_finished else None

    @property
    def totals(self) -> list[int]:
        """Points of each card."""
        found: list[int] = self.games.total.tolist()
        return found

    @property
    def card(self) -> int:
        """The card on turn; that of the last turn when the game is finished."""
        return min(self.turns, self.all_turns - 1) % len(self.setup.teams)

    @property
    def seat(self) -> int:
        """The seat on turn; that of the last turn when the game is finished."""
        team = self.setup.teams[self.card]
        return team[self.turn % len(team)]

    @property
    def turn(self) -> int:
        """The turn of the card on turn, from 0."""
        return min(self.turns, self.all_turns - 1) // len(self.setup.teams)

    @property
    def all_turns(self) -> int:
        """Turns of the whole game."""
        return self.tables.card.boxes * len(self.setup.teams)

    @property
    def agent(self) -> str | None:
        """The agent on turn; None for a person or a finished game."""
        return None if self.is_finished else self.setup.seats[self.seat].agent

    @property
    def throw(self) -> int:
        """Throws made in the turn that goes on, 0 before its first."""
        if self.is_finished or not self.dice:
            return 0
        return int(self.games.throw[self.card]) + (self.phase == "decide")

    @property
    def throws_left(self) -> int:
        """Throws still possible in the turn that goes on, saved ones included."""
        return 0 if self.is_finished else int(self.games.now.throws_left[self.card]) + (not self.dice)

    @property
    def is_joker(self) -> bool:
        """Whether the dice on the table are a joker."""
        if self.phase != "decide":
            return False
        alike = self.tables.alike[self.games.now.roll[self.card]]
        return bool(is_joker(self.tables.card, self.games.now.filled[self.card], alike))

    @property
    def awaited(self) -> int:
        """How many dice are to be typed in."""
        if self.phase != "enter":
            return 0
        return self.dice.count(0) if self.dice else self.tables.dice

    @property
    def can_undo(self) -> bool:
        """Whether the last step can be taken back: no dice have been thrown since, and the game goes on."""
        return self._before is not None

    @property
    def situation(self) -> Situation:
        """The situation of the card on turn; without dice before the first throw of a turn."""
        return single(self.tables, self.games.now, self.card)

    def lane(self) -> Situations:
        """The situation of the card on turn as a batch of one."""
        return self.games.now.take(np.array([self.card]))

    def noise(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """(1,) the number an agent that chooses at random goes by now."""
        return decision_noise(self.games, noise_keys(self.games.key))[self.card : self.card + 1]

    def gains(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """(B,) points each box would gain now, bonuses included; -1 where it may not be filled."""
        if self.phase != "decide":
            return np.full(self.tables.card.boxes, -1, np.int64)
        return gains(self.tables, self.lane())[0]

    def legal_actions(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """The actions that are legal now; none unless a decision is awaited. Keeps that hold the same dice are one."""
        if self.phase != "decide":
            return np.zeros(0, np.int64)
        return np.flatnonzero(action_masks(self.tables, self.lane())[0])

    # ------------------------------------------------------------------------------------ steps

    def keep_step(self, faces: Sequence[int], positions: Sequence[int] | None = None) -> Step:
        """The step that holds dice and throws the rest.

        Args:
            faces: the faces to hold.
            positions: where they lie; the first that show these faces if not given.

        Raises:
            GameError: if these dice are not on the table, or no throw is left.
        """
        self._want("decide", "keep dice")
        if positions is None:
            wanted = Counter(faces)
            positions = []
            for place, face in enumerate(self.dice):
                if wanted[face] > 0:
                    wanted[face] -= 1
                    positions.append(place)
        elif len(set(positions)) < len(positions) or any(not 0 <= place < len(self.dice) for place in positions):
            raise GameError(
                "illegal_move", f"positions {list(positions)} must differ and lie in 0..{self.tables.dice - 1}"
            )
        if sorted(self.dice[place] for place in positions) != sorted(faces):
            raise GameError("illegal_move", f"cannot hold {_listed(faces)}: the dice are {_listed(self.dice)}")
        if len(faces) == self.tables.dice:
            raise GameError("illegal_move", "holding all dice is no move: fill a box instead")
        if not self.situation.throws_left:
            raise GameError("illegal_move", "no throw is left: fill a box")
        name = "keep " + (" ".join(map(str, sorted(faces))) or "nothing")
        return Step("keep", action_numbers(self.rules)[name], tuple(sorted(positions)))

    def score_step(self, box: str) -> Step:
        """The step that fills a box.

        Raises:
            GameError: if there is no such box or it may not be filled now.
        """
        self._want("decide", "fill a box")
        if box not in self.rules.box_names:
            raise GameError("illegal_move", f"there is no box {box!r}; boxes: {', '.join(self.rules.box_names)}")
        index = self.rules.box_names.index(box)
        open_now = self.gains()
        if open_now[index] < 0:
            legal = ", ".join(self.rules.box_names[one] for one in np.flatnonzero(open_now >= 0))
            raise GameError("illegal_move", f"box {box!r} may not be filled now; allowed: {legal}")
        return Step("score", self.tables.keeps + index)

    def action_step(self, action: int) -> Step:
        """The step of an action index, as agents name it.

        Raises:
            GameError: if it is not legal.
        """
        self._want("decide", "act")
        if not self._is_legal(action):
            raise GameError("illegal_move", f"action {action} is not legal now")
        if action >= self.tables.keeps:
            return Step("score", int(action))
        return self.keep_step(keep_faces(self.rules, action) or [])

    def check(self, step: Step) -> None:
        """Raises what `apply` would raise, and changes nothing.

        Raises:
            GameError: if the step is not possible now.
        """
        if step.kind == "undo":
            if self._before is None:
                raise GameError("cannot_undo", "nothing can be taken back: dice have been thrown since the last move")
        elif step.kind == "throw":
            self._want("throw", "throw the first dice")
        elif step.kind == "dice":
            self._want("enter", "type in dice")
            if len(step.dice) != self.awaited or any(not 1 <= face <= 6 for face in step.dice):
                raise GameError(
                    "illegal_move", f"{self.awaited} dice from 1 to 6 are awaited, got {_listed(step.dice)}"
                )
        else:
            self._want("decide", "decide")
            self._check_decision(step)

    def _check_decision(self, step: Step) -> None:
        action = -1 if step.action is None else step.action
        if not self._is_legal(action):
            raise GameError("illegal_move", f"action {step.action} is not legal now")
        if step.kind == "keep":
            held = [self.dice[place] for place in step.dice if 0 <= place < len(self.dice)]
            if self.keep_step(held, step.dice).action != action:
                raise GameError("illegal_move", f"action {action} does not hold {_listed(held)}")
        elif action < self.tables.keeps:
            raise GameError("illegal_move", f"action {action} fills no box")

    def _is_legal(self, action: int) -> bool:
        return 0 <= action < self.tables.actions and is_legal(self.tables, self.games.now, self.card, action)

    def apply(self, step: Step) -> None:
        """Takes a step.

        Raises:
            GameError: if it is not possible now; then nothing has changed.
        """
        self.check(step)
        if self._before is not None and step.kind == "undo":
            self._undo(self._before)
        else:
            if step.kind in ("throw", "dice"):
                self.dice = self.dice or [0] * self.tables.dice
                self._land(self._server_dice() if step.kind == "throw" else step.dice)
            else:
                self._decide(step)
            self.steps.append(step)
        self.version += 1

    def _decide(self, step: Step) -> None:
        lane, action = self.card, step.action or 0  # None has been refused
        self._before = _Before(self.games.copy(), self.phase, self.turns, self.dice, self.thrown, len(self.entries))
        scored = action >= self.tables.keeps
        entry = self._entry("score" if scored else "keep", action=action, choices=len(self.legal_actions()))
        gained = int(settle(self.tables, self.games, lane, action))
        self.games.now.roll[lane] = -1
        if scored:
            written = int(self.games.written[lane, action - self.tables.keeps])
            self.entries.append(replace(entry, points=written, gain=gained))
            self._next_turn()
            return
        self.entries.append(entry)
        self.dice = [face if place in step.dice else 0 for place, face in enumerate(self.dice)]
        if self.setup.real_dice:
            self.phase = "enter"
        else:
            self._land(self._server_dice())

    def _undo(self, before: _Before) -> None:
        self.games, self.phase, self.turns = before.games, before.phase, before.turns
        self.dice, self.thrown = before.dice, before.thrown
        del self.entries[before.entries :]
        self.steps.pop()
        self._before = None

    # ------------------------------------------------------------------------------------ inside

    def _want(self, phase: Phase, what: str) -> None:
        if self.is_finished:
            raise GameError("game_over", "the game is finished")
        if self.phase != phase:
            waiting = {"throw": "the first throw", "decide": "a decision", "enter": "dice to be typed in"}[self.phase]
            raise GameError("illegal_move", f"cannot {what} now: the game waits for {waiting}")

    def _server_dice(self) -> list[int]:
        """The dice that fall on the positions that are 0, in the order in which the generator throws them."""
        lane, games = self.card, self.games
        player = np.uint64(dice.player_state(games.key[lane], games.game[lane], games.seat[lane]))
        state = np.uint64(dice.throw_state(player, self.turn, int(games.throw[lane])))
        return [int(dice.die(state, number)) + 1 for number in range(self.dice.count(0))]

    def _land(self, faces: Sequence[int]) -> None:
        """Puts faces on the positions that are 0 and awaits a decision."""
        self.thrown = [face == 0 for face in self.dice]
        landing = iter(faces)
        self.dice = [face or next(landing) for face in self.dice]
        self.games.now.roll[self.card] = roll_index(self.tables, tuple(sorted(self.dice)))
        self.phase = "decide"
        self._before = None
        self.entries.append(self._entry("throw", thrown=tuple(self.thrown)))

    def _next_turn(self) -> None:
        self.turns += 1
        self.dice, self.thrown = [], []
        if self.turns == self.all_turns:
            self.phase = "finished"
            self._before = None  # the seed is shown now
        else:
            self.phase = "enter" if self.setup.real_dice else "throw"

    def _entry(self, kind: Literal["throw", "keep", "score"], **more: Any) -> Entry:
        return Entry(
            kind=kind,
            seat=self.seat,
            card=self.card,
            turn=self.turn,
            situation=self.situation,
            total=self.totals[self.card],
            dice=tuple(self.dice),
            **more,
        )


def _listed(faces: Sequence[int]) -> str:
    return " ".join(map(str, faces)) or "nothing"
