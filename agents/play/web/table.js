// The table of a game: whose turn it is, the dice, the buttons to throw and undo, and what the rules say right now.

import { Tray } from "./dice.js";
import { EnterPanel } from "./enter.js";
import { append, button, deadEnd, h, icon, replace } from "./dom.js";
import { boxLabel, list, number, t } from "./i18n.js";

/** What the big button does in a position: a name for the controller, its label, and whether it can be used. */
export function primaryAction(state, kept, rules) {
  const { phase, choices, turn } = state;
  if (phase === "finished") return { name: "review", label: t("game.to_review"), enabled: true };
  if (phase === "enter") return null;
  if (turn.is_agent) return { name: "continue", label: t("game.continue"), enabled: true };
  if (phase === "throw") return { name: "throw", label: t("game.first_throw"), enabled: true };
  if (choices.lone_box !== null) {
    const { points } = choices.boxes[0];
    const label = t("game.lone", { points: number(points), box: boxLabel(rules, choices.lone_box, true) });
    return { name: "lone", label, enabled: true };
  }
  if (!choices.may_throw) return { name: "choose", label: t("game.choose_box"), enabled: true };
  const thrown = kept.filter((held) => !held).length;
  return {
    name: "keep",
    label: thrown === 0 ? t("game.choose_box") : t("game.throw_again", { count: thrown }),
    enabled: thrown > 0,
  };
}

/** Draws the table. Clicks go to `controller`: toggle(place), act(name), undo(), quick(box), enter(dice), again(). */
export class Table {
  constructor(rules, controller) {
    this.rules = rules;
    this.controller = controller;
    this.tray = new Tray((place) => controller.toggle(place));
    this.enter = new EnterPanel((dice) => controller.enter(dice));
    this.title = h("h1");
    this.about = h("p.turn-about.muted");
    this.label = h("span");
    this.diceIcon = icon("throw");
    const act = () => this.primary.getAttribute("aria-disabled") === null && controller.act(this.action.name);
    this.primary = button(".primary.throw", [this.diceIcon, this.label], act);
    const undo = [icon("undo"), h("span", { text: t("game.undo") })];
    this.undo = button(".undo", undo, () => controller.undo(), { "aria-keyshortcuts": "u" });
    this.quick = h("div.quick");
    this.notices = h("div.notices.stack.tight");
    this.buttons = h("div.row.buttons", this.primary, this.undo);
    this.element = h(
      "section.card.table",
      { "aria-labelledby": "turn-title" },
      h("div.turn", this.title, this.about),
      this.tray.element,
      this.enter.element,
      this.buttons,
      this.quick,
      this.notices,
    );
    this.title.id = "turn-title";
  }

  /**
   * Draws a position.
   *
   * @param {object} state - GameState.
   * @param {object} view - `kept` by place; `names` of seats; `cardNames`; `thrown`: places that roll in now; `busy`:
   *   a move is on its way; `canUndo`: whether the last move can be taken back by a person here.
   */
  show(state, { kept, names, cardNames, thrown = [], busy = false, canUndo = false }) {
    const mine = state.phase === "decide" && !state.turn.is_agent;
    this.words(state, names, cardNames);
    const canToggle = mine && state.choices.may_throw && !busy;
    this.tray.element.hidden = state.phase === "finished" || state.phase === "enter";
    this.tray.show(state.dice, kept, { count: this.rules.dice, enabled: canToggle, thrown });
    const typing = state.phase === "enter" && !busy;
    const forWhom = typing && state.turn.is_agent ? names[state.turn.seat] : null;
    this.enter.show(typing ? state.awaited : 0, state.held, forWhom);
    this.action = primaryAction(state, kept, this.rules);
    this.primary.hidden = this.action === null;
    if (this.action !== null) {
      this.label.textContent = this.action.label;
      this.diceIcon.hidden = !["throw", "keep"].includes(this.action.name);
      if (this.action.enabled && !busy) this.primary.removeAttribute("aria-disabled");
      else this.primary.setAttribute("aria-disabled", "true");
    }
    this.undo.hidden = state.phase === "finished" || (state.phase === "enter" && !canUndo);
    this.undo.disabled = !canUndo || busy;
    this.drawQuick(state, mine && !busy);
    replace(this.notices, this.remarks(state, mine, kept));
  }

  words(state, names, cardNames) {
    if (state.phase === "finished") {
      this.title.textContent = t("game.over");
      this.about.textContent = outcome(state.result, cardNames);
      return;
    }
    const { seat, number: turn, of } = state.turn;
    this.title.textContent = t("game.turn_of", { name: names[seat] });
    const throws = state.phase === "decide" ? ` · ${t("game.throws_left", { count: state.throws_left })}` : "";
    this.about.textContent = `${t("game.turn_number", { turn, of })}${throws}`;
  }

  /** A single legal box gets a button of its own beside the throw; after the end the button plays again. */
  drawQuick(state, mine) {
    const choice =
      mine && state.choices.lone_box === null && state.choices.boxes.length === 1 ? state.choices.boxes[0] : null;
    const label =
      choice && t("game.lone", { points: number(choice.points), box: boxLabel(this.rules, choice.box, true) });
    replace(
      this.quick,
      choice && button(".small", label, () => this.controller.quick(choice.box)),
      state.phase === "finished" &&
        h(
          "div.row",
          button("", t("game.play_again"), () => this.controller.again()),
          h("a.button", { href: "#/", text: t("game.new") }),
        ),
    );
  }

  /** What the rules say about this very position. */
  remarks(state, mine, kept) {
    if (!mine) return null;
    const { choices } = state;
    const { order } = this.rules.special;
    const remarks = [];
    if (choices.is_joker) remarks.push(h("p.notice", { text: t("game.joker") }));
    if (order !== "free" && choices.boxes.length < this.rules.boxes.length) {
      const box = boxLabel(this.rules, choices.boxes[0].box, true);
      const upper = this.rules.boxes.find((one) => one.id === choices.boxes[0].box).section === "upper";
      if (order === "top-down" || upper)
        remarks.push(h("p.hint", icon("lock"), ` ${t(`game.order.${order}`, { box })}`));
    }
    if (choices.lone_box !== null) remarks.push(h("p.hint", { text: t("game.lone_why") }));
    else if (!choices.may_throw) remarks.push(h("p.hint", { text: t("game.no_throws") }));
    else if (kept.every(Boolean)) remarks.push(h("p.hint", { text: t("game.all_kept") }));
    if (this.rules.special.saved_throws) {
      const pool = state.cards[state.turn.card].saved_throws;
      remarks.push(h("p.hint", icon("save"), ` ${t("game.saved_throws")}: ${number(pool)}`));
    }
    return remarks;
  }
}

/** How a finished game ended, in a sentence. */
export function outcome({ totals, winners }, names) {
  const key = totals.length === 1 ? "game.solo" : winners.length > 1 ? "game.shared" : "game.won";
  return t(key, { name: list(winners.map((card) => names[card])), points: number(Math.max(...totals)) });
}

/** Says that this browser has no key to a game. */
export function unknownGame(main) {
  deadEnd(main, t("game.unknown"), h("a", { href: "#/", text: t("app.back") }));
  return null;
}

/** A line of notice above the game, such as a lost connection. Empty text hides it. */
export function banner(element, text, look = "warn") {
  replace(element);
  if (text) append(element, [h(`p.notice.${look}`, { role: "alert", text })]);
}
