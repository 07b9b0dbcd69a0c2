"""Many games for several players at once, for self-play: a step is one compiled loop over games.

Game i reset with seed s plays the very games of the multiplayer environment reset with seed s + i: it shows what the
player to move sees there, pays the same rewards, and a game that ends starts its next one in the same step. The module
is imported by `yatzy_env.multiplayer_vec`; it needs no PettingZoo.
"""

from __future__ import annotations

from collections.abc import Sequence
from secrets import randbits
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from yatzy_env.envs.batch_step import Memory, legal_now, remember, remember_box, show_mask, show_observation
from yatzy_env.envs.multiplayer_observation import multiplayer_space, saved_throws
from yatzy_env.envs.multiplayer_rules import Teams, checked_reward, checked_teams
from yatzy_env.envs.observation import compile_rows
from yatzy_env.envs.recycled import Recycled
from yatzy_env.envs.single import STEP_BEFORE_RESET, illegal_action
from yatzy_env.errors import YatzyError
from yatzy_env.games import action_masks, clear_game, may, new_games, next_games, settle, throw_dice
from yatzy_env.inputs import action_array, action_index, seed_keys, whole_number
from yatzy_env.kernel import kernel
from yatzy_env.native import borrow, copy_floats, flag_floats
from yatzy_env.rules import Ruleset
from yatzy_env.rules import ruleset as find_ruleset
from yatzy_env.situation import Situations
from yatzy_env.tables import action_names, compile_tables

Step = tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.bool_], dict[str, Any]]


class Table(NamedTuple):
    """Who plays at each of n tables of C cards and P players; env g * C + c of the games is card c of table g."""

    team: NDArray[np.int64]  # (C, largest team) the players of a card, in the order of its turns
    members: NDArray[np.int64]  # (C,) how many they are
    turns: NDArray[np.int64]  # (n,) turns done, all cards together
    highest: int  # the highest score there is
    win: bool  # whether rewards are for winning, not for points


class Shown(NamedTuple):
    """What a step writes, D entries of an observation and A actions."""

    observations: NDArray[np.float32]  # (n * D + SLACK,)
    masks: NDArray[np.int8]  # (n * A + SLACK,)
    size: int  # D
    rewards: NDArray[np.float64]  # (n, P)
    terminated: NDArray[np.bool_]  # (n,)
    player: NDArray[np.int64]  # (n,) the player to move
    scores: NDArray[np.int64]  # (n, P) after games that ended were started anew
    final_scores: NDArray[np.int64]  # (n, P) of games that ended


