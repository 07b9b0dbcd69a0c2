"""Fitting how the points still to come are distributed, in a run folder that can be taken up again after any round.

Cards are drawn at random and met in games that the planner plays; what each still brings by one planned turn and the
networks' answers for the cards after it (`agents.winning.rests`) is what the network is fitted to. Late cards are
learnt first, one more box open in every round. The value network stays as it is; the run keeps a copy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from agents.errors import RunError
from agents.training.fitting import Fitter, Samples
from agents.training.rounds import train_rounds
from agents.training.runs import Run, start_run
from agents.values.cards import card_inputs, write_inputs
from agents.values.draw import draw_cards
from agents.values.network import FILE as VALUES
from agents.values.network import SCALE, ValueNetwork, read_values, save_values
from agents.winning.agent import check_rules
from agents.winning.config import WinConfig
from agents.winning.games import play_alone
from agents.winning.rests import FILE, SLICES, RestNetwork, save_model
from yatzy_env.dice import key
from yatzy_env.situation import empty_situations
from yatzy_env.tables import compile_tables
from yatzy_env.turn import Cards, cards_of

CHECKPOINT_MINUTES = 1.0
"""Between checkpoints."""

_TURNS = 2048  # turns planned at once


def open_folder(folder: Path, config: WinConfig, values: Callable[[], ValueNetwork], command: str) -> Run:
    """Makes the folder of a run, or notes the command in the one that is there.

    Args:
        folder: the folder.
        config: what is trained.
        values: gives the value network to start from.
        command: the command line.

    Raises:
        RunError: if the folder holds a run of another configuration.
        YatzyError: if the rules cannot be played for the win, or the value network is of other rules.
    """
    run = Run(folder)
    if not run.config_file.exists():
        check_rules(config.rules)
        network = values()
        if network.rules.digest != config.rules.digest:
            raise RunError(f"the value network is of {network.rules.name!r} and does not fit {config.rules.name!r}")
        folder.mkdir(parents=True, exist_ok=True)
        save_values(network, folder / VALUES, 0)
        return start_run(folder, config, [config.rules], command)
    if WinConfig.read(run.config_file) != config:
        raise RunError(f"{folder} holds a run of another configuration; --folder names another one")
    run.change(config, command)
    return run


def train(run: Run, say: Callable[[str], None], on_round: Callable[[int], None] | None = None) -> RestNetwork:
    """Trains what the run's configuration says, from where it stands.

    Args:
        run: the run.
        say: called with a line after each checkpoint.
        on_round: called with the number of rounds done.

    Returns:
        The trained network, which the run's last checkpoint holds as `networks.npz`.

    Raises:
        RunError: if the checkpoint cannot be read.
        DivergedError: when the loss is not finite any more; the last checkpoint stays.
    """
    config = WinConfig.read(run.config_file)
    rules, values = config.rules, read_values(run.folder / VALUES)
    fitter = Fitter(config, card_inputs(rules).size, SLICES, config.seed)
    start = cards_of(compile_tables(rules), empty_situations(compile_tables(rules), 1))

    def tensors(samples: Samples) -> list[NDArray[np.float32]]:
        return [write_inputs(rules, Cards(*(samples[name] for name in Cards._fields))), samples["around"]]

    def work() -> tuple[float, float]:
        rng = np.random.default_rng([config.seed, fitter.round])
        cards = _round_cards(config, values, fitter.round, rng)
        network = RestNetwork(values, fitter.layers)
        around = np.concatenate([_around(network, some) for some in _parts(cards)])
        fitter.learn({**cards._asdict(), "around": around}, tensors, _squared_error, rng)
        _, rests = RestNetwork(values, fitter.layers).card_rests(start)
        return SCALE * float(np.sqrt(fitter.loss)), float(rests.std())

    def save(folder: Path) -> None:
        save_model(RestNetwork(values, fitter.layers), folder / FILE)

    train_rounds(run, fitter, work, save, CHECKPOINT_MINUTES, say, on_round)
    return RestNetwork(values, fitter.layers)


def _round_cards(config: WinConfig, values: ValueNetwork, number: int, rng: np.random.Generator) -> Cards:
    """The cards of a round: one box is open in the first one, up to one more in each that follows."""
    rules, boxes = config.rules, compile_tables(config.rules).card.boxes
    least = max(boxes - 1 - number, 0)
    drawn = draw_cards(rules, rng.integers(least, boxes, config.cards), rng)
    first = number * config.games
    keys = [key("train", config.seed, "rests", game) for game in range(first, first + config.games)]
    played = play_alone(rules, values.card_values, np.array(keys, np.uint64)).cards
    met = Cards._make(array[least:boxes].reshape(-1, *array.shape[2:]) for array in played)
    return Cards._make(np.concatenate(parts) for parts in zip(drawn, met, strict=True))


def _parts(cards: Cards) -> Iterator[Cards]:
    for start in range(0, len(cards.filled), _TURNS):
        yield cards.take(slice(start, start + _TURNS))


def _around(network: RestNetwork, cards: Cards) -> NDArray[np.float32]:
    """How the slices of cards should lie around their values, in the unit of the network."""
    _, rests = network.planned_rests(cards)
    return ((rests - network.values.card_values(cards)[:, None]) / SCALE).astype(np.float32)


def _squared_error(outputs: Tensor, targets: list[Tensor]) -> Tensor:
    return (outputs - targets[0]).square().mean()
