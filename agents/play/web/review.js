// After the game: the result, skill and luck apart, the chart, the mistakes, and all that happened.

import { gameState, review, ruleset, solveStatus, wholeLog } from "./api.js";
import { actionShown, facesSaid } from "./actions.js";
import { decisionShown, isJudged } from "./coach.js";
import { scoreChart } from "./chart.js";
import { smallDice } from "./dice.js";
import { button, deadEnd, figureTable, h, replace, rowHead, section } from "./dom.js";
import { boxLabel, number, rulesetLabel, signed, t } from "./i18n.js";
import { MistakesPanel } from "./mistakes.js";
import { fairPanel, saveGame } from "./options.js";
import { namesOfCards, seatNames } from "./seats.js";
import { solvePanel } from "./solve.js";
import { tokenOf } from "./store.js";
import { outcome, unknownGame } from "./table.js";

/** Shows the review of a finished game. */
export async function reviewScreen(main, [id]) {
  if (tokenOf(id) === null) return unknownGame(main);
  const state = await gameState(id);
  if (state.phase !== "finished") {
    const way = h("a.button", { href: `#/game/${id}`, text: t("review.to_game") });
    deadEnd(main, t("review.unfinished"), way);
    return null;
  }
  const [rules, balance, log] = await Promise.all([ruleset(state.ruleset), review(id), wholeLog(id)]);
  const names = seatNames(state.seats);
  const cardNames = namesOfCards(state.cards, names);
  const exact = balance.source === "exact";
  const mistakes = new MistakesPanel(id, rules, names);
  const redraw = () => reviewScreen(main, [id]);
  const parts = [
    result(state, cardNames),
    exact ? skillAndLuck(balance, cardNames) : await unknownBalance(rules, redraw),
    exact && state.seats.length > state.cards.length && seatTable(balance, names),
    exact &&
      section(
        ".stack.tight",
        "chart-heading",
        t("review.chart"),
        h("p.hint", { text: t("review.chart.about") }),
        scoreChart(
          balance.cards.map((card) => ({ name: cardNames[card.card], series: card.series })),
          balance.optimum,
        ),
      ),
    exact && mistakes.element,
    logTable(rules, log, names),
    h("section.card", fairPanel(state)),
  ];
  replace(main, h("div.stack.review", parts));
  if (exact) await mistakes.open();
  return () => mistakes.close();
}

function result(state, cardNames) {
  const { totals } = state.result;
  const problem = h("p.notice.error", { role: "alert", hidden: true });
  const save = () =>
    saveGame(state.id).catch((error) => {
      problem.hidden = false;
      problem.textContent = error.message;
    });
  const order = totals.map((_, card) => card).sort((first, second) => totals[second] - totals[first]);
  return h(
    "section.card.stack",
    h(
      "div.stack.tight",
      h("p.muted", { text: `${t("review.heading")} · ${rulesetLabel(state.ruleset)}` }),
      h("h1", { text: outcome(state.result, cardNames) }),
    ),
    totals.length > 1 &&
      h(
        "ol.ranking",
        order.map((card) => h("li", h("span", { text: cardNames[card] }), h("strong", { text: number(totals[card]) }))),
      ),
    h(
      "div.row",
      h("a.button.primary", { href: `#/game/${state.id}`, text: t("review.to_game") }),
      button("", t("game.export"), save),
      h("a.button", { href: "#/", text: t("game.new") }),
    ),
    problem,
  );
}

async function unknownBalance(rules, onSolved) {
  const status = await solveStatus(rules.name);
  return h(
    "section.card.stack",
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
    const regret = Math.round(100 * card.regret);
    const luck = 100 * card.score - optimum + regret;
    const terms = [
      ["=", "review.optimum", optimum],
      [luck < 0 ? "\u2212" : "+", "review.luck", Math.abs(luck)],
      ["\u2212", "review.given_away", regret],
    ].map(([sign, key, value]) => [sign, t(key), number(value / 100, 2)]);
    const [score, shown] = [t("review.score"), number(card.score)];
    const said = [`${score} ${shown}`, ...terms.map((term) => `${term[0]} ${term[1]} ${term[2]}`)].join(" ");
    return h(
      "div.balance-row",
      h("h3", { text: cardNames[card.card] }),
      h(
        "div.balance",
        { role: "img", "aria-label": said },
        h("div.term.score", h("span.value", { text: shown }), h("span.hint", { text: score })),
        terms.map(([sign, name, value]) => [
          h("span.sign", { text: sign }),
          h("div.term", h("span.value", { text: value }), h("span.hint", { text: name })),
        ]),
      ),
    );
  });
  return h(
    "section.card.stack",
    { "aria-labelledby": "balance-heading" },
    h(
      "div.stack.tight",
      h("h2", { id: "balance-heading", text: t("review.balance") }),
      h("p.hint", { text: t("review.balance.about") }),
    ),
    sums,
    figures(balance.cards, (card) => cardNames[card.card], true),
  );
}

function seatTable(balance, names) {
  return h(
    "section.card.stack",
    h("h2", { text: t("sheet.players") }),
    figures(balance.seats, (seat) => names[seat.seat], false),
  );
}

/** Figures of cards, whose regret stands in their balance already, or of the seats that share them: a column for each. */
function figures(columns, name, ofCards) {
  const rows = [
    ofCards
      ? ["review.adjusted", (one) => number(one.luck_adjusted, 2)]
      : ["review.given_away", (one) => number(one.regret, 2)],
    ["review.decisions", (one) => number(one.real_decisions)],
    ["review.mean_regret", (one) => (one.mean_regret === null ? "–" : number(one.mean_regret, 3))],
    ["mark.fine", (one) => number(one.marks.fine)],
    ["mark.small", (one) => number(one.marks.small)],
    ["mark.big", (one) => number(one.marks.big)],
  ];
  const heads = [["", false], ...columns.map((one) => [name(one), true])];
  const lines = rows.map(([key, value]) => [rowHead(t(key)), ...columns.map(value)]);
  return h(
    "div.stack.tight",
    figureTable(t("review.balance"), heads, lines, ".compared"),
    h("p.hint", { text: t("review.mean_regret.about") }),
  );
}

/** Every throw with its luck and every decision with its mark. */
function logTable(rules, log, names) {
  const rows = log.map((entry) => {
    const what = {
      throw: () => smallDice(entry.dice, facesSaid(entry.dice)),
      keep: () => actionShown(rules, `keep ${entry.keep.join(" ") || "nothing"}`),
      score: () => {
        const words = { box: boxLabel(rules, entry.box, true), points: number(entry.gain) };
        return h("span", h("strong", { text: t("action.score_gain", words) }));
      },
    }[entry.kind]();
    const luck = entry.luck === null ? "" : h("span.hint", { text: `${t("review.luck")} ${signed(entry.luck, 2)}` });
    const lost = isJudged(entry) && decisionShown(rules, entry);
    const cells = [number(entry.turn), names[entry.seat], what, entry.kind === "throw" ? luck : lost];
    return h(`tr.log-${entry.kind}`, cells.map((cell) => h("td", cell)));
  });
  const keys = ["review.chart.turn", "review.player", "review.log.what", "review.log.worth"];
  const heads = keys.map((key) => [t(key), false]);
  const label = t("review.log");
  return h("details.card", h("summary", { text: label }), figureTable(label, heads, rows, ".log"));
}
