"""Yatzy for several players as a PettingZoo environment, with or without teams, on the tables of any ruleset.

The module needs PettingZoo and is imported by `yatzy_env.multiplayer` only.
"""

from __future__ import annotations

import sys
from secrets import randbits
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from yatzy_env.envs.held import hold, take
from yatzy_env.envs.multiplayer_observation import multiplayer_blocks, multiplayer_space, write_vector
from yatzy_env.envs.multiplayer_render import TableView, table_image, table_text
from yatzy_env.envs.multiplayer_rules import Teams, checked_reward, checked_teams, win_rewards
from yatzy_env.envs.observation import compile_rows
from yatzy_env.envs.single import ILLEGAL_LIMIT, STEP_BEFORE_RESET, illegal_action
from yatzy_env.errors import YatzyError, unknown
from yatzy_env.games import act, new_games, next_games, write_mask
from yatzy_env.inputs import action_index, seed_key
from yatzy_env.kernel import kernel
from yatzy_env.rules import Ruleset
from yatzy_env.rules import ruleset as find_ruleset
from yatzy_env.situation import Situation, single
from yatzy_env.tables import action_names, compile_tables


def env(*arguments: Any, **options: Any) -> OrderEnforcingWrapper:
    """The game behind PettingZoo's check that `reset` comes first; the arguments are those of `raw_env`."""
    return OrderEnforcingWrapper(raw_env(*arguments, **options))


