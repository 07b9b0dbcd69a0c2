"""Measures speed and agents: `benchmark.py solver --rulesets yatzy --json`, `benchmark.py agents --ruleset forced`."""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
from typing import Any

from scripts import _benchmarks
from scripts._cli import clear_errors, print_json

NAMES = sorted(found.name for found in pkgutil.iter_modules(_benchmarks.__path__) if not found.name.startswith("_"))


def module_of(name: str) -> Any:
    """The module of a benchmark; a name that is none is an error in one line."""
    from yatzy_env.errors import YatzyError, unknown

    if name not in NAMES:
        raise YatzyError(unknown("benchmark", name, NAMES))
    return importlib.import_module(f"scripts._benchmarks.{name}")


def print_results(results: list[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table

    for result in results:
        table = Table(title=f"{result['ruleset']}: {result['what']}", show_header=False)
        for key, value in result.items():
            if key not in ("ruleset", "what"):
                number = isinstance(value, int | float) and not isinstance(value, bool)
                table.add_row(key.replace("_", " "), f"{value:,}" if number else str(value))
        Console().print(table)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="benchmark.py",
        description="Measure speed, each figure in a fresh process, or agents by the protocol.",
        epilog=f"Benchmarks: {', '.join(NAMES)}. Each has --help of its own.",
    )
    parser.add_argument("benchmark", metavar="BENCHMARK", help=", ".join(NAMES))
    with clear_errors():
        chosen = parser.parse_args(sys.argv[1:2])
        module = module_of(chosen.benchmark)
        own = argparse.ArgumentParser(prog=f"benchmark.py {chosen.benchmark}", description=module.__doc__)
        own.add_argument("--json", action="store_true", help="print one JSON object")
        module.add_options(own)
        args = own.parse_args(sys.argv[2:])
        results = module.run(args)
    if args.json:
        print_json({"results": results})
    else:
        getattr(module, "print_results", print_results)(results)


if __name__ == "__main__":
    main()
