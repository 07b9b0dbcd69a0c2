// Learn from your mistakes: the costliest decisions again, with the answer hidden. Near-best is accepted.

import { attempt, mistakeAnswer, mistakes } from "./api.js";
import { actionShown } from "./actions.js";
import { markShown, optionsTable } from "./coach.js";
import { Tray } from "./dice.js";
import { announce, button, h, icon, replace, scrolling, section } from "./dom.js";
import { number, t } from "./i18n.js";
import { Sheet } from "./sheet.js";

/** The section of the review in which mistakes are tried again. */
export class MistakesPanel {
  /**
   * @param {string} game - id of a finished game.
   * @param {object} rules - RulesetInfo.
   * @param {string[]} names - names of the seats.
   */
  constructor(game, rules, names) {
    this.game = game;
    this.rules = rules;
    this.names = names;
    this.solved = new Set();
    this.body = h("div.stack");
    this.element = section(".stack.mistakes", "mistakes-heading", t("mistakes.heading"), this.body);
  }

  /** Fetches the mistakes and offers to start. */
  async open() {
    this.mistakes = (await mistakes(this.game)).mistakes;
    if (this.mistakes.length === 0) {
      replace(this.body, h("p", { text: t("mistakes.none") }));
      return;
    }
    replace(
      this.body,
      h("p.muted", { text: t("mistakes.about") }),
      h("div.row", button(".primary", t("mistakes.start"), () => this.begin())),
    );
  }

  close() {
    this.sheet?.close();
  }

  begin() {
    this.solved.clear();
    this.show(0);
  }

  /** Shows one mistake. */
  show(number_) {
    const mistake = this.mistakes[number_];
    this.mistake = mistake;
    this.kept = mistake.dice.map(() => false);
    this.done = false;
    this.tray = new Tray((place) => this.toggle(place));
    this.sheet?.close();
    this.sheet = new Sheet(this.rules, (box) => this.guess({ type: "score", box }));
    this.verdict = h("div.verdict", { role: "status" });
    this.throw = button(".primary", [icon("throw"), h("span")], () => {
      this.guess({ type: "keep", dice: mistake.dice.filter((_, place) => this.kept[place]) });
    });
    this.nextLabel = h("span", { text: t("mistakes.skip") });
    const where = { name: this.names[mistake.seat], turn: mistake.turn, points: number(mistake.regret, 2) };
    const heading = h("h3", {
      tabindex: -1,
      text: t("mistakes.number", { number: number_ + 1, of: this.mistakes.length }),
    });
    replace(
      this.body,
      h(
        "div.stack.tight",
        heading,
        h("p", { text: t("mistakes.where", where) }),
        h("p", `${t("mark.played")} `, actionShown(this.rules, mistake.played)),
        h("p.hint", { text: t(mistake.choices.may_throw ? "mistakes.try" : "mistakes.try_box") }),
      ),
      h(
        "div.mistake",
        h(
          "div.stack.tight",
          h("p.muted", { text: t("game.throws_left", { count: mistake.throws_left }) }),
          this.tray.element,
          h(
            "div.row",
            mistake.choices.may_throw && this.throw,
            button("", t("mistakes.show"), () => this.reveal()),
            button("", this.nextLabel, () => this.next()),
          ),
          this.verdict,
        ),
        this.sheet.element,
      ),
    );
    this.draw();
    heading.focus();
  }

  draw() {
    const { mistake } = this;
    this.tray.show(mistake.dice, this.kept, {
      count: this.rules.dice,
      enabled: mistake.choices.may_throw && !this.done,
    });
    const thrown = this.kept.filter((held) => !held).length;
    this.throw.querySelector("span:last-child").textContent = t("game.throw_again", { count: thrown });
    this.throw.disabled = thrown === 0 || this.done;
    // The card comes alone, whatever its number was in the game.
    const names = { [mistake.card.index]: this.names[mistake.seat] };
    this.sheet.show({
      cards: [mistake.card],
      names,
      active: mistake.card.index,
      choices: this.done ? null : mistake.choices,
      fresh: null,
    });
  }

  toggle(place) {
    this.kept[place] = !this.kept[place];
    this.draw();
  }

  async guess(body) {
    try {
      const verdict = await attempt(this.game, this.mistake.number, body);
      const points = number(verdict.regret, 2);
      const key = verdict.is_best ? "mistakes.best" : verdict.accepted ? "mistakes.near" : "mistakes.wrong";
      if (verdict.accepted) this.solved.add(this.mistake.number);
      replace(this.verdict, h("p", markShown(verdict.accepted ? "fine" : verdict.mark, t(key, { points }))));
      if (verdict.accepted) await this.reveal();
    } catch (error) {
      replace(this.verdict, h("p.notice.error", { text: error.message }));
    }
  }

  /** Shows the answer below what was said about the attempt. */
  async reveal() {
    const advice = await mistakeAnswer(this.game, this.mistake.number);
    if (!this.solved.has(this.mistake.number)) replace(this.verdict);
    this.done = true;
    this.nextLabel.textContent = t("mistakes.next");
    this.draw();
    this.verdict.append(
      h("h4", { text: t("mistakes.answer") }),
      scrolling(t("mistakes.answer"), optionsTable(this.rules, advice, { all: false })),
    );
    announce(t("mistakes.answer"));
  }

  next() {
    const following = this.mistakes.indexOf(this.mistake) + 1;
    if (following < this.mistakes.length) {
      this.show(following);
      return;
    }
    const said = t("mistakes.finished", { solved: this.solved.size, of: this.mistakes.length });
    replace(
      this.body,
      h("p", { text: said }),
      h("div.row", button("", t("mistakes.again"), () => this.begin())),
    );
    announce(said);
    this.body.querySelector("button").focus();
  }
}
