// After the game: the result, skill and luck apart, the chart, the mistakes, and all that happened.

import { gameState, review, ruleset, solveStatus, wholeLog } from "./api.js";
import { actionShown, facesSaid } from "./actions.js";
import { decisionShown, isJudged } from "./coach.js";
import { scoreChart } from "./chart.js";
import { smallDice } from "./dice.js";
import { h, replace } from "./dom.js";
import { boxLabel, list, number, rulesetLabel, signed, t } from "./i18n.js";
import { LessonsPanel } from "./lessons.js";
import { fairPanel, saveGame } from "./options.js";
import { seatNames } from "./seats.js";
import { solvePanel } from "./solve.js";
import { tokenOf } from "./store.js";

/** Shows the review of a finished game. */
export async function reviewScreen(main, [id]) {
  if (tokenOf(id) === null) {
    replace(
      main,
      h("div.card.stack", {}, h("p", { text: t("game.unknown") }), h("a", { href: "#/", text: t("app.back") })),
    );
    return null;
  }
  const state = await gameState(id);
  if (state.phase !== "finished") {
    replace(
      main,
      h(
        "div.card.stack",
        {},
        h("p", { text: t("review.unfinished") }),
        h("a.button", { href: `#/game/${id}`, text: t("review.to_game") }),
      ),
    );
    return null;
  }
  const [rules, balance, log] = await Promise.all([ruleset(state.ruleset), review(id), wholeLog(id)]);
  const names = seatNames(state.seats);
  const cardNames = state.cards.map((card) => list(card.seats.map((seat) => names[seat])));
  const exact = balance.source === "exact";
  const lessons = new LessonsPanel(id, rules, names);
  const redraw = () => reviewScreen(main, [id]);
  const parts = [
    result(state, cardNames),
    exact ? skillAndLuck(balance, cardNames) : await unknownBalance(rules, redraw),
    exact && state.seats.length > state.cards.length && seatTable(balance, names),
    exact &&
      h(
        "section.card.stack.tight",
        { "aria-labelledby": "chart-heading" },
        h("h2", { id: "chart-heading", text: t("review.chart") }),
        h("p.hint", { text: t("review.chart.about") }),
        scoreChart(
          balance.cards.map((card) => ({ name: cardNames[card.card], series: card.series })),
          balance.optimum,
        ),
      ),
    exact && lessons.element,
    logTable(rules, log, names),
    h("section.card", {}, fairPanel(state)),
  ];
  replace(main, h("div.stack.review", {}, parts));
  if (exact) await lessons.open();
  return () => lessons.close();
}

function result(state, cardNames) {
  const { totals, winners } = state.result;
  const key = totals.length === 1 ? "game.solo" : winners.length > 1 ? "game.shared" : "game.won";
  const name = list(winners.map((card) => cardNames[card]));
  const problem = h("p.notice.error", { role: "alert", hidden: true });
  const save = () =>
    saveGame(state.id).catch((error) => {
      problem.hidden = false;
      problem.textContent = error.text ?? error.message;
    });
  const order = totals.map((_, card) => card).sort((first, second) => totals[second] - totals[first]);
  return h(
    "section.card.stack",
    {},
    h(
      "div.stack.tight",
      {},
      h("p.muted", { text: `${t("review.heading")} · ${rulesetLabel(state.ruleset)}` }),
      h("h1", { text: t(key, { name, points: number(Math.max(...totals)) }) }),
    ),
    totals.length > 1 &&
      h(
        "ol.ranking",
        {},
        order.map((card) =>
          h("li", {}, h("span", { text: cardNames[card] }), h("strong", { text: number(totals[card]) })),
        ),
      ),
    h(
      "div.row",
      {},
      h("a.button.primary", { href: `#/game/${state.id}`, text: t("review.to_game") }),
      h("button", { type: "button", text: t("game.export"), on: { click: save } }),
      h("a.button", { href: "#/", text: t("game.new") }),
    ),
    problem,
  );
}

async function unknownBalance(rules, onSolved) {
  const status = await solveStatus(rules.name);
  return h(
    "section.card.stack",
    {},
    h("h2", { text: t("review.balance") }),
    h("p", { text: t("review.not_exact") }),
    solvePanel(status, onSolved),
  );
}