class MultiplayerVec:
    """Many games of `yatzy_env.multiplayer`, each with its own player to move.

    `reset` and `step` return observations (num_games, D) of the players to move, rewards (num_games, players) of this
    step, terminated (num_games,), and infos: `action_mask` (num_games, actions) int8, `player` (num_games,) the number
    of the player to move, `scores` (num_games, players), and where games ended, `final_scores`. Where `terminated` is
    true, all but the rewards and final scores belongs to the next game. An illegal action is an error, so no game is
    cut off. Every array belongs to the caller.

    Attributes:
        rules: the ruleset.
        teams: the players of each card.
        num_games: how many games.
        players: how many play each.
        action_names: the actions in words.
        single_observation_space: the Box that an observation lies in; `multiplayer_blocks(rules, cards)` explains it.
        single_action_space: Discrete(actions).
    """

    def __init__(
        self,
        ruleset: str | dict[str, Any] | Ruleset = "yatzy",
        players: int = 2,
        num_games: int = 1,
        teams: Teams | None = None,
        reward: str = "points",
    ) -> None:
        """Allocates the games; the arguments are those of `yatzy_env.multiplayer_vec`."""
        self.rules = find_ruleset(ruleset)
        self.teams = checked_teams(players, teams)
        self.players = sum(map(len, self.teams))
        self.num_games = whole_number("num_games", num_games, 1)
        self.reward = checked_reward(reward, self.teams)
        self.tables = compile_tables(self.rules)
        self.action_names = action_names(self.rules)
        cards = len(self.teams)
        self.single_action_space = spaces.Discrete(self.tables.actions)
        self.single_observation_space = multiplayer_space(self.rules, cards)
        self._rows = compile_rows(self.rules)
        size = self.num_games * cards
        self._games = new_games(self.tables, np.zeros(size, np.uint64))
        self._games.seat[:] = np.tile(np.arange(cards), self.num_games)
        self._is_reset = False
        self._memory = Memory(
            player=np.zeros(size, np.uint64),
            legal=np.zeros(size, np.int64),
            rest=np.zeros(size * self._rows.rest_padded, np.float32),
            illegal_in_a_row=np.zeros(size, np.int64),
        )
        largest = max(map(len, self.teams))
        self._table = Table(
            team=np.array([[*team, *[-1] * (largest - len(team))] for team in self.teams], np.int64),
            members=np.array([len(team) for team in self.teams], np.int64),
            turns=np.zeros(self.num_games, np.int64),
            highest=self.rules.max_score,
            win=self.reward == "win",
        )
        self._observation_rows = Recycled(self.num_games, self.single_observation_space.shape[0], np.float32)
        self._mask_rows = Recycled(self.num_games, self.tables.actions, np.int8)

    def reset(self, seed: int | Sequence[int] | None = None) -> Step:
        """Starts every game.

        Args:
            seed: game i gets the key of seed + i; or a sequence with a seed per game. Without one the games go on with
                the next one under their keys, or get random keys at first.

        Returns:
            What `step` returns, without rewards.

        Raises:
            YatzyError: for anything else than whole numbers from 0.
        """
        if seed is None and not self._is_reset:
            seed = randbits(63)
        keys = None if seed is None else np.repeat(seed_keys(seed, self.num_games), len(self.teams))
        next_games(self.tables, self._games, keys)
        self._table.turns[:] = 0
        self._is_reset = True
        observations, masks, shown = self._shown()
        shown.rewards[:] = 0
        shown.terminated[:] = False
        _show_tables(self.tables, self._rows, self._games, self._memory, self._table, shown)
        return observations, shown.rewards, shown.terminated, self._infos(masks, shown)

    def step(self, actions: Any) -> Step:
        """Plays one action of the player to move in every game, (num_games,) action indices.

        Returns:
            Observations, rewards, terminated, infos.

        Raises:
            IllegalActionError: for an action that is not legal, naming the game; then nothing is played.
            YatzyError: before the first `reset`.
        """
        if not self._is_reset:
            raise YatzyError(STEP_BEFORE_RESET)
        chosen = action_array(self.tables.actions, self.num_games, actions)
        observations, masks, shown = self._shown()
        game = _step_tables(self.tables, self._rows, self._games, self._memory, self._table, chosen, shown)
        if game >= 0:
            index = action_index(self.tables.actions, chosen[game])
            mask = action_masks(self.tables, self.situations.take(slice(game, game + 1)))[0]
            raise illegal_action(self.action_names, index, mask, f"game {game}: ")
        infos = self._infos(masks, shown)
        if shown.terminated.any():
            infos["final_scores"] = shown.final_scores
        return observations, shown.rewards, shown.terminated, infos

    def action_masks(self) -> NDArray[np.int8]:
        """(num_games, actions) int8, 1 where legal for the player to move."""
        return action_masks(self.tables, self.situations)

    @property
    def situations(self) -> Situations:
        """What the players to move decide on, as a copy."""
        cards = len(self.teams)
        return self._games.now.take(np.arange(self.num_games) * cards + self._table.turns % cards)

    def __getstate__(self) -> dict[str, Any]:
        """All but the tables, which copies share: kernels would be compiled anew for writable ones."""
        return {name: value for name, value in vars(self).items() if name not in ("tables", "_rows")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.tables = compile_tables(self.rules)
        self._rows = compile_rows(self.rules)

    def _shown(self) -> tuple[NDArray[np.float32], NDArray[np.int8], Shown]:
        size, players = self.num_games, self.players
        observations, flat_observations = self._observation_rows.take()
        masks, flat_masks = self._mask_rows.take()
        shown = Shown(
            observations=flat_observations,
            masks=flat_masks,
            size=observations.shape[1],
            rewards=np.empty((size, players)),
            terminated=np.empty(size, np.bool_),
            player=np.empty(size, np.int64),
            scores=np.empty((size, players), np.int64),
            final_scores=np.zeros((size, players), np.int64),
        )
        return observations, masks, shown

    def _infos(self, masks: NDArray[np.int8], shown: Shown) -> dict[str, Any]:
        return {"action_mask": masks, "player": shown.player, "scores": shown.scores}


@kernel(inline="always")
def _show_table(tables, rows, games, memory, table, game, shown):
    """Writes what the player to move sees, from left to right; all other cards wait for their turns."""
    cards = table.members.shape[0]
    played, card = divmod(table.turns[game], cards)
    own = game * cards + card
    out, at = shown.observations, game * shown.size
    show_observation(tables, rows, games.now, memory, own, out, at)
    show_mask(tables, rows, games.now, memory, own, shown.masks, game * tables.actions)
    at += rows.size
    out[at] = games.total[own] / table.highest
    at += 1
    for step in range(1, cards):
        other = game * cards + (card + step) % cards
        out[at] = games.total[other] / table.highest
        at += 1
        is_open = tables.card.all_boxes & ~games.now.filled[other]
        for part in range(0, rows.boxes_padded, 16):
            flag_floats(out, at + part, is_open >> part)
        at += tables.card.boxes
        for part in range(0, rows.rest_padded, 16):
            copy_floats(out, at + part, memory.rest, other * rows.rest_padded + part)
        at += rows.size - rows.rest_at
        if tables.saved_throws:
            out[at] = saved_throws(tables, games.now, other) / tables.most_throws_left
            at += 1
    shown.player[game] = table.team[card, played % table.members[card]]
    _write_scores(games, table, game, shown.scores)


@kernel(inline="always")
def _write_scores(games, table, game, scores):
    cards = table.members.shape[0]
    for card in range(cards):
        for member in range(table.members[card]):
            scores[game, table.team[card, member]] = games.total[game * cards + card]


@kernel
def _show_tables(tables, rows, games, memory, table, shown):
    tables, rows, games, memory = borrow(tables), borrow(rows), borrow(games), borrow(memory)
    table, shown = borrow(table), borrow(shown)
    for env in range(games.key.shape[0]):
        remember(tables, rows, games, memory, env)
    for game in range(shown.player.shape[0]):
        _show_table(tables, rows, games, memory, table, game, shown)


@kernel
def _step_tables(tables, rows, games, memory, table, actions, shown):
    """Plays an action at every table and writes what is seen there now; a game that ends is followed by the next.

    Returns:
        -1, or the first table whose action is not legal; then nothing is played.
    """
    tables, rows, games, memory = borrow(tables), borrow(rows), borrow(games), borrow(memory)
    table, shown = borrow(table), borrow(shown)
    now, cards = games.now, table.members.shape[0]
    for game in range(actions.shape[0]):
        env, action = game * cards + table.turns[game] % cards, actions[game]
        if action < 0 or action >= tables.actions:
            return game
        if not may(tables, now, env, action, legal_now(tables, now, memory, env)):
            return game
    for game in range(actions.shape[0]):
        card, action = table.turns[game] % cards, actions[game]
        env = game * cards + card
        gained = settle(tables, games, env, action)
        shown.rewards[game, :] = 0
        shown.terminated[game] = False
        if not table.win:
            for member in range(table.members[card]):
                shown.rewards[game, table.team[card, member]] = gained
        if action < tables.keeps:
            throw_dice(tables, games, env, action, memory.player[env])
        else:
            remember_box(tables, rows, games, memory, env, action - tables.keeps)
            table.turns[game] += 1
            if now.filled[env] != tables.card.all_boxes:
                throw_dice(tables, games, env, 0, memory.player[env])
            elif card == cards - 1:
                _end_game(tables, rows, games, memory, table, game, shown)
        _show_table(tables, rows, games, memory, table, game, shown)
    return -1


@kernel
def _end_game(tables, rows, games, memory, table, game, shown):
    """Writes down how a game ended and starts the next one at its table."""
    cards = table.members.shape[0]
    shown.terminated[game] = True
    _write_scores(games, table, game, shown.final_scores)
    if table.win:
        best, winners = np.int64(-1), 0
        for card in range(cards):
            total = games.total[game * cards + card]
            winners = 1 if total > best else winners + (total == best)
            best = max(best, total)
        for player in range(shown.rewards.shape[1]):
            won = 1 if winners == 1 else 0
            shown.rewards[game, player] = won if shown.final_scores[game, player] == best else -1
    table.turns[game] = 0
    for env in range(game * cards, game * cards + cards):
        games.game[env] += 1
        clear_game(tables, games, env)
        remember(tables, rows, games, memory, env)
        throw_dice(tables, games, env, 0, memory.player[env])
