// The rules of a game, readable, as the server makes them from its ruleset.

import { meta, ruleset, rulesetList, rulesPage } from "./api.js";
import { facesSaid } from "./actions.js";
import { smallDice } from "./dice.js";
import { field, h, replace, rowHead, select } from "./dom.js";
import { number, rulesetLabel, t } from "./i18n.js";

/** Shows the rules of the ruleset named in the address, else of the one the server suggests. */
export async function rulesScreen(main, [asked]) {
  const [{ suggestion }, { rulesets }] = await Promise.all([meta(), rulesetList()]);
  const name = rulesets.some((one) => one.name === asked) ? asked : suggestion.ruleset;
  const [rules, page] = await Promise.all([ruleset(name), rulesPage(name)]);
  const choices = rulesets.map((one) => [one.name, rulesetLabel(one.name)]);
  const open = (chosen) => window.location.assign(`#/rules/${chosen}`);
  const chooser = select(choices, name, open, { id: "rules-of" });
  replace(
    main,
    h(
      "div.stack.rules",
      h(
        "div.row.spread",
        h("h1", { text: `${t("rules.heading")}: ${rulesetLabel(name)}` }),
        field(t("rules.choose"), chooser),
      ),
      page.sections.map((section) =>
        h(
          "section.card.stack.tight",
          h("h2", { text: t(`rules.section.${section.key}`) }),
          sentences(section.items),
        ),
      ),
      h("div.row", h("a.button.primary", { href: `#/new/${rules.name}`, text: t("rules.play") })),
    ),
  );
}

/** A sentence of the rules with its values; numbers that are no whole ones are written with two decimals. */
export function sentence(item) {
  const values = Object.fromEntries(
    Object.entries(item.values).map(([key, value]) => [
      key,
      typeof value === "number" ? number(value, Number.isInteger(value) ? 0 : 2) : value,
    ]),
  );
  return t(`rules.${item.key}`, values);
}

/** The sentences of a section; those about boxes stand among them as a table, with an example each. */
function sentences(items) {
  const boxes = items.filter((item) => item.box !== null);
  const plain = items.filter((item) => item.box === null).map((item) => h("p", { text: sentence(item) }));
  const before = boxes.length > 0 ? items.indexOf(boxes[0]) : items.length;
  const table = boxes.length > 0 && h("table.figures", h("tbody", boxes.map(boxRow)));
  return [plain.slice(0, before), table, plain.slice(before)];
}

function boxRow(item) {
  const example =
    item.example !== null &&
    h(
      "div.example",
      h("span.visually-hidden", { text: `${t("rules.example")}: ` }),
      smallDice(item.example.dice, facesSaid(item.example.dice)),
      h("span", { text: `= ${number(item.example.points)}` }),
    );
  const words = h("div.explained", h("span", { text: sentence(item) }), example);
  return h("tr", rowHead(t(item.label_key)), h("td", words));
}
