// Real dice: a panel to type what was thrown on the table.

import { drawDie, smallDice } from "./dice.js";
import { facesSaid } from "./actions.js";
import { button, h, icon, replace } from "./dom.js";
import { faceName, t } from "./i18n.js";

const FACES = [1, 2, 3, 4, 5, 6];

/** Asks for the faces of some dice. Keys 1 to 6 add one, Backspace takes it back, Enter is done. */
export class EnterPanel {
  /** @param {(dice: number[]) => void} onDone - called with all faces. */
  constructor(onDone) {
    this.onDone = onDone;
    this.typed = [];
    this.awaited = 0;
    this.element = h("div.enter.stack.tight", { hidden: true });
  }

  /**
   * Shows the panel for a position, or hides it.
   *
   * @param {number} awaited - how many dice are awaited; 0 hides the panel.
   * @param {number[]} held - dice that stay on the table.
   * @param {string|null} forWhom - the name of an agent whose dice are thrown, else null.
   */
  show(awaited, held, forWhom) {
    this.typed = [];
    this.awaited = awaited;
    this.held = held;
    this.forWhom = forWhom;
    this.element.hidden = awaited === 0;
    this.draw();
  }

  /** Handles a key; says whether it was one of ours. */
  key(key) {
    if (this.awaited === 0) return false;
    if (FACES.includes(Number(key))) this.add(Number(key));
    else if (key === "Backspace") this.back();
    else if (key === "Enter" || key === " ") this.done();
    else return false;
    return true;
  }

  add(face) {
    if (this.typed.length < this.awaited) this.typed.push(face);
    this.draw();
  }

  back() {
    this.typed.pop();
    this.draw();
  }

  done() {
    if (this.typed.length === this.awaited) this.onDone([...this.typed]);
  }

  draw() {
    if (this.awaited === 0) {
      replace(this.element);
      return;
    }
    const focused = document.activeElement?.dataset?.enter;
    const full = this.typed.length === this.awaited;
    const faces = FACES.map((face) =>
      button(".face", drawDie(face), () => this.add(face), {
        "aria-label": t("enter.face", { face: faceName(face) }),
        "aria-disabled": full ? "true" : null,
        data: { enter: String(face) },
      }),
    );
    const typed =
      this.typed.length === 0
        ? h("span.hint", { text: t("enter.none") })
        : smallDice(this.typed, facesSaid(this.typed));
    replace(
      this.element,
      this.forWhom !== null && h("p.notice", { text: t("enter.for", { name: this.forWhom }) }),
      h("h2", { text: t("enter.heading", { count: this.awaited }) }),
      this.held.length > 0 && h("p", `${t("enter.held")}: `, smallDice(this.held, facesSaid(this.held))),
      h("div.faces", { role: "group", "aria-label": t("dice.group") }, faces),
      h("p.typed", { "aria-live": "polite" }, `${t("enter.typed")}: `, typed),
      h(
        "div.row",
        button(".primary", t("enter.done"), () => this.done(), {
          "aria-disabled": full ? null : "true",
          data: { enter: "done" },
        }),
        button(".square", icon("undo"), () => this.back(), { label: t("enter.back"), data: { enter: "back" } }),
      ),
    );
    if (focused) this.element.querySelector(`[data-enter="${focused}"]`)?.focus();
  }
}
