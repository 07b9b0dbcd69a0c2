"""The coach during the game and the review after it."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.player import Player


def numbers(text: str) -> list[float]:
    return [float(found.replace("\u2212", "-")) for found in re.findall("[\u2212-]?[0-9]+(?:[.][0-9]+)?", text)]


def test_the_coach_ranks_options_and_says_what_each_loses(player: Player) -> None:
    player.start("forced", coach="full")
    page = player.page
    expect(page.locator(".coach")).to_contain_text("Throw first")
    player.throw()
    rows = page.locator(".options tbody tr")
    expect(rows.first).to_contain_text("best")
    expected = [numbers(row.locator("td").first.inner_text())[0] for row in rows.all()]
    assert expected == sorted(expected, reverse=True)
    regrets = [numbers(row.locator("td").nth(1).inner_text()) for row in rows.all()]
    assert all(
        not regret or abs(-regret[0] - (expected[0] - value)) < 0.011
        for regret, value in zip(regrets, expected, strict=True)
    )
    page.locator(".coach .more").click()
    assert rows.count() > 6


def test_a_mistake_is_marked_with_what_was_better(player: Player) -> None:
    player.start("yatzy", coach="full")
    page = player.page
    player.throw()
    expect(page.locator(".options tbody tr").first).to_contain_text("best")
    player.score(page.locator(".sheet button.offer[data-box=yatzy]"))
    decision = page.locator(".last-decision .decision")
    expect(decision).to_contain_text("given away")
    expect(decision).to_contain_text("Better:")
    entry = player.state()["log"][-1]
    assert numbers(decision.inner_text())[0] == round(entry["regret"], 2)
    assert entry["regret"] > 1


def test_choosing_an_option_keeps_its_dice(player: Player) -> None:
    player.start("forced", coach="full")
    page = player.page
    player.throw()
    keeps = page.locator(".options button.use").filter(has_text="keep")
    expect(keeps.first).to_be_visible()
    wanted = keeps.first.locator("svg").count()
    keeps.first.click()
    expect(page.locator("button.die[aria-pressed=true]")).to_have_count(wanted)
    expect(page.locator("button.throw")).to_be_focused()


def test_nothing_moves_when_hints_appear(player: Player) -> None:
    player.start("yatzy", coach="full")
    page = player.page
    places = """() => ['.table', '.sheet', '.coach', '.throw'].map((one) => {
      const { x, y, width } = document.querySelector(one).getBoundingClientRect();
      return [x, y, width];
    })"""
    before = page.evaluate(places)
    player.throw()
    expect(page.locator(".options tbody tr").first).to_be_visible()
    assert page.evaluate(places) == before


def test_the_coach_can_be_turned_off_and_on_during_the_game(player: Player) -> None:
    player.start("forced")
    page = player.page
    expect(page.locator(".coach")).to_be_hidden()
    player.throw()
    page.locator(".options summary").click()
    page.locator("#coach-level").select_option("hints")
    expect(page.locator(".coach .options tbody tr").first).to_contain_text("best")
    page.locator("#coach-level").select_option("off")
    expect(page.locator(".coach")).to_be_hidden()


def test_the_review_adds_up_and_the_mistakes_can_be_tried_again(player: Player) -> None:
    player.start("forced", ("Ada", "agent:greedy"))
    player.play_by_mouse()  # one throw per turn gives much away
    page = player.page
    player.page.locator("button.throw").click()
    rows = page.locator(".balance")
    expect(rows).to_have_count(2)
    for row in rows.all():
        score, optimum, luck, regret = (numbers(term.inner_text())[0] for term in row.locator(".value").all())
        sign = -1 if row.locator(".sign").nth(1).inner_text() == "\u2212" else 1
        assert abs(score - (optimum + sign * luck - regret)) < 1e-9
    expect(page.locator("svg.chart path.line")).to_have_count(2)
    mistakes = page.locator(".mistakes")
    mistakes.get_by_role("button", name="Start").click()
    expect(mistakes.locator("h3")).to_contain_text("Mistake 1 of")
    expect(mistakes.locator(".options")).to_have_count(0)  # the answer is hidden
    expect(mistakes.locator(".verdict")).to_be_empty()
    played = page.locator(".mistakes").inner_text()
    assert "You chose:" in played
    # What was played is wrong again; throwing everything or the answer's way is better.
    mistakes.locator("button.offer").first.click()
    expect(mistakes.locator(".verdict")).to_contain_text("Try again")
    mistakes.get_by_role("button", name="Show the answer").click()
    expect(mistakes.locator(".options tr.is-best").first).to_be_visible()
    mistakes.get_by_role("button", name="Next").click()
    expect(mistakes.locator("h3")).to_contain_text("Mistake 2 of")


def test_a_near_best_attempt_is_accepted(player: Player) -> None:
    player.start("forced")
    player.play_by_mouse()
    page = player.page
    page.locator("button.throw").click()
    mistakes = page.locator(".mistakes")
    mistakes.get_by_role("button", name="Start").click()
    best = page.evaluate(
        """async () => {
          const id = location.hash.split("/")[2];
          const { token } = JSON.parse(localStorage.getItem("yatzy.games")).find((one) => one.id === id);
          const answer = await fetch(`/api/games/${id}/mistakes/0/answer`, { headers: { "X-Game-Token": token } });
          return (await answer.json()).options[0].keep;
        }"""
    )
    for die in mistakes.locator("button.die").all():
        face = die.locator("circle").count()
        if face in best:
            best.remove(face)
            die.click()
    mistakes.locator("button.primary").click()
    expect(mistakes.locator(".verdict")).to_contain_text("best move")


def test_statistics_list_the_finished_game(player: Player) -> None:
    player.start("forced", ("Statistician",))
    player.play_by_mouse()
    total = player.total
    player.show("history")
    page = player.page
    expect(page.locator("h1")).to_have_text("Statistics")
    expect(page.locator("table").first.locator("tbody tr")).to_contain_text(["Forced Yatzy"])
    expect(page.locator("table").last.locator("tbody tr").first).to_contain_text(total)
    page.locator("table").last.get_by_role("link", name="Review").first.click()
    expect(page.locator(".review h1")).to_contain_text(total)
