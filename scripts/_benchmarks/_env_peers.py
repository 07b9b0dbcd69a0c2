"""Times another package's game, one player's random legal steps with observation and legal actions, without choosing.

Runs in the package's own environment, so it imports nothing of this project: `python _env_peers.py pyhtzee`. Prints
JSON: `version`, `game` and `steps_per_second` (CPU seconds).
"""

from __future__ import annotations

import json
import random
import sys
import time
from importlib.metadata import version
from typing import Any

GAMES = 300


def open_spiel() -> tuple[str, float]:
    import pyspiel  # type: ignore[import-not-found, unused-ignore]

    game = pyspiel.load_game("yacht(players=1)")
    histories: list[list[int]] = []
    decisions = 0
    for _ in range(GAMES):
        state = game.new_initial_state()
        history = []
        while not state.is_terminal():
            chance = state.is_chance_node()
            choices = [action for action, _ in state.chance_outcomes()] if chance else state.legal_actions()
            decisions += not chance
            history.append(random.choice(choices))
            state.apply_action(history[-1])
        histories.append(history)
    start = time.process_time()
    for history in histories:
        state = game.new_initial_state()
        for action in history:
            state.apply_action(action)  # dice are applied as actions too, but are no steps of the player
            if not state.is_terminal() and not state.is_chance_node():
                state.observation_tensor(0)
                state.legal_actions()
    return "yacht, one player", decisions / (time.process_time() - start)


def pyhtzee() -> tuple[str, float]:
    from pyhtzee import Pyhtzee  # type: ignore[import-not-found, unused-ignore]

    steps, spent = 0, 0.0
    for _ in range(GAMES):
        game = Pyhtzee()
        legal = game.get_possible_actions()
        while not game.is_finished():
            action = random.choice(legal)
            start = time.process_time()
            game.take_action(action)
            legal = game.get_possible_actions()
            spent += time.process_time() - start
            steps += 1
    return "yahtzee, legal actions, no observation", steps / spent


def gym_yahtzee() -> tuple[str, float]:
    import logging

    from gym_yahtzee.envs.yahtzee_env import YahtzeeSingleEnv  # type: ignore[import-not-found, unused-ignore]

    logging.disable()
    env: Any = YahtzeeSingleEnv()
    steps, spent = 0, 0.0
    for _ in range(GAMES):
        env.reset()
        legal = env.pyhtzee.get_possible_actions()
        finished = False
        while not finished:
            action = random.choice(legal)
            start = time.process_time()
            finished = env.step(action)[2]
            legal = env.pyhtzee.get_possible_actions()
            spent += time.process_time() - start
            steps += 1
    return "yahtzee", steps / spent


def main() -> None:
    package = sys.argv[1]
    random.seed(1)
    game, speed = {"open_spiel": open_spiel, "pyhtzee": pyhtzee, "gym-yahtzee": gym_yahtzee}[package]()
    print(json.dumps({"version": version(package), "game": game, "steps_per_second": speed}))


if __name__ == "__main__":
    main()
