// A game in play: sends moves, shows what comes back, and lets agents move at a pace one can follow.

import { gameState, move, ruleset } from "./api.js";
import { actionSaid, facesSaid } from "./actions.js";
import { CoachPanel, isJudged, regretSaid } from "./coach.js";
import { confirmed } from "./confirm.js";
import { keptPlaces } from "./dice.js";
import { announce, h, pause, replace } from "./dom.js";
import { boxLabel, number, t } from "./i18n.js";
import { OptionsPanel } from "./options.js";
import { namesOfCards, seatNames, seatRequest, startGame } from "./seats.js";
import { Sheet } from "./sheet.js";
import { forgetGame, rememberGame, settings, tokenOf } from "./store.js";
import { banner, Table, unknownGame } from "./table.js";

const PACES = {
  calm: { step: 900, hold: 750, undo: 2200 },
  quick: { step: 250, hold: 250, undo: 1200 },
  instant: { step: 0, hold: 0, undo: 400 },
};
const RECONNECT = 1500; // milliseconds between tries to reach the server again

/** Shows the game whose id is given, as long as this browser holds its key. */
export async function gameScreen(main, [id]) {
  try {
    if (tokenOf(id) === null) return unknownGame(main);
    const state = await gameState(id);
    const game = new Game(main, await ruleset(state.ruleset), state);
    return () => game.close();
  } catch (error) {
    if (error.status !== 404) throw error;
    forgetGame(id);
    return unknownGame(main);
  }
}

class Game {
  constructor(main, rules, state) {
    this.rules = rules;
    this.state = state;
    this.id = state.id;
    this.open = true;
    this.busy = false;
    this.kept = [];
    this.fresh = null;
    this.names = seatNames(state.seats);
    this.cardNames = namesOfCards(state.cards, this.names);
    this.table = new Table(rules, {
      toggle: (place) => this.toggle(place),
      act: (name) => this.act(name),
      undo: () => this.undo(),
      quick: (box) => this.score(box),
      enter: (dice) => this.send({ type: "dice", dice }),
      again: () => this.again(),
    });
    this.sheet = new Sheet(rules, (box) => this.score(box));
    this.coach = new CoachPanel(
      rules,
      (option) => this.useOption(option),
      () => this.coach.show(this.state, this.lastDecision()),
    );
    this.options = new OptionsPanel((now) => this.accept(now), (error) => this.problem(error.message));
    this.banner = h("div.banner");
    this.root = h(
      "div.game",
      h("div.left", this.table.element, this.coach.element, this.options.element),
      h("div.right.card", this.sheet.element),
    );
    replace(main, this.banner, this.root);
    document.documentElement.classList.add("in-game");
    this.onKey = (event) => this.key(event);
    document.addEventListener("keydown", this.onKey);
    this.accept(state, { first: true });
    this.agents();
  }

  close() {
    this.open = false;
    this.skip?.();
    this.sheet.close();
    document.documentElement.classList.remove("in-game");
    document.removeEventListener("keydown", this.onKey);
  }

  // ------------------------------------------------------------------ showing

  /** Takes a state from the server and draws it. */
  accept(state, { first = false } = {}) {
    const before = this.state;
    const moved = first || state.version !== before.version;
    this.state = state;
    if (moved) {
      const fresh = state.dice.length > 0 && state.phase === "decide";
      this.kept = fresh ? state.dice.map((_, place) => state.throw > 1 && !state.thrown[place]) : [];
      const last = state.log.at(-1);
      this.fresh = last?.kind === "score" ? { card: last.card, box: last.box } : null;
      if (!first) this.say(before, state);
    }
    if (state.phase === "finished") rememberGame({ id: this.id, finished: true });
    const thrown =
      moved && !first && state.phase === "decide" ? state.thrown.flatMap((is, place) => (is ? [place] : [])) : [];
    this.draw(thrown);
    if (moved || state.coach !== before.coach) this.coach.show(state, this.lastDecision());
    this.options.show(state);
  }

