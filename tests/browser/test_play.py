"""Whole games on the page, and what must survive on the way: undo, reload, a server that ends in the middle."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.browser.conftest import Server
from tests.browser.player import Player


def test_a_full_game_by_mouse(player: Player) -> None:
    player.start("forced", ("Ada", "agent:greedy"))
    player.play_by_mouse()
    state = player.state()
    assert player.filled == [str(card["cells"][row]["points"]) for row in range(15) for card in state["cards"]]
    totals = [str(total) for total in state["result"]["totals"]]
    assert player.page.locator(".sheet .total td").all_inner_texts() == totals
    expect(player.page.locator("h1")).to_have_text("The game is over")
    assert str(max(state["result"]["totals"])) in player.page.locator(".turn-about").inner_text()


def test_a_full_game_by_keyboard(player: Player) -> None:
    player.start("forced", ("Ada",))
    player.play_by_keyboard()
    state = player.state()
    assert player.filled == [str(cell["points"]) for cell in state["cards"][0]["cells"]]
    assert [entry["kind"] for entry in state["log"]] == ["throw", "keep", "throw", "score"] * 15
    player.press("Enter")  # the big button leads to the review
    expect(player.page.locator(".review h1")).to_contain_text(f"{state['result']['totals'][0]} points")


def test_kept_dice_stay_where_they_lie(player: Player) -> None:
    player.start("yatzy")
    player.throw()
    before = player.state()["dice"]
    player.press("2", "5")
    player.page.locator("button.die").nth(3).click()
    player.throw()
    after = player.state()
    assert [after["dice"][place] for place in (1, 3, 4)] == [before[place] for place in (1, 3, 4)]
    assert after["log"][-2]["keep"] == sorted(before[place] for place in (1, 3, 4))
    kept = [die.get_attribute("aria-pressed") for die in player.page.locator("button.die").all()]
    assert kept == ["false", "true", "false", "true", "true"]
    player.press("2")
    expect(player.page.locator("button.die").nth(1)).to_have_attribute("aria-pressed", "false")


def test_the_sheet_previews_what_each_open_box_would_pay(player: Player) -> None:
    player.start("yatzy")
    player.throw()
    choices = player.state()["choices"]["boxes"]
    assert player.offers.all_inner_texts() == [str(choice["points"]) for choice in choices]
    shown = [offer.get_attribute("data-box") for offer in player.offers.all()]
    assert shown == [choice["box"] for choice in choices]


def test_a_zero_is_confirmed_and_can_be_declined(player: Player) -> None:
    player.start("yatzy")
    player.throw()
    version, page = player.version, player.page
    page.locator(".sheet button.offer.zero").first.click()
    dialog = page.locator("dialog[open]")
    expect(dialog).to_contain_text("0 points")
    dialog.locator("button").first.click()
    expect(dialog).to_have_count(0)
    assert player.version == version
    page.locator(".sheet button.offer.zero").first.click()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    assert player.state()["version"] == version
    player.score(page.locator(".sheet button.offer.zero").first)
    assert player.filled == ["0"]


def test_undo_takes_back_a_box_until_new_dice_are_thrown(player: Player) -> None:
    player.start("yatzy")
    undo = player.page.locator("button.undo")
    player.throw()
    expect(undo).to_be_disabled()
    dice = player.dice
    player.score(player.page.locator(".sheet button.offer:not(.zero)").last)
    assert len(player.filled) == 1
    expect(undo).to_be_enabled()
    player.after(undo.click)
    assert player.filled == []
    assert player.dice == dice
    player.score(player.page.locator(".sheet button.offer:not(.zero)").first)
    player.throw()
    expect(undo).to_be_disabled()


def test_undo_stops_an_opponent_that_has_not_thrown(new_player: Callable[..., Player]) -> None:
    player = new_player(settings={"wait": True})
    player.start("forced", ("Ada", "agent:greedy"))
    player.throw()

    def fill_the_only_box() -> None:
        player.page.locator(".quick button").click()
        if player.page.locator("dialog[open]").count():  # no ones were thrown
            player.press("Enter")
        player.page.wait_for_function("() => document.querySelector('.game').dataset.turn === 'agent'")

    fill_the_only_box()
    player.press("u")
    player.page.wait_for_function("() => document.querySelector('.game').dataset.turn === 'person'")
    assert player.state()["log_length"] == 1
    fill_the_only_box()
    player.page.locator("button.throw").click()  # "Continue": the opponent has waited for it
    player.ready()
    assert {entry["seat"] for entry in player.state()["log"]} == {0, 1}


def test_a_lone_legal_box_is_offered_at_once(player: Player) -> None:
    player.start("forced")
    player.throw()
    for _ in range(2):
        player.throw()
    button = player.page.locator("button.throw")
    expect(button).to_contain_text("in Ones")
    expect(player.page.locator(".notices")).to_contain_text("Only one box may be filled now")
    player.after(button.click)  # a lone zero is not asked about
    assert len(player.filled) == 1


def test_a_reload_in_the_middle_loses_nothing(player: Player) -> None:
    player.start("forced", ("Ada", "agent:greedy"))
    for _ in range(3):
        player.throw()
        player.score(player.offers.first)
    player.throw()
    player.press("3")
    player.throw()
    dice, filled, version = player.dice, player.filled, player.version
    player.page.reload()
    player.ready()
    assert (player.dice, player.filled, player.version) == (dice, filled, version)
    player.show("")
    player.page.locator(".game-list a").click()
    player.ready()
    assert (player.dice, player.filled, player.version) == (dice, filled, version)
    player.score(player.offers.first)
    assert len(player.filled) == len(filled) + 2


def test_two_browsers_two_games_and_a_server_restarted_in_the_middle(
    new_player: Callable[..., Player], server: Server
) -> None:
    first, second = new_player(), new_player(language="da")
    first.start("forced", ("Ada", "agent:greedy"))
    second.start("forced", ("Bo",))
    for _ in range(2):
        for one in (first, second):
            one.throw()
            one.score(one.offers.first)
    first.throw()
    before = [(one.filled, one.version, one.dice) for one in (first, second)]
    server.stop()
    first.page.locator("button.throw").click()  # while nobody answers
    expect(first.page.locator(".banner")).to_contain_text("connection was lost")
    server.start()
    first.page.wait_for_function("() => document.querySelector('.game').ariaBusy === 'false'")
    expect(first.page.locator(".banner")).to_be_empty()
    assert [(one.filled, one.version, one.dice) for one in (first, second)] == before
    first.faults[:] = [fault for fault in first.faults if "ERR_CONNECTION" not in fault]
    assert not first.faults
    for one in (first, second):
        one.play_by_mouse()
    states = [first.state(), second.state()]
    assert [state["seats"][0]["name"] for state in states] == ["Ada", "Bo"]
    assert [len(one.filled) for one in (first, second)] == [30, 15]
    assert [one.filled[: len(filled)] for one, (filled, _, _) in zip((first, second), before, strict=True)] == [
        filled for filled, _, _ in before
    ]


def test_the_same_game_in_two_windows(player: Player) -> None:
    player.start("yatzy")
    player.throw()
    other = Player(player.page.context.new_page(), player.url, player.faults)
    other.page.goto(player.page.url)
    other.ready()
    other.score(other.offers.last)
    player.page.locator(".sheet button.offer:not(.zero)").first.click()
    player.page.wait_for_function(f"() => Number(document.querySelector('.game').dataset.version) === {other.version}")
    expect(player.page.locator("#announcer")).not_to_be_empty()
    assert player.filled == other.filled
    player.faults[:] = [fault for fault in player.faults if "409" not in fault]


def test_real_dice_are_typed_in(player: Player) -> None:
    player.start("forced", ("Ada",), real=True)
    page = player.page
    if player.phase == "throw":
        player.throw()
    player.press("1", "1", "6", "Backspace", "1", "2")
    page.locator(".enter .face").nth(5).click()
    player.after(page.locator(".enter button.primary").click)
    assert player.state()["dice"] == [1, 1, 1, 2, 6]
    player.press("1", "2", "3")
    player.after(page.locator("button.throw").click)
    assert player.state()["held"] == [1, 1, 1]
    page.evaluate("document.activeElement.blur()")
    player.press("5", "1")
    player.after(lambda: player.press("Enter"))
    assert sorted(player.state()["dice"]) == [1, 1, 1, 1, 5]
    player.score(player.offers.first)
    assert player.filled == ["4"]


def test_a_person_throws_real_dice_for_an_agent(player: Player) -> None:
    player.start("forced", ("Ada", "agent:optimal"), real=True)
    page = player.page
    for faces in ("12345", "11116"):
        player.press(*faces)
        player.after(page.locator(".enter button.primary").click)
        if player.phase == "decide":
            player.score(player.offers.first)
    expect(page.locator(".enter .notice")).to_have_text("You throw for Perfect player")
    held = player.state()["held"]
    assert held == [1, 1, 1, 1]
    page.evaluate("document.activeElement.blur()")
    player.press("1")
    player.after(lambda: player.press("Enter"))
    entries = [entry for entry in player.state()["log"] if entry["seat"] == 1]
    assert [entry["kind"] for entry in entries] == ["throw", "keep", "throw", "score"]
    assert entries[-1]["points"] == 5


def test_hidden_totals_and_teams(player: Player) -> None:
    page = player.page
    player.show("new/yatzy")
    page.locator(".seats ~ .row button").click()
    page.locator(".seats ~ .row button").click()
    for index, name in enumerate(("Ada", "Bo", "Cy", "Di")):
        page.locator(".seat").nth(index).locator("select").first.select_option("person")
        page.locator(".seat").nth(index).locator("input").fill(name)
    page.locator("input[name=teams]").check()
    page.locator("input[name=hidden]").check()
    page.locator("form.card button[type=submit]").click()
    player.ready()
    state = player.state()
    assert [card["seats"] for card in state["cards"]] == [[0, 2], [1, 3]]
    assert page.locator(".sheet .card-name").first.inner_text() == "Ada and Cy"
    assert page.locator(".sheet .total td").all_inner_texts() == ["–", "–"]


def test_the_game_is_saved_as_a_file_that_names_every_decision(player: Player) -> None:
    player.start("forced")
    player.play_by_mouse()
    player.page.locator("button.throw").click()
    with player.page.expect_download() as download:
        player.page.get_by_role("button", name="Save the game as a file").click()
    saved = json.loads(download.value.path().read_text())
    assert saved["format"] == "yatzy-env game"
    assert len(saved["moves"]) == 15


def test_the_seed_shown_at_the_end_belongs_to_the_digest_shown_before(player: Player) -> None:
    player.start("forced")
    player.page.locator(".options summary").click()
    before = player.page.locator(".fair code").inner_text()
    assert re.fullmatch("[0-9a-f]{64}", before)
    player.play_by_mouse()
    expect(player.page.locator(".fair code").first).to_have_text(before)
    expect(player.page.locator(".fair .notice")).to_contain_text("Checked")
