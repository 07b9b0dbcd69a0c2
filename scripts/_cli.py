"""What the scripts share: how a ruleset is named on the command line, and how errors are reported."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from yatzy_env.rules import Ruleset

FILES = (".json", ".yaml", ".yml")
"""Endings of files that hold a ruleset."""


def add_rules_options(parser: argparse.ArgumentParser, default: str | None = None) -> None:
    """Adds the options `rules_from` reads: the ruleset as the first argument, or as `--ruleset` with a default."""
    text = "a ruleset: its name, or a JSON or YAML file of its fields"
    if default is None:
        parser.add_argument("ruleset", metavar="RULESET", help=text)
    else:
        parser.add_argument("--ruleset", metavar="RULESET", help=f"{text} (default: {default})")
    add_set_option(parser)


def add_set_option(parser: argparse.ArgumentParser) -> None:
    """Adds `--set KEY=VALUE`, which changes a field of the ruleset."""
    text = "change a field of the ruleset, for example --set bonus_threshold=42; may be repeated"
    parser.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help=text)


def read_ruleset(text: str) -> Ruleset:
    """The ruleset of a name of the catalogue, or of a JSON or YAML file that holds its fields.

    A file that does not say `name` gives its own, as far as that is a name for rules.

    Raises:
        YatzyError: if there is no such ruleset or file, or its fields do not fit.
    """
    from yatzy_env.errors import RulesetError
    from yatzy_env.files import read_json_object
    from yatzy_env.rules import CATALOGUE, ruleset

    path = Path(text)
    if text in CATALOGUE or not (path.suffix in FILES or path.is_file()):
        return ruleset(text)
    if path.suffix == ".json":
        fields = read_json_object(path, RulesetError)
    else:
        from agents.training.config import read_yaml

        fields = read_yaml(path)
    own = re.sub(r"[^a-z0-9]+", "-", path.stem.lower()).strip("-")
    try:
        return ruleset({**({"name": own} if own else {}), **fields})
    except RulesetError as error:
        raise RulesetError(f"{path}: {error}") from error


def unique_name(rules: Ruleset) -> str:
    """A name for what is kept of a ruleset: its own for one of the catalogue, `<name>-<digest>` for any other."""
    from yatzy_env.rules import CATALOGUE

    known = CATALOGUE.get(rules.name)
    return rules.name if known is not None and known.digest == rules.digest else f"{rules.name}-{rules.digest[:8]}"


def rules_from(args: argparse.Namespace, default: Callable[[], Ruleset] | None = None) -> Ruleset:
    """The ruleset that was asked for, the default where none was named, with the changes that were asked for.

    Raises:
        YatzyError: if there is no such ruleset, or a change does not fit.
    """
    changes = dict(_change(text) for text in args.set)
    rules = default() if args.ruleset is None and default is not None else read_ruleset(args.ruleset)
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
