// The server's interface, described in docs/play.md.

import { has, t } from "./i18n.js";
import { tokenOf } from "./store.js";

/**
 * An answer of the server that is no success. `code` is the server's word for it, "offline" if none came; `message` is
 * the sentence to show, translated where there is a text for the code.
 */
export class Refused extends Error {
  constructor(status, code, message) {
    super(has(`error.${code}`) ? t(`error.${code}`) : message);
    this.status = status;
    this.code = code;
  }
}

async function request(method, path, { body, game } = {}) {
  const headers = {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (game !== undefined) headers["X-Game-Token"] = tokenOf(game) ?? "";
  let response;
  try {
    const payload = body === undefined ? undefined : JSON.stringify(body);
    response = await fetch(`/api${path}`, { method, headers, body: payload, cache: "no-store" });
  } catch {
    throw new Refused(0, "offline", t("app.offline"));
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(response.status, answer.code ?? "", answer.message ?? response.statusText);
  return answer;
}

function ofGame(id, method, rest, body) {
  return request(method, `/games/${encodeURIComponent(id)}${rest}`, { body, game: id });
}

const rulesets = new Map();

export const meta = () => request("GET", "/meta");
export const rulesetList = () => request("GET", "/rulesets");

/** A ruleset in full. It is asked for once, until `forgetRulesets`. */
export function ruleset(name) {
  if (!rulesets.has(name)) {
    const answer = request("GET", `/rulesets/${encodeURIComponent(name)}`);
    rulesets.set(name, answer);
    answer.catch(() => rulesets.delete(name));
  }
  return rulesets.get(name);
}

/** Forgets what was known of rulesets, since one has been solved. */
export function forgetRulesets() {
  rulesets.clear();
}

export const rulesPage = (name) => request("GET", `/rulesets/${encodeURIComponent(name)}/rules`);
export const solveStatus = (name) => request("GET", `/rulesets/${encodeURIComponent(name)}/solve`);
export const startSolving = (name) => request("POST", `/rulesets/${encodeURIComponent(name)}/solve`);
export const player = (name) => request("GET", `/players?name=${encodeURIComponent(name)}`);
export const createGame = (game) => request("POST", "/games", { body: game });
export const gameState = (id) => ofGame(id, "GET", "");
export const move = (id, body) => ofGame(id, "POST", "/moves", body);
export const changeGame = (id, body) => ofGame(id, "POST", "/settings", body);
export const coach = (id) => ofGame(id, "GET", "/coach");
export const review = (id) => ofGame(id, "GET", "/review");
export const mistakes = (id) => ofGame(id, "GET", "/mistakes");
export const attempt = (id, number, body) => ofGame(id, "POST", `/mistakes/${number}`, body);
export const mistakeAnswer = (id, number) => ofGame(id, "GET", `/mistakes/${number}/answer`);
export const exportGame = (id) => ofGame(id, "GET", "/export");

/** The whole log of a game. */
export async function wholeLog(id) {
  const entries = [];
  for (;;) {
    const page = await ofGame(id, "GET", `/log?start=${entries.length}`);
    entries.push(...page.entries);
    if (page.entries.length === 0 || entries.length >= page.length) return entries;
  }
}
