// Dice as drawn pips, and the tray in which they lie: buttons that are kept or thrown again.

import { button, h, svg, replace } from "./dom.js";
import { faceName, t } from "./i18n.js";

// Where the pips of each face lie, in hundredths of its side.
const PIPS = {
  1: "50,50",
  2: "27,27 73,73",
  3: "25,25 50,50 75,75",
  4: "27,27 73,27 27,73 73,73",
  5: "26,26 74,26 50,50 26,74 74,74",
  6: "28,24 72,24 28,50 72,50 28,76 72,76",
};

/** A drawn die; an empty one for face 0. It is hidden from screen readers: whatever holds it has the words. */
export function drawDie(face) {
  const places = face === 0 ? [] : PIPS[face].split(" ").map((place) => place.split(","));
  const pips = places.map(([cx, cy]) => svg("circle.pip", { cx, cy, r: 9.5 }));
  const body = svg("rect.die-body", { x: 3, y: 3, width: 94, height: 94, rx: 22 });
  return svg("svg.die-face", { viewBox: "0 0 100 100", "aria-hidden": "true", focusable: "false" }, body, pips);
}

/** Dice in a line of text, with one label for screen readers. */
export function smallDice(faces, label = faces.join(" ")) {
  return h("span.small-dice", { role: "img", "aria-label": label }, faces.map((face) => drawDie(face)));
}

/** Which places to keep so that exactly `faces` are kept, lowest places first. */
export function keptPlaces(dice, faces) {
  const wanted = [...faces];
  return dice.map((face) => {
    const found = wanted.indexOf(face);
    if (found >= 0) wanted.splice(found, 1);
    return found >= 0;
  });
}

/** The tray. It shows what it is given and reports clicks; what may be kept is decided elsewhere. */
export class Tray {
  /** @param {(place: number) => void} onToggle - called with the place of a die that was clicked. */
  constructor(onToggle) {
    this.onToggle = onToggle;
    this.element = h("div.dice", { role: "group", "aria-label": t("dice.group") });
  }

  /**
   * Draws the dice.
   *
   * @param {number[]} faces - faces by place; empty before the first throw.
   * @param {boolean[]} kept - which are kept.
   * @param {object} options - `count`: dice of the game; `enabled`: whether they can be clicked; `thrown`: places that
   *   were thrown just now and so roll in.
   */
  show(faces, kept, { count, enabled, thrown = [] }) {
    const focused = [...this.element.children].findIndex((slot) => slot.contains(document.activeElement));
    const slots = Array.from({ length: count }, (_, place) =>
      this.slot(place, faces[place] ?? 0, kept[place], enabled),
    );
    replace(this.element, slots);
    for (const place of thrown) slots[place].classList.add("rolling");
    if (focused >= 0) slots[focused]?.querySelector("button")?.focus({ preventScroll: true });
  }

  slot(place, face, kept, enabled) {
    const state = kept ? t("dice.kept") : t("dice.throw_again");
    const label =
      face === 0
        ? t("dice.empty", { place: place + 1 })
        : t("dice.label", { place: place + 1, face: faceName(face), state });
    const pressed = face === 0 ? null : String(Boolean(kept));
    const attributes = { "aria-label": label, "aria-pressed": pressed, disabled: face === 0 || !enabled };
    const die = button(".die", drawDie(face), () => this.onToggle(place), attributes);
    const caption = kept
      ? h("span.die-caption.kept", { "aria-hidden": "true", text: t("dice.kept_short") })
      : h("kbd.die-caption", { "aria-hidden": "true", text: face === 0 ? "" : place + 1 });
    return h(`div.die-slot${kept ? ".is-kept" : ""}`, die, caption);
  }
}