  draw(thrown = []) {
    const { state } = this;
    const onTurn = state.turn === null ? "nobody" : state.turn.is_agent ? "agent" : "person";
    Object.assign(this.root.dataset, { phase: state.phase, version: state.version, turn: onTurn });
    this.root.setAttribute("aria-busy", String(this.busy));
    this.table.show(state, {
      kept: this.kept,
      names: this.names,
      cardNames: this.cardNames,
      thrown,
      busy: this.busy,
      canUndo: this.canUndo(),
    });
    const mine = state.phase === "decide" && !state.turn.is_agent;
    this.sheet.show({
      cards: state.cards,
      names: this.cardNames,
      active: state.turn?.card ?? null,
      choices: mine ? state.choices : null,
      fresh: this.fresh,
    });
  }

  /** Tells screen readers what the last move did. */
  say(before, state) {
    const parts = state.log
      .filter((entry) => entry.index >= before.log_length)
      .map((entry) => {
        const name = this.names[entry.seat];
        if (entry.kind === "throw") return t("game.threw", { name, dice: facesSaid(entry.dice) });
        if (entry.kind === "score")
          return t("game.scored", { name, points: number(entry.points), box: boxLabel(this.rules, entry.box, true) });
        if (state.seats[entry.seat].kind === "person") return "";
        return entry.keep.length === 0
          ? t("game.kept_nothing", { name })
          : t("game.kept", { name, dice: facesSaid(entry.keep) });
      });
    const decision = this.lastDecision();
    if (decision !== null && decision.index >= before.log_length && decision.regret > 0) {
      parts.push(`${regretSaid(decision)}. ${t("mark.better")} ${actionSaid(this.rules, decision.best)}`);
    }
    if (state.log_length < before.log_length) parts.push(t("game.undone"));
    if (state.phase === "finished") parts.push(`${t("game.over")}. ${this.table.about.textContent}`);
    else if (before.turn?.seat !== state.turn.seat || before.turn?.number !== state.turn.number) {
      parts.push(t("game.turn_of", { name: this.names[state.turn.seat] }));
    }
    announce(parts.filter(Boolean).join(". "));
  }

  /** The last decision of a person that can be judged, or null. */
  lastDecision() {
    const judged = (entry) => isJudged(entry) && this.state.seats[entry.seat].kind === "person";
    return this.state.log.findLast(judged) ?? null;
  }

  /** Only what a person did is taken back here: an agent would do the same again. */
  canUndo() {
    const last = this.state.log.at(-1);
    return this.state.can_undo && last !== undefined && this.state.seats[last.seat].kind === "person";
  }

  problem(text) {
    banner(this.banner, text, "error");
  }

  // ------------------------------------------------------------------ moving

  toggle(place) {
    const { phase, turn, choices, dice } = this.state;
    if (this.busy || phase !== "decide" || turn.is_agent || !choices.may_throw || place >= dice.length) return;
    this.kept[place] = !this.kept[place];
    this.draw();
  }

  act(name) {
    if (name === "throw") this.send({ type: "throw" });
    else if (name === "keep") this.throwRest();
    else if (name === "lone") this.score(this.state.choices.lone_box);
    else if (name === "choose") this.sheet.focusFirst();
    else if (name === "continue") this.skip?.();
    else if (name === "review") window.location.hash = `#/review/${this.id}`;
  }

  throwRest() {
    const positions = this.kept.flatMap((held, place) => (held ? [place] : []));
    if (positions.length === this.state.dice.length) return;
    this.send({ type: "keep", dice: positions.map((place) => this.state.dice[place]), positions });
  }

  async score(box) {
    const { choices } = this.state;
    const choice = choices.boxes.find((one) => one.box === box);
    if (this.busy || choice === undefined) return;
    if (choice.is_zero && choices.lone_box !== box) {
      const label = boxLabel(this.rules, box, true);
      if (!(await confirmed(t("game.zero.title"), t("game.zero.text", { box: label }), t("game.zero.confirm")))) return;
    }
    this.send({ type: "score", box, confirm_zero: choice.is_zero });
  }

  undo() {
    if (!this.canUndo() || this.busy) return;
    this.skip?.("undo");
    this.send({ type: "undo" });
  }

  /** Sends a move of a person, and lets agents go on after it. */
  async send(body) {
    if (this.busy) return;
    this.busy = true;
    this.draw();
    await this.exchange(() => move(this.id, { ...body, version: this.state.version }));
    this.agents();
  }

