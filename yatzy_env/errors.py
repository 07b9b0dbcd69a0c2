"""Error types, and one-line texts for what a user got wrong."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Iterable
from difflib import get_close_matches

from pydantic import ValidationError


class YatzyError(ValueError):
    """Anything a caller can put right: the message is one line that names the value and what is allowed."""


class RulesetError(YatzyError):
    """An unknown ruleset, or one whose fields do not fit together."""


class SituationError(YatzyError):
    """A situation that cannot arise under its ruleset."""


class IllegalActionError(YatzyError):
    """An action that the rules do not allow in the situation."""


class SolutionError(YatzyError):
    """A ruleset that cannot be solved, or a stored solution that cannot be used."""


_REPR = reprlib.Repr()
_REPR.maxstring = _REPR.maxother = _REPR.maxlong = 200
_REPR.maxlist = _REPR.maxtuple = _REPR.maxdict = 30


def shown(value: object) -> str:
    """A value as it is written in Python, in one line; long or deep ones are cut."""
    return re.sub(r"\s*\n\s*", " ", _REPR.repr(value))


def unknown(what: str, value: object, allowed: Iterable[str]) -> str:
    """A message for a name that is not one of `allowed`, with near matches first."""
    names = list(allowed)
    close = get_close_matches(str(value), names, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(close)}? " if close else ""
    return f"unknown {what} {shown(value)}; {hint}known: {', '.join(names)}"


def folded(error: object) -> str:
    """The text of an error folded into one line, to be named as the reason of another."""
    return " ".join(str(error).split())


def one_line(error: ValidationError, allowed: Iterable[str] = ()) -> str:
    """Folds a validation error into one line that names each field, its value and what is wrong with it.

    The keys that exist, dotted where they lie within others, serve the hint at a misspelt one.
    """
    found, known = [], list(allowed)
    for problem in error.errors():
        place = ".".join(str(part) for part in problem["loc"])
        if problem["type"] == "extra_forbidden":
            group = place.rpartition(".")[0]
            neighbours = [key for key in known if key.rpartition(".")[0] == group]
            found.append(unknown("key", place, neighbours) if neighbours else f"unknown key {place!r}")
        elif problem["type"] == "missing":
            found.append(f"{place} is missing")
        elif problem["type"] == "value_error":
            found.append(str(problem["ctx"]["error"]))
        else:
            found.append(f"{place} = {shown(problem['input'])}: {problem['msg'].lower()}")
    return "; ".join(found)
