// Finished games and statistics of a person.

import { player, ruleset } from "./api.js";
import { field, h, replace } from "./dom.js";
import { boxLabel, list, moment, number, percent, rulesetLabel, t } from "./i18n.js";
import { agentLabel } from "./seats.js";
import { names, tokenOf } from "./store.js";

const SHOWN = 50; // games in the list

/** Shows the statistics of the person named in the address, else of the last who played here. */
export async function historyScreen(main, [asked]) {
  const name = asked ?? names()[0] ?? "";
  const input = h("input", {
    type: "text",
    value: name,
    list: "known-names",
    autocomplete: "off",
    maxlength: 24,
    required: true,
  });
  const form = h(
    "form.card.row.ask",
    {
      on: {
        submit: (event) => {
          event.preventDefault();
          const wanted = input.value.trim();
          if (wanted !== "") window.location.hash = `#/history/${encodeURIComponent(wanted)}`;
        },
      },
    },
    h(
      "datalist",
      { id: "known-names" },
      names().map((known) => h("option", { value: known })),
    ),
    field(t("history.name"), input),
    h("button.primary", { type: "submit", text: t("history.show") }),
  );
  const body = h("div.stack");
  replace(main, h("div.stack", {}, h("h1", { text: t("history.heading") }), form, body));
  if (name === "") return;
  const record = await player(name);
  if (record.games.length === 0) {
    replace(body, h("p.card", { text: t("history.none", { name }) }));
    return;
  }
  replace(body, await statistics(record), gameTable(record));
}

function figure(value, decimals) {
  return value === null ? "–" : number(value, decimals);
}

function table(label, heads, rows) {
  return h(
    "div.scroll",
    { tabindex: 0, role: "region", "aria-label": label },
    h(
      "table.figures",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          heads.map(([text, isNumber]) => h(`th${isNumber ? ".num" : ""}`, { scope: "col", text })),
        ),
      ),
      h("tbody", {}, rows),
    ),
  );
}

async function statistics(record) {
  // The box of all dice alike has a name of its own in each game; the common one heads the column.
  const rows = await Promise.all(
    record.statistics.map(async (row) => {
      const rules = await ruleset(row.ruleset).catch(() => null);
      const yatzy = row.yatzy_rate === null ? "–" : percent(row.yatzy_rate);
      return h(
        "tr",
        {},
        h("th", { scope: "row", text: rulesetLabel(row.ruleset) }),
        h("td.num", { text: number(row.games) }),
        h("td.num", {
          text: row.games_with_opponents === 0 ? "–" : `${number(row.wins)} / ${number(row.games_with_opponents)}`,
        }),
        h("td.num", { text: number(row.mean, 1) }),
        h("td.num", { text: number(row.best) }),
        h("td.num", { text: number(row.worst) }),
        h("td.num", { text: row.bonus_rate === null ? "–" : percent(row.bonus_rate) }),
        h("td.num", {
          text: yatzy,
          title: rules === null || row.yatzy_rate === null ? null : boxLabel(rules, "yatzy"),
        }),
        h("td.num", { text: figure(row.mean_loss, 2) }),
      );
    }),
  );
  const heads = [
    ["rules.choose", false],
    ["history.count", true],
    ["history.wins", true],
    ["history.mean", true],
    ["history.best", true],
    ["history.worst", true],
    ["history.bonus", true],
    ["history.yatzy", true],
    ["history.loss", true],
  ];
  return h(
    "section.card.stack",
    {},
    h("h2", { text: t("history.by_game") }),
    table(
      t("history.by_game"),
      heads.map(([key, isNumber]) => [t(key), isNumber]),
      rows,
    ),
  );
}

function gameTable(record) {
  const rows = record.games.slice(0, SHOWN).map((game) => {
    const opponents = game.opponents.length === 0 ? "–" : list(game.opponents.map(agentLabel));
    const outcome = game.players === 1 ? t("history.alone") : t(game.won ? "history.won" : "history.lost");
    const link = tokenOf(game.id) !== null && h("a", { href: `#/review/${game.id}`, text: t("history.review") });
    return h(
      "tr",
      {},
      h("td", { text: moment(game.finished) }),
      h("th", { scope: "row", text: rulesetLabel(game.ruleset) }),
      h("td", { text: opponents }),
      h("td.num", { text: number(game.score) }),
      h("td", { text: outcome }),
      h("td.num", { text: figure(game.loss, 2) }),
      h("td.num", { text: figure(game.luck, 1) }),
      h("td", {}, link),
    );
  });
  const heads = [
    ["history.date", false],
    ["rules.choose", false],
    ["history.opponents", false],
    ["review.score", true],
    ["history.result", false],
    ["history.loss", true],
    ["review.luck", true],
  ];
  const labels = heads.map(([key, isNumber]) => [t(key), isNumber]);
  return h(
    "section.card.stack",
    {},
    h("h2", { text: t("history.games") }),
    table(t("history.games"), [...labels, [t("history.review"), false]], rows),
  );
}
