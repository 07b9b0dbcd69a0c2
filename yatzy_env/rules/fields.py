"""The fields of a ruleset: every rule of one game as plain data, and how it is validated one by one."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

Order = Literal["free", "upper-first", "upper-in-order", "top-down"]
Joker = Literal["none", "forced", "free"]


def _as_tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


class Fields(BaseModel):
    """What a `Ruleset` holds; the defaults are Scandinavian Yatzy.

    Attributes:
        name: its name in the catalogue, or any name for a ruleset of your own.
        dice: dice on the table, 2 to 6 (the printed games use five or six).
        throws: throws of a turn, the first included.
        boxes: box ids of one column in the order of the sheet, upper section first.
        columns: what the points of each column are multiplied by.
        bonus_threshold: the upper sum that earns the bonus.
        bonus_points: the bonus, paid once per column when the sum reaches the threshold; 0 means no bonus.
        yatzy_points: what all dice alike pay in the yatzy box.
        yatzy_adds_pips: the yatzy box pays 50 plus the pips shown instead of `yatzy_points`.
        five_alike_is_full_house: five alike count as a full house.
        four_alike_is_two_pairs: four alike count as two pairs (five dice or fewer).
        of_a_kind_sums: n of a kind pay the n dice (`matching`) or all dice on the table (`all`).
        full_house_points: a fixed price for the full house; 0 pays the sum of its dice.
        straights: `fixed` wants 1-5, 2-6 and 1-6; `runs` wants any four, five or six in a row.
        small_straight_points: what the small straight pays.
        large_straight_points: what the large straight pays.
        full_straight_points: what the full straight pays.
        order: the order in which boxes must be filled, within each column.
        yatzy_first: all dice alike may go in the yatzy box at once, out of order.
        joker: what all dice alike may do when the yatzy box is filled.
        extra_yatzy_bonus: points for all dice alike once the yatzy box holds points.
        saved_throws: unused throws are kept for later turns (six dice).
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    name: str = Field(default="custom", pattern=r"^[a-z0-9][a-z0-9-]*$", max_length=60)
    dice: int = Field(default=5, ge=2, le=6)
    throws: int = Field(default=3, ge=1, le=5)
    boxes: Annotated[tuple[str, ...], BeforeValidator(_as_tuple)] = Field(min_length=1)
    columns: Annotated[tuple[int, ...], BeforeValidator(_as_tuple)] = Field(default=(1,), min_length=1, max_length=3)
    bonus_threshold: int = Field(default=63, ge=0)
    bonus_points: int = Field(default=50, ge=0, le=1000)
    yatzy_points: int = Field(default=50, ge=1, le=1000)
    yatzy_adds_pips: bool = False
    five_alike_is_full_house: bool = False
    four_alike_is_two_pairs: bool = False
    of_a_kind_sums: Literal["matching", "all"] = "matching"
    full_house_points: int = Field(default=0, ge=0, le=1000)
    straights: Literal["fixed", "runs"] = "fixed"
    small_straight_points: int = Field(default=15, ge=1, le=1000)
    large_straight_points: int = Field(default=20, ge=1, le=1000)
    full_straight_points: int = Field(default=21, ge=1, le=1000)
    order: Order = "free"
    yatzy_first: bool = False
    joker: Joker = "none"
    extra_yatzy_bonus: int = Field(default=0, ge=0, le=1000)
    saved_throws: bool = False
