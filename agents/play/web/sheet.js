// The score sheet: a table for each section, with one column per card, or several where the game multiplies columns.
//
// Where not all cards fit beside each other, one is shown and the others wait behind tabs.

import { button, h, icon, replace, rowHead } from "./dom.js";
import { boxHint, boxLabel, number, signed, t } from "./i18n.js";

const LABEL_WIDTH = 132; // pixels; what the names of the boxes need
const CELL_WIDTH = 62;
const NARROW = 480; // below this width one card is shown with its sections beside each other, to fit the screen

/** Draws cards and reports which box was chosen. */
export class Sheet {
  /**
   * @param {object} rules - RulesetInfo.
   * @param {(box: string) => void} onChoose - called with the box whose offer was clicked.
   */
  constructor(rules, onChoose) {
    this.rules = rules;
    this.onChoose = onChoose;
    this.pinned = null;
    this.element = h("section.sheet", { "aria-label": t("sheet.all"), on: { keydown: (event) => this.arrow(event) } });
    this.watcher = new ResizeObserver(() => {
      if (this.view !== undefined && this.layout() !== this.drawn) this.draw();
    });
    this.watcher.observe(this.element);
  }

  /** Stops watching the width. */
  close() {
    this.watcher.disconnect();
  }

  /**
   * Shows the cards.
   *
   * @param {object} view - `cards` (Card), `names` by card, `active`: the card on turn or null, `choices`: Choices that
   *   may be clicked, or null, `fresh`: {card, box} filled last, or null.
   */
  show(view) {
    if (this.view?.active !== view.active) this.pinned = null;
    this.view = view;
    this.draw();
  }

  /** Puts the focus on the first box that may be filled. */
  focusFirst() {
    this.element.querySelector("button.offer")?.focus();
  }

  layout() {
    const columns = this.view.cards.length * this.rules.columns.length;
    const width = this.element.clientWidth;
    return width >= NARROW && LABEL_WIDTH + CELL_WIDTH * columns <= width ? "all" : "one";
  }

  draw() {
    const focused = document.activeElement;
    const held = this.element.contains(focused) ? (focused.dataset.box ?? focused.dataset.card) : null;
    this.drawn = this.layout();
    const { cards, active } = this.view;
    const front = this.pinned ?? active ?? 0;
    const shown = this.drawn === "all" ? cards : cards.filter((card) => card.index === front);
    const single = shown.length * this.rules.columns.length === 1;
    replace(
      this.element,
      this.drawn === "one" && cards.length > 1 && this.tabs(front),
      h(
        `div.sections${single ? ".single" : ""}`,
        h(
          "div.section",
          this.table("upper", shown),
          this.status(cards.find((card) => card.index === front) ?? cards[0]),
        ),
        h("div.section", this.table("lower", shown)),
      ),
    );
    if (held) this.element.querySelector(`[data-box="${held}"], [data-card="${held}"]`)?.focus({ preventScroll: true });
  }

  tabs(front) {
    const buttons = this.view.cards.map((card) => {
      const words = [
        h("span.tab-name", { text: this.view.names[card.index] }),
        h("span.tab-total", { text: this.total(card) }),
      ];
      const pin = () => {
        this.pinned = card.index;
        this.draw();
      };
      const pressed = { "aria-pressed": String(card.index === front), data: { card: `card-${card.index}` } };
      return button(`.tab${this.look(card)}`, words, pin, pressed);
    });
    return h("div.tabs", { role: "group", "aria-label": t("sheet.players") }, buttons);
  }

  /** The class of what belongs to the card on turn. */
  look(card) {
    return card.index === this.view.active ? ".on-turn" : "";
  }

  total(card) {
    return card.total === null ? "–" : number(card.total);
  }

