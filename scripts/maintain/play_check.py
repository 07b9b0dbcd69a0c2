"""Starts the server on a free port, plays one game through its interface, and ends: what `make play-check` runs."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from yatzy_env.files import sha256

SCRIPT = Path(__file__).parents[1] / "play.py"


class CheckError(Exception):
    """The server did something it must not do."""


class Client:
    """Talks to the server."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.token = ""

    def __call__(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """Sends a request, a POST if there is a body; returns the answer's JSON."""
        headers = {"Content-Type": "application/json"} | ({"X-Game-Token": self.token} if self.token else {})
        data = json.dumps(body).encode() if body is not None else None
        try:
            with urlopen(Request(self.url + path, data, headers), timeout=120) as answer:
                return json.load(answer)
        except HTTPError as error:
            raise CheckError(f"{path}: status {error.code}: {error.read().decode()}") from error


def play_game(client: Client) -> dict[str, Any]:
    """Plays a whole game: the person throws, keeps what shows most often, and fills the best paying box."""
    opponent = client("api/meta")["suggestion"]["opponents"][0]
    seats = [{"kind": "person", "name": "check"}, {"kind": "agent", "agent": opponent}]
    made = client("api/games", {"ruleset": "yatzy", "seats": seats, "coach": "full"})
    client.token = made["token"]
    game, state = f"api/games/{made['id']}", made["state"]
    while state["phase"] != "finished":
        state = client(f"{game}/moves", choose(state) | {"version": state["version"]})
    check_end(client(game), made["state"]["seed_digest"])
    review = client(f"{game}/review")
    for card in review["cards"]:
        if abs(card["score"] - (review["optimum"] + card["luck"] - card["regret"])) > 1e-6:
            raise CheckError(f"score is not optimum + luck - regret: {card}")
    if client(f"{game}/export")["totals"] != state["result"]["totals"]:
        raise CheckError("the exported game has other totals")
    return state | {"solved": bool(review["cards"])}


def choose(state: dict[str, Any]) -> dict[str, Any]:
    """A move for whoever is on turn."""
    if state["turn"]["is_agent"]:
        return {"type": "agent"}
    if state["phase"] == "throw":
        return {"type": "throw"}
    dice, choices = state["dice"], state["choices"]
    most = max(dice, key=lambda face: (dice.count(face), face))
    if choices["may_throw"] and dice.count(most) < len(dice):
        return {"type": "keep", "dice": [most] * dice.count(most)}
    best = max(choices["boxes"], key=lambda box: box["gain"])
    return {"type": "score", "box": best["box"], "confirm_zero": True}


def check_end(state: dict[str, Any], digest: str) -> None:
    """The seed is the one whose digest was shown, and every card adds up."""
    if sha256(state["seed"].encode()) != digest:
        raise CheckError("the seed does not fit the digest shown before the game")
    for card in state["cards"]:
        points = sum(cell["points"] for cell in card["cells"]) + sum(part["bonus"] for part in card["upper"])
        if points + card["extra"] != card["total"]:
            raise CheckError(f"card {card['index']} does not add up to its total {card['total']}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="play_check.py", description=__doc__)
    parser.add_argument("--opponent", help="who plays against the check (default: whom the page suggests)")
    args = parser.parse_args()
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(SCRIPT), "yatzy", "--port", "0", "--no-browser"]
        command += ["--data", str(Path(folder) / "games.sqlite")]
        command += ["--opponent", args.opponent] if args.opponent else []
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                line = server.stdout.readline() if server.stdout else ""
                if not line.startswith("Playing at "):
                    raise CheckError("the server did not start")
                client = Client(line.removeprefix("Playing at ").strip())
                ready = time.perf_counter() - start
                state = play_game(client)
            except CheckError as error:
                print("error:", error, file=sys.stderr)
                raise SystemExit(1) from error
            finally:
                server.terminate()
    names, totals = [seat["name"] for seat in state["seats"]], state["result"]["totals"]
    result = ", ".join(f"{name} {total}" for name, total in zip(names, totals, strict=True))
    measured = "review adds up" if state["solved"] else "no review: yatzy is not solved yet"
    print(
        f"played one game ({result}; {measured}); page after {ready:.1f} s, all in {time.perf_counter() - start:.1f} s"
    )


if __name__ == "__main__":
    main()