  /** Asks the server for a state and shows it; a lost connection is tried again until it is back. False: refused. */
  async exchange(ask) {
    for (let tries = 0; this.open; tries += 1) {
      try {
        const state = await (tries === 0 ? ask() : gameState(this.id));
        this.busy = false;
        if (!this.open) return false;
        banner(this.banner, "");
        this.accept(state);
        return true;
      } catch (error) {
        if (error.status === undefined) throw error;
        if (error.status !== 0 && error.status !== 429 && error.status < 500 && error.code !== "stale_version") {
          this.busy = false;
          this.problem(error.message);
          this.draw();
          return false;
        }
        if (error.code === "stale_version") banner(this.banner, t("game.moved"));
        else banner(this.banner, error.status === 429 ? error.message : t("game.retrying"));
        if (error.code !== "stale_version") await pause(RECONNECT);
      }
    }
    return false;
  }

  /** Lets agents move, one step at a time, until a person is asked for something. */
  async agents() {
    if (this.running) return;
    this.running = true;
    try {
      while (this.open && this.state.turn?.is_agent && this.state.phase !== "enter") {
        if (!(await this.breath()) || !this.open) return;
        this.busy = true;
        this.draw();
        if (!(await this.exchange(() => this.agentStep()))) return; // the reason is shown
      }
    } finally {
      this.running = false;
    }
  }

  /** The pause before an agent's step; false if the person took the last move back meanwhile. */
  async breath() {
    const pace = PACES[settings().pace];
    const undoable = this.canUndo();
    const waits = undoable && settings().wait;
    if (undoable) announce(t("game.next_agent", { name: this.names[this.state.turn.seat] }));
    return new Promise((resolve) => {
      const timer = waits ? 0 : window.setTimeout(() => this.skip("go"), undoable ? pace.undo : pace.step);
      this.skip = (why = "go") => {
        window.clearTimeout(timer);
        this.skip = null;
        resolve(why === "go");
      };
    });
  }

  /** One step of the agent on turn. What it holds is shown for a moment before the new dice. */
  async agentStep() {
    const before = this.state;
    const state = await move(this.id, { type: "agent", version: before.version });
    const step = state.log.find((entry) => entry.index >= before.log_length);
    if (step?.kind === "keep" && this.open) {
      const kept = keptPlaces(before.dice, step.keep);
      this.table.tray.show(before.dice, kept, { count: this.rules.dice, enabled: false });
      await pause(PACES[settings().pace].hold);
    }
    return state;
  }

  // ------------------------------------------------------------------ keys and the coach

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || !settings().keys) return;
    if (event.target.closest("input, select, textarea, dialog")) return;
    const onControl = event.target.closest("button, a, summary") !== null;
    const isGo = event.key === " " || event.key === "Enter";
    if (isGo && onControl) return;
    if (this.state.phase === "enter") {
      if (this.table.enter.key(event.key)) event.preventDefault();
      return;
    }
    if (/^[1-6]$/.test(event.key)) this.toggle(Number(event.key) - 1);
    else if (event.key === "u" || event.key === "U") this.undo();
    else if (event.key === "ArrowDown" && !event.target.closest(".sheet")) this.sheet.focusFirst();
    else if (isGo && this.table.action?.enabled) this.act(this.table.action.name);
    else return;
    event.preventDefault();
  }

  useOption(option) {
    if (option.type === "score") {
      this.sheet.element.querySelector(`[data-box="${option.box}"]`)?.focus();
      return;
    }
    this.kept = keptPlaces(this.state.dice, option.keep);
    this.draw();
    this.table.primary.focus();
  }

  /** A new game with the same players and settings. */
  async again() {
    const { state } = this;
    const shared = state.cards.some((card) => card.seats.length > 1);
    try {
      await startGame({
        ruleset: state.ruleset,
        seats: state.seats.map(seatRequest),
        teams: shared ? state.cards.map((card) => card.seats) : null,
        coach: state.coach,
        real_dice: state.real_dice,
        hidden_totals: state.hidden_totals,
      });
    } catch (error) {
      this.problem(error.message);
    }
  }
}