  table(section, cards) {
    const rows = [...new Set(this.rules.boxes.filter((box) => box.section === section).map((box) => box.box))];
    const title = t(section === "upper" ? "sheet.upper" : "sheet.lower");
    const names = cards.map((card) => this.view.names[card.index]).join(", ");
    const body = rows.map((box) =>
      h(
        "tr",
        this.rowHead(box, cards),
        this.eachColumn(cards, (card, column) => this.cell(card, this.boxAt(box, column))),
      ),
    );
    return h(
      "table.sheet-table",
      h("caption.visually-hidden", { text: `${title}: ${names}` }),
      h("colgroup", h("col.label-column"), this.eachColumn(cards, () => h("col"))),
      this.head(section, cards),
      h("tbody", body),
      h("tfoot", section === "upper" ? this.upperFoot(cards) : this.lowerFoot(cards)),
    );
  }

  eachColumn(cards, make) {
    return cards.flatMap((card) => this.rules.columns.map((_, column) => make(card, column)));
  }

  boxAt(box, column) {
    return this.rules.boxes.find((one) => one.box === box && one.column === column);
  }

  head(section, cards) {
    const several = this.rules.columns.length > 1;
    const quiet = section === "lower" || (cards.length === 1 && !several);
    const words = (card) =>
      h(
        `th${this.look(card)}`,
        {
          scope: "colgroup",
          colspan: this.rules.columns.length,
        },
        h("span.card-name", { text: this.view.names[card.index] }),
        card.index === this.view.active && h("span.visually-hidden", { text: `, ${t("sheet.on_turn")}` }),
      );
    const factors =
      several &&
      h(
        "tr",
        h("td"),
        this.eachColumn(cards, (_, column) =>
          h("th.factor", { scope: "col", text: t("sheet.factor", { factor: this.rules.columns[column] }) }),
        ),
      );
    // Where a tab names the card already, its name above the columns is for screen readers alone.
    const tabbed = this.drawn === "one" && this.view.cards.length > 1;
    const top = h(
      `tr${tabbed ? ".visually-hidden" : ""}`,
      h("th", { scope: "col" }, h("span.visually-hidden", { text: t("sheet.box") })),
      cards.map(words),
    );
    return h(`thead${quiet ? ".visually-hidden" : ""}`, top, factors);
  }

  rowHead(box, cards) {
    const legal = this.view.choices?.boxes.some((choice) => choice.box.split("@")[0] === box);
    const closed = cards.every((card) =>
      card.cells.every((cell) => cell.box.split("@")[0] !== box || cell.points !== null),
    );
    const hint = boxHint(this.rules, box);
    return h(
      `th${legal ? ".legal" : ""}${closed ? ".closed" : ""}`,
      { scope: "row" },
      h("span.box-name", { text: boxLabel(this.rules, box) }),
      hint && h("span.box-hint", { text: hint }),
    );
  }

  cell(card, box) {
    const { points } = card.cells.find((cell) => cell.box === box.id);
    const active = card.index === this.view.active;
    const look = this.look(card);
    if (points !== null) {
      const { fresh } = this.view;
      const isFresh = fresh !== null && fresh.card === card.index && fresh.box === box.id;
      return h(`td.filled${look}${isFresh ? ".fresh" : ""}${points === 0 ? ".zero" : ""}`, { text: number(points) });
    }
    const choice = active ? this.view.choices?.boxes.find((one) => one.box === box.id) : undefined;
    if (choice === undefined) return h(`td.open${look}`, h("span.visually-hidden", { text: t("sheet.open") }));
    const key = choice.is_zero ? "sheet.write_zero" : choice.is_joker ? "sheet.write_joker" : "sheet.write";
    const said = t(key, { box: boxLabel(this.rules, box.id, true), points: choice.points });
    const words = [number(choice.points), choice.is_joker && h("span.joker-mark", { text: "J" })];
    const attributes = { "aria-label": said, data: { box: box.id } };
    const offer = button(`.offer${choice.is_zero ? ".zero" : ""}`, words, () => this.onChoose(box.id), attributes);
    return h(`td.offered${look}`, offer);
  }

