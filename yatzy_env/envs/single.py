"""The Gymnasium environment for one player, on the tables of any ruleset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from yatzy_env.envs.held import hold, take
from yatzy_env.envs.observation import observation_size, observation_space, write_observation
from yatzy_env.envs.render import SheetView, sheet_image, sheet_text
from yatzy_env.errors import IllegalActionError, SituationError, YatzyError, shown, unknown
from yatzy_env.games import Games, act, is_legal, new_games, next_games, write_mask
from yatzy_env.inputs import action_index, own_seed, seed_key, whole_number
from yatzy_env.kernel import kernel
from yatzy_env.rules import Ruleset
from yatzy_env.rules import ruleset as find_ruleset
from yatzy_env.situation import Situation, Situations, batch, single
from yatzy_env.tables import action_names, compile_tables

ILLEGAL_LIMIT = 100
"""Illegal actions in a row after which an episode is truncated."""
STEP_BEFORE_RESET = "step before reset: no game has begun; call reset first"


class YatzyEnv(gymnasium.Env[Any, np.int64]):
    """Yatzy and its relatives for one player.

    ## Description
    Throw dice up to three times a turn, keep what helps, fill one box of the card per turn; the sum of all boxes and
    bonuses is the score. The ruleset (17 named ones, or your own) decides dice, boxes, order, bonus and special rules.
    The best expected score of every single-column game is known exactly, see `yatzy_env.solve`.

    ## Action Space
    `Discrete(K + B)`. Actions 0..K-1 keep a multiset of the dice on the table and throw the rest (K = 210 with five
    dice, 462 with six; by number of dice, then lexicographic); K..K+B-1 fill a box in sheet order. One action has one
    meaning whatever the roll. `action_names` says it in words. `info["action_mask"]` and `action_masks()` say which are
    legal (int8, 1 = legal).

    ## Observation Space
    `Box(D,)` float32, a function of dice, throws left, open boxes, upper sum and (Yahtzee) whether the yatzy box holds
    points. `yatzy_env.envs.observation_blocks(ruleset)` is its index table.

    ## Starting State
    An empty card and a first throw of all dice; or `reset(options={"situation": Situation(...)})`.

    ## Rewards
    The points gained by the step, bonuses at the step that secures them: the return of an episode is its score.

    ## Episode End
    Terminated when the card is full. Truncated after 100 illegal actions in a row.

    ## Information
    `action_mask`: the legal actions, int8; all zero only on a full card. `illegal_action`: whether the last action was
    illegal; then the state is unchanged and the reward 0 (or, with `strict=True`, an error). `score`: points so far.

    ## Arguments
    `ruleset`: a name, a dict of fields, or a Ruleset. `strict`: raise on illegal actions. `render_mode`: `ansi` for a
    score sheet in text, `rgb_array` for a picture.

    ## Example
    >>> env = YatzyEnv("yatzy", strict=True)
    >>> observation, info = env.reset(seed=7)
    >>> env.situation.roll
    (4, 4, 5, 6, 6)
    >>> actions = {name: number for number, name in enumerate(env.action_names)}
    >>> _, reward, _, _, info = env.step(actions["keep 6 6"])
    >>> reward, env.situation.roll
    (0.0, (2, 4, 6, 6, 6))
    >>> _, reward, _, _, info = env.step(actions["score sixes"])
    >>> reward, info["score"], int(info["action_mask"][actions["score sixes"]])
    (18.0, 18, 0)

    ## References
    Rulesets and their fields: `docs/rulesets.md`. Dice: `yatzy_env.dice`.

    ## Version History
    * v0: first version.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "rgb_array"], "render_fps": 4}  # noqa: RUF012, the base class declares it so

    def __init__(
        self,
        ruleset: str | dict[str, Any] | Ruleset = "yatzy",
        render_mode: str | None = None,
        strict: bool = False,
    ) -> None:
        """Builds the environment from the arguments that the class describes.

        Raises:
            RulesetError: for an unknown or invalid ruleset.
            YatzyError: for an unknown render mode.
        """
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise YatzyError(unknown("render mode", render_mode, self.metadata["render_modes"]))
        self.rules = find_ruleset(ruleset)
        self.strict = strict
        self.render_mode = render_mode
        self.tables = compile_tables(self.rules)
        self.action_names = action_names(self.rules)
        self.action_space = spaces.Discrete(self.tables.actions)
        self.observation_space = observation_space(self.rules)
        self._games = new_games(self.tables, np.zeros(1, np.uint64))
        self._observation = np.empty(observation_size(self.tables), np.float32)
        self._mask = np.empty(self.tables.actions, np.int8)
        self._illegal_in_a_row = 0
        self._is_reset = False
        self._hold()

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Starts an episode.

        Args:
            seed: a whole number from 0, the key of the dice (hashed from 2**64 on). Without a seed the next game under
                the present key is played; at first that of the random `np_random_seed`, which plays the game again.
            options: `{"situation": Situation or dict of its fields}` starts from there, with a score of 0.

        Returns:
            Observation and info.

        Raises:
            YatzyError: for an unknown option, or a seed that is not a whole number from 0.
            SituationError: for a situation the rules do not allow, or a full card.
        """
        start = self._start(options)
        number = None if seed is None else whole_number("seed", seed, 0)
        super().reset(seed=number)
        if number is None and not self._is_reset:
            number = own_seed(self)
        next_games(self.tables, self._games, None if number is None else np.uint64(seed_key(number)))
        self._is_reset = True
        if start is not None:
            for here, values in zip(self._games.now, start, strict=True):
                here[:] = values
            self._games.throw[0] = max(0, self.tables.throws - 1 - start.throws_left[0])
        self._illegal_in_a_row = 0
        _look(self.tables, self._games, self._observation, self._mask)
        return self._observation.copy(), self._info(illegal=False)

    def step(self, action: Any) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Plays one action, given by its index.

        Returns:
            Observation, reward, terminated, truncated, info.

        Raises:
            IllegalActionError: for anything but a whole number of the action space; with `strict` for an illegal
                action too.
            YatzyError: before the first `reset`.
        """
        if not self._is_reset:
            raise YatzyError(STEP_BEFORE_RESET)
        index = action_index(self.tables.actions, action)
        gained = _step(self._held, index)
        illegal = gained < 0
        if illegal:
            if self.strict:
                raise illegal_action(self.action_names, index, self._mask)
            self._illegal_in_a_row += 1
            gained = 0
        else:
            self._illegal_in_a_row = 0
        terminated = bool(self._games.now.roll[0] < 0)
        truncated = self._illegal_in_a_row >= ILLEGAL_LIMIT
        return self._observation.copy(), float(gained), terminated, truncated, self._info(illegal)

    def action_masks(self) -> NDArray[np.int8]:
        """(actions,) int8, 1 where legal: what MaskablePPO asks for."""
        return self._mask.copy()

    @property
    def situation(self) -> Situation:
        """The situation the player is in."""
        return single(self.tables, self._games.now, 0)

    @property
    def score(self) -> int:
        """Points so far in this episode."""
        return int(self._games.total[0])

    def render(self) -> Any:
        """The score sheet: a str in mode `ansi`, an (H, W, 3) uint8 array in mode `rgb_array`, None without a mode."""
        if self.render_mode is None:
            return None
        written = tuple(int(points) if points >= 0 else None for points in self._games.written[0])
        view = SheetView(self.rules, self.situation, written, self.score)
        return sheet_text(view) if self.render_mode == "ansi" else sheet_image(view)

    def look_at(self, games: Games) -> None:
        """Puts this environment where another's game stands, one of the same ruleset, to be shown."""
        for here, values in zip(self._games.arrays().values(), games.arrays().values(), strict=True):
            here[:] = values
        _look(self.tables, self._games, self._observation, self._mask)

    def __getstate__(self) -> dict[str, Any]:
        """All but the tables, which copies share, and the addresses of arrays, which are other ones in a copy."""
        return {name: value for name, value in self.__dict__.items() if name not in ("tables", "_held")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.tables = compile_tables(self.rules)
        self._hold()

    def _hold(self) -> None:
        self._held = hold(self.tables, self._games, self._observation, self._mask)

    def _start(self, options: Mapping[str, Any] | None) -> Situations | None:
        """The situation to start from, checked, before anything of the episode changes."""
        if options is None:
            return None
        if not isinstance(options, Mapping):
            raise SituationError(f"options = {shown(options)}; allowed: a mapping with the key situation")
        strange = [key for key in options if key != "situation"]
        if strange:
            raise YatzyError(unknown("reset option", strange[0], ["situation"]))
        if not options:
            return None
        given = options["situation"]
        if isinstance(given, Mapping):
            try:
                given = Situation(**given)
            except TypeError as error:
                raise SituationError(f"situation {shown(dict(given))}: {error}") from error
        if not isinstance(given, Situation):
            raise SituationError(f"situation = {shown(given)}; allowed: a Situation or a dict of its fields")
        start = batch(self.rules, [given])
        if start.roll[0] < 0:
            raise SituationError(f"filled = {given.filled}: the card is full, nothing is left to play")
        return start

    def _info(self, illegal: bool) -> dict[str, Any]:
        return {"action_mask": self._mask.copy(), "illegal_action": illegal, "score": self.score}


def illegal_action(names: Sequence[str], index: int, mask: NDArray[np.int8], where: str = "") -> IllegalActionError:
    """The error of an illegal action, which names those that are legal; `where` it was played stands first."""
    legal = ", ".join(names[i] for i in np.flatnonzero(mask).tolist())
    wrong = f" is not legal; legal: {legal}" if legal else ": the game is over, no action is legal"
    return IllegalActionError(f"{where}action {index} ({names[index]}){wrong}")


@kernel
def _look(tables, games, observation, mask):
    write_observation(tables, games.now, 0, observation)
    write_mask(tables, games.now, 0, mask)


@kernel
def _step(held, action):
    """Plays an action in the only env; returns the points gained, or -1 and changes nothing if it is illegal."""
    tables, games, observation, mask = take(held)
    if not is_legal(tables, games.now, 0, action):
        return np.int64(-1)
    gained = act(tables, games, 0, action)
    _look(tables, games, observation, mask)
    return gained
