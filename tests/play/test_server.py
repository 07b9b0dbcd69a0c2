"""The web interface, called in this process."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from starlette.testclient import TestClient

from agents.play.library import Library
from agents.play.middleware import CONTENT_SECURITY_POLICY, MOST_BYTES, Bucket, Pace
from agents.play.server import create_app
from agents.play.steps import Step
from agents.play.store import Store
from tests.play.conftest import free_config
from tests.play.helpers import Player, new_session
from yatzy_env import dice
from yatzy_env.rules import ruleset, rulesets
from yatzy_env.solver import solve

QUICK = ("forced", "yahtzee", "yacht")  # the others are played over HTTP by the slow tests, and here by test_session


@pytest.mark.parametrize(
    "name",
    [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in rulesets()],
)
def test_a_game_of_every_ruleset_ends_with_cards_that_add_up(player: Player, name: str) -> None:
    table = player.start(name, ["one-turn"])
    digest = table.state["seed_digest"]
    state = table.play_out()
    assert hashlib.sha256(state["seed"].encode()).hexdigest() == digest
    for card in state["cards"]:
        points = sum(cell["points"] for cell in card["cells"]) + sum(upper["bonus"] for upper in card["upper"])
        assert card["total"] == points + card["extra"] == sum(card["column_totals"]) + card["extra"]
    best = max(card["total"] for card in state["cards"])
    assert state["result"]["winners"] == [card["index"] for card in state["cards"] if card["total"] == best]


@pytest.mark.parametrize("name", rulesets())
def test_every_ruleset_describes_itself(player: Player, name: str) -> None:
    info = player.get(f"/api/rulesets/{name}")
    assert len({box["id"] for box in info["boxes"]}) == len(info["boxes"])
    assert [one["available"] for one in info["agents"] if one["name"] == "random"] == [True]
    if info["bonus"]:
        par = sum(box["par"] or 0 for box in info["boxes"]) / len(info["columns"])
        assert par == pytest.approx(info["bonus"]["threshold"])
    page = player.get(f"/api/rulesets/{name}/rules")
    about = [item["box"] for section in page["sections"] for item in section["items"] if item["box"]]
    assert about == list(dict.fromkeys(box["box"] for box in info["boxes"]))
    for section in page["sections"]:
        for item in section["items"]:
            if item["example"]:
                assert item["example"]["points"] > 0
                assert len(item["example"]["dice"]) == info["dice"]


def test_the_dice_are_those_of_the_seed_shown_at_the_end(player: Player) -> None:
    table = player.start("forced", ["random"])
    state = table.play_out()
    entries = table.get("/log")["entries"]
    key = dice.key("play", state["seed"])
    import numpy as np

    for entry in entries:
        if entry["kind"] == "throw" and all(entry["thrown"]):
            first = entries[entry["index"] - 1]["kind"] != "keep"
            if first:
                player_key = np.uint64(dice.player_state(np.uint64(key), 0, entry["card"]))
                throw = np.uint64(dice.throw_state(player_key, entry["turn"] - 1, 0))
                assert entry["dice"] == [int(dice.die(throw, j)) + 1 for j in range(5)]


def test_undo_zero_and_the_version(player: Player) -> None:
    table = player.start("yatzy")
    assert table.move("score", status=409, box="chance")["code"] == "illegal_move"
    table.move("throw")
    before = table.state
    table.move("score", box="chance")
    assert table.state["can_undo"]
    assert table.move("throw", status=409, version=before["version"])["code"] == "stale_version"
    table.move("undo")
    same = ("phase", "dice", "cards", "log", "choices")
    assert {key: table.state[key] for key in same} == {key: before[key] for key in same}
    zero = next(box["box"] for box in before["choices"]["boxes"] if box["is_zero"])
    assert table.move("score", status=409, box=zero)["code"] == "confirm_zero"
    table.move("score", box=zero, confirm_zero=True)
    table.move("throw")
    assert table.move("undo", status=409)["code"] == "cannot_undo"


def test_a_lone_box_needs_no_confirmation_even_for_a_zero(player: Player) -> None:
    table = player.start("forced", real_dice=True)
    table.move("dice", dice=[6, 6, 6, 6, 6])
    table.move("keep", dice=[6])
    table.move("dice", dice=[6, 6, 6, 6])
    table.move("keep", dice=[6])
    table.move("dice", dice=[6, 6, 6, 6])
    assert table.state["choices"]["lone_box"] == "ones"
    table.move("score", box="ones")
    assert table.state["cards"][0]["cells"][0]["points"] == 0


def test_bonus_status_and_par(player: Player) -> None:
    table = player.start("half-force", real_dice=True)
    sheet = ["sixes", "fives", "fours", "threes", "twos", "ones"]
    for box, face in zip(sheet, range(6, 0, -1), strict=True):
        count = 4 if box in ("sixes", "fives") else 3
        rest = [1 if face != 1 else 2] * (5 - count)
        table.move("dice", dice=[face] * count + rest)
        table.move("score", box=box)
        upper = table.state["cards"][0]["upper"][0]
        if box == "sixes":
            assert (upper["sum"], upper["par"], upper["ahead"], upper["status"]) == (24, 18, 6, "open")
    assert (upper["sum"], upper["status"], upper["missing"], upper["bonus"]) == (74, "secured", 0, 50)
    assert table.state["cards"][0]["total"] == 124


def test_saved_throws_are_shown_as_a_pool(player: Player) -> None:
    table = player.start("maxi-alga")
    table.move("throw")
    assert (table.state["throws_left"], table.state["cards"][0]["saved_throws"]) == (2, 0)
    table.move("score", box="chance")
    assert (table.state["throws_left"], table.state["cards"][0]["saved_throws"]) == (5, 2)
    table.move("throw")
    table.move("keep", dice=[])
    table.move("keep", dice=[])
    assert (table.state["throws_left"], table.state["throw"], table.state["cards"][0]["saved_throws"]) == (2, 3, 2)
    table.move("keep", dice=[])
    assert (table.state["throws_left"], table.state["cards"][0]["saved_throws"]) == (1, 1)


def test_coach_levels(player: Player) -> None:
    table = player.start("half-force")
    table.move("throw")
    assert table.get("/coach", status=409)["code"] == "coach_off"
    table.player.post(f"{table.path}/settings", {"coach": "full"}, table.token)
    full = table.get("/coach")
    assert full["source"] == "exact"
    assert full["options"][0]["regret"] == 0
    keeps = [tuple(option["keep"]) for option in full["options"] if option["type"] == "keep"]
    assert len(keeps) == len(set(keeps))
    table.player.post(f"{table.path}/settings", {"coach": "hints"}, table.token)
    hints = table.get("/coach")
    assert hints["options"] == [option for option in full["options"] if option["is_best"]]
    worst = full["options"][-1]
    if worst["type"] == "keep":
        table.move("keep", dice=worst["keep"])
    else:
        table.move("score", box=worst["box"], confirm_zero=True)
    entry = next(entry for entry in table.state["log"] if entry["kind"] != "throw")
    assert entry["regret"] == pytest.approx(worst["regret"])
    assert entry["mark"] == worst["mark"]
    assert entry["best"] == full["options"][0]["name"]


def test_marks_are_silent_while_the_coach_is_off(player: Player) -> None:
    table = player.start("half-force", ["random"])
    for _ in range(20):
        table.step()
    assert all(entry["regret"] is None and entry["luck"] is None for entry in table.state["log"])
    table.play_out()
    assert all(entry["regret"] is not None for entry in table.state["log"] if entry["kind"] != "throw")


def test_review_and_mistakes(player: Player) -> None:
    table = player.start("half-force", ["optimal"], coach="full")
    assert table.get("/review", status=409)["code"] == "not_finished"
    table.play_out()
    review = table.get("/review")
    for card in review["cards"]:
        assert card["score"] == pytest.approx(review["optimum"] + card["luck"] - card["regret"], abs=1e-9)
        assert card["luck_adjusted"] == pytest.approx(review["optimum"] - card["regret"], abs=1e-9)
        assert card["series"][0]["expected"] == review["optimum"]
        assert card["series"][-1]["expected"] == pytest.approx(card["score"])
    assert review["cards"][1]["regret"] == pytest.approx(0, abs=1e-9)
    mistakes = table.get("/mistakes")["mistakes"]
    assert [mistake["number"] for mistake in mistakes] == list(range(len(mistakes)))
    assert mistakes[0]["regret"] == max(mistake["regret"] for mistake in mistakes)
    answer = table.get("/mistakes/0/answer")["options"]
    for option, good in ((answer[0], True), (answer[-1], False)):
        tried = {"type": option["type"]} | ({"box": option["box"]} if option["box"] else {"dice": option["keep"]})
        verdict = player.post(f"{table.path}/mistakes/0", tried, table.token)
        assert verdict["accepted"] is good
        assert verdict["regret"] == pytest.approx(option["regret"])
    assert table.get("/mistakes/99", status=405)
    assert table.get("/mistakes/99/answer", status=404)["code"] == "no_such_mistake"
    bad = player.post(f"{table.path}/mistakes/0", {"type": "score", "box": "tower"}, table.token, status=409)
    assert bad["code"] == "illegal_move"


def test_what_is_not_solved_has_no_figures_and_says_so(player: Player) -> None:
    assert player.get("/api/rulesets/maxi-tactic/solve")["state"] == "missing"
    table = player.start("maxi-tactic", coach="full")
    table.move("throw")
    advice = table.get("/coach")
    assert (advice["source"], advice["options"], advice["chances"]) == ("none", [], "missing")
    table.play_out()
    assert table.get("/review")["cards"] == []
    assert table.get("/mistakes") == {"source": "none", "mistakes": []}


def test_triple_shows_an_agents_estimate_labelled_as_that(player: Player) -> None:
    assert player.get("/api/rulesets/triple/solve")["state"] == "impossible"
    table = player.start("triple", coach="full")
    table.move("throw")
    advice = table.get("/coach")
    assert advice["source"] == "estimate"
    assert advice["estimator"] in ("priced", "ppo", "planner")
    assert advice["options"][0]["is_best"]
    assert table.state["source"] == "estimate"


def test_teams_share_a_card(player: Player) -> None:
    seats = [{"kind": "person", "name": name} for name in ("Ann", "Bo", "Cy")]
    body = {"ruleset": "forced", "seats": seats, "teams": [[0, 2], [1]]}
    state = player.post("/api/games", body, status=201)["state"]
    assert [card["seats"] for card in state["cards"]] == [[0, 2], [1]]
    assert [seat["card"] for seat in state["seats"]] == [0, 1, 0]
    wrong = player.post("/api/games", body | {"teams": [[0, 2]]}, status=409)
    assert wrong["code"] == "bad_teams"
    assert "leaves out player 1" in wrong["message"]


def test_hidden_totals_are_hidden_until_the_end(player: Player) -> None:
    table = player.start("forced", ["random"], hidden_totals=True)
    table.step()
    table.step()
    assert all(card["total"] is None and card["column_totals"] is None for card in table.state["cards"])
    table.play_out()
    assert all(card["total"] is not None for card in table.state["cards"])


def test_games_cannot_see_or_move_each_other(player: Player) -> None:
    one, two = player.start("forced"), player.start("forced")
    for path in ("", "/log", "/coach", "/review", "/mistakes", "/export"):
        assert player.get(f"{one.path}{path}", two.token, 404)["code"] == "no_such_game"
        assert player.get(f"{one.path}{path}", "", 422)["code"] == "invalid"
    throw = {"type": "throw", "version": 0}
    stolen = player.post(f"{one.path}/moves", throw, two.token, 404)
    unknown = player.post(f"/api/games/{'A' * 16}/moves", throw, two.token, 404)
    assert stolen == unknown
    one.move("throw")
    assert two.get()["version"] == 0


def test_history_and_statistics(player: Player) -> None:
    scores = []
    for _ in range(3):
        table = player.start("half-force", ["random"])
        scores.append(table.play_out()["result"]["totals"][0])
        regret = table.get("/review")["seats"][0]["regret"]
    record = player.get("/api/players?name=Ann")
    assert sorted(game["score"] for game in record["games"]) == sorted(scores)
    (figures,) = record["statistics"]
    assert (figures["games"], figures["games_with_opponents"], figures["best"]) == (3, 3, max(scores))
    assert figures["mean"] == pytest.approx(sum(scores) / 3)
    assert regret in [pytest.approx(game["regret"]) for game in record["games"]]
    assert player.get("/api/players?name=Nobody")["games"] == []


@pytest.mark.parametrize(
    ("body", "code", "status"),
    [
        ({"ruleset": "yatzee"}, "unknown_ruleset", 404),
        ({"seats": []}, "invalid", 422),
        ({"seats": [{"kind": "person", "name": "A"}] * 7}, "invalid", 422),
        ({"seats": [{"kind": "person"}]}, "invalid", 422),
        ({"seats": [{"kind": "person", "name": "  "}]}, "invalid", 422),
        ({"seats": [{"kind": "person", "name": "<b>"}]}, "invalid", 422),
        ({"seats": [{"kind": "person", "name": "x" * 25}]}, "invalid", 422),
        ({"seats": [{"kind": "agent", "agent": "../../etc/passwd"}]}, "unavailable_agent", 409),
        ({"seats": [{"kind": "agent", "agent": "os:system"}]}, "unavailable_agent", 409),
        ({"seats": [{"kind": "agent", "agent": "random", "name": "A"}]}, "invalid", 422),
        ({"coach": "loud"}, "invalid", 422),
        ({"extra": 1}, "invalid", 422),
    ],
)
def test_a_game_that_cannot_be_is_refused_in_one_sentence(player: Player, body: dict, code: str, status: int) -> None:
    whole = {"ruleset": "yatzy", "seats": [{"kind": "person", "name": "Ann"}]} | body
    answer = player.post("/api/games", whole, status=status)
    assert answer["code"] == code
    assert "\n" not in answer["message"]


def test_bodies_that_are_no_json_are_refused(player: Player) -> None:
    client = player.client
    assert client.post("/api/games", content=b"{", headers={"content-type": "application/json"}).status_code == 400
    assert client.post("/api/games", content=b"{}", headers={"content-type": "text/plain"}).status_code == 415
    long = client.post("/api/games", content=b" " * (MOST_BYTES + 1), headers={"content-type": "application/json"})
    assert (long.status_code, long.json()["code"]) == (413, "too_large")
    chunks = client.post(
        "/api/games",
        content=(b" " * 1024 for _ in range(MOST_BYTES // 1024 + 1)),
        headers={"content-type": "application/json"},
    )
    assert chunks.status_code == 413


def test_other_sites_and_other_names_are_refused(store: Store, library: Library) -> None:
    app = create_app(store, library, free_config(hosts=frozenset({"127.0.0.1"})))
    with TestClient(app, base_url="http://127.0.0.1:8137") as client:
        assert client.get("/api/meta").status_code == 200
        assert client.get("/api/meta", headers={"Host": "evil.example"}).json()["code"] == "bad_host"
        assert client.get("/api/meta", headers={"Host": "evil@127.0.0.1"}).json()["code"] == "bad_host"
        assert client.get("/api/meta", headers={"Origin": "http://127.0.0.1:8137"}).status_code == 200
        for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
            assert client.post("/api/games", json={}, headers=headers).json()["code"] == "cross_site"


def test_every_answer_carries_the_policy(player: Player) -> None:
    for path in ("/", "/api/meta", "/api/nothing", "/static/nothing.js"):
        headers = player.client.get(path).headers
        assert headers["content-security-policy"] == CONTENT_SECURITY_POLICY
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


def test_too_many_requests_wait(store: Store, library: Library) -> None:
    app = create_app(store, library, free_config(pace=Pace(5, 0.001), new_games=Pace(2, 0.001)))
    with TestClient(app) as client:
        body = {"ruleset": "forced", "seats": [{"kind": "person", "name": "Ann"}]}
        assert [client.post("/api/games", json=body).status_code for _ in range(3)] == [201, 201, 429]
        assert [client.get("/api/meta").status_code for _ in range(3)] == [200, 200, 429]
        assert int(client.get("/api/meta").headers["retry-after"]) > 100


def test_a_bucket_fills_again_at_its_pace() -> None:
    bucket = Bucket(Pace(2, 1.0))
    assert [bucket.wait("a", 0.0) for _ in range(3)] == [0, 0, 1.0]
    assert bucket.wait("b", 0.0) == 0
    assert bucket.wait("a", 1.0) == 0
    assert bucket.wait("a", 1.5) == 0.5


def test_open_games_are_bounded(store: Store, library: Library) -> None:
    with TestClient(create_app(store, library, free_config(most_open=2))) as client:
        player = Player(client)
        first = player.start("forced")
        player.start("forced")
        full = player.post("/api/games", {"ruleset": "forced", "seats": [{"kind": "person", "name": "A"}]}, status=503)
        assert full["code"] == "too_many_games"
        first.play_out()
        player.start("forced")


@pytest.fixture
def solving(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Player]:
    """A server that solves, with nothing solved yet."""
    monkeypatch.setenv("YATZY_ENV_CACHE", str(tmp_path / "solutions"))
    with TestClient(create_app(Store(":memory:"), Library(), free_config(solving=True))) as client:
        yield Player(client)


def test_a_ruleset_is_solved_on_request_with_progress(solving: Player) -> None:
    before = solving.get("/api/rulesets/forced")
    assert (before["solve"]["state"], before["solve"]["allowed"], before["optimum"]) == ("missing", True, None)
    assert {one["name"]: one["reason"] for one in before["agents"]}["optimal"] == "not_solved"
    table = solving.start("forced", coach="full")
    table.move("throw")
    assert table.get("/coach")["source"] == "none"
    seen = [solving.post("/api/rulesets/forced/solve", None)]
    while seen[-1]["state"] != "solved":
        assert seen[-1]["state"] == "solving"
        time.sleep(0.02)
        seen.append(solving.get("/api/rulesets/forced/solve"))
    shares = [one["progress"] for one in seen]
    assert shares == sorted(shares)
    assert table.get("/coach")["source"] == "exact"
    while not (chances := table.get("/coach")["options"][0]["chances"]):
        time.sleep(0.02)
    assert {one["box"] for one in chances} == {None, "small_straight", "large_straight", "yatzy"}
    info = solving.get("/api/rulesets/forced")
    assert info["optimum"] == pytest.approx(150.21679651103886)
    assert solving.post("/api/rulesets/forced/solve", None, status=409)["code"] == "already_solved"
    assert solving.post("/api/rulesets/triple/solve", None, status=409)["code"] == "impossible"


def test_a_server_may_refuse_to_solve(player: Player) -> None:
    assert player.post("/api/rulesets/yatzy/solve", None, status=409)["code"] == "solving_off"
    assert player.get("/api/rulesets/yatzy/solve")["allowed"] is False


def test_a_ruleset_of_options_can_be_played(store: Store) -> None:
    rules = ruleset("forced").replace(name="custom", bonus_threshold=63)
    solve(rules)
    with TestClient(create_app(store, Library([(rules, "forced")]), free_config(ruleset="custom"))) as client:
        player = Player(client)
        info = player.get("/api/rulesets/custom")
        assert (info["base"], info["options"]) == ("forced", {"bonus_threshold": 63})
        assert info["optimum"] == pytest.approx(122.55852739642387)
        table = player.start("custom")
    with TestClient(create_app(store, Library(), free_config())) as client:  # a later start without the option
        again = Player(client).get(table.path, table.token)
        assert again["ruleset"] == "custom"


def test_a_changed_ruleset_finds_the_model_of_the_one_it_was_made_from() -> None:
    rules = ruleset("forced").replace(name="custom", bonus_threshold=63)
    service = Library([(rules, "forced")]).service("custom")
    assert service.has_model
    assert service.agent("ppo").name == "ppo"
    assert {one.name: one.reason for one in service.availability()}["planner"] == ""
    assert service.agent("planner").name == "planner"


@pytest.mark.parametrize("name", ["yatzy", "maxi-half-force"])
def test_the_planner_decides_within_50_milliseconds(player: Player, library: Library, name: str) -> None:
    planner = library.service(name).agent("planner")
    session = new_session(ruleset(name))
    seconds = []
    while not session.is_finished:
        if session.phase == "throw":
            session.apply(Step("throw"))
            continue
        start = time.perf_counter()
        (action,) = planner.act(session.lane(), session.noise())
        seconds.append(time.perf_counter() - start)
        session.apply(session.action_step(int(action)))
    assert np.median(seconds) < 0.05
    table = player.start(name, ["planner"])
    table.play_out()
    assert table.state["seats"][1]["name"] == "planner"
