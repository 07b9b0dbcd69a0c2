// Learn from your mistakes: the costliest decisions again, with the answer hidden. Near-best is accepted.

import { attempt, lessonAnswer, lessons } from "./api.js";
import { actionShown } from "./actions.js";
import { markShown, optionsTable } from "./coach.js";
import { Tray } from "./dice.js";
import { announce, button, h, icon, replace, scrolling, section } from "./dom.js";
import { number, t } from "./i18n.js";
import { Sheet } from "./sheet.js";

/** The section of the review in which mistakes are tried again. */
export class LessonsPanel {
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
    this.element = section(".stack.lessons", "lessons-heading", t("lessons.heading"), this.body);
  }

  /** Fetches the lessons and offers to start. */
  async open() {
    this.lessons = (await lessons(this.game)).lessons;
    if (this.lessons.length === 0) {
      replace(this.body, h("p", { text: t("lessons.none") }));
      return;
    }
    replace(
      this.body,
      h("p.muted", { text: t("lessons.about") }),
      h(
        "div.row",
        button(".primary", t("lessons.start"), () => this.begin()),
      ),
    );
  }

  close() {
    this.sheet?.close();
  }

  begin() {
    this.solved.clear();
    this.show(0);
  }

  /** Shows one lesson. */
  show(number_) {
    const lesson = this.lessons[number_];
    this.lesson = lesson;
    this.kept = lesson.dice.map(() => false);
    this.done = false;
    this.tray = new Tray((place) => this.toggle(place));
    this.sheet?.close();
    this.sheet = new Sheet(this.rules, (box) => this.guess({ type: "score", box }));
    this.verdict = h("div.verdict", { role: "status" });
    this.throw = button(".primary", [icon("throw"), h("span")], () => this.guessKeep());
    this.nextLabel = h("span", { text: t("lessons.skip") });
    const where = { name: this.names[lesson.seat], turn: lesson.turn, points: number(lesson.loss, 2) };
    const heading = h("h3", {
      tabindex: -1,
      text: t("lessons.number", { number: number_ + 1, of: this.lessons.length }),
    });
    replace(
      this.body,
      h(
        "div.stack.tight",
        heading,
        h("p", { text: t("lessons.where", where) }),
        h("p", `${t("mark.played")} `, actionShown(this.rules, lesson.played)),
        h("p.hint", { text: t(lesson.choices.may_throw ? "lessons.try" : "lessons.try_box") }),
      ),
      h(
        "div.lesson",
        h(
          "div.stack.tight",
          h("p.muted", { text: t("game.throws_left", { count: lesson.throws_left }) }),
          this.tray.element,
          h(
            "div.row",
            lesson.choices.may_throw && this.throw,
            button("", t("lessons.show"), () => this.reveal()),
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
    const { lesson } = this;
    this.tray.show(lesson.dice, this.kept, { count: this.rules.dice, enabled: lesson.choices.may_throw && !this.done });
    const thrown = this.kept.filter((held) => !held).length;
    this.throw.querySelector("span:last-child").textContent = t("game.throw_again", { count: thrown });
    this.throw.disabled = thrown === 0 || this.done;
    // The card comes alone, whatever its number was in the game.
    const names = { [lesson.card.index]: this.names[lesson.seat] };
    this.sheet.show({
      cards: [lesson.card],
      names,
      active: lesson.card.index,
      choices: this.done ? null : lesson.choices,
      fresh: null,
    });
  }

  toggle(place) {
    this.kept[place] = !this.kept[place];
    this.draw();
  }

  guessKeep() {
    this.guess({ type: "keep", dice: this.lesson.dice.filter((_, place) => this.kept[place]) });
  }

  async guess(body) {
    try {
      const verdict = await attempt(this.game, this.lesson.number, body);
      const points = number(verdict.loss, 2);
      const key = verdict.is_best ? "lessons.best" : verdict.accepted ? "lessons.near" : "lessons.wrong";
      if (verdict.accepted) this.solved.add(this.lesson.number);
      replace(this.verdict, h("p", markShown(verdict.accepted ? "fine" : verdict.mark, t(key, { points }))));
      if (verdict.accepted) await this.reveal();
    } catch (error) {
      replace(this.verdict, h("p.notice.error", { text: error.text ?? error.message }));
    }
  }

  /** Shows the answer below what was said about the attempt. */
  async reveal() {
    const advice = await lessonAnswer(this.game, this.lesson.number);
    if (!this.solved.has(this.lesson.number)) replace(this.verdict);
    this.done = true;
    this.nextLabel.textContent = t("lessons.next");
    this.draw();
    this.verdict.append(
      h("h4", { text: t("lessons.answer") }),
      scrolling(t("lessons.answer"), optionsTable(this.rules, advice, { all: false })),
    );
    announce(t("lessons.answer"));
  }

  next() {
    const following = this.lessons.indexOf(this.lesson) + 1;
    if (following < this.lessons.length) {
      this.show(following);
      return;
    }
    const said = t("lessons.finished", { solved: this.solved.size, of: this.lessons.length });
    replace(
      this.body,
      h("p", { text: said }),
      h(
        "div.row",
        button("", t("lessons.again"), () => this.begin()),
      ),
    );
    announce(said);
    this.body.querySelector("button").focus();
  }
}
