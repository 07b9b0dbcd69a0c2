"""Finds the prices of boxes by play and stores those of the catalogue: `prices.py`, `prices.py yatzy yahtzee`."""

from __future__ import annotations

import argparse
import json
import sys
import time

from scripts._cli import clear_errors


def main() -> None:
    from yatzy_env.rules import ruleset, rulesets

    parser = argparse.ArgumentParser(prog="prices.py", description="Find by play what boxes are worth to `priced`.")
    parser.add_argument("rulesets", metavar="RULESET", nargs="*", help="which rulesets (default: the whole catalogue)")
    args = parser.parse_args()
    with clear_errors():
        from agents.baselines.priced import STORE, fields_of, find_prices
        from yatzy_env.files import read_json_object, write_text

        stored = read_json_object(STORE) if STORE.exists() else {}
        known = {ruleset(name).digest for name in rulesets()}
        stored = {digest: fields for digest, fields in stored.items() if digest in known}
        for rules in [ruleset(name) for name in args.rulesets or rulesets()]:
            start = time.perf_counter()
            stored[rules.digest] = {"ruleset": rules.name, **fields_of(find_prices(rules))}
            print(f"{rules.name}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
        lines = [f"{json.dumps(digest)}: {json.dumps(fields)}" for digest, fields in sorted(stored.items())]
        write_text(STORE, "{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
