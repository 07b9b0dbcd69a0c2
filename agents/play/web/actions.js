// Decisions as people read them: "keep 5 5" with drawn dice, "score chance" with the name of the box.

import { smallDice } from "./dice.js";
import { h } from "./dom.js";
import { boxLabel, list, t } from "./i18n.js";

/** Faces as words: "5, 5 and 6". */
export function facesSaid(faces) {
  return list(faces.map(String));
}

/**
 * Takes the name of an action apart.
 *
 * @param {string} name - "keep 5 5", "keep nothing" or "score full_house".
 * @returns {{keep: number[]|null, box: string|null}}
 */
export function parseAction(name) {
  const [verb, ...rest] = name.split(" ");
  if (verb === "score") return { keep: null, box: rest.join(" ") };
  return { keep: rest[0] === "nothing" ? [] : rest.map(Number), box: null };
}

/** An action as text alone. */
export function actionSaid(rules, name) {
  const { keep, box } = parseAction(name);
  if (box !== null) return boxLabel(rules, box, true);
  return keep.length === 0 ? t("action.keep_nothing") : t("action.keep_said", { dice: facesSaid(keep) });
}

/** An action as text with drawn dice. */
export function actionShown(rules, name) {
  const { keep, box } = parseAction(name);
  if (box !== null) return h("span.action", { text: boxLabel(rules, box, true) });
  if (keep.length === 0) return h("span.action", { text: t("action.keep_nothing") });
  return h("span.action", `${t("action.keep")} `, smallDice(keep, facesSaid(keep)));
}
