"""Somebody in front of the page: starts games, plays by mouse or by keyboard, and reads what is shown."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, Page, expect

# What the page is told to remember: opponents move at once.
SETTINGS = {"pace": "instant", "wait": False, "keys": True, "theme": "auto", "coach": "off"}
READY = """() => {
  const game = document.querySelector(".game");
  return game && game.ariaBusy === "false" && (game.dataset.turn !== "agent" || game.dataset.phase === "enter");
}"""


class Player:
    """Drives one page."""

    def __init__(self, page: Page, url: str, faults: list[str]) -> None:
        self.page = page
        self.url = url
        self.faults = faults  # what went wrong on the page; a test that expects something clears it

    def show(self, address: str) -> None:
        """Opens a screen of the page."""
        self.page.goto("about:blank")
        self.page.goto(f"{self.url}#/{address}")

    def start(
        self, ruleset: str = "forced", seats: tuple[str, ...] = ("Ada",), coach: str = "off", **boxes: bool
    ) -> None:
        """Starts a game.

        Args:
            ruleset: which game.
            seats: who plays: names of persons, and agents as "agent:greedy".
            coach: "off", "hints" or "full".
            **boxes: `real`: real dice; `hidden`: hidden totals.
        """
        page = self.page
        self.show(f"new/{ruleset}")
        form = page.locator("form.card")
        rows = form.locator(".seat")
        expect(rows.first).to_be_visible()
        while rows.count() < len(seats):
            form.locator(".seats ~ .row button").click()
        while rows.count() > len(seats):
            rows.last.locator("button").click()
        for index, seat in enumerate(seats):
            kind, _, agent = seat.partition(":")
            rows.nth(index).locator("select").first.select_option(agent or "person")
            if not agent:
                rows.nth(index).locator("input").fill(kind)
        form.locator(f"input[name=coach][value={coach}]").check()
        if boxes.get("real"):
            form.locator("input[name=dice][value=real]").check()
        if boxes.get("hidden"):
            form.locator("input[name=hidden]").check()
        form.locator("button[type=submit]").click()
        self.ready()

    # ------------------------------------------------------------------ looking

    def ready(self) -> None:
        """Waits until a person is asked for something, or the game is over."""
        self.page.wait_for_function(READY)

    @property
    def game(self) -> Locator:
        """The game on the page."""
        return self.page.locator(".game")

    @property
    def phase(self) -> str:
        """What is awaited: throw, decide, enter or finished."""
        return str(self.game.get_attribute("data-phase"))

    @property
    def version(self) -> int:
        """How many moves have been made."""
        return int(self.game.get_attribute("data-version") or -1)

    @property
    def dice(self) -> list[str]:
        """The labels of the dice."""
        return [str(die.get_attribute("aria-label")) for die in self.page.locator(".table button.die").all()]

    @property
    def offers(self) -> Locator:
        """The boxes that may be filled now."""
        return self.page.locator(".sheet button.offer")

    @property
    def filled(self) -> list[str]:
        """What stands in the boxes of all cards shown."""
        return self.page.locator(".sheet td.filled").all_inner_texts()

    @property
    def total(self) -> str:
        """The total of the first card shown."""
        return self.page.locator(".sheet .total td").first.inner_text()

    def state(self) -> Any:
        """The game as the server has it, asked for with the key that the browser holds."""
        return self.page.evaluate(
            """async () => {
              const id = location.hash.split("/")[2];
              const game = JSON.parse(localStorage.getItem("yatzy.games")).find((one) => one.id === id);
              const answer = await fetch(`/api/games/${id}`, { headers: { "X-Game-Token": game.token } });
              return answer.json();
            }"""
        )

    # ------------------------------------------------------------------ playing

    def after(self, act: Any) -> None:
        """Does something that is a move, and waits until it has been made and the opponents have answered."""
        before = self.version
        act()
        self.page.wait_for_function(f"() => Number(document.querySelector('.game').dataset.version) !== {before}")
        self.ready()

    def throw(self) -> None:
        """Throws by mouse."""
        self.after(self.page.locator("button.throw").click)

    def score(self, offer: Locator) -> None:
        """Fills a box by mouse, saying yes where a zero has to be confirmed."""
        lone = self.offers.count() == 1 and self.state()["choices"]["lone_box"] is not None
        is_zero = "zero" in str(offer.get_attribute("class")).split()

        def act() -> None:
            offer.click()
            if is_zero and not lone:
                self.page.locator("dialog[open] button.primary").click()

        self.after(act)

    def play_by_mouse(self) -> None:
        """Plays the rest of a game: each turn one throw and the best paying box."""
        while self.phase != "finished":
            if self.phase == "throw":
                self.throw()
            paying = self.page.locator(".sheet button.offer:not(.zero)")
            self.score(paying.last if paying.count() else self.offers.first)

    def press(self, *keys: str) -> None:
        """Presses keys one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def play_by_keyboard(self) -> None:
        """Plays the rest of a game by keys alone: throw, keep the first die, throw, and fill the first box offered."""
        page = self.page
        while self.phase != "finished":
            page.evaluate("document.activeElement.blur()")  # as after Escape: keys go to the game itself
            if self.phase == "throw":
                self.after(lambda: self.press(" "))
            self.press("1")
            expect(page.locator(".table button.die").first).to_have_attribute("aria-pressed", "true")
            self.after(lambda: self.press("Enter"))
            self.press("ArrowDown")
            expect(self.offers.first).to_be_focused()
            self.after(self._write)

    def _write(self) -> None:
        self.press("Enter")
        confirm = self.page.locator("dialog[open] button.primary")
        if confirm.count():
            expect(confirm).to_be_focused()
            self.press("Enter")
