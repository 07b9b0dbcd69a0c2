"""Configurations: read from YAML, validated as a whole, refused in one line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from agents.errors import ConfigError
from yatzy_env.errors import folded, one_line
from yatzy_env.files import sha256

CONFIGS = Path(__file__).parents[2] / "configs"
"""The shipped configurations."""


class Settings(BaseModel):
    """Some keys of a configuration: fixed once made, without unknown keys and numbers that are not finite."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    RENAMED: ClassVar[Mapping[str, str]] = {}
    """Keys of earlier versions, which are still read, with what they are called today."""

    @model_validator(mode="before")
    @classmethod
    def _modernised(cls, fields: object) -> object:
        return cls.modernise(fields) if isinstance(fields, Mapping) else fields

    @classmethod
    def modernise(cls, fields: Mapping[Any, Any]) -> dict[Any, Any]:
        """The fields with the keys of today.

        Raises:
            ConfigError: if a key is there under both names, or asks for what is no more.
        """
        for old, new in cls.RENAMED.items():
            if old in fields and new in fields:
                raise ConfigError(f"{old} and {new} are one key; say it once")
        return {cls.RENAMED.get(key, key): value for key, value in fields.items()}

    @classmethod
    def as_first_named(cls, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The fields with the keys of earlier versions, which digests of results go by."""
        first = {new: old for old, new in cls.RENAMED.items()}
        return {first.get(key, key): value for key, value in fields.items()}

    @classmethod
    def parse(cls, fields: object, source: str = "configuration") -> Self:
        """Validates keys and values that come from a source, which messages name.

        Raises:
            ConfigError: in one line, naming the key, its value and what is allowed, or near matches of a misspelt key.
        """
        try:
            return cls.model_validate(fields)
        except ValidationError as error:
            raise ConfigError(f"{source}: {one_line(error, _known_keys(cls))}") from error

    @classmethod
    def read(cls, path: Path) -> Self:
        """Reads a YAML file.

        Raises:
            ConfigError: in one line, if it does not exist, is not YAML or does not fit.
        """
        return cls.parse(read_yaml(path), str(path))

    def to_yaml(self) -> str:
        """The same as YAML, which is read back as it was."""
        return yaml.safe_dump(self.model_dump(mode="json"), sort_keys=False)


def _not_a_switch(value: object) -> object:
    if isinstance(value, bool):
        raise PydanticCustomError("number", "input should be a number")
    return value


Whole = Annotated[int, Field(strict=True)]
Count = Annotated[int, Field(strict=True, ge=1)]
Number = Annotated[float, BeforeValidator(_not_a_switch)]  # YAML reads 1e-3, without a point, as text: let it pass
Widths = Annotated[tuple[Annotated[int, Field(strict=True, ge=1, le=8192)], ...], Field(min_length=1, max_length=8)]
"""Of the hidden layers of a network."""


class Ramp(Settings):
    """A number that changes with the steps done.

    Attributes:
        start: its value until `begin`.
        end: its value from `finish` on.
        begin: the share of all steps after which it starts to change.
        finish: the share of all steps after which it has arrived.
        shape: `linear`: by as much in every step; `geometric`: by the same factor.
    """

    start: Number = Field(ge=0)
    end: Number = Field(ge=0)
    begin: Number = Field(default=0.0, ge=0, lt=1)
    finish: Number = Field(default=1.0, gt=0, le=1)
    shape: Literal["linear", "geometric"] = "linear"

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.begin >= self.finish:
            raise ValueError(f"begin = {self.begin} must lie before finish = {self.finish}")
        if self.shape == "geometric" and not min(self.start, self.end) > 0:
            raise ValueError(f"{self.start} to {self.end} must lie above 0 for a geometric change")
        return self

    def at(self, share: float) -> float:
        """The value after a share of all steps."""
        way = min(max((share - self.begin) / (self.finish - self.begin), 0.0), 1.0)
        if self.shape == "geometric":
            return float(self.start * (self.end / self.start) ** way)
        return self.start + (self.end - self.start) * way


def _constant(value: object) -> object:
    if isinstance(value, int | float | str) and not isinstance(value, bool):
        return {"start": value, "end": value}
    if not isinstance(value, Mapping | Ramp):
        raise PydanticCustomError("schedule", "input should be a number or a mapping with start and end")
    return value


Schedule = Annotated[Ramp, BeforeValidator(_constant)]


class FitSettings(Settings):
    """How a network is fitted to samples, round by round (`agents.training.fitting`).

    Attributes:
        hidden: widths of the hidden layers.
        rounds: how often new samples are made and learnt from.
        memory: rounds whose samples are learnt from.
        passes: how often the memory is gone through per round.
        minibatch: samples per update of the weights.
        learning_rate: of Adam, over the rounds.
        ema: share of the new weights in the averaged weights, per update; the averaged ones play.
    """

    hidden: Widths = (256, 256)
    rounds: Count = 80
    memory: Count = 4
    passes: Count = 2
    minibatch: Count = 512
    learning_rate: Schedule = Ramp(start=2e-3, end=0.0)
    ema: Number = Field(default=0.01, gt=0, le=1)


class _Loader(yaml.SafeLoader):
    """Refuses a key that is there twice, where YAML would take the last."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for place, key in enumerate(keys):
            if key in keys[:place]:
                raise yaml.constructor.ConstructorError(None, None, f"the key {key!r} is there twice", node.start_mark)
        return super().construct_mapping(node, deep)


_DIGEST = "# sha256 of the lines above: "


def with_digest(text: str) -> str:
    """YAML with a comment that lets `read_yaml` notice any damage."""
    return f"{text}{_DIGEST}{sha256(text.encode())}\n"


def read_yaml(path: Path) -> dict[Any, Any]:
    """Reads keys and values.

    Raises:
        ConfigError: if the file does not exist, is not a mapping in YAML, has a key twice, or is not what its digest
            says, if it has one.
    """
    try:
        text = path.read_text(encoding="utf-8")
        lines, mark, digest = text.rpartition(_DIGEST)
        if mark and digest.strip() != sha256(lines.encode()):
            raise ConfigError(f"{path}: damaged, or changed by hand; without its last line it is taken as it is")
        fields = yaml.load(text, _Loader)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from error
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"{path}: not YAML: {folded(error)}") from error
    return mapping(fields, str(path))


def mapping(fields: object, source: str) -> dict[Any, Any]:
    """The fields as a dict.

    Raises:
        ConfigError: if they are not a mapping.
    """
    if not isinstance(fields, Mapping):
        raise ConfigError(f"{source}: not a mapping of keys to values")
    return dict(fields)


def _known_keys(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    """The keys of a configuration, those of its parts with dots."""
    for name, field in model.model_fields.items():
        yield prefix + name
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from _known_keys(field.annotation, f"{prefix}{name}.")