class raw_env(AECEnv):  # noqa: N801, the name PettingZoo gives to it
    """Yatzy and its relatives for two or more players, in turns.

    ## Description
    Each player, or each team, has a card. A turn is all throws and the box: the player on turn is selected again until
    the box is filled, then the next card is on turn, in the order of `teams`. The members of a team take the turns of
    its card in rotation. With `teams=((0, 2), (1, 3))` the order is 0, 1, 2, 3, 0, ... The game ends, for all at once,
    when every card is full. There is no parallel version: at any time one player has something to decide.

    Dice are those of `yatzy_env.dice` under the key of `reset(seed=)` with the number of the card as the seat: what a
    card throws depends on no other card, and card 0 throws what the single environment throws under the same seed.

    ## Agents
    `player_0`, `player_1`, ...

    ## Action Space
    `Discrete(K + B)`, as in `yatzy_env.envs.YatzyEnv`.

    ## Observation Space
    `{"observation": Box(D,) float32, "action_mask": Box(K + B,) int8}`. The vector holds the flat observation of the
    own situation, the own total, and of every other card its total and what its boxes show, in the order of play after
    the own card; `yatzy_env.envs.multiplayer_blocks(rules, cards)` is its index table. Dice are shown to those whose
    card is on turn. The mask holds the legal actions of the player selected; it is all zero for everybody else, and
    for all when the game is over.

    ## Rewards
    `reward="points"`: the points gained by a step, to every player of the card: the sum over a game is the card's
    total. `reward="win"`: 0 until the game ends; then 1 to the players of the card with the highest total, or 0 if
    several cards share it, and -1 to the rest. With two cards this is zero-sum; with more it is not: subtract the mean
    over the cards where that is needed. A game cut off has no result: 0 for all.

    ## Episode End
    Terminated when all cards are full. Truncated, for all players, after 100 illegal actions in a row.

    ## Information
    `infos[agent]`: `score`, the total of the own card; `score_player_0`, `score_player_1`, ..., that of every player;
    `illegal_action`, whether the player's last action was illegal. Then the state is unchanged, the reward 0 and the
    same player on turn (with `strict=True` it is an error instead).

    ## Arguments
    `ruleset`: a name, a dict of fields, or a Ruleset. `players`: how many, at least 2. `teams`: the players of each
    card by number, in the order of play; None gives each a card. `reward`: `points` or `win`. `render_mode`: `human`
    prints the cards after every step, `ansi` returns them as text, `rgb_array` as a picture. `strict`: raise on illegal
    actions. Options of `reset` are ignored.

    ## Version History
    * v0: first version.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012, the base class declares it so
        "name": "yatzy_v0",
        "render_modes": ["human", "ansi", "rgb_array"],
        "render_fps": 4,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        ruleset: str | dict[str, Any] | Ruleset = "yatzy",
        players: int = 2,
        teams: Teams | None = None,
        reward: str = "points",
        render_mode: str | None = None,
        strict: bool = False,
    ) -> None:
        """Builds the environment from the arguments that the class describes.

        Raises:
            RulesetError: for an unknown or invalid ruleset.
            YatzyError: for any other argument that is wrong.
        """
        super().__init__()
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise YatzyError(unknown("render mode", render_mode, self.metadata["render_modes"]))
        self.rules = find_ruleset(ruleset)
        self.teams = checked_teams(players, teams)
        self.reward = checked_reward(reward, self.teams)
        self.render_mode = render_mode
        self.strict = strict
        self.tables = compile_tables(self.rules)
        self.action_names = action_names(self.rules)
        self.possible_agents = [f"player_{player}" for player in range(players)]
        self.agents: list[str] = []
        card_of = {player: card for card, team in enumerate(self.teams) for player in team}
        self._card_of = {agent: card_of[player] for player, agent in enumerate(self.possible_agents)}
        self.action_spaces = {agent: spaces.Discrete(self.tables.actions) for agent in self.possible_agents}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": multiplayer_space(self.rules, len(self.teams)),
                    "action_mask": spaces.Box(0, 1, (self.tables.actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self._games = new_games(self.tables, np.zeros(len(self.teams), np.uint64))
        self._games.seat[:] = np.arange(len(self.teams))
        self._is_reset = False
        self._mask = np.zeros(self.tables.actions, np.int8)
        rows = compile_rows(self.rules)
        self._sizes = (rows.size, rows.size - rows.rest_at, self.rules.max_score)
        entries = sum(block.size for block in multiplayer_blocks(self.rules, len(self.teams)))
        self._vector = np.empty(entries, np.float32)
        self._hold()
        self._turn = 0  # turns done, all cards together
        self._illegal_in_a_row = 0

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a game.

        Args:
            seed: a whole number from 0, the key of the dice (hashed from 2**64 on). Without a seed the next game under
                the present key is played (a random key if none was ever given).
            options: ignored.

        Raises:
            YatzyError: for a seed that is not a whole number from 0.
        """
        if seed is None and not self._is_reset:
            seed = randbits(63)
        next_games(self.tables, self._games, None if seed is None else np.uint64(seed_key(seed)))
        self._is_reset = True
        self._turn = 0
        self._illegal_in_a_row = 0
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._skip_agent_selection = None
        self.agent_selection = self._player_on_turn()
        self._look(illegal=False)

    def step(self, action: Any) -> None:
        """Plays one action of the selected player; None for one whose game is over.

        Raises:
            IllegalActionError: for anything but a whole number of the action space; with `strict` for an illegal
                action too.
            YatzyError: before the first `reset`.
        """
        if not self._is_reset:
            raise YatzyError(STEP_BEFORE_RESET)
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        index = action_index(self.tables.actions, action)
        is_legal = self._mask[index] == 1
        if self.strict and not is_legal:
            raise illegal_action(self.action_names, index, self._mask)
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._illegal_in_a_row = 0 if is_legal else self._illegal_in_a_row + 1
        if is_legal:
            self._play(index)
        elif self._illegal_in_a_row >= ILLEGAL_LIMIT:
            self.truncations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
        self._look(illegal=not is_legal)
        if all(self.terminations.values()) or all(self.truncations.values()):
            self._deads_step_first()

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """What a player sees now: the vector and the action mask, as copies."""
        card, on_turn = self._card_of[agent], self._card_on_turn()
        _observe(self._held, card, -1 if on_turn is None else on_turn, *self._sizes)
        mask = self._mask.copy() if agent == self.agent_selection else np.zeros_like(self._mask)
        return {"observation": self._vector.copy(), "action_mask": mask}

    def observation_space(self, agent: str) -> spaces.Dict:
        """The observation space of a player, always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The action space of a player, always the same object."""
        return self.action_spaces[agent]

    def action_masks(self) -> NDArray[np.int8]:
        """(actions,) int8: the legal actions of the player selected."""
        return self._mask.copy()

    @property
    def situation(self) -> Situation:
        """The situation of the card on turn; that of the last card when the game is over."""
        card = self._card_on_turn()
        return single(self.tables, self._games.now, len(self.teams) - 1 if card is None else card)

    @property
    def scores(self) -> dict[str, int]:
        """Points so far of every player's card."""
        totals = self._games.total.tolist()
        return {agent: totals[card] for agent, card in self._card_of.items()}

    def render(self) -> Any:
        """All cards: a str in mode `ansi`, an (H, W, 3) uint8 array in mode `rgb_array`, else None."""
        if self.render_mode is None:
            return None
        view = TableView(
            rules=self.rules,
            owners=tuple(
                self.possible_agents[team[0]] if len(team) == 1 else f"players {', '.join(map(str, team))}"
                for team in self.teams
            ),
            now=self._games.now,
            written=self._games.written,
            totals=self._games.total,
            on_turn=self._card_on_turn(),
            player=self.agent_selection,
        )
        if self.render_mode == "rgb_array":
            return table_image(view)
        if self.render_mode == "ansi":
            return table_text(view)
        sys.stdout.write(table_text(view) + "\n")
        return None

    def close(self) -> None:
        """Nothing is held open; PettingZoo's checks ask for the method."""

    def __getstate__(self) -> dict[str, Any]:
        # Copies share the tables: a copied table would be writable, and every kernel compiled anew for it.
        return {name: value for name, value in vars(self).items() if name not in ("tables", "_held")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.tables = compile_tables(self.rules)
        self._hold()

    def _hold(self) -> None:
        self._held = hold(self.tables, self._games, self._vector, self._mask)

    def _play(self, index: int) -> None:
        """Plays a legal action of the card on turn and pays for it."""
        card = self._turn % len(self.teams)
        gained = float(_act(self._held, card, index))
        if self.reward == "points":
            for player in self.teams[card]:
                self.rewards[self.possible_agents[player]] = gained
        if index < self.tables.keeps:
            return
        self._turn += 1
        if self._card_on_turn() is not None:
            self.agent_selection = self._player_on_turn()
            return
        self.terminations = dict.fromkeys(self.agents, True)
        if self.reward == "win":
            earned = win_rewards(self._games.total)
            self.rewards = {agent: earned[self._card_of[agent]] for agent in self.agents}

    def _look(self, illegal: bool) -> None:
        """Renews the mask and what `infos` say; `illegal` is about the player selected."""
        card = self._card_on_turn()
        if card is None or any(self.truncations.values()):
            self._mask[:] = 0
        else:
            _look(self._held, card)
        scores = self.scores
        by_name = {f"score_{agent}": score for agent, score in scores.items()}
        self.infos = {agent: {"score": scores[agent], "illegal_action": False, **by_name} for agent in self.agents}
        self.infos[self.agent_selection]["illegal_action"] = illegal
        if self.render_mode == "human":
            self.render()

    def _card_on_turn(self) -> int | None:
        cards = len(self.teams)
        return self._turn % cards if self._turn < cards * self.tables.card.boxes else None

    def _player_on_turn(self) -> str:
        played, card = divmod(self._turn, len(self.teams))
        team = self.teams[card]
        return self.possible_agents[team[played % len(team)]]


@kernel
def _act(held, card, action):
    tables, games, _, _ = take(held)
    return act(tables, games, card, action)


@kernel
def _look(held, card):
    tables, games, _, mask = take(held)
    write_mask(tables, games.now, card, mask)


@kernel
def _observe(held, card, on_turn, size, rest, highest):
    tables, games, vector, _ = take(held)
    write_vector(tables, games, card, on_turn, size, rest, highest, vector)
