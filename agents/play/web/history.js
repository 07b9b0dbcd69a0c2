// Finished games and statistics of a person.

import { player, ruleset } from "./api.js";
import { field, figureTable, h, numberCell, replace, rowHead } from "./dom.js";
import { boxLabel, list, moment, number, percent, rulesetLabel, t } from "./i18n.js";
import { agentLabel, knownNames, nameInput } from "./seats.js";
import { names, tokenOf } from "./store.js";

const SHOWN = 50; // games in the list

/** Shows the statistics of the person named in the address, else of the last who played here. */
export async function historyScreen(main, [asked]) {
  const name = asked ?? names()[0] ?? "";
  const input = nameInput({ value: name, maxlength: 24 });
  const submit = (event) => {
    event.preventDefault();
    const wanted = input.value.trim();
    if (wanted !== "") window.location.hash = `#/history/${encodeURIComponent(wanted)}`;
  };
  const form = h(
    "form.card.row.ask",
    { on: { submit } },
    knownNames(),
    field(t("history.name"), input),
    h("button.primary", { type: "submit", text: t("history.show") }),
  );
  const body = h("div.stack");
  replace(main, h("div.stack", h("h1", { text: t("history.heading") }), form, body));
  if (name === "") return;
  const record = await player(name);
  if (record.games.length === 0) {
    replace(body, h("p.card", { text: t("history.none", { name }) }));
    return;
  }
  replace(body, await statistics(record), gameTable(record));
}

const figure = (value, decimals) => (value === null ? "–" : number(value, decimals));
const share = (value) => (value === null ? "–" : percent(value));

function titledTable(title, rows, words, numbers) {
  const heads = words.map((key) => [t(key), numbers.includes(key)]);
  return h("section.card.stack", h("h2", { text: title }), figureTable(title, heads, rows));
}

async function statistics(record) {
  // The box of all dice alike has a name of its own in each game; the common one heads the column.
  const rows = await Promise.all(
    record.statistics.map(async (row) => {
      const rules = await ruleset(row.ruleset).catch(() => null);
      const contested = row.games_with_opponents;
      const title = rules === null || row.yatzy_rate === null ? null : boxLabel(rules, "yatzy");
      return [
        rowHead(rulesetLabel(row.ruleset)),
        number(row.games),
        contested === 0 ? "–" : `${number(row.wins)} / ${number(contested)}`,
        number(row.mean, 1),
        number(row.best),
        number(row.worst),
        share(row.bonus_rate),
        numberCell(share(row.yatzy_rate), { title }),
        figure(row.mean_regret, 2),
      ];
    }),
  );
  const figures = ["count", "wins", "mean", "best", "worst", "bonus", "yatzy", "regret"].map((key) => `history.${key}`);
  return titledTable(t("history.by_game"), rows, ["rules.choose", ...figures], figures);
}

function gameTable(record) {
  const rows = record.games.slice(0, SHOWN).map((game) => {
    const opponents = game.opponents.length === 0 ? "–" : list(game.opponents.map(agentLabel));
    return [
      moment(game.finished),
      rowHead(rulesetLabel(game.ruleset)),
      opponents,
      number(game.score),
      game.players === 1 ? t("history.alone") : t(game.won ? "history.won" : "history.lost"),
      figure(game.regret, 2),
      figure(game.luck, 1),
      tokenOf(game.id) !== null && h("a", { href: `#/review/${game.id}`, text: t("history.review") }),
    ];
  });
  const figures = ["review.score", "history.regret", "review.luck"];
  const heads = ["history.date", "rules.choose", "history.opponents", "review.score", "history.result"];
  return titledTable(t("history.games"), rows, [...heads, "history.regret", "review.luck", "history.review"], figures);
}
