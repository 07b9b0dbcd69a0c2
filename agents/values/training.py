"""Training of a value network in a run folder that can be taken up again after any round (`agents.training.runs`)."""

from __future__ import annotations

from collections.abc import Callable

from agents.training.rounds import train_rounds
from agents.training.runs import Run
from agents.values.config import ValuesConfig
from agents.values.learner import Learner
from agents.values.network import FILE, ValueNetwork, save_values
from yatzy_env.situation import empty_situations
from yatzy_env.turn import cards_of


def train_values(run: Run, say: Callable[[str], None], on_round: Callable[[int], None] | None = None) -> ValueNetwork:
    """Trains what the run's configuration says, from where it stands.

    Args:
        run: the run.
        say: called with a line after each checkpoint.
        on_round: called with the number of rounds done.

    Returns:
        The trained network, which the run's last checkpoint holds as `values.npz`.

    Raises:
        RunError: if the checkpoint cannot be read.
        DivergedError: when the loss is not finite any more; the last checkpoint stays.
    """
    config = ValuesConfig.read(run.config_file)
    learner = Learner(config)

    def work() -> tuple[float, float]:
        learner.work()
        start = cards_of(learner.tables, empty_situations(learner.tables, 1))
        return learner.loss, float(learner.network.card_values(start)[0])

    train_rounds(
        run,
        learner.fitter,
        work,
        lambda folder: save_values(learner.network, folder / FILE, learner.fitter.round),
        config.checkpoint_minutes,
        say,
        on_round,
    )
    return learner.network