  upperFoot(cards) {
    const sums = this.eachColumn(cards, (card, column) => {
      const { sum, ahead } = card.upper[column];
      const begun = this.rules.boxes.some(
        (box, place) => box.section === "upper" && box.column === column && card.cells[place].points !== null,
      );
      const below = ahead !== null && begun && h("span.par", { text: signed(ahead) });
      return h(`td${this.look(card)}`, number(sum), below);
    });
    const of = this.rules.bonus && h("span.box-hint", { text: `/ ${this.rules.bonus.threshold}` });
    const rows = [h("tr.sum", h("th", { scope: "row" }, t("sheet.sum"), of), sums)];
    if (this.rules.bonus === null) return rows;
    const bonuses = this.eachColumn(cards, (card, column) => {
      const { status, bonus, missing } = card.upper[column];
      const look = this.look(card);
      const said = (text) => h("span.visually-hidden", { text });
      if (status === "secured") return h(`td.secured${look}`, number(bonus), said(t("sheet.bonus_secured")));
      if (status === "out_of_reach") return h(`td.lost${look}`, "0", said(t("sheet.bonus_lost")));
      return h(`td.open${look}`, said(t("sheet.bonus_missing", { points: missing })));
    });
    return [...rows, h("tr.bonus", h("th", { scope: "row", text: t("sheet.bonus") }), bonuses)];
  }

  lowerFoot(cards) {
    const rows = [];
    const { columns, special } = this.rules;
    const add = (head, make, look = "") => {
      const cells = cards.map((card) => h(`td${this.look(card)}`, { colspan: columns.length, text: make(card) }));
      rows.push(h(`tr${look}`, h("th", { scope: "row" }, head), cells));
    };
    if (special.extra_yatzy_bonus > 0)
      add(t("sheet.extra", { box: boxLabel(this.rules, "yatzy") }), (card) => number(card.extra));
    if (special.saved_throws) add([icon("save"), " ", t("game.saved_throws")], (card) => number(card.saved_throws));
    if (columns.length > 1) {
      const sums = this.eachColumn(cards, ({ index, column_totals: totals }, column) =>
        h(`td${this.look({ index })}`, { text: totals === null ? "–" : number(totals[column]) }),
      );
      rows.push(h("tr.sum", rowHead(t("sheet.sum")), sums));
    }
    add(t("sheet.total"), (card) => this.total(card), ".total");
    return rows;
  }

  /** One line about the bonus of a card, for every column. */
  status(card) {
    if (this.rules.bonus === null) return null;
    const lines = card.upper.map((upper, column) => {
      const factor = card.upper.length > 1 ? `${t("sheet.factor", { factor: this.rules.columns[column] })}: ` : "";
      if (upper.status === "secured")
        return h("p.bonus-line.secured", icon("fine"), `${factor}${t("sheet.bonus_secured")}`);
      if (upper.status === "out_of_reach")
        return h("p.bonus-line.lost", icon("remove"), `${factor}${t("sheet.bonus_lost")}`);
      const ahead = Math.round(upper.ahead);
      const par =
        ahead === 0
          ? t("sheet.par_even")
          : t(ahead > 0 ? "sheet.par_ahead" : "sheet.par_behind", { points: number(Math.abs(ahead)) });
      return h("p.bonus-line", `${factor}${t("sheet.bonus_missing", { points: upper.missing })} · ${par}`);
    });
    return h("div.bonus-lines", lines);
  }

  /** Arrow keys move the focus between offers: up and down within a column, sideways between columns. */
  arrow(event) {
    const steps = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [1, -1], ArrowRight: [1, 1] };
    const step = steps[event.key];
    if (step === undefined || !event.target.matches("button.offer")) return;
    const [axis, sign] = step;
    const perColumn = this.rules.boxes.length / this.rules.columns.length;
    const place = (button) => {
      const index = this.rules.boxes.findIndex((box) => box.id === button.dataset.box);
      return [index % perColumn, this.rules.boxes[index].column]; // row and column
    };
    const here = place(event.target);
    const ahead = (offer) => sign * (place(offer)[axis] - here[axis]);
    const aside = (offer) => Math.abs(place(offer)[1 - axis] - here[1 - axis]);
    const next = [...this.element.querySelectorAll("button.offer")]
      .filter((offer) => ahead(offer) > 0 && (axis === 0 || aside(offer) === 0))
      .sort((first, second) => ahead(first) - ahead(second) || aside(first) - aside(second))[0];
    event.preventDefault();
    next?.focus();
  }
}
