// The coach: options ranked by expected final score, with what each loses and why; and the mark of the last decision.
//
// The panel keeps its height whatever it shows, so that nothing on the page jumps when hints come and go.

import { coach, solveStatus } from "./api.js";
import { actionSaid, actionShown } from "./actions.js";
import { button, h, icon, numberCell, replace, section } from "./dom.js";
import { boxHint, boxLabel, number, percent, t } from "./i18n.js";
import { agentLabel } from "./seats.js";
import { solvePanel } from "./solve.js";

const SHOWN = 6; // options before "show all"
const EVERY = 2000; // milliseconds between looks at chances that are being worked out

/** A mark as icon and word; the icon's shape differs, not its colour alone. */
export function markShown(mark, text = t(`mark.${mark}`)) {
  return h(`span.mark.mark-${mark}`, icon(mark), text);
}

/** What a decision gave away in words: its mark, where regrets have been measured for the game, and the points. */
export function regretSaid(entry) {
  if (entry.regret === 0) return t("mark.fine_best");
  const points = number(entry.regret, 2);
  return entry.mark === null
    ? t("mark.lost_plain", { points })
    : t("mark.lost", { mark: t(`mark.${entry.mark}`), points });
}

/** What a decision gave away, as a line, with the better choice where there was one. */
export function decisionShown(rules, entry) {
  const better = entry.regret > 0 && h("span.better", `${t("mark.better")} `, actionShown(rules, entry.best));
  const words = regretSaid(entry);
  return h(
    "p.decision",
    entry.mark === null ? h("strong", { text: words }) : markShown(entry.mark, words),
    " ",
    better,
  );
}

/** Whether there is something to say about a decision: it was a real one, and its regret is known. */
export function isJudged(entry) {
  return entry.kind !== "throw" && entry.regret !== null && (entry.mark !== null || entry.regret > 0);
}

/** A table of options, best first. `onUse` is called with an option that was clicked; without it rows are plain. */
export function optionsTable(rules, advice, { onUse = null, all = true } = {}) {
  const options = all ? advice.options : advice.options.slice(0, SHOWN);
  const heads = (advice.options[0]?.chances ?? []).map((chance) => chanceHead(rules, chance));
  const weighed = advice.options.some((option) => option.expected === null);
  const top = h(
    "tr",
    h("th", { scope: "col", text: t("coach.option") }),
    h("th.num", { scope: "col", text: t(weighed ? "coach.weight" : "coach.final") }),
    !weighed && h("th.num", { scope: "col", text: t("coach.regret") }),
    heads,
  );
  const rows = options.map((option) => {
    const shown = actionShown(rules, option.name);
    const said = t("coach.use", { option: actionSaid(rules, option.name) });
    const use = onUse === null ? shown : button(".use", shown, () => onUse(option), { "aria-label": said });
    const regret = option.is_best
      ? h("span.best", { text: t("coach.best") })
      : `\u2212${number(option.regret ?? 0, 2)}`;
    return h(
      `tr${option.is_best ? ".is-best" : ""}`,
      h("th", { scope: "row" }, use),
      numberCell(weighed ? percent(option.weight ?? 0) : number(option.expected, 2)),
      !weighed && h(`td.num.regret-${option.mark ?? "fine"}`, regret),
      option.chances.map((chance) => h("td.num.chance", { text: percent(chance.probability) })),
    );
  });
  return h("table.options", h("thead", top), h("tbody", rows));
}

/** The head of a column of chances, which stand in the same order in every option. */
function chanceHead(rules, chance) {
  const label = chance.what === "bonus" ? t("sheet.bonus") : boxLabel(rules, chance.box, true);
  const short = (chance.what === "box" && boxHint(rules, chance.box.split("@")[0])) || label;
  return h(
    "th.num.chance",
    { scope: "col", title: label },
    h("span", { "aria-hidden": "true", text: short }),
    h("span.visually-hidden", { text: label }),
  );
}

/** Looks after the coach's panel during a game. */
export class CoachPanel {
  /**
   * @param {object} rules - RulesetInfo.
   * @param {(option: object) => void} onUse - called with an option that was clicked.
   * @param {() => void} onSolved - called when the game's best play has been worked out.
   */
  constructor(rules, onUse, onSolved) {
    this.rules = rules;
    this.onUse = onUse;
    this.onSolved = onSolved;
    this.all = false;
    this.asked = 0; // counts questions, so that a late answer is not shown for a later position
    this.last = h("div.last-decision");
    this.body = h("div.coach-body");
    this.element = section(".coach", "coach-heading", t("coach.heading"), this.last, this.body);
  }

  /**
   * Shows what fits the position.
   *
   * @param {object} state - GameState.
   * @param {object|null} decision - the last decision of a person (LogEntry), if any.
   */
  async show(state, decision) {
    const mine = ++this.asked;
    this.element.hidden = state.coach === "off" || state.phase === "finished";
    if (this.element.hidden) return;
    this.element.classList.toggle("coach-full", state.coach === "full");
    const shown = decision && decisionShown(this.rules, decision);
    replace(this.last, h("span.hint", { text: `${t("coach.last")}: ` }), shown ?? h("span.hint", { text: "–" }));
    if (state.phase !== "decide" || state.turn.is_agent) {
      replace(this.body, h("p.hint", { text: t(state.turn.is_agent ? "coach.not_yours" : "coach.waiting") }));
      return;
    }
    await this.ask(state, mine, (error) => replace(this.body, h("p.hint", { text: error.message })));
  }

  /** Asks the coach, and draws the answer unless the position has changed meanwhile. */
  async ask(state, mine, onError) {
    try {
      const advice = await coach(state.id);
      if (mine === this.asked) await this.draw(state, advice, mine);
    } catch (error) {
      if (mine === this.asked) onError(error);
    }
  }

  async draw(state, advice, mine) {
    if (advice.source === "none") {
      const status = await solveStatus(this.rules.name);
      if (mine !== this.asked) return;
      const hope = status.state !== "impossible";
      replace(this.body, hope && h("p", { text: t("coach.none") }), solvePanel(status, this.onSolved));
      return;
    }
    const estimate =
      advice.source === "estimate" &&
      h("p.notice", { text: t("coach.estimate", { name: agentLabel(advice.estimator) }) });
    const expected =
      advice.expected !== null && h("p.hint", { text: t("coach.expected", { points: number(advice.expected, 2) }) });
    const forced = advice.forced && h("p.hint", { text: t("coach.forced") });
    const table = h("div.scroll", optionsTable(this.rules, advice, { onUse: this.onUse, all: this.all }));
    const turn = () => {
      this.all = !this.all;
      this.draw(state, advice, mine);
      this.body.querySelector("button.more")?.focus();
    };
    const words = this.all ? t("coach.fewer") : t("coach.more", { count: advice.options.length });
    const more =
      advice.options.length > SHOWN && button(".quiet.small.more", words, turn, { "aria-expanded": String(this.all) });
    replace(this.body, estimate, forced, expected, table, more, this.why(advice));
    if (advice.chances === "working") window.setTimeout(() => this.again(state, mine), EVERY);
  }

  why(advice) {
    if (advice.options.some((option) => option.chances.length > 0)) return h("p.hint", { text: t("coach.why") });
    const known = advice.chances === "working" || advice.chances === "missing";
    return known && h("p.hint", { text: t(`coach.chances.${advice.chances}`) });
  }

  async again(state, mine) {
    // Where that fails the next position asks again; what is shown stays true.
    if (mine === this.asked && this.element.isConnected) await this.ask(state, mine, () => {});
  }
}
