// Texts by key and language. The server adds to the page's own, messages/*.json, what boxes, rulesets and options are
// called (yatzy_env/rules/names.json); the keys are the same in all languages.

export const LANGUAGES = { en: "English", da: "Dansk", no: "Norsk", sv: "Svenska" };

const LOCALES = { en: "en-GB", da: "da-DK", no: "nb-NO", sv: "sv-SE" };
const STORED = "yatzy.language";

let language = "en";
let messages = {};

/** The language in use: a key of `LANGUAGES`. */
export function currentLanguage() {
  return language;
}

/** The stored language, else the first the browser asks for and we have, else English. */
export function preferredLanguage() {
  const stored = localStorage.getItem(STORED);
  if (stored in LANGUAGES) return stored;
  for (const wanted of navigator.languages ?? []) {
    const short = wanted.slice(0, 2).toLowerCase();
    if (short in LANGUAGES) return short;
    if (short === "nb" || short === "nn") return "no";
  }
  return "en";
}

/** Loads a language and makes it the one in use. */
export async function useLanguage(name) {
  const response = await fetch(new URL(`messages/${name}.json`, import.meta.url));
  if (!response.ok) throw new Error(`messages/${name}.json: ${response.status}`);
  messages = await response.json();
  language = name;
  localStorage.setItem(STORED, name);
  document.documentElement.lang = name === "no" ? "nb" : name;
}

/** Whether there is a text under a key. */
export function has(key) {
  return key in messages;
}

/**
 * The text of a key, with {names} filled in.
 *
 * Where `values.count` is given and the keys `key.one` and `key.other` exist, its number chooses between them.
 */
export function t(key, values = {}) {
  let text = messages[key];
  if (text === undefined && "count" in values) {
    text = messages[`${key}.${new Intl.PluralRules(LOCALES[language]).select(values.count)}`];
  }
  if (text === undefined) return key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** A number with a fixed count of decimals, as the language writes it. */
export function number(value, decimals = 0) {
  const format = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  // A value that rounds to nothing has no sign.
  const shown = Math.abs(value) < 0.5 * 10 ** -decimals ? 0 : value;
  return shown.toLocaleString(LOCALES[language], format).replace("-", "\u2212");
}

/** A number with its sign. */
export function signed(value, decimals = 0) {
  const text = number(value, decimals);
  return value > 0 && /[1-9]/.test(text) ? `+${text}` : text;
}

/** A share of 1 as a percentage. */
export function percent(share, decimals = 0) {
  // A narrow space, as tables of chances are full of these.
  return `${number(100 * share, decimals)}\u202f%`;
}

/** A time as day and hour. */
export function moment(timestamp) {
  const when = typeof timestamp === "number" ? new Date(1000 * timestamp) : new Date(timestamp);
  return when.toLocaleString(LOCALES[language], { dateStyle: "medium", timeStyle: "short" });
}

/** A list of words: "a, b and c". */
export function list(words) {
  return new Intl.ListFormat(LOCALES[language], { style: "long", type: "conjunction" }).format(words);
}

/**
 * What a box is called on the sheet of a ruleset.
 *
 * @param {object} rules - the ruleset as the server describes it.
 * @param {string} id - a box of its sheet, with or without the column.
 * @param {boolean} [withColumn] - whether to name the column where there are several.
 */
export function boxLabel(rules, id, withColumn = false) {
  const found = rules.boxes.find((box) => box.id === id || box.box === id);
  const label = found === undefined ? t(`box.${id}`) : t(found.label_key);
  if (!withColumn || rules.columns.length === 1 || found === undefined) return label;
  return t("box.in_column", { box: label, column: `×${rules.columns[found.column]}` });
}

/** What a box asks for, in a few signs; empty for boxes whose name says it. */
export function boxHint(rules, box) {
  const key = rules.boxes.find((one) => one.box === box)?.hint_key;
  return key ? t(key) : "";
}

/** The name of a ruleset. */
export function rulesetLabel(name) {
  return has(`ruleset.${name}`) ? t(`ruleset.${name}`) : name;
}

/** The name of a face: "five". */
export function faceName(face) {
  return t(`face.${face}`);
}
