"""Exported games, measured again from their file."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from agents.play.replay import print_replay, replay_file
from agents.play.schemas.records import ExportedGame
from scripts import evaluate
from tests.play.helpers import Player, new_session, play_out
from yatzy_env.errors import YatzyError
from yatzy_env.rules import Ruleset, ruleset
from yatzy_env.solver import Solution, solve


def none(rules: Ruleset) -> Solution | None:
    return None


def exported(path: Path, rules: Ruleset, rng: Random, seed: str | None = "ab", seats: int = 2) -> Path:
    session = new_session(rules, seats, seed=seed)
    play_out(session, rng)
    path.write_text(ExportedGame.of(session).model_dump_json())
    return path


def test_every_ruleset_is_replayed_to_its_totals(each_ruleset: Ruleset, rng: Random, tmp_path: Path) -> None:
    path = exported(tmp_path / "game.json", each_ruleset, rng)
    replay = replay_file(path, none)
    assert replay.session.games.total.tolist() == json.loads(path.read_text())["totals"]
    assert replay.checked is True
    assert replay.balances() == []


def test_real_dice_have_no_seed_to_follow(rng: Random, tmp_path: Path) -> None:
    assert replay_file(exported(tmp_path / "game.json", ruleset("yatzy"), rng, seed=None), none).checked is None


def test_a_replay_measures_what_the_review_showed(player: Player, tmp_path: Path) -> None:
    table = player.start("half-force", ["random"])
    table.play_out()
    path = tmp_path / "game.json"
    path.write_text(json.dumps(table.get("/export")))
    replay, review = replay_file(path, solve), table.get("/review")
    for own, shown in zip(replay.fields()["cards"], review["cards"], strict=True):
        assert own["luck"] == pytest.approx(shown["luck"])
        assert own["loss"] == pytest.approx(shown["regret"])
        assert own["score"] == shown["score"]


def test_a_game_that_goes_on_is_replayed_as_far_as_it_went(player: Player, tmp_path: Path) -> None:
    table = player.start("half-force")
    for _ in range(5):
        table.step()
    path = tmp_path / "game.json"
    path.write_text(json.dumps(table.get("/export")))
    fields = replay_file(path, solve).fields()
    assert (fields["finished"], fields["dice_follow_seed"], len(fields["decisions"])) == (False, None, 2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda game: game.update(totals=[1, 2]), "its totals"),
        (lambda game: game["moves"][0].update(action="score tower"), "move 0: there is no action"),
        (lambda game: game["moves"][0].update(action="keep 6 6 6 6"), "move 0: action"),
        (lambda game: game["moves"][1].update(card=7), "move 1: card 7"),
        (lambda game: game["moves"][0].update(dice=[1, 2]), "move 0: 5 dice"),
        (lambda game: game.pop("seats"), "seats is missing"),
        (lambda game: game["ruleset"].update(dice=9), "game.json: dice = 9"),
        (lambda game: game.update(teams=[[5]]), "game.json: teams"),
    ],
)
def test_a_file_that_does_not_fit_is_named_in_one_line(
    change: object, message: str, rng: Random, tmp_path: Path
) -> None:
    path = exported(tmp_path / "game.json", ruleset("yatzy"), rng)
    game = json.loads(path.read_text())
    game["moves"][0]["dice"] = [1, 2, 3, 4, 5] if "keep 6" in message else game["moves"][0]["dice"]
    change(game)  # type: ignore[operator]
    path.write_text(json.dumps(game))
    with pytest.raises(YatzyError, match=message) as found:
        replay_file(path, none)
    assert "\n" not in str(found.value)


def test_other_dice_than_the_seeds_are_noticed(rng: Random, tmp_path: Path) -> None:
    path = exported(tmp_path / "game.json", ruleset("yatzy"), rng)
    game = json.loads(path.read_text())
    game["seed"] = "ac"
    path.write_text(json.dumps(game))
    assert replay_file(path, none).checked is False


def test_no_text_and_no_json(tmp_path: Path) -> None:
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "text").write_text("hello")
    for name in ("bytes", "text"):
        with pytest.raises(YatzyError, match="is not an exported game"):
            replay_file(tmp_path / name, none)


def test_a_file_that_breaks_off_says_so(rng: Random, tmp_path: Path) -> None:
    path = exported(tmp_path / "game.json", ruleset("yatzy"), rng)
    path.write_text(path.read_text()[:1000])
    with pytest.raises(YatzyError, match=r"is not an exported game: Invalid JSON: EOF .* column 1000$"):
        replay_file(path, none)


def test_evaluate_replays(rng: Random, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: object) -> None:
    path = exported(tmp_path / "game.json", ruleset("half-force"), rng)
    monkeypatch.setattr("sys.argv", ["evaluate.py", "--replay", str(path), "--json"])
    evaluate.main()
    printed = capsys.readouterr()  # type: ignore[attr-defined]
    fields = json.loads(printed.out)
    for card in fields["cards"]:
        assert card["score"] == pytest.approx(fields["optimum"] + card["luck"] - card["loss"])
    print_replay(replay_file(path, solve))
    assert "given away" in capsys.readouterr().out  # type: ignore[attr-defined]


@pytest.mark.parametrize("arguments", [[], ["greedy", "--replay", "game.json"]])
def test_agents_or_a_replay(arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: object) -> None:
    monkeypatch.setattr("sys.argv", ["evaluate.py", *arguments])
    with pytest.raises(SystemExit):
        evaluate.main()
    assert "error: name one AGENT or more, or --replay FILE alone" in capsys.readouterr().err  # type: ignore[attr-defined]