/** The balance of each card, as a sum that adds up and as figures beside each other. */
function skillAndLuck(balance, cardNames) {
  const sums = balance.cards.map((card) => {
    // Two decimals each, and the sum of what is shown is what is shown: the luck takes up the rounding.
    const optimum = Math.round(100 * balance.optimum);
    const loss = Math.round(100 * card.loss);
    const luck = 100 * card.score - optimum + loss;
    const term = (key, value, sign = "") =>
      h("div.term", {}, h("span.value", { text: sign + number(value / 100, 2) }), h("span.hint", { text: t(key) }));
    const said = [
      `${t("review.score")} ${number(card.score)} = ${t("review.optimum")} ${number(optimum / 100, 2)}`,
      `${luck < 0 ? "\u2212" : "+"} ${t("review.luck")} ${number(Math.abs(luck) / 100, 2)}`,
      `\u2212 ${t("review.given_away")} ${number(loss / 100, 2)}`,
    ].join(" ");
    return h(
      "div.balance-row",
      {},
      h("h3", { text: cardNames[card.card] }),
      h(
        "div.balance",
        { role: "img", "aria-label": said },
        h(
          "div.term.score",
          {},
          h("span.value", { text: number(card.score) }),
          h("span.hint", { text: t("review.score") }),
        ),
        h("span.sign", { text: "=" }),
        term("review.optimum", optimum),
        h("span.sign", { text: luck < 0 ? "\u2212" : "+" }),
        term("review.luck", Math.abs(luck)),
        h("span.sign", { text: "\u2212" }),
        term("review.given_away", loss),
      ),
    );
  });
  return h(
    "section.card.stack",
    { "aria-labelledby": "balance-heading" },
    h(
      "div.stack.tight",
      {},
      h("h2", { id: "balance-heading", text: t("review.balance") }),
      h("p.hint", { text: t("review.balance.about") }),
    ),
    sums,
    figures(
      balance.cards,
      balance.cards.map((card) => cardNames[card.card]),
      true,
    ),
  );
}

function seatTable(balance, names) {
  return h(
    "section.card.stack",
    {},
    h("h2", { text: t("sheet.players") }),
    figures(
      balance.seats,
      balance.seats.map((seat) => names[seat.seat]),
      false,
    ),
  );
}

/** Figures of cards, whose loss stands in their balance already, or of the seats that share them: a column for each. */
function figures(columns, names, ofCards) {
  const rows = [
    ofCards
      ? ["review.adjusted", (one) => number(one.luck_adjusted, 2)]
      : ["review.given_away", (one) => number(one.loss, 2)],
    ["review.decisions", (one) => number(one.real_decisions)],
    ["review.mean_loss", (one) => (one.mean_loss === null ? "–" : number(one.mean_loss, 3))],
    ["mark.fine", (one) => number(one.marks.fine)],
    ["mark.small", (one) => number(one.marks.small)],
    ["mark.big", (one) => number(one.marks.big)],
  ];
  return h(
    "div.stack.tight",
    {},
    h(
      "div.scroll",
      { tabindex: 0, role: "region", "aria-label": t("review.balance") },
      h(
        "table.figures.compared",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("td"),
            names.map((name) => h("th.num", { scope: "col", text: name })),
          ),
        ),
        h(
          "tbody",
          {},
          rows.map(([key, value]) =>
            h(
              "tr",
              {},
              h("th", { scope: "row", text: t(key) }),
              columns.map((one) => h("td.num", { text: value(one) })),
            ),
          ),
        ),
      ),
    ),
    h("p.hint", { text: t("review.mean_loss.about") }),
  );
}

/** Every throw with its luck and every decision with its mark. */
function logTable(rules, log, names) {
  const rows = log.map((entry) => {
    let what;
    if (entry.kind === "throw") what = smallDice(entry.dice, facesSaid(entry.dice));
    else if (entry.kind === "keep")
      what = actionShown(rules, entry.keep.length === 0 ? "keep nothing" : `keep ${entry.keep.join(" ")}`);
    else
      what = h(
        "span",
        {},
        h("strong", {
          text: t("action.score_gain", { box: boxLabel(rules, entry.box, true), points: number(entry.gain) }),
        }),
      );
    const luck = entry.luck === null ? "" : h("span.hint", { text: `${t("review.luck")} ${signed(entry.luck, 2)}` });
    const lost = isJudged(entry) && decisionShown(rules, entry);
    return h(
      `tr.log-${entry.kind}`,
      {},
      h("td", { text: number(entry.turn) }),
      h("td", { text: names[entry.seat] }),
      h("td", {}, what),
      h("td", {}, entry.kind === "throw" ? luck : lost),
    );
  });
  return h(
    "details.card",
    {},
    h("summary", { text: t("review.log") }),
    h(
      "div.scroll",
      { tabindex: 0, role: "region", "aria-label": t("review.log") },
      h(
        "table.figures.log",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["review.chart.turn", "review.player", "review.log.what", "review.log.worth"].map((key) =>
              h("th", { scope: "col", text: t(key) }),
            ),
          ),
        ),
        h("tbody", {}, rows),
      ),
    ),
  );
}
