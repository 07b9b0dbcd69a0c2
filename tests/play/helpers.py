"""Players for the tests: of a session, and of a server."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import httpx2

from agents.play.schemas.game import Choices
from agents.play.session import Session
from agents.play.steps import SeatPlan, Step, make_setup
from yatzy_env.rules import Ruleset

SEED = "5eed" * 16
Json = dict[str, Any]


def new_session(
    rules: Ruleset, seats: int = 1, teams: Sequence[Sequence[int]] | None = None, seed: str | None = SEED
) -> Session:
    """A game of persons."""
    names = [SeatPlan(f"player {seat}") for seat in range(seats)]
    return Session(make_setup(rules, names, teams, "2026-01-01T00:00:00+00:00", seed))


def random_step(session: Session, rng: Random) -> Step:
    """Something that may be done now, chosen by chance."""
    if session.phase == "throw":
        return Step("throw")
    if session.phase == "enter":
        return Step("dice", None, tuple(rng.randint(1, 6) for _ in range(session.awaited)))
    choices = Choices.of(session)
    assert choices is not None
    if choices.may_throw and rng.random() < 0.7:
        held = [place for place in range(session.tables.dice) if rng.random() < 0.5][: session.tables.dice - 1]
        return session.keep_step([session.dice[place] for place in held], held)
    return session.score_step(rng.choice(choices.boxes).box)


def play_out(session: Session, rng: Random) -> list[Step]:
    """Plays a game to its end by chance; returns the steps taken."""
    steps = []
    while session.phase != "finished":
        steps.append(random_step(session, rng))
        session.apply(steps[-1])
    return steps


class Player:
    """Plays through the HTTP interface, by any client with `request`."""

    def __init__(self, client: httpx2.Client) -> None:
        self.client = client

    def get(self, path: str, token: str = "", status: int = 200) -> Any:
        answer = self.client.get(path, headers={"X-Game-Token": token} if token else {})
        assert answer.status_code == status, (answer.status_code, answer.text)
        return answer.json()

    def post(self, path: str, body: Json | None, token: str = "", status: int = 200) -> Any:
        answer = self.client.post(path, json=body, headers={"X-Game-Token": token} if token else {})
        assert answer.status_code == status, (answer.status_code, answer.text)
        return answer.json()

    def start(self, ruleset: str = "forced", agents: Sequence[str] = (), **more: Any) -> Table:
        """Starts a game of Ann against agents."""
        seats = [{"kind": "person", "name": "Ann"}, *({"kind": "agent", "agent": name} for name in agents)]
        made = self.post("/api/games", {"ruleset": ruleset, "seats": seats} | more, status=201)
        return Table(self, made["id"], made["token"], made["state"])


class Table:
    """One game on a server."""

    def __init__(self, player: Player, game: str, token: str, state: Json) -> None:
        self.player = player
        self.path = f"/api/games/{game}"
        self.token = token
        self.state = state

    def get(self, what: str = "", status: int = 200) -> Any:
        return self.player.get(f"{self.path}{what}", self.token, status)

    def move(self, kind: str, status: int = 200, version: int | None = None, **fields: Any) -> Any:
        """Makes a move on the present version unless told otherwise; a good answer is the new state."""
        at = self.state["version"] if version is None else version
        found = self.player.post(f"{self.path}/moves", {"type": kind, "version": at} | fields, self.token, status)
        if status == 200:
            self.state = found
        return found

    def step(self) -> None:
        """Makes the first move there is: agents move, persons throw once and fill the first legal box."""
        state = self.state
        if state["phase"] == "enter":
            self.move("dice", dice=[1 + number % 6 for number in range(state["awaited"])])
        elif state["turn"]["is_agent"]:
            self.move("agent")
        elif state["phase"] == "throw":
            self.move("throw")
        else:
            self.move("score", box=state["choices"]["boxes"][0]["box"], confirm_zero=True)

    def play_out(self) -> Json:
        """Plays to the end; returns the last state."""
        while self.state["phase"] != "finished":
            self.step()
        return self.state
