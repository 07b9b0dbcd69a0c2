"""What the scripts share: how a ruleset is named on the command line, and how errors are reported."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from yatzy_env.rules import Ruleset


def add_rules_options(parser: argparse.ArgumentParser, default: str | None = None) -> None:
    """Adds the options `rules_from` reads: the ruleset as the first argument, or as `--ruleset` with a default."""
    text = "name of a ruleset"
    if default is None:
        parser.add_argument("ruleset", metavar="RULESET", help=text)
    else:
        parser.add_argument("--ruleset", metavar="RULESET", default=default, help=f"{text} (default: {default})")
    add_set_option(parser)


def add_set_option(parser: argparse.ArgumentParser) -> None:
    """Adds `--set KEY=VALUE`, which changes a field of the ruleset."""
    text = "change a field of the ruleset, for example --set bonus_threshold=42; may be repeated"
    parser.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help=text)


def rules_from(args: argparse.Namespace) -> Ruleset:
    """The ruleset that was asked for.

    Raises:
        RulesetError: if there is no such ruleset, or a change does not fit.
    """
    from yatzy_env.rules import ruleset

    changes = dict(_change(text) for text in args.set)
    rules = ruleset(args.ruleset)
    return rules.replace(**changes) if changes else rules


def changes_of(args: argparse.Namespace, rules: Ruleset) -> dict[str, Any]:
    """The fields that `--set` named, with their values as JSON."""
    fields = rules.model_dump(mode="json")
    return {key: fields[key] for key in dict(_change(text) for text in args.set)}


def _change(text: str) -> tuple[str, Any]:
    """Reads `key=value`; a value that is not JSON is taken as the string it is."""
    from yatzy_env.errors import RulesetError
    from yatzy_env.files import parse_json

    key, equals, value = text.partition("=")
    if not equals or not key:
        raise RulesetError(f"--set {text}: wanted KEY=VALUE, for example --set bonus_threshold=42")
    try:
        return key, parse_json(value)
    except ValueError:
        return key, value


def print_json(fields: dict[str, Any]) -> None:
    """Prints what `--json` asks for: one object, without nan, which is no JSON."""
    print(json.dumps(fields, allow_nan=False))


@contextmanager
def clear_errors() -> Iterator[None]:
    """Turns what a user can put right into one line on stderr and exit status 2."""
    from yatzy_env.errors import YatzyError

    try:
        yield
    except YatzyError as error:
        _leave(str(error), 2)
    except OSError as error:
        _leave(f"{error.filename}: {error.strerror}" if error.filename else str(error), 2)
    except KeyboardInterrupt:
        _leave("interrupted", 130)


def _leave(text: str, status: int) -> None:
    from yatzy_env.errors import folded

    print("error:", folded(text), file=sys.stderr)
    raise SystemExit(status)
