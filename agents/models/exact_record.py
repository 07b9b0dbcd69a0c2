"""The exact score of a model as its card keeps it: it costs up to an hour, and stays true as long as the weights do."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from yatzy_env.errors import YatzyError
from yatzy_env.evaluation.exact import ExactScore
from yatzy_env.evaluation.provenance import Provenance


@dataclass(frozen=True)
class ExactRecord:
    """What the exact evaluation of a model found.

    Attributes:
        expected_score: the expected final score.
        standard_deviation: of the final score; None where its distribution was not computed.
        bonus_rate: chance of the bonus.
        yatzy_rate: chance of points in the yatzy box.
        cards: cards the model comes to.
        situations: situations it was asked about.
        seconds: how long that took.
        weights: SHA-256 of the file of weights.
        date: the day it was computed, in UTC.
        commit: the commit of the checkout that computed it.
    """

    expected_score: float
    standard_deviation: float | None
    bonus_rate: float
    yatzy_rate: float
    cards: int
    situations: int
    seconds: float
    weights: str
    date: str
    commit: str | None

    def fields(self) -> dict[str, Any]:
        """The same as a JSON object."""
        return asdict(self)

    def describe(self) -> str:
        """Where the figure comes from, in one line."""
        return (
            f"{self.situations:,} situations on {self.cards:,} cards, {self.seconds:.0f} s, {self.date}, commit "
            f"{self.commit or 'not in a repository'}"
        )


def exact_record(exact: ExactScore, weights: str, origin: Provenance) -> ExactRecord:
    """Makes the record of an exact evaluation.

    Args:
        exact: what was computed.
        weights: SHA-256 of the file of weights.
        origin: where and when.
    """
    return ExactRecord(
        expected_score=exact.expected_score,
        standard_deviation=float(exact.distribution.standard_deviation) if exact.distribution else None,
        bonus_rate=exact.bonus_rate,
        yatzy_rate=exact.yatzy_rate,
        cards=exact.cards,
        situations=exact.situations,
        seconds=round(exact.seconds, 1),
        weights=weights,
        date=origin.date,
        commit=origin.commit,
    )


def kept_exact(results: Path, weights: str) -> ExactRecord | None:
    """The exact score in an earlier `results.json`; None if there is none, or it is that of other weights.

    Raises:
        YatzyError: if the file is damaged.
    """
    if not results.is_file():
        return None
    try:
        found = json.loads(results.read_text(encoding="utf-8")).get("exact")
        record = ExactRecord(**found) if found else None
    except (ValueError, TypeError, AttributeError) as error:
        raise YatzyError(f"{results}: damaged ({' '.join(str(error).split())}); delete it to measure anew") from error
    return record if record is not None and record.weights == weights else None
