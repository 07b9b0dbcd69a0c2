"""Texts: every language whole, and the right words on the sheets."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.player import Player

WORDS = {
    "en": ("Play", "Full house", "Full house", "Castle", "Throw the dice"),
    "da": ("Spil", "Hus", "Hus", "To gange tre ens", "Kast terningerne"),
    "no": ("Spill", "Hus", "Hytte", "Hus", "Kast terningene"),
    "sv": ("Spela", "Kåk", "Kåk", "Hus", "Kasta tärningarna"),
}


@pytest.mark.parametrize("language", WORDS)
def test_each_language_plays(new_player: Callable[..., Player], language: str) -> None:
    nav, five, six, castle, throw = WORDS[language]
    player = new_player(language=language)
    page = player.page
    player.start("yatzy", ("Ada", "agent:greedy"), coach="full")
    expect(page.locator(".bar nav a").first).to_have_text(nav)
    expect(page.locator("button.throw")).to_have_text(throw)
    assert page.locator(".sheet .box-name").nth(12).inner_text() == five
    player.throw()
    expect(page.locator(".coach .options tbody tr").first).to_be_visible()
    assert not re.search(r"\{\w+\}|\b[a-z_]+\.[a-z_]+\b", page.locator("body").inner_text().replace("0.", "0 "))
    player.start("maxi-danish")
    names = page.locator(".sheet .box-name").all_inner_texts()
    assert (names[15], names[16]) == (six, castle)
    player.show("rules/maxi-alga")
    expect(page.locator(".rules h2").first).to_be_visible()
    assert not re.search(r"\{\w+\}|rules\.", page.locator("main").inner_text())


def test_the_language_can_be_changed_during_a_game(player: Player) -> None:
    player.start("yatzy")
    player.throw()
    dice = player.state()["dice"]
    player.page.locator("#language").select_option("sv")
    expect(player.page.locator("h1")).to_have_text("Ada är på tur")
    assert player.page.evaluate("document.documentElement.lang") == "sv"
    assert player.state()["dice"] == dice
    expect(player.page.locator("#language")).to_be_focused()


def test_every_ruleset_has_a_rules_page(player: Player) -> None:
    player.show("rules/yatzy")
    names = player.page.evaluate(
        "async () => (await (await fetch('/api/rulesets')).json()).rulesets.map((one) => one.name)"
    )
    assert len(names) > 15
    for name in names:
        player.show(f"rules/{name}")
        expect(player.page.locator(".rules section").nth(2)).to_be_visible()
        text = player.page.locator("main").inner_text()
        assert not re.search(r"\{\w+\}|\brules\.|\bbox\.\w|ruleset\.\w", text), name
