"""What all bodies have in common: how they are filled, bounds, kinds of fields, problems."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

MAX_SEATS = 6
MAX_NAME = 24

Level = Literal["off", "hints", "full"]
Source = Literal["exact", "estimate", "none"]


def _whole(value: object) -> object:
    """1.0 is a whole number in JSON; "1" and true are none."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


_NAME = r"^ *[^\s\x00-\x1f\x7f<>][^\x00-\x1f\x7f\u2028\u2029<>]*$"
_IN_JSON = BeforeValidator(_whole)

PlayerName = Annotated[str, Field(min_length=1, max_length=MAX_NAME, pattern=_NAME)]
Face = Annotated[int, Field(ge=1, le=6, strict=True), _IN_JSON]
Position = Annotated[int, Field(ge=0, le=5, strict=True), _IN_JSON]
SeatIndex = Annotated[int, Field(ge=0, lt=MAX_SEATS, strict=True), _IN_JSON]
Version = Annotated[int, Field(ge=0, le=1_000_000, strict=True), _IN_JSON]


class Request(BaseModel):
    """A body sent to the server: unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class Answer(BaseModel):
    """A body the server sends. Inside another one, an object with its fields as attributes will do for it."""

    model_config = ConfigDict(extra="forbid", frozen=True, from_attributes=True)

    @classmethod
    def fill(cls, *sources: object, **given: Any) -> Self:
        """Fills every field from `given`, else from the first source with an attribute of that name.

        Raises:
            ValidationError: if a field is in none of them.
        """
        for name in cls.model_fields.keys() - given.keys():
            source = next((one for one in sources if hasattr(one, name)), None)
            if source is not None:
                given[name] = getattr(source, name)
        return cls(**given)


class Problem(Answer):
    """What went wrong, in every answer of status 400 and above."""

    code: str = Field(description="for programs and message files, such as stale_version")
    message: str = Field(description="one English sentence naming the value and what is allowed")
